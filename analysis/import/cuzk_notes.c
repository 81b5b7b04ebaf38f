/* SPDX-License-Identifier: MIT */
/* What is said of a log: first what bounds the report, last what was left out and why. */
#include "analysis/import/cuzk_reader.h"

#include <inttypes.h>

/* Claims that never ended: nobody knows what the GPU did from there on. */
static enum status add_open_claims(struct cuzk_reader *reader, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < CUZK_PARTITION_COUNT && status == STATUS_OK; i++) {
		const struct cuzk_partition *partition = &reader->work.partitions[i];

		if (partition->job == 0 || partition->started_ns == CUZK_NO_TIME) {
			continue;
		}
		reader->counts.starts_without_end++;
	}
	if (reader->counts.starts_without_end > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64
			" proofs have a GPU_START and no GPU_END (they failed, or the log ends "
			"before): what the GPU did for them is not in the times below",
			reader->counts.starts_without_end);
	}
	return status;
}

enum status cuzk_notes_first(struct cuzk_reader *reader, struct diag *diag)
{
	const uint64_t pairs = cuzk_clock_pair_count(reader->clock);
	enum status status = cuzk_emit_note(reader, EVENT_NOTE_SOURCE, reader->first_ns, 0, diag,
		"log of cuzk: %" PRIu64 " TIMELINE and %" PRIu64 " tracing lines",
		reader->counts.timeline, reader->counts.tracing);

	if (status == STATUS_OK && reader->starts.count > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"the daemon began %" PRIu64 " times in this log (or its parts are not "
			"named the oldest first, or are of several daemons): only what it told "
			"since line %" PRIu64
			" of %s is read; cut the log there for what was before",
			reader->starts.count + 1, reader->anew_line,
			cuzk_lines_path(reader->lines, reader->anew_file));
	}
	if (status == STATUS_OK && reader->counts.timeline > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"device times are claimed by the log, not measured: between GPU_START and "
			"GPU_END a GPU may have waited for the GPU mutex, uploads, the prep thread "
			"and the CPU's part of the proof; busy is an upper bound");
	}
	if (status == STATUS_OK && reader->counts.timeline == 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"no TIMELINE lines (standard error): nothing tells when a GPU worked");
	}
	if (status == STATUS_OK && reader->counts.json > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"%" PRIu64 " tracing lines are JSON, which is not read: run the daemon "
			"with its own text form",
			reader->counts.json);
	}
	if (status == STATUS_OK && reader->counts.timeline > 0 && reader->counts.tracing == 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
			"no tracing lines (standard output): locks, trims, and when jobs come and "
			"end are not seen");
	}
	if (status == STATUS_OK && reader->counts.timeline > 0 && reader->counts.tracing > 0) {
		status =
			pairs > 0
				? cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
					  "the clocks of TIMELINE and tracing lines were matched "
					  "by %" PRIu64 " pairs of lines, to some milliseconds",
					  pairs)
				: cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->first_ns, 0, diag,
					  "no tracing line could be matched with a TIMELINE line, "
					  "so their clock is not known and they are not used");
	}
	return status;
}

/* GPU_START and GPU_END are not written when proofs are not split: then nothing is claimed. */
static enum status add_missing_claims(struct cuzk_reader *reader, struct diag *diag)
{
	if (reader->counts.pickups == 0 || reader->counts.starts + reader->counts.claims > 0) {
		return STATUS_OK;
	}
	return cuzk_emit_note(reader, EVENT_NOTE_LOST, reader->first_ns, reader->last_ns, diag,
		"%" PRIu64 " GPU_PICKUP lines and no GPU_START or GPU_END (the daemon ran with "
		"CUZK_DISABLE_SPLIT_PROVE, or every proof failed): nothing tells when a GPU worked",
		reader->counts.pickups);
}

/* Workers, queues and trackers of two daemons have the same names: nothing can be told apart. */
static enum status add_turns(struct cuzk_reader *reader, struct diag *diag)
{
	if (!cuzk_clock_takes_turns(reader->clock)) {
		return STATUS_OK;
	}
	return cuzk_emit_note(reader, EVENT_NOTE_LOST, reader->first_ns, reader->last_ns, diag,
		"TIMELINE and tracing lines are of two clocks by turns, as in a log of two daemons "
		"whose workers cannot be told apart: give the lines of one of them");
}

enum status cuzk_notes_last(struct cuzk_reader *reader, struct diag *diag)
{
	const struct cuzk_line_counts lines = cuzk_lines_counts(reader->lines);
	const struct cuzk_native *native = &reader->native;
	enum status status = add_missing_claims(reader, diag);

	if (status == STATUS_OK) {
		status = add_turns(reader, diag);
	}
	if (status == STATUS_OK) {
		status = add_open_claims(reader, diag);
	}
	if (status == STATUS_OK && native->lines > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " of %" PRIu64
			" claims are narrowed by CUZK_TIMING lines; %" PRIu64 " calls of %" PRIu64
			" could not be told from others and were not used",
			reader->counts.narrowed, reader->counts.claims,
			native->broken + native->unjoined, native->whole + native->broken);
	}
	if (status == STATUS_OK && lines.zeroed > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_UNREADABLE, reader->last_ns, 0, diag,
			"zeros lie in the log where lines were to be (did the host lose its "
			"power?); "
			"what follows them on a line is not read");
	}
	if (status == STATUS_OK && lines.mended + lines.torn + lines.cut > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " torn lines were put together, %" PRIu64
			" could not be; %" PRIu64 " were too long",
			lines.mended, lines.torn, lines.cut);
	}
	if (status == STATUS_OK && reader->counts.bad_timeline > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_UNREADABLE, reader->last_ns, 0, diag,
			"%" PRIu64 " TIMELINE lines do not parse", reader->counts.bad_timeline);
	}
	if (status == STATUS_OK && reader->counts.of_other_workers > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_UNREADABLE, reader->last_ns, 0, diag,
			"%" PRIu64 " lines are of workers beyond the first %d and were left out",
			reader->counts.of_other_workers, CUZK_WORKER_COUNT_MAX);
	}
	if (status == STATUS_OK && reader->counts.while_set > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64
			" tracing lines are of a time when UTC was set, and were left out",
			reader->counts.while_set);
	}
	if (status == STATUS_OK && reader->counts.untimed > 0 &&
		cuzk_clock_pair_count(reader->clock) > 0) {
		status = cuzk_emit_note(reader, EVENT_NOTE_FACT, reader->last_ns, 0, diag,
			"%" PRIu64 " tracing lines are older than the engine and were left out",
			reader->counts.untimed);
	}
	return status;
}
