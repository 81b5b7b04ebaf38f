/* SPDX-License-Identifier: MIT */
#include "analysis/core/trust.h"

#include "analysis/core/duration.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than one event or record in a hundred lost, and rankings of causes can turn over. */
#define LOST_PERCENT_MAX 1

/* More than a twentieth of the window unknown, and the sums say little. */
#define UNTRUSTED_PERCENT_MAX 5

void trust_init(struct trust *trust)
{
	*trust = (struct trust){.ok = true};
	interval_set_init(&trust->untrusted);
	interval_set_init(&trust->uncovered);
}

enum status trust_note(struct trust *trust, const char *format, ...)
{
	va_list arguments;
	char *note = NULL;
	int length;

	if (trust->note_count == TRUST_NOTE_COUNT_MAX) {
		return STATUS_OK;
	}
	/* The last line says that there were more. */
	if (trust->note_count == TRUST_NOTE_COUNT_MAX - 1) {
		format = "more was found than is listed here";
	}
	va_start(arguments, format);
	length = vasprintf(&note, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return STATUS_NO_MEMORY;
	}
	trust->notes[trust->note_count++] = note;
	return STATUS_OK;
}

enum status trust_fact(struct trust *trust, const char *line)
{
	if (trust->fact_count == TRUST_FACT_COUNT_MAX) {
		return STATUS_OK;
	}
	trust->fact_count++;
	return trust_note(trust, "%s",
		trust->fact_count == TRUST_FACT_COUNT_MAX
			? "the files say more of themselves than is listed here"
			: line);
}

enum status trust_add_source(struct trust *trust, const char *line)
{
	trust->source_total++;
	if (trust->source_count == TRUST_SOURCE_COUNT_MAX) {
		return STATUS_OK;
	}
	trust->sources[trust->source_count] = strdup(line);
	if (!trust->sources[trust->source_count]) {
		return STATUS_NO_MEMORY;
	}
	trust->source_count++;
	return STATUS_OK;
}

static bool is_above(uint64_t part, uint64_t whole, uint64_t percent_max)
{
	/* In doubles: nanoseconds times 100 may not fit 64 bits. */
	return part > 0 && (double)part * 100.0 > (double)whole * (double)percent_max;
}

struct count_note {
	const char *what;
	uint64_t count;
	const char *text;
};

/* One line for each count that is not zero. */
static enum status note_counts(struct trust *trust)
{
	const char *lost =
		trust->has_uncounted      ? "at least: of some nobody knows how many they were"
		: trust->source_count > 0 ? "left out, or lost as the tool that recorded them says"
					  : "the recording buffers were too small";
	/* clang-format off */
	const struct count_note counts[] = {
		{"lost events",          trust->discarded_events,  lost},
		{"lost packets",         trust->discarded_packets, "overwritten, cut short, or the disk was too slow"},
		{"dropped records",      trust->dropped_records,   "the recorder could not keep up with the device"},
		{"invalid time stamps",  trust->bad_stamps,        "those device operations were not used"},
		{"late device records",  trust->late_records,      "came after their watermark; some gaps are too long"},
		{"started before their call", trust->before_launch, "device and host clock disagree by as much"},
		{"kernels launched before the capture", trust->outside, "they count as busy, and end no gap with a cause"},
		{"devices without watermark", trust->without_watermark, "nothing of them was final before the end"},
		{"unknown kinds of events", trust->unknown_events, "made by another version of gaptrace; skipped"},
		{"ends of jobs and partitions that two recordings have", trust->told_twice, "they are of one process at one time; report each by itself"},
		{"events without thread or process", trust->without_thread, "record with the contexts vpid and vtid"},
		{"gaps whose parts did not add up", trust->internal_errors, "a defect of this program, please report it"},
	};
	/* clang-format on */

	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (counts[i].count > 0 && status == STATUS_OK) {
			status = trust_note(trust, "%s: %" PRIu64 "; %s", counts[i].what,
				counts[i].count, counts[i].text);
		}
	}
	return status;
}

/* Cut to the window: what was not recorded outside of it is nobody's question. */
static struct interval clip(const struct trust *trust, struct interval pause)
{
	const uint64_t end_ns = trust->window_begin_ns + trust->window_ns;

	if (pause.begin_ns < trust->window_begin_ns) {
		pause.begin_ns = trust->window_begin_ns;
	}
	if (pause.end_ns > end_ns) {
		pause.end_ns = end_ns;
	}
	if (pause.end_ns < pause.begin_ns) {
		pause.end_ns = pause.begin_ns;
	}
	return pause;
}

/* One line: how much of the window no recording covers, and where the longest such time is. */
static enum status note_pauses(struct trust *trust, uint64_t *out_uncovered_ns)
{
	struct interval longest = {0};
	uint64_t total_ns = 0;
	uint64_t count = 0;
	char total[DURATION_TEXT_BYTES];
	char from[DURATION_TEXT_BYTES];
	char length[DURATION_TEXT_BYTES];

