/* SPDX-License-Identifier: MIT */
#include "analysis/diff/phrase.h"

#include "analysis/core/duration.h"
#include "analysis/report/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two names and what stands between them fit in a phrase. */
#define NAME_COLUMNS 64

/* Of a kind of work: those that gaptrace counts by are shorter by far. */
#define UNIT_COLUMNS 32

const char *phrase_scope(const struct diff *diff, int32_t device, char out_text[PHRASE_BYTES_MAX])
{
	const struct run *run = diff->runs[0];

	/* Of one GPU, what is true of all is true of it. */
	if (device == TABLE_ALL && run->device_count == 1) {
		device = 0;
	}
	if (device == TABLE_ALL) {
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "all gpus");
	} else {
		(void)snprintf(
			out_text, PHRASE_BYTES_MAX, "gpu %" PRId64, run->devices[device].index);
	}
	return out_text;
}

/* As one would say it: a lock is held for something, an unknown has a reason. */
static void cause_phrase(const struct table_row *row, char out_text[PHRASE_BYTES_MAX])
{
	char object_text[PRINTABLE_BYTES_MAX];
	char phase_text[PRINTABLE_BYTES_MAX];
	const char *object = printable_copy(row->object, NAME_COLUMNS, object_text);
	const char *phase = printable_copy(row->phase, NAME_COLUMNS, phase_text);
	const char *between = ", ";

	if (strcmp(object, phase) == 0) {
		phase = "";
	}
	if (row->cause == CAUSE_LOCK && *phase && strcmp(phase, "handover") != 0) {
		between = " held for ";
	} else if (row->cause == CAUSE_GPU_MUTEX && *phase) {
		between = " held in ";
	} else if (row->cause == CAUSE_UNKNOWN && *phase) {
		between = ": ";
	}
	(void)snprintf(out_text, PHRASE_BYTES_MAX, "%s%s%s%s%s", cause_name(row->cause),
		*object ? " " : "", object, *phase ? between : "", phase);
}

const char *phrase_what(const struct table_row *row, char out_text[PHRASE_BYTES_MAX])
{
	if (row->metric == METRIC_CAUSE) {
		cause_phrase(row, out_text);
	} else {
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "%s", table_metric_meaning(row->metric));
	}
	return out_text;
}

enum budget_kind phrase_kind(enum metric metric)
{
	const struct budget_limit limit = {.metric = metric};

	return budget_limit_kind(&limit);
}

const char *phrase_value(enum budget_kind kind, double value, char out_text[PHRASE_BYTES_MAX])
{
	char text[DURATION_TEXT_BYTES];

	switch (kind) {
	case BUDGET_SHARE:
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "%.1f %%", value * 100);
		break;
	case BUDGET_RATE:
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "%.4g", value);
		break;
	case BUDGET_PER_UNIT_COUNT:
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "%.3g", value);
		break;
	case BUDGET_PER_UNIT_NS:
	case BUDGET_LENGTH_NS:
	default:
		(void)snprintf(out_text, PHRASE_BYTES_MAX, "%s",
			duration_format((uint64_t)llround(fmax(value, 0)), text));
		break;
	}
	return out_text;
}

const char *phrase_unit(const struct diff *diff, char out_text[PHRASE_BYTES_MAX])
{
	const struct run *run = diff->runs[0];
	char kind[PRINTABLE_BYTES_MAX];
	char name[PRINTABLE_BYTES_MAX];

	(void)snprintf(out_text, PHRASE_BYTES_MAX, "%s%s%s",
		printable_copy(
			*run->work_unit ? run->work_unit : "unit of work", UNIT_COLUMNS, kind),
		*run->work_name ? " " : "", printable_copy(run->work_name, NAME_COLUMNS, name));
	return out_text;
}

static const char *unit_of(enum budget_kind kind)
{
	switch (kind) {
	case BUDGET_RATE:
		return " a second";
	case BUDGET_PER_UNIT_NS:
	case BUDGET_PER_UNIT_COUNT:
		return " per ";
	case BUDGET_SHARE:
	case BUDGET_LENGTH_NS:
	default:
		return "";
	}
}

static bool is_per_unit(enum budget_kind kind)
{
	return kind == BUDGET_PER_UNIT_NS || kind == BUDGET_PER_UNIT_COUNT;
}

const char *phrase_change(
	const struct diff *diff, const struct table_row *row, char out_text[PHRASE_BYTES_MAX])
{
	const enum budget_kind kind = phrase_kind(row->metric);
	char before[PHRASE_BYTES_MAX];
	char now[PHRASE_BYTES_MAX];
	char unit[PHRASE_BYTES_MAX];

	(void)snprintf(out_text, PHRASE_BYTES_MAX, "%.40s -> %.40s%s%.100s",
		phrase_value(kind, row->base_value, before),
		phrase_value(kind, row->new_value, now), unit_of(kind),
		is_per_unit(kind) ? phrase_unit(diff, unit) : "");
	return out_text;
}

const char *phrase_limit(const struct diff *diff, const struct budget_result *result,
	char out_text[PHRASE_BYTES_MAX])
{
	const struct budget_limit *limit = result->limit;
	const enum budget_kind kind = budget_limit_kind(limit);
	char scope[PHRASE_BYTES_MAX];
	char value[PHRASE_BYTES_MAX];
	char unit[PHRASE_BYTES_MAX];
	char most[PHRASE_BYTES_MAX];
	char least[PHRASE_BYTES_MAX];

	(void)snprintf(out_text, PHRASE_BYTES_MAX, "%.24s: %.32s%s%.100s%s%.32s%s%.32s",
		phrase_scope(diff, result->device, scope), phrase_value(kind, result->value, value),
		unit_of(kind), is_per_unit(kind) ? phrase_unit(diff, unit) : "",
		limit->has_at_most ? ", at most " : "",
		limit->has_at_most ? phrase_value(kind, limit->at_most, most) : "",
		limit->has_at_least ? ", at least " : "",
		limit->has_at_least ? phrase_value(kind, limit->at_least, least) : "");
	return out_text;
}
