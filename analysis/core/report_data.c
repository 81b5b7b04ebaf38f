/* SPDX-License-Identifier: MIT */
#include "analysis/core/report_data.h"

#include "trace/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status device_of(
	struct report_data *report, uint32_t index, struct report_device **out_device)
{
	struct report_device *device = report->devices[index];

	if (!device) {
		device = calloc(1, sizeof(*device));
		if (!device) {
			return STATUS_NO_MEMORY;
		}
		strip_init(&device->strip,
			timeline_window(analyzer_timeline(report->analyzer))->first_event_ns);
		report->devices[index] = device;
	}
	*out_device = device;
	return STATUS_OK;
}

void report_data_thread(
	const struct report_data *report, int32_t tid, char out_name[REPORT_THREAD_BYTES_MAX])
{
	const char *name = tid ? walk_thread_name(analyzer_walk(report->analyzer), tid) : "";

	out_name[0] = '\0';
	if (tid && name[0]) {
		(void)snprintf(out_name, REPORT_THREAD_BYTES_MAX, "%.64s (%d)", name, tid);
	} else if (tid) {
		(void)snprintf(out_name, REPORT_THREAD_BYTES_MAX, "thread %d", tid);
	}
}

static bool is_cause(
	const struct report_cause *row, const struct gap_part *part, const char *holder)
{
	return row->cause == part->cause && strcmp(row->object, part->object) == 0 &&
	       strcmp(row->phase, part->phase) == 0 && strcmp(row->holder, holder) == 0;
}

