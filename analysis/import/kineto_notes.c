/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_notes.h"

#include "trace/base/line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 4, 5))) static bool write_note(struct kineto_note *note,
	enum event_note_kind kind, uint64_t count, const char *format, ...)
{
	va_list arguments;

	note->kind = kind;
	note->count = count;
	va_start(arguments, format);
	line_format(note->text, sizeof(note->text), format, arguments);
	va_end(arguments);
	return true;
}

static bool write_source(const struct kineto_trace *trace, struct kineto_note *note)
{
	char process[160] = "";
	char rank[64] = "";

	if (trace->has_pid) {
		(void)snprintf(process, sizeof(process), " of process %" PRId32 "%s%.100s%s",
			trace->pid, trace->process_name[0] ? " (" : "", trace->process_name,
			trace->process_name[0] ? ")" : "");
	}
	if (trace->has_rank && trace->world_size > 0) {
		(void)snprintf(rank, sizeof(rank), ", rank %" PRId64 " of %" PRId64, trace->rank,
			trace->world_size);
	} else if (trace->has_rank) {
		(void)snprintf(rank, sizeof(rank), ", rank %" PRId64, trace->rank);
	}
	return write_note(note, EVENT_NOTE_SOURCE, 0,
		"Kineto (PyTorch profiler) trace%s%s, %" PRIu64 " records", process, rank,
		trace->counts.rows);
}

static uint32_t unused_devices(const struct kineto_trace *trace)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < trace->device_count; i++) {
		count += !trace->devices[i].is_used;
	}
	return count;
}

struct counted {
	enum event_note_kind kind;
	uint64_t count;
	const char *what;
};

/* "what: 12"; what is lost is counted by the engine too. */
static bool write_counted(struct kineto_note *note, const struct counted *counted)
{
	return counted->count > 0 && write_note(note, counted->kind,
					     counted->kind == EVENT_NOTE_LOST ? counted->count : 0,
					     "%s: %" PRIu64, counted->what, counted->count);
}

/* The first note from `*index` on that has something to say; `first` is the number of the first. */
static bool next_counted(const struct counted *counted, uint32_t count, uint32_t first,
	uint32_t *index, struct kineto_note *out_note)
{
	bool has_note = false;

	while (!has_note && *index - first < count) {
		has_note = write_counted(out_note, &counted[(*index)++ - first]);
	}
	return has_note;
}

bool kineto_notes_before(const struct kineto_trace *trace, uint64_t clipped, uint32_t *index,
	struct kineto_note *out_note)
{
	const struct kineto_counts *counts = &trace->counts;
	const struct counted counted[] = {
		{EVENT_NOTE_LOST, counts->broken, "events that are broken JSON, left out"},
		{EVENT_NOTE_LOST, counts->malformed,
			"events without a time, process or device, left out"},
		{EVENT_NOTE_FACT, clipped,
			"events at time 0, to which Kineto clips what lies before its base, "
			"not used"},
		{EVENT_NOTE_FACT, counts->bad_ranges,
			"host ranges without a duration or with a negative one, not used"},
		{EVENT_NOTE_FACT, counts->without_correlation,
			"operations and calls without a correlation, joined by arrows if there "
			"are any"},
		{EVENT_NOTE_FACT, event_sorter_refused_count(trace->sorter),
			"events whose names came after too many others, told as (other)"},
		{EVENT_NOTE_FACT, counts->other_processes,
			"calls of other processes than the first: nothing tells whose call an "
			"operation is of, so none is joined; give each process's own file"},
		{EVENT_NOTE_FACT, counts->operations > 0 ? unused_devices(trace) : 0,
			"devices of the host that ran nothing in this file, idle or of another "
			"process"},
	};

	if (*index == 0) {
		++*index;
		return write_source(trace, out_note);
	}
	if (*index == 1) {
		++*index;
		if (trace->problem[0]) {
			return write_note(
				out_note, EVENT_NOTE_UNREADABLE, 0, "%.255s", trace->problem);
		}
	}
	if (*index == 2) {
		++*index;
		if (counts->operations == 0) {
			return write_note(out_note, EVENT_NOTE_FACT, 0,
				"no kernels, copies or memsets in the file: the profiler did not "
				"record a GPU");
		}
	}
	return next_counted(counted, sizeof(counted) / sizeof(counted[0]), 3, index, out_note);
}

bool kineto_notes_after(
	const struct kineto_ranges *ranges, uint32_t *index, struct kineto_note *out_note)
{
	const struct counted counted[] = {
		{EVENT_NOTE_FACT, ranges->cut,
			"host ranges that end after the range around them, cut at its end"},
		{EVENT_NOTE_FACT, ranges->open,
			"host ranges without an end, taken to end with the file"},
		{EVENT_NOTE_FACT, ranges->unmatched,
			"ends of host ranges without a begin, not used"},
		{EVENT_NOTE_LOST, ranges->dropped,
			"host ranges nested too deep or on too many threads, left out"},
	};

	return next_counted(counted, sizeof(counted) / sizeof(counted[0]), 0, index, out_note);
}
