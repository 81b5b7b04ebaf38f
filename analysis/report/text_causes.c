/* SPDX-License-Identifier: MIT */
#include "analysis/report/text_causes.h"

#include "analysis/core/duration.h"
#include "analysis/report/text_worst.h"

#include <inttypes.h>
#include <string.h>

/* With the rest of a device's page on a screen; JSON has them all. */
#define CAUSE_LINES_MAX 15

static bool is_same(const struct report_cause *left, const struct report_cause *right)
{
	return left->cause == right->cause && strcmp(left->object, right->object) == 0 &&
	       strcmp(left->phase, right->phase) == 0;
}

/* The table of a device; an empty one when it is not to be reported. */
static const struct report_cause_table *table_of(const struct report_data *report, uint32_t index)
{
	static const struct report_cause_table none;
	const struct report_device *device = report->devices[index];

	return device && device->is_used ? &device->summary : &none;
}

static uint64_t row_ns(const struct report_cause_table *table, const struct report_cause *row)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (is_same(&table->rows[i], row)) {
			return table->rows[i].ns;
		}
	}
	return 0;
}

/* Of several captures one began first, or ended before the next: that time is nobody's. */
static bool is_outside_capture(const struct report_cause *row)
{
	return row->cause == CAUSE_UNKNOWN &&
	       (strcmp(row->phase, "before the capture") == 0 ||
		       strcmp(row->phase, "between recordings") == 0);
}

/* The time of a row on all GPUs together; none of what is idle by right. */
static uint64_t blame_ns(const struct report_data *report, const struct report_cause *row)
{
	uint64_t sum_ns = 0;

	if (row->cause == CAUSE_NO_WORK || is_outside_capture(row)) {
		return 0;
	}
	for (uint32_t d = 0; d < report_data_device_count(report); d++) {
		sum_ns += row_ns(table_of(report, d), row);
	}
	return sum_ns;
}

/* The row with the most time on all GPUs; NULL when there is none. It is among the first of the
 * GPU that has most of it, so these are enough to look at. */
static const struct report_cause *find_first(const struct report_data *report, uint64_t *out_ns)
{
	const struct report_cause *first = NULL;

	*out_ns = 0;
	for (uint32_t d = 0; d < report_data_device_count(report); d++) {
		const struct report_cause_table *table = table_of(report, d);

		for (uint32_t i = 0; i < table->count && i < CAUSE_LINES_MAX; i++) {
			const uint64_t ns = blame_ns(report, &table->rows[i]);

			first = ns > *out_ns ? &table->rows[i] : first;
			*out_ns = ns > *out_ns ? ns : *out_ns;
		}
	}
	return first;
}

/* What all GPUs together had: time without a kernel, and time. */
struct first_base {
	uint64_t idle_ns;
	uint64_t window_ns;
	uint32_t gpu_count;
};

static struct first_base base_of(const struct report_data *report)
{
	const uint64_t window_ns = report->window_end_ns > report->window_begin_ns
					   ? report->window_end_ns - report->window_begin_ns
					   : 0;
	struct first_base base = {0};

	for (uint32_t d = 0; d < report_data_device_count(report); d++) {
		if (report->devices[d] && report->devices[d]->is_used) {
			base.idle_ns += report->devices[d]->gaps[SWEEP_KERNEL].total_ns;
			base.window_ns += window_ns;
			base.gpu_count++;
		}
	}
	return base;
}

/* What the recorder itself does is the driver's time, but nobody's fault. */
static const char *remedy_of(const struct report_cause *row)
{
	static const char *const own[] = {"instrumentation", "buffer_flush", "resource"};

	for (size_t i = 0; row->cause == CAUSE_DRIVER && i < sizeof(own) / sizeof(own[0]); i++) {
		if (strcmp(row->phase, own[i]) == 0) {
			return "the recorder's own work: without it the program does not wait for "
			       "that";
		}
	}
	return cause_remedy(row->cause);
}

/* What the rest of the line leaves of a terminal's 100 when both shares are 100 %. */
#define FIRST_CAUSE_COLUMNS 32

static void write_first_line(const char *lead, const struct report_cause *row, uint64_t ns,
	const struct first_base *base, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	char text[PRINTABLE_BYTES_MAX];

	(void)fprintf(stream, "%s: %s, %s: %.0f %% of the time without a kernel, %.0f %% of all\n",
		lead, text_cause(row->cause, row->object, row->phase, FIRST_CAUSE_COLUMNS, text),
		duration_format(ns, time), text_percent(ns, base->idle_ns),
		text_percent(ns, base->window_ns));
	(void)fprintf(stream, "       %s\n", remedy_of(row));
}

