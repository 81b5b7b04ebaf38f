/* SPDX-License-Identifier: MIT */
/* The report for a terminal: at most 100 columns, plain ASCII, trust first. */
#include "analysis/core/duration.h"
#include "analysis/report/printable.h"
#include "analysis/report/report.h"
#include "analysis/report/text_causes.h"
#include "analysis/report/text_worst.h"

#include <inttypes.h>
#include <string.h>

#define BAR_COLUMNS  24
#define NOTE_COLUMNS 96

/* Rounded, so that a sliver has no column and nearly all has all. */
static void write_bar(FILE *stream, uint64_t part, uint64_t whole)
{
	const uint64_t columns =
		whole ? (uint64_t)((double)part / (double)whole * BAR_COLUMNS + 0.5) : 0;

	for (uint64_t i = 0; i < columns; i++) {
		(void)fputc('#', stream);
	}
}

/* How much of `text` goes on one line: up to a space, where there is one. */
static int line_length(const char *text)
{
	int length = (int)strnlen(text, NOTE_COLUMNS + 1);

	if (length <= NOTE_COLUMNS) {
		return length;
	}
	length = NOTE_COLUMNS;
	while (length > 0 && text[length] != ' ') {
		length--;
	}
	return length > 0 ? length : NOTE_COLUMNS;
}

/* A note on as many lines as it needs. */
static void write_note(const char *note, FILE *stream)
{
	char line[PRINTABLE_BYTES_MAX];
	const char *at = printable_copy(note, PRINTABLE_BYTES_MAX - 1, line);
	const char *lead = "! ";

	while (*at) {
		const int length = line_length(at);

		(void)fprintf(stream, "%s%.*s\n", lead, length, at);
		at += length;
		at += *at == ' ';
		lead = "  ";
	}
}

/* What is missing or wrong comes before any figure that it may spoil. */
static void write_warnings(const struct trust *trust, FILE *stream)
{
	if (!trust->ok) {
		(void)fprintf(stream,
			"NOT TO BE TRUSTED: too much of the recording is missing or wrong "
			"for the figures below.\n");
	}
	for (uint32_t i = 0; i < trust->note_count; i++) {
		write_note(trust->notes[i], stream);
	}
	if (trust->note_count > 0) {
		(void)fputc('\n', stream);
	}
}

/* By which way, where there is a choice. */
static const char *clock_text(enum trust_clock clock)
{
	static const char *const texts[] = {
		[TRUST_CLOCK_UNKNOWN] = "",
		[TRUST_CLOCK_HOST] = "",
		[TRUST_CLOCK_OFF] = "",
		[TRUST_CLOCK_CALLBACK] = ": CUPTI stamps with it (callback)",
		[TRUST_CLOCK_DEFAULT] = ": CUPTI's own, by offset and drift (default)",
	};

	return texts[clock];
}

static void write_trust(const struct trust *trust, FILE *stream)
{
	char text[DURATION_TEXT_BYTES];

	(void)fprintf(stream,
		"trust: %" PRIu64 " events, %" PRIu64 " events and %" PRIu64
		" packets lost, %" PRIu64 " device records dropped\n",
		trust->events, trust->discarded_events, trust->discarded_packets,
		trust->dropped_records);
	/* Negative when there were no kernels to join. */
	if (trust_coverage(trust) >= 0) {
		(void)fprintf(stream,
			"       %.1f %% of kernels joined to the call that issued them\n",
			100.0 * trust_coverage(trust));
	}
	if (trust->has_clock_bound) {
		(void)fprintf(stream, "       device clock within %s of the host's%s\n",
			duration_format(trust->clock_bound_ns, text), clock_text(trust->clock));
	} else if (trust->clock == TRUST_CLOCK_OFF) {
		(void)fprintf(stream,
			"       no device records: CUPTI did not start, the program said why\n");
	}
}

static void write_work(const struct report_data *report, FILE *stream)
{
	static const char *const texts[] = {
		[WORK_UNIT_PARTITION] = "partitions proved",
		[WORK_UNIT_SPAN] = "spans",
		[WORK_UNIT_KERNEL] = "kernels",
		[WORK_UNIT_EVENT] = "events",
	};
	const struct work_unit *unit = &report->meter.unit;
	char name[PRINTABLE_BYTES_MAX];

	(void)fprintf(stream, "%" PRIu64 " %s", report->work_count, texts[unit->kind]);
	if (unit->kind != WORK_UNIT_PARTITION) {
		(void)fprintf(stream, " %s", printable_copy(unit->name, 40, name));
	}
}