	for (size_t i = 0; i < trust->uncovered.count; i++) {
		const struct interval pause = clip(trust, trust->uncovered.intervals[i]);
		const uint64_t pause_ns = pause.end_ns - pause.begin_ns;

		total_ns += pause_ns;
		count += pause_ns > 0;
		if (pause_ns > longest.end_ns - longest.begin_ns) {
			longest = pause;
		}
	}
	*out_uncovered_ns = total_ns;
	if (count == 0) {
		return STATUS_OK;
	}
	(void)duration_format(total_ns, total);
	(void)duration_format(longest.begin_ns - trust->window_begin_ns, from);
	(void)duration_format(longest.end_ns - longest.begin_ns, length);
	if (count > 1) {
		return trust_note(trust,
			"no recording covers %s of the window, in %" PRIu64
			" pauses, the longest %s long, %s into it; report each by itself",
			total, count, length, from);
	}
	return trust_note(trust,
		"no recording covers %s of the window, %s into it: report each recording by itself",
		total, from);
}

static enum status add_clipped(
	const struct trust *trust, const struct interval_set *from, struct interval_set *to)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; from && i < from->count && status == STATUS_OK; i++) {
		const struct interval part = clip(trust, from->intervals[i]);

		status = interval_set_add(to, part.begin_ns, part.end_ns);
	}
	return status;
}

/* Time that is lost in two ways counts once. */
static enum status sum_untrusted(struct trust *trust)
{
	struct interval_set all;
	enum status status;

	interval_set_init(&all);
	status = add_clipped(trust, &trust->untrusted, &all);
	if (status == STATUS_OK) {
		status = add_clipped(trust, &trust->uncovered, &all);
	}
	if (status == STATUS_OK) {
		status = add_clipped(trust, trust->unrecorded, &all);
	}
	trust->untrusted_ns = interval_set_total_ns(&all);
	interval_set_finish(&all);
	return status;
}

static bool is_above_twentieth(const struct trust *trust)
{
	return is_above(trust->untrusted_ns, trust->window_ns, UNTRUSTED_PERCENT_MAX) ||
	       /* No window at all, perhaps for want of what was lost. */
	       (trust->window_ns == 0 && trust->untrusted.count > 0);
}

/* The counts do not say how much of the window it is; of pauses alone that is said already. */
static enum status note_untrusted(struct trust *trust, uint64_t uncovered_ns)
{
	char total[DURATION_TEXT_BYTES];
	char window[DURATION_TEXT_BYTES];

	if (trust->untrusted_ns <= uncovered_ns || !is_above_twentieth(trust)) {
		return STATUS_OK;
	}
	return trust_note(trust,
		"what is missing may be of %s in a window of %s: more than a twentieth of it",
		duration_format(trust->untrusted_ns, total),
		duration_format(trust->window_ns, window));
}

enum status trust_conclude(struct trust *trust)
{
	uint64_t uncovered_ns = 0;
	enum status status = sum_untrusted(trust);

	if (status == STATUS_OK) {
		status = note_pauses(trust, &uncovered_ns);
	}
	if (status == STATUS_OK) {
		status = note_counts(trust);
	}
	if (status == STATUS_OK) {
		status = note_untrusted(trust, uncovered_ns);
	}
	if (status == STATUS_OK && trust->unjoined > 0) {
		status = trust_note(trust,
			"kernels without the call that issued them: %" PRIu64 " of %" PRIu64,
			trust->unjoined, trust->joined + trust->unjoined);
	}
	if (is_above(trust->discarded_events, trust->events + trust->discarded_events,
		    LOST_PERCENT_MAX) ||
		is_above(trust->dropped_records, trust->operations + trust->dropped_records,
			LOST_PERCENT_MAX) ||
		is_above(trust->bad_stamps, trust->operations, LOST_PERCENT_MAX) ||
		is_above(trust->late_ns, trust->window_ns, LOST_PERCENT_MAX) ||
		is_above_twentieth(trust) ||
		/* Packets whose time nobody knows may have been anywhere. */
		(trust->discarded_packets > 0 && trust->untrusted.count == 0) ||
		trust->unreadable > 0 || trust->told_twice > 0) {
		trust->ok = false;
	}
	return status;
}

double trust_coverage(const struct trust *trust)
{
	const uint64_t all = trust->joined + trust->unjoined;

	return all > 0 ? (double)trust->joined / (double)all : -1;
}

const char *trust_clock_name(enum trust_clock clock)
{
	static const char *const names[] = {
		[TRUST_CLOCK_UNKNOWN] = "unknown",
		[TRUST_CLOCK_HOST] = "host",
		[TRUST_CLOCK_OFF] = "off",
		[TRUST_CLOCK_CALLBACK] = "callback",
		[TRUST_CLOCK_DEFAULT] = "default",
	};

	return names[clock];
}

void trust_finish(struct trust *trust)
{
	for (uint32_t i = 0; i < trust->note_count; i++) {
		free(trust->notes[i]);
	}
	for (uint32_t i = 0; i < trust->source_count; i++) {
		free(trust->sources[i]);
	}
	interval_set_finish(&trust->untrusted);
	interval_set_finish(&trust->uncovered);
	trust_init(trust);
}
