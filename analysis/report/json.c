/* SPDX-License-Identifier: MIT */
/* The report as JSON: docs/report.schema.json is the contract. */
#include "analysis/report/json_blocks.h"
#include "analysis/report/json_writer.h"
#include "analysis/report/report.h"

#include <math.h>
#include <string.h>

static const char *const backend_names[] = {
#define BACKEND_NAME(constant, value, label) [value] = (label),
	GAPTRACE_BACKENDS(BACKEND_NAME)
#undef BACKEND_NAME
};

static const char *backend_name(enum gaptrace_backend backend)
{
	return (size_t)backend < sizeof(backend_names) / sizeof(backend_names[0])
		       ? backend_names[backend]
		       : "unknown";
}

static void write_gap_table(struct json_writer *writer, const char *key,
	const struct report_gap_table *table, uint64_t threshold_ns)
{
	json_writer_object_begin(writer, key, false);
	json_writer_unsigned(writer, "threshold_ns", threshold_ns);
	json_writer_unsigned(writer, "count", table->count);
	json_writer_unsigned(writer, "total_ns", table->total_ns);
	json_writer_unsigned(writer, "max_ns", table->max_ns);
	json_writer_unsigned(writer, "p50_ns", quantiles_ns(&table->quantiles, 50));
	json_writer_unsigned(writer, "p95_ns", quantiles_ns(&table->quantiles, 95));
	json_writer_unsigned(writer, "p99_ns", quantiles_ns(&table->quantiles, 99));
	/* Of gaps between two operations only: how long an edge is depends on when recording
	 * began. */
	json_writer_object_begin(writer, "inner", true);
	json_writer_unsigned(writer, "count", table->inner_count);
	json_writer_unsigned(writer, "total_ns", table->inner_total_ns);
	json_writer_unsigned(writer, "max_ns", table->inner_max_ns);
	json_writer_object_end(writer);
	json_writer_object_begin(writer, "split", true);
	json_writer_unsigned(writer, "host_late_ns", table->split.host_late_ns);
	json_writer_unsigned(writer, "in_call_ns", table->split.in_call_ns);
	json_writer_unsigned(writer, "after_call_ns", table->split.after_call_ns);
	json_writer_unsigned(writer, "unjoined_ns", table->split.unjoined_ns);
	json_writer_unsigned(writer, "joined", table->joined_count);
	json_writer_unsigned(writer, "unjoined", table->inner_count - table->joined_count);
	json_writer_object_end(writer);
	json_writer_unsigned(writer, "all_count", table->histogram.count);
	json_writer_unsigned(writer, "all_total_ns", table->histogram.total_ns);
	json_writer_array_begin(writer, "histogram", false);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKET_COUNT_MAX; i++) {
		const struct histogram_bucket *bucket = &table->histogram.buckets[i];

		/* Empty ones are left out: readers take from_ns and to_ns, not the place. */
		if (bucket->count > 0) {
			json_writer_object_begin(writer, NULL, true);
			json_writer_unsigned(writer, "from_ns", histogram_from_ns(i));
			json_writer_unsigned(writer, "to_ns", histogram_to_ns(i));
			json_writer_unsigned(writer, "count", bucket->count);
			json_writer_unsigned(writer, "total_ns", bucket->total_ns);
			json_writer_object_end(writer);
		}
	}
	json_writer_array_end(writer);
	json_writer_object_end(writer);
}

