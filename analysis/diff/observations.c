/* SPDX-License-Identifier: MIT */
#include "analysis/diff/observations.h"

#include "trace/base/array.h"
#include "trace/base/limits.h"

#include <stdlib.h>
#include <string.h>

/* Brings the figures of one row of the table together. */
static int compare(const void *left, const void *right)
{
	const struct observation *a = left;
	const struct observation *b = right;
	int order;

	if (a->device != b->device) {
		return a->device < b->device ? -1 : 1;
	}
	if (a->metric != b->metric) {
		return a->metric < b->metric ? -1 : 1;
	}
	if (a->cause != b->cause) {
		return a->cause < b->cause ? -1 : 1;
	}
	order = strcmp(a->object, b->object);
	return order != 0 ? order : strcmp(a->phase, b->phase);
}

bool observation_is_same(const struct observation *left, const struct observation *right)
{
	return compare(left, right) == 0;
}

static enum status add(struct observations *list, const struct observation *observation)
{
	if (!ARRAY_MAKE_ROOM(list->list, list->count, list->capacity, 1024)) {
		return STATUS_NO_MEMORY;
	}
	list->list[list->count++] = *observation;
	return STATUS_OK;
}

/* Where figures come from: a run as a whole, or a block of it. */
struct place {
	const struct table *table;
	uint32_t run;
	uint32_t block;
	int32_t device;
};

static enum status add_figure(
	struct observations *list, const struct place *place, enum metric metric, double amount)
{
	const struct observation figure = {.device = place->device,
		.metric = metric,
		.object = "",
		.phase = "",
		.run = place->run,
		.block = place->block,
		.amount = amount};

	return add(list, &figure);
}

static uint64_t no_work_ns(const struct run_usage *usage)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < usage->cause_count; i++) {
		sum_ns += usage->causes[i].cause == CAUSE_NO_WORK ? usage->causes[i].ns : 0;
	}
	return sum_ns < usage->gap_ns ? sum_ns : usage->gap_ns;
}

static enum status add_usage(
	struct observations *list, const struct place *place, const struct run_usage *usage)
{
	const struct {
		enum metric metric;
		uint64_t amount;
	} figures[] = {
		{METRIC_IDLE, usage->gap_ns - no_work_ns(usage)},
		{METRIC_SHORT, usage->short_ns},
		{METRIC_BUSY, usage->busy_ns},
		{METRIC_COPYING, usage->copying_ns},
		{METRIC_GAPS, usage->gap_count},
		{METRIC_UTILISATION, usage->busy_ns},
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]) && status == STATUS_OK; i++) {
		status = add_figure(list, place, figures[i].metric, (double)figures[i].amount);
	}
	for (uint32_t i = 0; i < usage->cause_count && status == STATUS_OK; i++) {
		const struct run_cause *row = &usage->causes[i];
		const struct observation figure = {.device = place->device,
			.metric = METRIC_CAUSE,
			.cause = row->cause,
			.object = row->object,
			.phase = row->phase,
			.run = place->run,
			.block = place->block,
			.amount = (double)row->ns,
			.gaps = (double)row->gap_count};

		status = add(list, &figure);
	}
	return status;
}

/* Time in which there was no work counts for nobody: with another load it would be another. */
static enum status add_time(struct observations *list, struct place *place,
	const struct run_usage *const *usages, uint64_t length_ns)
{
	const uint32_t device_count = place->table->runs[0]->device_count;
	double time_ns = (double)length_ns;
	enum status status;

	for (uint32_t i = 0; i < device_count; i++) {
		time_ns -= (double)no_work_ns(usages[i]) / device_count;
	}
	place->device = TABLE_ALL;
	status = add_figure(list, place, METRIC_TIME, time_ns);
	if (status == STATUS_OK) {
		status = add_figure(list, place, METRIC_THROUGHPUT, (double)length_ns);
	}
	return status;
}

