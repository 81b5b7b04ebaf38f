/* SPDX-License-Identifier: MIT */
#include "analysis/report/text_worst.h"

#include "analysis/core/duration.h"

#include <inttypes.h>
#include <string.h>

/* Longer lists are for JSON. */
#define WORST_LINES_MAX 3
/* What takes less than a twentieth of its gap gets no line: so there are at most twenty. */
#define PART_SHARES_MAX 20
/* So many different ones are told apart in a gap; what comes later is among the shorter ones. */
#define GROUP_COUNT_MAX 256

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

/* Parts of one gap that read the same: one line, and one letter in its bar. */
struct group {
	const struct gap_part *first;
	uint64_t ns;
	uint32_t part_count;
	char letter; /* '-' for one that is too short for a line */
};

struct group_list {
	struct group groups[GROUP_COUNT_MAX];
	uint32_t count;
	uint64_t gap_ns;
};

/* The group of a part, NULL when it came after the list was full. */
static struct group *find_group(struct group_list *list, const struct gap_part *part)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (gap_part_reads_same(list->groups[i].first, part)) {
			return &list->groups[i];
		}
	}
	return NULL;
}

static void group_parts(const struct report_worst *worst, struct group_list *list)
{
	char letter = 'a';

	*list = (struct group_list){.gap_ns = worst->end_ns - worst->begin_ns};
	for (uint32_t i = 0; i < worst->part_count; i++) {
		const struct gap_part *part = &worst->parts[i];
		struct group *group = find_group(list, part);

		if (!group && list->count < GROUP_COUNT_MAX) {
			group = &list->groups[list->count++];
			*group = (struct group){.first = part};
		}
		if (group) {
			group->ns += part->to_ns - part->from_ns;
			group->part_count++;
		}
	}
	for (uint32_t i = 0; i < list->count; i++) {
		struct group *group = &list->groups[i];

		group->letter = '-';
		if (group->ns * PART_SHARES_MAX >= list->gap_ns) {
			group->letter = letter++;
		}
	}
}

static void write_group(
	const struct report_data *report, const struct group *group, uint64_t gap_ns, FILE *stream)
{
	const struct gap_part *part = group->first;
	char time[DURATION_TEXT_BYTES];
	char text[PRINTABLE_BYTES_MAX];
	char who[PRINTABLE_BYTES_MAX];
	char thread[REPORT_THREAD_BYTES_MAX];

	report_data_thread(report, part->holder_tid ? part->holder_tid : part->thread_tid, thread);
	(void)fprintf(stream, "   %c %10s %5.1f %%  %-46s%s%s\n", group->letter,
		duration_format(group->ns, time), text_percent(group->ns, gap_ns),
		text_cause(part->cause, part->object, part->phase, 46, text), thread[0] ? " " : "",
		printable_copy(thread, 26, who));
	write_via(part, stream);
}

/* The gap as a bar: each column shows the letter of the part that it falls into. */
static void write_gap_bar(const struct report_worst *worst, struct group_list *list, FILE *stream)
{
	uint32_t part = 0;

	(void)fputs("   |", stream);
	for (uint64_t column = 0; column < TEXT_STRIP_COLUMNS && worst->part_count > 0; column++) {
		const uint64_t at_ns =
			worst->begin_ns + (uint64_t)((double)list->gap_ns * ((double)column + 0.5) /
						     TEXT_STRIP_COLUMNS);
		const struct group *group;

		while (part + 1 < worst->part_count && worst->parts[part].to_ns <= at_ns) {
			part++;
		}
		group = find_group(list, &worst->parts[part]);
		(void)fputc(group ? group->letter : '-', stream);
	}
	(void)fputs("|\n", stream);
}

static void write_groups(const struct report_data *report, const struct report_worst *worst,
	const struct group_list *list, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	uint64_t rest_ns = list->gap_ns;
	uint32_t rest_count = worst->part_count;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct group *group = &list->groups[i];

		if (group->letter != '-') {
			write_group(report, group, list->gap_ns, stream);
			rest_ns -= group->ns;
			rest_count -= group->part_count;
		}
	}
	if (rest_count > 0) {
		(void)fprintf(stream, "   - %10s %5.1f %%  %" PRIu32 " smaller parts\n",
			duration_format(rest_ns, time), text_percent(rest_ns, list->gap_ns),
			rest_count);
	}
}

void text_write_worst(
	const struct report_data *report, const struct report_device *device, FILE *stream)
{
	struct group_list list;
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
		group_parts(worst, &list);
		write_gap_bar(worst, &list, stream);
		write_groups(report, worst, &list, stream);
	}
}