static void write_causes(struct json_writer *writer, const struct report_device *device)
{
	const uint64_t total_ns = device->gaps[SWEEP_KERNEL].total_ns;

	json_writer_array_begin(writer, "causes", false);
	for (uint32_t i = 0; i < device->causes.count; i++) {
		const struct report_cause *row = &device->causes.rows[i];

		json_writer_object_begin(writer, NULL, true);
		json_writer_string(writer, "cause", cause_name(row->cause));
		json_writer_string(writer, "object", row->object);
		json_writer_string(writer, "phase", row->phase);
		json_writer_string(writer, "holder", row->holder);
		json_writer_unsigned(writer, "ns", row->ns);
		json_writer_real(
			writer, "share", total_ns ? (double)row->ns / (double)total_ns : 0.0);
		json_writer_unsigned(writer, "gaps", row->gap_count);
		/* With the cause gone at most this much idle time goes with it. */
		json_writer_unsigned(writer, "ceiling_ns", row->ns);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}

static void write_part(
	struct json_writer *writer, const struct report_data *report, const struct gap_part *part)
{
	char name[REPORT_THREAD_BYTES_MAX];

	json_writer_object_begin(writer, NULL, true);
	json_writer_unsigned(writer, "from_ns", part->from_ns);
	json_writer_unsigned(writer, "to_ns", part->to_ns);
	json_writer_string(writer, "cause", cause_name(part->cause));
	json_writer_string(writer, "object", part->object);
	json_writer_string(writer, "phase", part->phase);
	report_data_thread(report, part->thread_tid, name);
	/* The feeder, see docs/causes.md, "Words of a part". */
	json_writer_string(writer, "thread", name);
	report_data_thread(report, part->holder_tid, name);
	json_writer_string(writer, "holder", name);
	json_writer_array_begin(writer, "via", true);
	for (uint32_t i = 0; i < part->via_count; i++) {
		json_writer_object_begin(writer, NULL, true);
		json_writer_string(writer, "wait", gap_via_kind_name(part->via[i].kind));
		json_writer_string(writer, "object", part->via[i].object);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
	json_writer_unsigned(writer, "job", part->job);
	json_writer_signed(writer, "partition", part->partition);
	if (part->bytes > 0) {
		json_writer_unsigned(writer, "bytes", part->bytes);
	}
	if (part->is_apportioned) {
		json_writer_bool(writer, "apportioned", true);
	}
	json_writer_object_end(writer);
}

static void write_worst(struct json_writer *writer, const struct report_data *report,
	const struct report_device *device)
{
	json_writer_array_begin(writer, "worst", false);
	for (uint32_t i = 0; i < device->worst_count; i++) {
		const struct report_worst *worst = &device->worst[i];

		json_writer_object_begin(writer, NULL, false);
		json_writer_unsigned(writer, "begin_ns", worst->begin_ns);
		json_writer_unsigned(writer, "end_ns", worst->end_ns);
		json_writer_array_begin(writer, "parts", false);
		for (uint32_t p = 0; p < worst->part_count; p++) {
			write_part(writer, report, &worst->parts[p]);
		}
		json_writer_array_end(writer);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}

static void write_device(
	struct json_writer *writer, const struct report_data *report, uint32_t index)
{
	const struct timeline_device *facts =
		timeline_device(analyzer_timeline(report->analyzer), index);
	const struct report_device *device = report->devices[index];
	const uint64_t threshold_ns = analyzer_threshold_ns(report->analyzer);

	json_writer_object_begin(writer, NULL, false);
	json_writer_signed(writer, "index", facts->ordinal);
	json_writer_string(writer, "uuid", facts->uuid);
	json_writer_string(writer, "name", facts->name);
	json_writer_string(
		writer, "backend", facts->has_facts ? backend_name(facts->backend) : "unknown");
	json_writer_string(writer, "link", facts->link);
	json_writer_bool(writer, "silent", facts->sweep.operation_count == 0);
	json_writer_unsigned(writer, "operations", facts->sweep.operation_count);
	json_writer_unsigned(writer, "kernels", facts->sweep.kernel_count);
	json_writer_unsigned(writer, "span_ns", device->usage.span_ns);
	json_writer_unsigned(writer, "busy_ns", device->usage.busy_ns);
	json_writer_unsigned(writer, "copying_ns", device->usage.copying_ns);
	json_writer_unsigned(writer, "idle_ns", device->usage.idle_ns);
	/* `gaps` came first and means that nothing at all ran; causes are those of
	 * `kernel_gaps`. */
	write_gap_table(writer, "gaps", &device->gaps[SWEEP_ANYTHING], threshold_ns);
	write_gap_table(writer, "kernel_gaps", &device->gaps[SWEEP_KERNEL], threshold_ns);
	write_causes(writer, device);
	write_worst(writer, report, device);
	json_writer_object_end(writer);
}

static void write_verdicts(struct json_writer *writer, const struct verdict_list *verdicts)
{
	json_writer_array_begin(writer, "verdicts", false);
	for (uint32_t i = 0; i < verdicts->count; i++) {
		const struct verdict_row *row = &verdicts->rows[i];

		json_writer_object_begin(writer, NULL, true);
		json_writer_string(writer, "suspect", row->suspect);
		json_writer_string(writer, "verdict", verdict_name(row->verdict));
		json_writer_unsigned(writer, "ns", row->ns);
		json_writer_unsigned(writer, "ceiling_ns", row->ceiling_ns);
		json_writer_real(writer, "share", row->share);
		json_writer_string(writer, "reason", row->reason);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}

static void write_trust(struct json_writer *writer, const struct trust *trust)
{
	const double coverage = trust_coverage(trust);

	json_writer_object_begin(writer, "trust", false);
	json_writer_bool(writer, "ok", trust->ok);
	json_writer_unsigned(writer, "events", trust->events);
	json_writer_unsigned(writer, "discarded_events", trust->discarded_events);
	json_writer_unsigned(writer, "discarded_packets", trust->discarded_packets);
	json_writer_unsigned(writer, "dropped_records", trust->dropped_records);
	json_writer_unsigned(writer, "bad_stamps", trust->bad_stamps);
	json_writer_unsigned(writer, "late_records", trust->late_records);
	json_writer_unsigned(writer, "before_launch", trust->before_launch);
	json_writer_unsigned(writer, "unjoined", trust->unjoined);
	json_writer_unsigned(writer, "launched_before", trust->outside);
	json_writer_unsigned(writer, "unreadable", trust->unreadable);
	json_writer_unsigned(writer, "untrusted_ns", trust->untrusted_ns);
	if (trust->has_clock_bound) {
		json_writer_unsigned(writer, "clock_bound_ns", trust->clock_bound_ns);
	} else {
		json_writer_null(writer, "clock_bound_ns");
	}
	json_writer_object_begin(writer, "clock", true);
	json_writer_string(writer, "path", trust_clock_name(trust->clock));
	if (trust->has_clock_bound) {
		json_writer_unsigned(writer, "bound_ns", trust->clock_bound_ns);
	} else {
		json_writer_null(writer, "bound_ns");
	}
	json_writer_object_end(writer);
	/* NaN is written as null: there were no kernels to join. */
	json_writer_real(writer, "coverage", coverage < 0 ? NAN : coverage);
	json_writer_array_begin(writer, "sources", false);
	for (uint32_t i = 0; i < trust->source_count; i++) {
		json_writer_string(writer, NULL, trust->sources[i]);
	}
	json_writer_array_end(writer);
	json_writer_array_begin(writer, "notes", false);
	for (uint32_t i = 0; i < trust->note_count; i++) {
		json_writer_string(writer, NULL, trust->notes[i]);
	}
	json_writer_array_end(writer);
	json_writer_object_end(writer);
}

void report_write_json(const struct report_data *report, FILE *stream)
{
	struct json_writer writer;
	uint32_t order[DEVICE_COUNT_MAX];
	const uint32_t count = report_device_order(report, order);

	json_writer_init(&writer, stream);
	json_writer_object_begin(&writer, NULL, false);
	/* docs/report.schema.json; a field may come, none may go or change without a new number. */
	json_writer_string(&writer, "schema", "gaptrace.report/1");
	json_writer_bool(&writer, "simulated", report->is_simulated);

	json_writer_object_begin(&writer, "window", true);
	json_writer_unsigned(&writer, "begin_ns", report->window_begin_ns);
	json_writer_unsigned(&writer, "end_ns", report->window_end_ns);
	json_writer_bool(&writer, "begin_cut", report->is_begin_cut);
	json_writer_bool(&writer, "end_cut", report->is_end_cut);
	json_writer_object_end(&writer);

	json_write_work(&writer, report);

	json_writer_array_begin(&writer, "devices", false);
	for (uint32_t i = 0; i < count; i++) {
		write_device(&writer, report, order[i]);
	}
	json_writer_array_end(&writer);
	json_write_blocks(&writer, report);
	write_verdicts(&writer, &report->verdicts);
	write_trust(&writer, analyzer_trust(report->analyzer));
	json_writer_object_end(&writer);
}
