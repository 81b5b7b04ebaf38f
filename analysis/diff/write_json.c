/* SPDX-License-Identifier: MIT */
/* A comparison as JSON: docs/diff.schema.json is the contract. */
#include "analysis/diff/phrase.h"
#include "analysis/diff/write.h"
#include "analysis/report/json_writer.h"

static const char *const kind_names[] = {
	[BUDGET_PER_UNIT_NS] = "ns_per_unit",
	[BUDGET_PER_UNIT_COUNT] = "per_unit",
	[BUDGET_LENGTH_NS] = "ns",
	[BUDGET_SHARE] = "share",
	[BUDGET_RATE] = "units_per_second",
};

static void write_texts(struct json_writer *writer, const char *key, const struct lines *lines)
{
	json_writer_array_begin(writer, key, false);
	for (uint32_t i = 0; i < lines->count; i++) {
		json_writer_string(writer, NULL, lines->list[i]);
	}
	json_writer_array_end(writer);
}

static void write_runs(struct json_writer *writer, const struct diff *diff, const char *key,
	uint32_t begin, uint32_t end)
{
	json_writer_array_begin(writer, key, false);
	for (uint32_t i = begin; i < end; i++) {
		const struct run *run = diff->runs[i];

		json_writer_object_begin(writer, NULL, true);
		json_writer_string(writer, "file", run->path);
		json_writer_unsigned(writer, "work", run->work_count);
		json_writer_unsigned(writer, "begin_ns", run->window_begin_ns);
		json_writer_unsigned(writer, "end_ns", run->window_end_ns);
		json_writer_unsigned(writer, "jobs_failed", run->jobs_failed);
		json_writer_object_end(writer);
	}
	json_writer_array_end(writer);
}

/* The device of a row or limit: its ordinal, or null for all of them. */
static void write_device(struct json_writer *writer, const struct diff *diff, int32_t device)
{
	if (device == TABLE_ALL) {
		json_writer_null(writer, "gpu");
	} else {
		json_writer_signed(writer, "gpu", diff->runs[0]->devices[device].index);
	}
}

static void write_row(
	struct json_writer *writer, const struct diff *diff, const struct diff_row *row)
{
	const struct table_row *figures = row->figures;

	json_writer_object_begin(writer, NULL, true);
	json_writer_string(writer, "verdict", diff_verdict_name(row->verdict));
	json_writer_bool(writer, "decides", diff_row_is_gate(figures));
	write_device(writer, diff, figures->device);
	json_writer_string(writer, "what", table_metric_name(figures->metric));
	if (figures->metric == METRIC_CAUSE) {
		json_writer_string(writer, "cause", cause_name(figures->cause));
		json_writer_string(writer, "object", figures->object);
		json_writer_string(writer, "phase", figures->phase);
		json_writer_real(writer, "base_gaps", figures->base_gaps);
		json_writer_real(writer, "new_gaps", figures->new_gaps);
	}
	json_writer_string(writer, "measure", kind_names[phrase_kind(figures->metric)]);
	json_writer_real(writer, "base", figures->base_value);
	json_writer_real(writer, "new", figures->new_value);
	json_writer_real(writer, "p", row->p);
	json_writer_object_end(writer);
}

static void write_limit(
	struct json_writer *writer, const struct diff *diff, const struct budget_result *result)
{
	const struct budget_limit *limit = result->limit;

	json_writer_object_begin(writer, NULL, true);
	json_writer_string(writer, "name", limit->name);
	json_writer_bool(writer, "kept", result->is_kept);
	write_device(writer, diff, result->device);
	json_writer_string(writer, "measure", kind_names[budget_limit_kind(limit)]);
	json_writer_real(writer, "value", result->value);
	if (limit->has_at_most) {
		json_writer_real(writer, "at_most", limit->at_most);
	}
	if (limit->has_at_least) {
		json_writer_real(writer, "at_least", limit->at_least);
	}
	json_writer_object_end(writer);
}

static void write_thresholds(struct json_writer *writer, const struct diff *diff)
{
	json_writer_object_begin(writer, "thresholds", true);
	json_writer_real(writer, "absolute_ns", diff->absolute_ns);
	json_writer_real(writer, "relative", diff->settings.relative);
	json_writer_real(writer, "throughput", diff->settings.throughput);
	json_writer_real(writer, "false_alarms", diff->settings.false_alarms);
	json_writer_object_end(writer);
}

void write_json(const struct diff *diff, FILE *stream)
{
	static const char *const modes[] = {
		[TABLE_NO_SAMPLES] = "none",
		[TABLE_RUNS] = "runs",
		[TABLE_BLOCKS] = "blocks",
	};
	const struct run *first = diff->runs[0];
	struct json_writer writer;

	json_writer_init(&writer, stream);
	json_writer_object_begin(&writer, NULL, false);
	json_writer_string(&writer, "schema", "gaptrace.diff/1");
	json_writer_string(&writer, "outcome", diff_outcome_name(diff->outcome));
	json_writer_signed(&writer, "exit_code", (int64_t)diff->outcome);
	json_writer_object_begin(&writer, "work", true);
	json_writer_string(&writer, "unit", first->work_unit);
	json_writer_string(&writer, "name", first->work_name);
	json_writer_object_end(&writer);
	json_writer_string(&writer, "samples", modes[diff->table ? diff->table->mode : 0]);
	json_writer_real(&writer, "run_noise", diff->run_noise);
	write_thresholds(&writer, diff);
	write_texts(&writer, "reasons", &diff->reasons);
	write_texts(&writer, "notes", &diff->notes);
	write_runs(&writer, diff, "base", 0, diff->base_count);
	write_runs(&writer, diff, "new", diff->base_count, diff->run_count);
	json_writer_array_begin(&writer, "rows", false);
	for (uint32_t i = 0; i < diff->row_count; i++) {
		write_row(&writer, diff, &diff->rows[diff->order[i]]);
	}
	json_writer_array_end(&writer);
	json_writer_array_begin(&writer, "limits", false);
	for (uint32_t i = 0; i < diff->limit_count; i++) {
		write_limit(&writer, diff, &diff->limits[i]);
	}
	json_writer_array_end(&writer);
	json_writer_object_end(&writer);
}
