/* SPDX-License-Identifier: MIT */
#include "analysis/history/history_kind.h"

#include <stdlib.h>
#include <string.h>

static enum status take(struct history_kind *kind, const char *const *values)
{
	const struct {
		char **text;
		enum store_column column;
	} table[] = {
		{&kind->devices, STORE_COLUMN_DEVICES},
		{&kind->profile, STORE_COLUMN_PROFILE},
		{&kind->work_unit, STORE_COLUMN_WORK_UNIT},
		{&kind->work_name, STORE_COLUMN_WORK_NAME},
		{&kind->threshold_ns, STORE_COLUMN_THRESHOLD_NS},
		{&kind->simulated, STORE_COLUMN_SIMULATED},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*table[i].text = strdup(values[table[i].column]);
		if (!*table[i].text) {
			return STATUS_NO_MEMORY;
		}
	}
	return STATUS_OK;
}

enum status history_kind_of_report(const char *path, struct history_kind *kind, struct diag *diag)
{
	AUTO(history_run_destroy) struct history_run *run = NULL;
	const struct history_label label = {.host = ""};
	enum status status = history_run_load(path, &label, &run, diag);

	if (status == STATUS_OK) {
		status = take(kind, (const char *const *)run->values);
	}
	if (status == STATUS_OK) {
		kind->fingerprint = strdup(run->values[STORE_COLUMN_FINGERPRINT]);
	}
	return status == STATUS_OK && !kind->fingerprint ? STATUS_NO_MEMORY : status;
}

static enum status take_found(void *context, const struct history_found *found)
{
	return take(context, found->values);
}

enum status history_kind_of_newest(struct store *store, const struct history_filter *filter,
	struct history_kind *kind, struct diag *diag)
{
	struct history_filter newest = *filter;

	newest.limit = 1;
	return history_find(store, &newest, take_found, kind, diag);
}

void history_kind_narrow(const struct history_kind *kind, struct history_filter *filter)
{
	filter->devices = filter->devices ? filter->devices : kind->devices;
	filter->profile = filter->profile ? filter->profile : kind->profile;
	filter->threshold_ns = filter->threshold_ns ? filter->threshold_ns : kind->threshold_ns;
	filter->simulated = kind->simulated;
	filter->not_fingerprint = kind->fingerprint;
	if (!filter->work_unit) {
		filter->work_unit = kind->work_unit;
		filter->work_name = kind->work_name;
	}
}

void history_kind_finish(struct history_kind *kind)
{
	free(kind->devices);
	free(kind->profile);
	free(kind->work_unit);
	free(kind->work_name);
	free(kind->threshold_ns);
	free(kind->simulated);
	free(kind->fingerprint);
	*kind = (struct history_kind){0};
}
