/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/parameters.h"

#include "analysis/core/duration.h"

#include <string.h>

struct names {
	const struct parameter *table;
	uint32_t count;
	const char *unknown;
};

static bt_value_map_foreach_entry_const_func_status check_name(
	const char *name, const bt_value *value, void *context)
{
	struct names *names = context;

	(void)value;
	for (uint32_t i = 0; i < names->count; i++) {
		if (strcmp(names->table[i].name, name) == 0) {
			return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
		}
	}
	names->unknown = name;
	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
}

enum status parameters_read(const bt_value *params, const struct parameter *table,
	uint32_t table_count, struct diag *diag)
{
	struct names names = {table, table_count, NULL};

	(void)bt_value_map_foreach_entry_const(params, check_name, &names);
	if (names.unknown) {
		return diag_set(diag, STATUS_BAD_USE, "there is no parameter `%s`", names.unknown);
	}
	for (uint32_t i = 0; i < table_count; i++) {
		const struct parameter *parameter = &table[i];
		const bt_value *value =
			bt_value_map_borrow_entry_value_const(params, parameter->name);
		const char *string;

		if (!value) {
			continue;
		}
		if (!bt_value_is_string(value)) {
			return diag_set(diag, STATUS_BAD_USE,
				"`%s` must be a string, such as %s=\"%s\"", parameter->name,
				parameter->name, parameter->duration_ns ? "1ms" : "text");
		}
		string = bt_value_string_get(value);
		if (parameter->string) {
			*parameter->string = string;
		} else if (duration_parse(string, parameter->duration_ns) != STATUS_OK) {
			return diag_set(diag, STATUS_BAD_USE,
				"`%s`: '%s' is no duration; write it like 10us, 1ms or 2s",
				parameter->name, string);
		}
	}
	return STATUS_OK;
}