/* Whether there is anything to look for at all. */
static void write_idle_line(
	const struct report_data *report, const struct first_base *base, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	char threshold[DURATION_TEXT_BYTES];

	if (base->gpu_count == 0) {
		return;
	}
	(void)fprintf(stream,
		"idle:  %s without a kernel on %" PRIu32 " GPU%s, %.0f %% of all, in gaps of %s "
		"and more\n",
		duration_format(base->idle_ns, time), base->gpu_count,
		base->gpu_count == 1 ? "" : "s", text_percent(base->idle_ns, base->window_ns),
		duration_format(analyzer_threshold_ns(report->analyzer), threshold));
}

void text_write_first(const struct report_data *report, FILE *stream)
{
	const struct report_cause no_work = {.cause = CAUSE_NO_WORK, .object = "", .phase = ""};
	const struct first_base base = base_of(report);
	uint64_t by_right_ns = 0;
	uint64_t ns = 0;
	const struct report_cause *first = find_first(report, &ns);

	for (uint32_t d = 0; d < report_data_device_count(report); d++) {
		by_right_ns += row_ns(table_of(report, d), &no_work);
	}
	/* Advice that rests on what cannot be trusted is worse than none. */
	if (!analyzer_trust(report->analyzer)->ok) {
		return;
	}
	write_idle_line(report, &base, stream);
	if (by_right_ns > ns) {
		write_first_line("first", &no_work, by_right_ns, &base, stream);
	}
	if (first) {
		write_first_line(by_right_ns > ns ? "then " : "first", first, ns, &base, stream);
	}
}

/* How many holders a row of the summary has; the one with the most time in `out_main`. */
static uint32_t count_holders(const struct report_device *device, const struct report_cause *row,
	const struct report_cause **out_main)
{
	uint32_t count = 0;

	*out_main = NULL;
	for (uint32_t i = 0; i < device->causes.count; i++) {
		const struct report_cause *other = &device->causes.rows[i];

		if (is_same(other, row) && other->holder[0]) {
			*out_main = *out_main ? *out_main : other;
			count++;
		}
	}
	return count;
}

/* The thread with the most of it, and how many more there are: rows of the summary have no
 * holder. */
static void write_row(const struct report_device *device, const struct report_cause *row,
	uint64_t total_ns, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	char text[PRINTABLE_BYTES_MAX];
	const struct report_cause *holder = NULL;
	const uint32_t count = count_holders(device, row, &holder);

	(void)fprintf(stream, "  %-40s %10s %5.1f %% %5" PRIu64,
		text_cause(row->cause, row->object, row->phase, 40, text),
		duration_format(row->ns, time), text_percent(row->ns, total_ns), row->gap_count);
	if (holder) {
		(void)fprintf(stream, "  %s", printable_copy(holder->holder, 24, text));
	}
	if (count > 1) {
		(void)fprintf(stream, " +%" PRIu32, count - 1);
	}
	(void)fputc('\n', stream);
}

void text_write_causes(const struct report_device *device, FILE *stream)
{
	const uint64_t total_ns = device->gaps[SWEEP_KERNEL].total_ns;
	char time[DURATION_TEXT_BYTES];
	uint64_t rest_ns = 0;

	if (device->summary.count == 0) {
		return;
	}
	(void)fprintf(
		stream, "\n  why no kernel ran%34s %7s %5s  %s\n", "time", "share", "gaps", "who");
	for (uint32_t i = 0; i < device->summary.count; i++) {
		const struct report_cause *row = &device->summary.rows[i];

		if (i >= CAUSE_LINES_MAX) {
			rest_ns += row->ns;
		} else {
			write_row(device, row, total_ns, stream);
		}
	}
	if (rest_ns > 0) {
		(void)fprintf(stream, "  %-40s %10s %5.1f %%\n", "(other rows)",
			duration_format(rest_ns, time), text_percent(rest_ns, total_ns));
	}
}

void text_write_meanings(const struct report_data *report, FILE *stream)
{
	bool is_seen[CAUSE_COUNT] = {false};
	bool has_head = false;

	for (uint32_t d = 0; d < report_data_device_count(report); d++) {
		const struct report_cause_table *table = table_of(report, d);

		for (uint32_t i = 0; i < table->count; i++) {
			is_seen[table->rows[i].cause] = true;
		}
	}
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (is_seen[cause]) {
			(void)fprintf(stream, "%s  %-18s %s\n",
				has_head ? "" : "\nwhat the causes mean\n",
				cause_name((enum cause)cause), cause_meaning((enum cause)cause));
			has_head = true;
		}
	}
}