/* What another tool recorded: what was read, and that the window is all of it. */
static void write_sources(const struct report_data *report, FILE *stream)
{
	const struct trust *trust = analyzer_trust(report->analyzer);
	char text[PRINTABLE_BYTES_MAX];

	for (uint32_t i = 0; i < trust->source_count; i++) {
		(void)fprintf(
			stream, "read from %s\n", printable_copy(trust->sources[i], 89, text));
	}
	if (trust->source_total > trust->source_count) {
		(void)fprintf(stream, "and from %" PRIu64 " more\n",
			trust->source_total - trust->source_count);
	}
	if (report->is_begin_cut && report->is_end_cut && report->jobs_done == 0) {
		(void)fputs("the window is the whole capture: it knows no jobs\n", stream);
	}
}

/* As of what other tools recorded: they know neither partitions nor jobs. */
static bool is_without_work(const struct report_data *report)
{
	return report->meter.unit.kind == WORK_UNIT_PARTITION && report->work_count == 0 &&
	       report->jobs_done == 0 && report->jobs_failed == 0;
}

static void write_head(const struct report_data *report, FILE *stream)
{
	const bool is_imported = analyzer_trust(report->analyzer)->source_count > 0;
	char text[DURATION_TEXT_BYTES];
	const uint64_t window_ns = report->window_end_ns > report->window_begin_ns
					   ? report->window_end_ns - report->window_begin_ns
					   : 0;

	(void)fputs("gaptrace report: ", stream);
	if (is_imported && is_without_work(report)) {
		(void)fprintf(stream, "a window of %s\n", duration_format(window_ns, text));
		(void)fputs(
			"work is not counted, and gaptrace diff needs it: choose some by --work "
			"span:NAME or kernel:NAME\n",
			stream);
	} else {
		write_work(report, stream);
		(void)fprintf(stream,
			", %" PRIu64 " jobs done, %" PRIu64 " failed, in a window of %s\n",
			report->jobs_done, report->jobs_failed, duration_format(window_ns, text));
		if (report->work_count == 0) {
			(void)fprintf(stream,
				"no unit of work ended: choose one by --work span:NAME, "
				"kernel:NAME or event:NAME\n");
		}
	}
	if (report->is_simulated) {
		(void)fprintf(stream,
			"SIMULATED devices: times come from a model, no proofs were made\n");
	}
	if (is_imported) {
		write_sources(report, stream);
	}
	if (report->is_begin_cut && !is_imported) {
		(void)fprintf(stream,
			"the window begins with the recording: no job was submitted first\n");
	}
	if (report->is_end_cut && !is_imported) {
		(void)fprintf(stream, "the window ends with the recording: %s\n",
			report->jobs_done + report->jobs_failed > 0 ? "jobs had not ended"
								    : "no job had ended");
	}
	write_trust(analyzer_trust(report->analyzer), stream);
}

/* One character for a column of the picture: what filled most of it, and '.' below a twentieth. */
static char strip_character(const struct strip *strip, uint64_t begin_ns, uint64_t end_ns)
{
	const double kernel = strip_share(strip, STRIP_KERNEL, begin_ns, end_ns);
	const double anything = strip_share(strip, STRIP_ANYTHING, begin_ns, end_ns);
	const double copying = anything - kernel;

	if (kernel >= 0.5) {
		return '#';
	}
	if (kernel >= 0.05 && kernel >= copying) {
		return '+';
	}
	return copying >= 0.05 ? '=' : '.';
}

static void write_strip(
	const struct report_data *report, const struct report_device *device, FILE *stream)
{
	const uint64_t begin_ns = report->window_begin_ns;
	const uint64_t window_ns = report->window_end_ns - begin_ns;
	char text[DURATION_TEXT_BYTES];

	if (report->window_end_ns <= begin_ns || window_ns < TEXT_STRIP_COLUMNS) {
		return;
	}
	(void)fputs("  |", stream);
	for (uint64_t i = 0; i < TEXT_STRIP_COLUMNS; i++) {
		/* Divided first: nanoseconds of a long window times columns may not fit. Up to a
		 * column is left off at the end. */
		const uint64_t from_ns = begin_ns + window_ns / TEXT_STRIP_COLUMNS * i;
		const uint64_t to_ns = begin_ns + window_ns / TEXT_STRIP_COLUMNS * (i + 1);

		(void)fputc(strip_character(&device->strip, from_ns, to_ns), stream);
	}
	(void)fprintf(stream,
		"|\n   # kernel  + kernels in part  = copying  . idle;  one column is %s\n",
		duration_format(window_ns / TEXT_STRIP_COLUMNS, text));
}

static void write_usage(const struct report_device *device, FILE *stream)
{
	const struct timeline_usage *usage = &device->usage;
	const struct {
		const char *name;
		uint64_t ns;
	} rows[] = {{"busy", usage->busy_ns}, {"copying", usage->copying_ns},
		{"idle", usage->idle_ns}, {"span", usage->span_ns}};
	char text[DURATION_TEXT_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)fprintf(stream, "  %-9s %10s  %5.1f %%  ", rows[i].name,
			duration_format(rows[i].ns, text),
			text_percent(rows[i].ns, usage->span_ns));
		if (i + 1 < sizeof(rows) / sizeof(rows[0])) {
			write_bar(stream, rows[i].ns, usage->span_ns);
		} else {
			(void)fputs("first start to last end", stream);
		}
		(void)fputc('\n', stream);
	}
}