/* With one GPU, what holds for it holds for all. */
static enum status add_usages(struct observations *list, struct place *place,
	const struct run_usage *const *usages, uint64_t length_ns)
{
	const uint32_t device_count = place->table->runs[0]->device_count;
	enum status status = add_time(list, place, usages, length_ns);

	for (uint32_t slot = 0; slot < device_count && status == STATUS_OK; slot++) {
		place->device = (int32_t)slot;
		status = add_usage(list, place, usages[slot]);
		place->device = TABLE_ALL;
		if (status == STATUS_OK && device_count > 1) {
			status = add_usage(list, place, usages[slot]);
		}
	}
	return status;
}

static enum status add_lengths(
	struct observations *list, struct place *place, const struct run_device *device)
{
	static const enum metric metrics[] = {METRIC_P50, METRIC_P95, METRIC_P99};
	enum status status = add_figure(list, place, METRIC_MAX, (double)device->max_ns);

	for (uint32_t i = 0; i < RUN_QUANTILE_COUNT && device->has_quantiles; i++) {
		if (status == STATUS_OK) {
			status = add_figure(
				list, place, metrics[i], (double)device->quantiles_ns[i]);
		}
	}
	return status;
}

/* Where in the launch the time of a device's gaps lies; with one GPU, that of all. */
static enum status add_split(
	struct observations *list, struct place *place, const struct run_device *device)
{
	static const enum metric metrics[] = {METRIC_LATE, METRIC_IN_CALL, METRIC_AFTER};
	const int32_t own = place->device;
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < RUN_SPLIT_COUNT && device->has_split; i++) {
		const double ns = (double)device->split_ns[i];

		if (status == STATUS_OK) {
			status = add_figure(list, place, metrics[i], ns);
		}
		if (status == STATUS_OK && place->table->runs[0]->device_count > 1) {
			place->device = TABLE_ALL;
			status = add_figure(list, place, metrics[i], ns);
			place->device = own;
		}
	}
	return status;
}

static enum status add_run(struct observations *list, struct place *place)
{
	const struct run *first = place->table->runs[0];
	const struct run *run = place->table->runs[place->run];
	const struct run_usage *usages[DEVICE_COUNT_MAX];
	enum status status = STATUS_OK;

	place->block = OBSERVATION_TOTAL;
	for (uint32_t slot = 0; slot < first->device_count && status == STATUS_OK; slot++) {
		const struct run_device *device = &run->devices[run_device_at(run, first, slot)];

		usages[slot] = &device->usage;
		place->device = (int32_t)slot;
		status = add_lengths(list, place, device);
		if (status == STATUS_OK) {
			status = add_split(list, place, device);
		}
	}
	if (status != STATUS_OK) {
		return status;
	}
	return add_usages(list, place, usages, run->window_end_ns - run->window_begin_ns);
}

static enum status add_blocks(struct observations *list, struct place *place)
{
	const struct run *first = place->table->runs[0];
	const struct run *run = place->table->runs[place->run];
	const struct run_usage *usages[DEVICE_COUNT_MAX];
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < run->block_count && status == STATUS_OK; i++) {
		const struct run_block *block = &run->blocks[i];

		for (uint32_t slot = 0; slot < first->device_count; slot++) {
			usages[slot] = &block->devices[run_device_at(run, first, slot)];
		}
		place->block = i;
		status = add_usages(list, place, usages, block->end_ns - block->begin_ns);
	}
	return status;
}

enum status observations_collect(
	struct observations *observations, const struct table *table, bool with_blocks)
{
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < table->run_count && status == STATUS_OK; i++) {
		struct place place = {.table = table, .run = i};

		status = add_run(observations, &place);
		if (status == STATUS_OK && with_blocks) {
			status = add_blocks(observations, &place);
		}
	}
	if (status == STATUS_OK && observations->count > 0) {
		qsort(observations->list, observations->count, sizeof(*observations->list),
			compare);
	}
	return status;
}

void observations_finish(struct observations *observations)
{
	free(observations->list);
	*observations = (struct observations){0};
}
