/* SPDX-License-Identifier: MIT */
#include "analysis/core/work_unit.h"

#include "analysis/core/timeline.h"

#include <fnmatch.h>
#include <string.h>

/* Enough to say what could have been meant. */
#define KNOWN_UNITS "partition, span:NAME, kernel:NAME, kernel:*PATTERN* and event:NAME"

static const char *const event_names[] = {
#define HOST_NAME(constant, name) [EVENT_##constant] = #name,
#define GPU_NAME(constant, name)  [EVENT_GPU_##constant] = #name,
	GAPTRACE_HOST_EVENTS(HOST_NAME) GAPTRACE_GPU_EVENTS(GPU_NAME)
#undef HOST_NAME
#undef GPU_NAME
};

static const struct {
	const char *name;
	enum work_unit_kind kind;
} kinds[] = {
	{"span:", WORK_UNIT_SPAN},
	{"kernel:", WORK_UNIT_KERNEL},
	{"event:", WORK_UNIT_EVENT},
};

const char *work_unit_kind_name(const struct work_unit *unit)
{
	static const char *const names[] = {
		[WORK_UNIT_PARTITION] = "partition",
		[WORK_UNIT_SPAN] = "span",
		[WORK_UNIT_KERNEL] = "kernel",
		[WORK_UNIT_EVENT] = "event",
	};

	return names[unit->kind];
}

static enum status find_event(struct work_unit *unit, struct diag *diag)
{
	for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++) {
		if (event_names[i] && strcmp(event_names[i], unit->name) == 0) {
			unit->event = (enum event_kind)i;
			return STATUS_OK;
		}
	}
	return diag_set(diag, STATUS_BAD_USE,
		"work: there is no event '%s'; one such as job_end is meant", unit->name);
}

static enum status take_name(const char *name, struct work_unit *unit, struct diag *diag)
{
	const size_t length = strlen(name);

	if (length == 0 || length >= sizeof(unit->name)) {
		return diag_set(diag, STATUS_BAD_USE, "work: a name of 1 to %zu letters is needed",
			sizeof(unit->name) - 1);
	}
	memcpy(unit->name, name, length);
	return unit->kind == WORK_UNIT_EVENT ? find_event(unit, diag) : STATUS_OK;
}

enum status work_unit_parse(const char *text, struct work_unit *out_unit, struct diag *diag)
{
	struct work_unit unit = {0}; /* partitions, the default */
	enum status status = STATUS_OK;

	if (strcmp(text, "partition") == 0) {
		*out_unit = unit;
		return STATUS_OK;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t length = strlen(kinds[i].name);

		if (strncmp(text, kinds[i].name, length) != 0) {
			continue;
		}
		unit.kind = kinds[i].kind;
		status = take_name(text + length, &unit, diag);
		if (status == STATUS_OK) {
			*out_unit = unit;
		}
		return status;
	}
	return diag_set(
		diag, STATUS_BAD_USE, "work: '%s' is no unit; there are " KNOWN_UNITS, text);
}

/* A kernel's name may itself hold '*' and '[' ("k<int[4]>(float*)"), so it always means itself. */
static bool has_name(const struct work_unit *unit, const char *name)
{
	return strcmp(name, unit->name) == 0 || fnmatch(unit->name, name, 0) == 0;
}

bool work_unit_ends(const struct work_unit *unit, const struct event *event, uint64_t *out_end_ns)
{
	/* Events stand at their time; a kernel's record may come long after its end. */
	*out_end_ns = event->time_ns;
	if (unit->kind == WORK_UNIT_EVENT) {
		return event->kind == unit->event;
	}
	switch ((int)event->kind) {
	case EVENT_SPAN_END:
	case EVENT_PROVE_START_END:
	case EVENT_PROVE_FINISH_END:
		return unit->kind == WORK_UNIT_SPAN && has_name(unit, event->span.name);
	case EVENT_GPU_KERNEL:
		*out_end_ns = event->kernel.operation.end_ns;
		return unit->kind == WORK_UNIT_KERNEL && timeline_accepts(event) &&
		       has_name(unit, event->kernel.name);
	default:
		return false;
	}
}