static void write_gap_tables(
	const struct report_data *report, const struct report_device *device, FILE *stream)
{
	static const char *const names[SWEEP_LAYER_COUNT] = {
		[SWEEP_KERNEL] = "no kernel ran", [SWEEP_ANYTHING] = "nothing at all ran"};
	char threshold[DURATION_TEXT_BYTES];
	char total[DURATION_TEXT_BYTES];
	char longest[DURATION_TEXT_BYTES];
	char middle[DURATION_TEXT_BYTES];
	char long_ones[DURATION_TEXT_BYTES];

	(void)fprintf(stream, "\n  %-22s %8s %12s %12s %12s %12s\n", "gaps in the window", "count",
		"total", "p50", "p99", "longest");
	for (int layer = 0; layer < SWEEP_LAYER_COUNT; layer++) {
		const struct report_gap_table *table = &device->gaps[layer];

		(void)fprintf(stream, "  %-22s %8" PRIu64 " %12s %12s %12s %12s\n", names[layer],
			table->count, duration_format(table->total_ns, total),
			duration_format(quantiles_ns(&table->quantiles, 50), middle),
			duration_format(quantiles_ns(&table->quantiles, 99), long_ones),
			duration_format(table->max_ns, longest));
	}
	(void)fprintf(stream, "  (of at least %s)\n",
		duration_format(analyzer_threshold_ns(report->analyzer), threshold));
}

/* The gaps between two operations, cut at the calls that ended them. */
static void write_split(const struct report_device *device, FILE *stream)
{
	static const char *const names[SWEEP_LAYER_COUNT] = {
		[SWEEP_KERNEL] = "no kernel ran", [SWEEP_ANYTHING] = "nothing at all ran"};
	char late[DURATION_TEXT_BYTES];
	char in_call[DURATION_TEXT_BYTES];
	char after[DURATION_TEXT_BYTES];
	char unjoined[DURATION_TEXT_BYTES];

	if (device->gaps[SWEEP_KERNEL].inner_count + device->gaps[SWEEP_ANYTHING].inner_count ==
		0) {
		(void)fputs("  no such gap lies between two operations\n", stream);
		return;
	}
	(void)fprintf(stream, "\n  %-30s %10s %10s %10s %12s\n", "cut at the call that ended it",
		"host late", "in call", "after", "no call");
	for (int layer = 0; layer < SWEEP_LAYER_COUNT; layer++) {
		const struct gap_split *split = &device->gaps[layer].split;

		(void)fprintf(stream, "  %-30s %10s %10s %10s %12s\n", names[layer],
			duration_format(split->host_late_ns, late),
			duration_format(split->in_call_ns, in_call),
			duration_format(split->after_call_ns, after),
			duration_format(split->unjoined_ns, unjoined));
	}
}

/* The sums of one decade of a histogram. */
static struct histogram_bucket decade_of(const struct histogram *histogram, uint32_t decade)
{
	struct histogram_bucket sum = {0};

	for (uint32_t i = 0; i < HISTOGRAM_DECADE_BUCKETS; i++) {
		const struct histogram_bucket *bucket =
			&histogram->buckets[decade * HISTOGRAM_DECADE_BUCKETS + i];

		sum.count += bucket->count;
		sum.total_ns += bucket->total_ns;
	}
	return sum;
}

static void write_histogram(const struct report_device *device, FILE *stream)
{
	const struct histogram *kernel = &device->gaps[SWEEP_KERNEL].histogram;
	const struct histogram *anything = &device->gaps[SWEEP_ANYTHING].histogram;
	bool has_begun = false;
	char from[DURATION_TEXT_BYTES];
	char total[DURATION_TEXT_BYTES];
	char anything_total[DURATION_TEXT_BYTES];

	if (kernel->count == 0 && anything->count == 0) {
		return;
	}
	(void)fprintf(
		stream, "\n  %-13s %18s   %18s\n", "all gaps from", "no kernel", "nothing at all");
	for (uint32_t decade = 0; decade < HISTOGRAM_DECADE_COUNT; decade++) {
		const struct histogram_bucket k = decade_of(kernel, decade);
		const struct histogram_bucket a = decade_of(anything, decade);
		const uint64_t from_ns = histogram_from_ns(decade * HISTOGRAM_DECADE_BUCKETS);
		const uint64_t longest_ns =
			kernel->max_ns > anything->max_ns ? kernel->max_ns : anything->max_ns;

		has_begun |= k.count > 0 || a.count > 0;
		if (!has_begun || from_ns > longest_ns) {
			continue;
		}
		(void)fprintf(stream, "  %-13s %7" PRIu64 " %10s   %7" PRIu64 " %10s  ",
			duration_format(from_ns, from), k.count, duration_format(k.total_ns, total),
			a.count, duration_format(a.total_ns, anything_total));
		write_bar(stream, k.total_ns, kernel->total_ns);
		(void)fputc('\n', stream);
	}
}

