/* SPDX-License-Identifier: MIT */
/* The new runs of a table against the limits of a budget. */
#include "analysis/diff/budget.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool matches(const char *pattern, const char *text)
{
	return !*pattern || fnmatch(pattern, text, 0) == 0;
}

static bool is_about(const struct budget_limit *limit, const struct table_row *row)
{
	const bool has_filter = limit->has_cause || *limit->object || *limit->phase;

	if (!has_filter) {
		return row->metric == limit->metric;
	}
	/* Without a name it is any cause that counts as idle. */
	return row->metric == METRIC_CAUSE &&
	       (limit->has_cause ? row->cause == limit->cause : row->cause != CAUSE_NO_WORK) &&
	       matches(limit->object, row->object) && matches(limit->phase, row->phase);
}

/* The longest gap is that of all runs together: one is enough to break a limit. */
static double length_of(const struct table *table, const struct table_row *row)
{
	double longest = 0;

	if (row->metric != METRIC_MAX) {
		return row->new_value;
	}
	for (uint32_t i = table->base_count; i < table->run_count; i++) {
		longest = fmax(longest, row->run_values[i]);
	}
	return longest;
}

static double sum_rows(const struct table *table, const struct budget_limit *limit, int32_t device,
	bool *out_has_row)
{
	double sum = 0;

	*out_has_row = false;

	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct table_row *row = &table->rows[i];

		if (row->device == device && is_about(limit, row)) {
			sum += length_of(table, row);
			*out_has_row = true;
		}
	}
	return sum;
}

/* The time per unit of work that all GPUs of the scope had, work that was not there aside. */
static double time_of(const struct table *table, int32_t device)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].metric == METRIC_TIME) {
			return table->rows[i].new_value *
			       (device == TABLE_ALL ? table->runs[0]->device_count : 1);
		}
	}
	return 0;
}

/* Figures that a GPU has no share of its own in. */
static bool is_of_all(const struct budget_limit *limit)
{
	return limit->metric == METRIC_TIME || limit->metric == METRIC_THROUGHPUT;
}

static void check(const struct table *table, int32_t device, struct budget_result *result)
{
	const struct budget_limit *limit = result->limit;
	const bool is_only_one = table->runs[0]->device_count == 1 && !is_of_all(limit);

	result->device = device;
	/* The table has no rows for all GPUs where there is one. */
	result->value = sum_rows(
		table, limit, device == TABLE_ALL && is_only_one ? 0 : device, &result->has_row);
	if (limit->is_share) {
		const double time = time_of(table, device);

		result->value = time > 0 ? result->value / time : 0;
	}
	result->is_kept = (!limit->has_at_most || result->value <= limit->at_most) &&
			  (!limit->has_at_least || result->value >= limit->at_least);
}

static enum status check_limit(const struct budget *budget, const struct budget_limit *limit,
	const struct table *table, uint32_t *out_first, struct diag *diag)
{
	const struct run *run = table->runs[0];

	*out_first = 0;
	if (*limit->unit && strcmp(limit->unit, run->work_unit) != 0) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s:%d: [limit %s] is per %s, and %s counts work by %s", budget->path,
			limit->line, limit->name, limit->unit, run->path, run->work_unit);
	}
	if (limit->scope != BUDGET_ONE) {
		return STATUS_OK;
	}
	for (uint32_t slot = 0; slot < run->device_count; slot++) {
		if (run->devices[slot].index == limit->device_index) {
			*out_first = slot;
			return STATUS_OK;
		}
	}
	return diag_set(diag, STATUS_BAD_USE, "%s:%d: [limit %s]: %s has no gpu %" PRId64,
		budget->path, limit->line, limit->name, run->path, limit->device_index);
}

enum status budget_check(const struct budget *budget, const struct table *table,
	struct budget_result **out_results, uint32_t *out_count, struct diag *diag)
{
	const uint32_t device_count = table->runs[0]->device_count;
	struct budget_result *results =
		calloc((size_t)budget->limit_count * device_count + 1, sizeof(*results));
	enum status status = results ? STATUS_OK : STATUS_NO_MEMORY;
	uint32_t count = 0;

	for (uint32_t i = 0; i < budget->limit_count && status == STATUS_OK; i++) {
		const struct budget_limit *limit = &budget->limits[i];
		const bool is_for_all = limit->scope == BUDGET_ALL || is_of_all(limit);
		uint32_t slot;
		uint32_t end;

		status = check_limit(budget, limit, table, &slot, diag);
		end = limit->scope == BUDGET_ONE ? slot + 1 : device_count;
		if (is_for_all) {
			results[count].limit = limit;
			check(table, TABLE_ALL, &results[count++]);
			continue;
		}
		for (; slot < end && status == STATUS_OK; slot++) {
			results[count].limit = limit;
			check(table, (int32_t)slot, &results[count++]);
		}
	}
	if (status != STATUS_OK) {
		free(results);
		return status;
	}
	*out_results = results;
	*out_count = count;
	return STATUS_OK;
}
