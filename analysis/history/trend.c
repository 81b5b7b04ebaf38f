/* SPDX-License-Identifier: MIT */
#include "analysis/history/trend.h"

#include "analysis/diff/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum trend_kind kind;
} kinds[] = {
	{"gap", TREND_GAP},
	{"gaps", TREND_GAPS},
	{"max", TREND_MAX_GAP},
	{"utilisation", TREND_UTILISATION},
	{"throughput", TREND_THROUGHPUT},
};

static bool find_cause(const char *name, size_t length, enum cause *out_cause)
{
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		const char *known = cause_name((enum cause)cause);

		if (strlen(known) == length && strncmp(known, name, length) == 0) {
			*out_cause = (enum cause)cause;
			return true;
		}
	}
	return false;
}

static enum status parse_cause(const char *text, struct trend_metric *metric, struct diag *diag)
{
	const size_t length = strcspn(text, "/");
	const char *object = text[length] ? text + length + 1 : "";

	metric->kind = TREND_CAUSE;
	if (find_cause(text, length, &metric->cause) && strlen(object) < sizeof(metric->object)) {
		memcpy(metric->object, object, strlen(object) + 1);
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_USE,
		"--metric: '%s' is no cause; one such as cause:lock or cause:lock/tracker is meant",
		text);
}

enum status trend_metric_parse(const char *text, struct trend_metric *out_metric, struct diag *diag)
{
	struct trend_metric metric = {0};
	enum status status;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, text) == 0) {
			metric.kind = kinds[i].kind;
			*out_metric = metric;
			return STATUS_OK;
		}
	}
	if (strncmp(text, "cause:", 6) != 0) {
		return diag_set(diag, STATUS_BAD_USE,
			"--metric: '%s' is none; there are gap, gaps, max, utilisation, throughput "
			"and cause:NAME",
			text);
	}
	status = parse_cause(text + 6, &metric, diag);
	if (status == STATUS_OK) {
		*out_metric = metric;
	}
	return status;
}

void trend_unit(
	const struct trend_metric *metric, const char *work_unit, char text[TREND_UNIT_BYTES])
{
	switch (metric->kind) {
	case TREND_GAP:
	case TREND_CAUSE:
		(void)snprintf(text, TREND_UNIT_BYTES, "ms per %s", work_unit);
		break;
	case TREND_GAPS:
		(void)snprintf(text, TREND_UNIT_BYTES, "gaps per %s", work_unit);
		break;
	case TREND_MAX_GAP:
		(void)snprintf(text, TREND_UNIT_BYTES, "ms");
		break;
	case TREND_UTILISATION:
		(void)snprintf(text, TREND_UNIT_BYTES, "%% of the window");
		break;
	case TREND_THROUGHPUT:
		(void)snprintf(text, TREND_UNIT_BYTES, "%ss per second", work_unit);
		break;
	}
}

/* All other metrics have columns; only a cause is worth reading whole reports for. */
bool trend_needs_report(const struct trend_metric *metric)
{
	return metric->kind == TREND_CAUSE;
}

static double number(const struct history_found *found, enum store_column column)
{
	return strtod(found->values[column], NULL);
}

/* A run without work has no figure per unit: NaN, which is shown as a hole and not as 0. */
static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : (double)NAN;
}

static double usage_cause_ns(const struct trend_metric *metric, const struct run_usage *usage)
{
	double sum_ns = 0;

	for (uint32_t i = 0; i < usage->cause_count; i++) {
		const struct run_cause *row = &usage->causes[i];

		if (row->cause == metric->cause &&
			(!metric->object[0] || strcmp(row->object, metric->object) == 0)) {
			sum_ns += (double)row->ns;
		}
	}
	return sum_ns;
}

/* What all devices lost to the cause. */
static double cause_ns(const struct trend_metric *metric, const struct run *run)
{
	double sum_ns = 0;

	for (uint32_t i = 0; i < run->device_count; i++) {
		sum_ns += usage_cause_ns(metric, &run->devices[i].usage);
	}
	return sum_ns;
}

static enum status cause_value(const struct trend_metric *metric, const struct history_found *found,
	double *out_value, struct diag *diag)
{
	AUTO(run_destroy) struct run *run = NULL;
	const char *report = found->values[STORE_COLUMN_REPORT];
	char name[64];
	enum status status;

	(void)snprintf(name, sizeof(name), "run %.20s of the history", found->id);
	status = run_parse(name, report, strlen(report), &run, diag);
	if (status == STATUS_OK) {
		*out_value = ratio(cause_ns(metric, run) / 1e6, (double)run->work_count);
	}
	return status;
}

enum status trend_value(const struct trend_metric *metric, const struct history_found *found,
	double *out_value, struct diag *diag)
{
	const double work = number(found, STORE_COLUMN_WORK_COUNT);
	const double window_ns = number(found, STORE_COLUMN_WINDOW_NS);

	switch (metric->kind) {
	case TREND_GAP:
		*out_value = ratio(number(found, STORE_COLUMN_GAP_NS) / 1e6, work);
		break;
	case TREND_GAPS:
		*out_value = ratio(number(found, STORE_COLUMN_GAPS), work);
		break;
	case TREND_MAX_GAP:
		*out_value = number(found, STORE_COLUMN_MAX_GAP_NS) / 1e6;
		break;
	case TREND_UTILISATION:
		*out_value = ratio(100 * number(found, STORE_COLUMN_BUSY_NS),
			window_ns * number(found, STORE_COLUMN_DEVICE_COUNT));
		break;
	case TREND_THROUGHPUT:
		*out_value = ratio(work * 1e9, window_ns);
		break;
	case TREND_CAUSE:
		return cause_value(metric, found, out_value, diag);
	}
	return STATUS_OK;
}