static void write_device(const struct report_data *report, uint32_t index, FILE *stream)
{
	static const char *const backends[] = {
#define BACKEND_NAME(constant, value, label) [value] = (label),
		GAPTRACE_BACKENDS(BACKEND_NAME)
#undef BACKEND_NAME
	};
	const struct timeline_device *facts =
		timeline_device(analyzer_timeline(report->analyzer), index);
	const struct report_device *device = report->devices[index];
	const bool is_known =
		facts->has_facts && (size_t)facts->backend < sizeof(backends) / sizeof(backends[0]);
	const char *described = "not described in the recording";
	char name[PRINTABLE_BYTES_MAX];
	char uuid[PRINTABLE_BYTES_MAX];

	if (facts->has_facts) {
		described = facts->name[0] ? facts->name : "without a name";
	}
	(void)fprintf(stream, "\nGPU %" PRId32 "  %s  (%s, %s)\n", facts->ordinal,
		printable_copy(described, 40, name),
		is_known ? backends[facts->backend] : "unknown",
		printable_copy(facts->uuid, 40, uuid));
	if (facts->sweep.operation_count == 0) {
		(void)fputs("  SILENT: it never ran anything\n", stream);
	} else {
		(void)fprintf(stream, "  %" PRIu64 " operations, %" PRIu64 " of them kernels\n",
			facts->sweep.operation_count, facts->sweep.kernel_count);
		write_strip(report, device, stream);
		write_usage(device, stream);
	}
	write_gap_tables(report, device, stream);
	write_split(device, stream);
	write_histogram(device, stream);
	text_write_causes(device, stream);
	text_write_worst(report, device, stream);
}

static void write_verdict(const struct verdict_row *row, const char *verdict, FILE *stream)
{
	char time[DURATION_TEXT_BYTES];
	char ceiling[DURATION_TEXT_BYTES];
	char text[PRINTABLE_BYTES_MAX];

	(void)fprintf(stream, "  %-24s %-11s %8s %5.1f %% %10s\n",
		printable_copy(row->suspect, 24, text), verdict, duration_format(row->ns, time),
		row->share * 100, duration_format(row->ceiling_ns, ceiling));
	if (row->verdict == VERDICT_CANNOT_TELL ||
		(row->verdict == VERDICT_CONFIRMED && row->ns == 0)) {
		(void)fprintf(stream, "      %s\n", printable_copy(row->reason, 90, text));
	}
}

static void write_verdicts_of(
	const struct verdict_list *verdicts, enum verdict verdict, const char *text, FILE *stream)
{
	for (uint32_t i = 0; i < verdicts->count; i++) {
		if (verdicts->rows[i].verdict == verdict) {
			write_verdict(&verdicts->rows[i], text, stream);
		}
	}
}

/* All GPUs together: who is to blame, and who is not, in this order for who stops reading. */
static void write_verdicts(const struct verdict_list *verdicts, FILE *stream)
{
	(void)fprintf(
		stream, "\nverdicts, all GPUs together%21s %7s %10s\n", "time", "share", "at most");
	write_verdicts_of(verdicts, VERDICT_CONFIRMED, "CONFIRMED", stream);
	write_verdicts_of(verdicts, VERDICT_CANNOT_TELL, "cannot tell", stream);
	write_verdicts_of(verdicts, VERDICT_REFUTED, "refuted", stream);
	(void)fprintf(stream,
		"  (confirmed: %d %% of the time without a kernel, or more; at most: all that "
		"could "
		"go with it)\n",
		VERDICT_SHARE_PERCENT);
}

void report_write_text(const struct report_data *report, FILE *stream)
{
	uint32_t order[DEVICE_COUNT_MAX];
	const uint32_t count = report_device_order(report, order);

	write_warnings(analyzer_trust(report->analyzer), stream);
	write_head(report, stream);
	text_write_first(report, stream);
	if (count == 0) {
		(void)fputs(analyzer_trust(report->analyzer)->source_count > 0
				    ? "\nno GPU rows: no kernel, copy or memset was captured\n"
				    : "\nno devices: the recording holds no gaptrace_gpu events\n",
			stream);
	}
	for (uint32_t i = 0; i < count; i++) {
		write_device(report, order[i], stream);
	}
	if (count > 0) {
		write_verdicts(&report->verdicts, stream);
	}
	text_write_meanings(report, stream);
}
