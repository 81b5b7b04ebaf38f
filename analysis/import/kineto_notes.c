/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_notes.h"

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
	(void)vsnprintf(note->text, sizeof(note->text), format, arguments);
	va_end(arguments);
	return true;
}

static bool write_source(const struct kineto_trace *trace, struct kineto_note *note)
{
	char rank[64] = "";

	if (trace->has_rank && trace->world_size > 0) {
		(void)snprintf(rank, sizeof(rank), ", rank %" PRId64 " of %" PRId64, trace->rank,
			trace->world_size);
	} else if (trace->has_rank) {
		(void)snprintf(rank, sizeof(rank), ", rank %" PRId64, trace->rank);
	}
	return write_note(note, EVENT_NOTE_SOURCE, trace->counts.rows,
		"Kineto (PyTorch profiler) trace of process %" PRId32 "%s%.100s%s%s", trace->pid,
		trace->process_name[0] ? " (" : "", trace->process_name,
		trace->process_name[0] ? ")" : "", rank);
}

static uint32_t unused_devices(const struct kineto_trace *trace)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < trace->device_count; i++) {
		count += !trace->devices[i].is_used;
	}
	return count;
}

static bool write_count(
	struct kineto_note *note, enum event_note_kind kind, uint64_t count, const char *text)
{
	return count > 0 && write_note(note, kind, count, "%" PRIu64 " %s", count, text);
}

bool kineto_notes_before(const struct kineto_trace *trace, uint64_t clipped, uint32_t *index,
	struct kineto_note *out_note)
{
	const struct kineto_counts *counts = &trace->counts;
	bool has_note = false;

	while (!has_note) {
		switch ((*index)++) {
		case 0:
			has_note = write_source(trace, out_note);
			break;
		case 1:
			has_note = trace->problem[0] && write_note(out_note, EVENT_NOTE_UNREADABLE,
								0, "%.255s", trace->problem);
			break;
		case 2:
			has_note = write_count(out_note, EVENT_NOTE_LOST, counts->broken,
				"events are broken JSON and were left out");
			break;
		case 3:
			has_note = write_count(out_note, EVENT_NOTE_LOST, counts->malformed,
				"events without time, process or device were left out");
			break;
		case 4:
			has_note = write_count(out_note, EVENT_NOTE_FACT, clipped,
				"events at time 0 or before, to which Kineto clips what it cannot "
				"place: not used");
			break;
		case 5:
			has_note = write_count(out_note, EVENT_NOTE_FACT, counts->bad_ranges,
				"host ranges without a duration, or with a negative one: not used");
			break;
		case 6:
			has_note = counts->operations == 0 &&
				   write_note(out_note, EVENT_NOTE_FACT, 0,
					   "no kernels, copies or memsets in the file: "
					   "the profiler did not record a GPU");
			break;
		case 7:
			has_note = write_count(out_note, EVENT_NOTE_FACT,
				counts->without_correlation,
				"operations or calls have no correlation: joined by arrows where "
				"there are some");
			break;
		case 8:
			has_note = write_count(out_note, EVENT_NOTE_FACT, counts->other_processes,
				"calls are of other processes than the first, to which all "
				"operations are joined");
			break;
		case 9:
			has_note = counts->operations > 0 &&
				   write_count(out_note, EVENT_NOTE_FACT, unused_devices(trace),
					   "devices of the host ran nothing in this file: "
					   "idle, or another process has them");
			break;
		default:
			return false;
		}
	}
	return true;
}

bool kineto_notes_after(
	const struct kineto_ranges *ranges, uint32_t *index, struct kineto_note *out_note)
{
	bool has_note = false;

	while (!has_note) {
		switch ((*index)++) {
		case 0:
			has_note = write_count(out_note, EVENT_NOTE_FACT, ranges->cut,
				"host ranges end after the range around them: cut at its end");
			break;
		case 1:
			has_note = write_count(out_note, EVENT_NOTE_FACT, ranges->open,
				"host ranges have no end: taken to end with the file");
			break;
		case 2:
			has_note = write_count(out_note, EVENT_NOTE_FACT, ranges->unmatched,
				"ends of host ranges without a begin: not used");
			break;
		case 3:
			has_note = write_count(out_note, EVENT_NOTE_LOST, ranges->dropped,
				"host ranges are nested too deep, or on too many threads: left "
				"out");
			break;
		default:
			return false;
		}
	}
	return true;
}