/* By search: a recording has some dozens of rows, and a part is added once for each gap. */
static enum status cause_row(struct report_cause_table *table, const struct gap_part *part,
	const char *holder, struct report_cause **out_row)
{
	const struct gap_part rest = {.cause = part->cause, .object = "", .phase = "others"};
	struct report_cause *row;

	/* The row "others" of the same cause: sums stay right when names run out. */
	if (table->count >= REPORT_CAUSE_COUNT_MAX) {
		part = &rest;
		holder = "";
	}
	for (uint32_t i = 0; i < table->count; i++) {
		if (is_cause(&table->rows[i], part, holder)) {
			*out_row = &table->rows[i];
			return STATUS_OK;
		}
	}
	if (!ARRAY_MAKE_ROOM(table->rows, table->count, table->capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	row = &table->rows[table->count++];
	*row = (struct report_cause){
		.cause = part->cause, .object = part->object, .phase = part->phase};
	(void)snprintf(row->holder, sizeof(row->holder), "%s", holder);
	*out_row = row;
	return STATUS_OK;
}

/* Tells whether the gap had not counted in its row yet. */
static enum status add_part(const struct report_data *report, struct report_cause_table *table,
	const struct gap_part *part, const char *holder, bool *out_is_first)
{
	struct report_cause *row = NULL;
	const enum status status = cause_row(table, part, holder, &row);

	if (status != STATUS_OK) {
		return status;
	}
	/* Parts of one gap in one row count as one gap. */
	*out_is_first = row->last_gap != report->gap_number;
	row->ns += part->to_ns - part->from_ns;
	row->bytes += part->bytes;
	if (*out_is_first) {
		row->last_gap = report->gap_number;
		row->gap_count++;
	}
	return STATUS_OK;
}

static enum status add_parts(struct report_data *report, struct report_device *device,
	const struct gap *gap, const struct gap_part_list *parts)
{
	enum status status = blocks_add_gap(&report->blocks, gap);

	report->gap_number++;
	/* By holder for `who`, and without it for the table: threads change from run to run. */
	for (uint32_t i = 0; i < parts->count && status == STATUS_OK; i++) {
		const struct walk *walk = analyzer_walk(report->analyzer);
		struct gap_part part = parts->parts[i];
		char holder[REPORT_THREAD_BYTES_MAX];
		bool is_first = false;

		/* Ranges that count are one row; the list of the longest gaps keeps their names. */
		part.object = walk_family(walk, part.object);
		part.phase = walk_family(walk, part.phase);
		report_data_thread(report, part.holder_tid, holder);
		status = add_part(report, &device->causes, &part, holder, &is_first);
		if (status == STATUS_OK) {
			status = add_part(report, &device->summary, &part, "", &is_first);
		}
		if (status == STATUS_OK) {
			status = blocks_add_part(&report->blocks, gap->device, &part, is_first);
		}
	}
	return status;
}

/* Keeps the gap if it is among the longest; of equals the earlier one stays. */
static enum status add_worst(
	struct report_device *device, const struct gap *gap, const struct gap_part_list *parts)
{
	const uint64_t length_ns = gap->end_ns - gap->begin_ns;
	struct report_worst kept = {.begin_ns = gap->begin_ns, .end_ns = gap->end_ns};
	uint32_t place = device->worst_count;

	while (place > 0 &&
		device->worst[place - 1].end_ns - device->worst[place - 1].begin_ns < length_ns) {
		place--;
	}
	/* Most gaps end here, and their parts are never copied. */
	if (place == REPORT_WORST_COUNT) {
		return STATUS_OK;
	}
	if (parts->count > 0) {
		kept.parts = calloc(parts->count, sizeof(*kept.parts));
		if (!kept.parts) {
			return STATUS_NO_MEMORY;
		}
		memcpy(kept.parts, parts->parts, parts->count * sizeof(*kept.parts));
		kept.part_count = parts->count;
	}
	if (device->worst_count == REPORT_WORST_COUNT) {
		free(device->worst[--device->worst_count].parts);
	}
	memmove(&device->worst[place + 1], &device->worst[place],
		(device->worst_count - place) * sizeof(device->worst[0]));
	device->worst[place] = kept;
	device->worst_count++;
	return STATUS_OK;
}

static void add_split(struct report_gap_table *table, const struct gap_split *split)
{
	table->split.host_late_ns += split->host_late_ns;
	table->split.in_call_ns += split->in_call_ns;
	table->split.after_call_ns += split->after_call_ns;
	table->split.unjoined_ns += split->unjoined_ns;
	table->joined_count += split->unjoined_ns == 0;
}

static void add_length(
	struct report_gap_table *table, const struct gap *gap, const struct gap_split *split)
{
	const uint64_t length_ns = gap->end_ns - gap->begin_ns;

	table->count++;
	table->total_ns += length_ns;
	quantiles_add(&table->quantiles, length_ns);
	if (length_ns > table->max_ns) {
		table->max_ns = length_ns;
	}
	/* How long an edge is depends on when recording began, not on the program. */
	if (gap->edge == GAP_INNER) {
		table->inner_count++;
		table->inner_total_ns += length_ns;
		if (length_ns > table->inner_max_ns) {
			table->inner_max_ns = length_ns;
		}
		add_split(table, split);
	}
}

static enum status on_gap(void *context, enum sweep_layer layer, const struct gap *gap,
	const struct gap_part_list *parts)
{
	struct report_data *report = context;
	const uint64_t length_ns = gap->end_ns - gap->begin_ns;
	struct report_device *device = NULL;
	struct gap_split split;
	enum status status = device_of(report, gap->device, &device);

	if (status != STATUS_OK) {
		return status;
	}
	histogram_add(&device->gaps[layer].histogram, length_ns);
	/* Below it a gap is only in the histogram. */
	if (length_ns >= analyzer_threshold_ns(report->analyzer)) {
		split = walk_split(analyzer_walk(report->analyzer), gap);
		add_length(&device->gaps[layer], gap, &split);
	}
	/* None are told of gaps below the threshold, and of the layer that is not explained. */
	if (!parts) {
		return STATUS_OK;
	}
	verdict_tally_add(&report->tally, parts);
	status = add_parts(report, device, gap, parts);
	return status == STATUS_OK ? add_worst(device, gap, parts) : status;
}

static enum status on_covered(
	void *context, uint32_t index, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	struct report_data *report = context;
	const uint64_t window_ns = timeline_window(analyzer_timeline(report->analyzer))->begin_ns;
	const struct block_run run = {begin_ns > window_ns ? begin_ns : window_ns, end_ns};
	struct report_device *device = NULL;
	const enum status status = device_of(report, index, &device);

	if (status != STATUS_OK) {
		return status;
	}
	strip_add(&device->strip, layer == SWEEP_KERNEL ? STRIP_KERNEL : STRIP_ANYTHING, begin_ns,
		end_ns);
	return run.begin_ns < end_ns ? blocks_add_covered(&report->blocks, index, layer, &run)
				     : STATUS_OK;
}

static enum status on_event(void *context, const struct event *event)
{
	struct report_data *report = context;

	return work_meter_add(&report->meter, event,
		timeline_window(analyzer_timeline(report->analyzer)), &report->blocks);
}

enum status report_data_create(uint64_t threshold_ns, struct report_data **out_report)
{
	AUTO(report_data_destroy) struct report_data *report = calloc(1, sizeof(*report));
	struct analyzer_listener listener = {
		.gap = on_gap, .covered = on_covered, .event = on_event};
	enum status status;

	if (!report) {
		return STATUS_NO_MEMORY;
	}
	blocks_init(&report->blocks);
	listener.context = report;
	status = analyzer_create(threshold_ns, &listener, &report->analyzer);
	if (status == STATUS_OK) {
		*out_report = MOVE(report);
	}
	return status;
}

void report_data_set_work(struct report_data *report, const struct work_unit *unit)
{
	report->meter.unit = *unit;
}

/* By time, then by name, so that two reports of one recording are the same. */
static int compare_causes(const void *left, const void *right)
{
	const struct report_cause *a = left;
	const struct report_cause *b = right;
	int order;

	if (a->ns != b->ns) {
		return a->ns > b->ns ? -1 : 1;
	}
	if (a->cause != b->cause) {
		return a->cause < b->cause ? -1 : 1;
	}
	order = strcmp(a->object, b->object);
	if (order == 0) {
		order = strcmp(a->phase, b->phase);
	}
	return order ? order : strcmp(a->holder, b->holder);
}

static void rank_causes(struct report_cause_table *table)
{
	if (table->count > 0) {
		qsort(table->rows, table->count, sizeof(table->rows[0]), compare_causes);
	}
}

static enum status end_device(struct report_data *report, uint32_t index)
{
	const struct timeline_device *known =
		timeline_device(analyzer_timeline(report->analyzer), index);
	struct report_device *device = NULL;
	enum status status;

	/* Its operations are another index's: one UUID is one device. */
	if (known->is_merged) {
		return STATUS_OK;
	}
	status = device_of(report, index, &device);
	if (status != STATUS_OK) {
		return status;
	}
	device->is_used = true;
	device->usage = timeline_usage(known);
	report->is_simulated |= known->backend == GAPTRACE_BACKEND_SIM;
	rank_causes(&device->causes);
	rank_causes(&device->summary);
	return STATUS_OK;
}

enum status report_data_end(struct report_data *report)
{
	const struct window *window = timeline_window(analyzer_timeline(report->analyzer));
	enum status status;

	/* First: ending the analyzer tells the last runs, which may reach past the window. */
	blocks_set_limit(&report->blocks, window_end_ns(window));
	status = analyzer_end(report->analyzer);
	if (status == STATUS_OK) {
		status = work_meter_end(&report->meter, window, &report->blocks);
	}
	if (status == STATUS_OK) {
		status = blocks_end(&report->blocks, window->begin_ns);
	}
	for (uint32_t i = 0; status == STATUS_OK && i < report_data_device_count(report); i++) {
		status = end_device(report, i);
	}
	verdict_conclude(&report->tally, walk_evidence(analyzer_walk(report->analyzer)),
		analyzer_trust(report->analyzer)->ok, &report->verdicts);
	report->window_begin_ns = window->begin_ns;
	report->window_end_ns = window_end_ns(window);
	report->is_begin_cut = window->is_begin_cut;
	report->is_end_cut = window_is_end_cut(window);
	report->work_count = blocks_work(&report->blocks);
	report->jobs_done = window->jobs_done;
	report->jobs_failed = window->jobs_failed;
	return status;
}

uint32_t report_data_device_count(const struct report_data *report)
{
	return timeline_device_count(analyzer_timeline(report->analyzer));
}

void report_data_destroy(struct report_data *report)
{
	if (!report) {
		return;
	}
	for (uint32_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		struct report_device *device = report->devices[i];

		if (!device) {
			continue;
		}
		for (uint32_t w = 0; w < device->worst_count; w++) {
			free(device->worst[w].parts);
		}
		free(device->causes.rows);
		free(device->summary.rows);
		free(device);
	}
	blocks_finish(&report->blocks);
	analyzer_destroy(report->analyzer);
	free(report);
}
