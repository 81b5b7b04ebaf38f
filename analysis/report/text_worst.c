/* SPDX-License-Identifier: MIT */
#include "analysis/report/text_worst.h"

#include "analysis/core/duration.h"

#include <inttypes.h>
#include <string.h>

/* Longer lists are for JSON. */
#define WORST_LINES_MAX 3
/* A part of less than a twentieth of its gap gets no line: so there are at most twenty. */
#define PART_SHARES_MAX 20

double text_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

const char *text_cause(enum cause cause, const char *object, const char *phase, size_t column_max,
	char out_text[PRINTABLE_BYTES_MAX])
{
	char text[2 * NAME_BYTES_MAX + 64];
	const bool has_phase = phase[0] && strcmp(phase, object) != 0;

	(void)snprintf(text, sizeof(text), "%s%s%.200s%s%.200s", cause_name(cause),
		object[0] ? " " : "", object, has_phase ? ": " : "", has_phase ? phase : "");
	return printable_copy(text, column_max, out_text);
}

/* "via queue gpu_queue, queue dispatch": the waits from the feeder inwards. */
static void write_via(const struct gap_part *part, FILE *stream)
{
	char text[PRINTABLE_BYTES_MAX];
	char joined[PRINTABLE_BYTES_MAX];
	size_t used = 0;

	for (uint32_t i = 0; i < part->via_count && used < sizeof(joined) - 1; i++) {
		const int length = snprintf(joined + used, sizeof(joined) - used, "%s%s %s",
			i ? ", " : "", gap_via_kind_name(part->via[i].kind), part->via[i].object);

		used += length > 0 ? (size_t)length : 0;
	}
	if (part->via_count > 0) {
		(void)fprintf(stream, "%27svia %s\n", "", printable_copy(joined, 68, text));
	}
}

static void write_part(const struct report_data *report, const struct gap_part *part,
	uint64_t gap_ns, char letter, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	char text[PRINTABLE_BYTES_MAX];
	char who[PRINTABLE_BYTES_MAX];
	char thread[REPORT_THREAD_BYTES_MAX];
	const uint64_t part_ns = part->to_ns - part->from_ns;

	report_data_thread(report, part->holder_tid ? part->holder_tid : part->thread_tid, thread);
	(void)fprintf(stream, "   %c %10s %5.1f %%  %-46s%s%s\n", letter,
		duration_format(part_ns, time), text_percent(part_ns, gap_ns),
		text_cause(part->cause, part->object, part->phase, 46, text), thread[0] ? " " : "",
		printable_copy(thread, 26, who));
	write_via(part, stream);
}

/* Whether a part is long enough for a line of its own. */
static bool is_listed(const struct gap_part *part, uint64_t gap_ns)
{
	return (part->to_ns - part->from_ns) * PART_SHARES_MAX >= gap_ns;
}

/* The gap as a bar: each column shows the letter of the part that it falls into. */
static void write_gap_bar(const struct report_worst *worst, FILE *stream)
{
	const uint64_t gap_ns = worst->end_ns - worst->begin_ns;
	uint32_t part = 0;
	char letter = 'a';

	(void)fputs("   |", stream);
	for (uint64_t column = 0; column < TEXT_STRIP_COLUMNS && worst->part_count > 0; column++) {
		const uint64_t at_ns =
			worst->begin_ns +
			(uint64_t)((double)gap_ns * ((double)column + 0.5) / TEXT_STRIP_COLUMNS);

		while (part + 1 < worst->part_count && worst->parts[part].to_ns <= at_ns) {
			letter = (char)(letter + is_listed(&worst->parts[part], gap_ns));
			part++;
		}
		(void)fputc(is_listed(&worst->parts[part], gap_ns) ? letter : '-', stream);
	}
	(void)fputs("|\n", stream);
}

static void write_gap_parts(
	const struct report_data *report, const struct report_worst *worst, FILE *stream)
{
	const uint64_t gap_ns = worst->end_ns - worst->begin_ns;
	char time[DURATION_TEXT_BYTES];
	uint32_t small_count = 0;
	uint64_t small_ns = 0;
	char letter = 'a';

	for (uint32_t i = 0; i < worst->part_count; i++) {
		const struct gap_part *part = &worst->parts[i];

		if (is_listed(part, gap_ns)) {
			write_part(report, part, gap_ns, letter++, stream);
		} else {
			small_count++;
			small_ns += part->to_ns - part->from_ns;
		}
	}
	if (small_count > 0) {
		(void)fprintf(stream, "   - %10s %5.1f %%  %" PRIu32 " smaller parts\n",
			duration_format(small_ns, time), text_percent(small_ns, gap_ns),
			small_count);
	}
}

void text_write_worst(
	const struct report_data *report, const struct report_device *device, FILE *stream)
{
	char at[DURATION_TEXT_BYTES];
	char length[DURATION_TEXT_BYTES];

	for (uint32_t i = 0; i < device->worst_count && i < WORST_LINES_MAX; i++) {
		const struct report_worst *worst = &device->worst[i];

		if (i == 0) {
			(void)fputs("\n  the longest gaps\n", stream);
		}
		(void)fprintf(stream, "  %" PRIu32 ". %s long, %s into the window\n", i + 1,
			duration_format(worst->end_ns - worst->begin_ns, length),
			duration_format(worst->begin_ns - report->window_begin_ns, at));
		write_gap_bar(worst, stream);
		write_gap_parts(report, worst, stream);
	}
}
