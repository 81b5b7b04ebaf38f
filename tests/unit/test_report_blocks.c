/* SPDX-License-Identifier: MIT */
/*
 * On drawn proving services, whole and live, by every unit of work: blocks cover the window, are
 * cut at ends of work, and sum to the report's totals to the nanosecond.
 */
#include "analysis/core/report_data.h"

#include "tests/simulator/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS        40
#define THRESHOLD_NS 20000

/* The start of the first operation of each device that is told at or after each event. */
static uint64_t *first_starts(const struct world *world)
{
	const size_t count = world_event_count(world);
	uint64_t *starts = calloc((count + 1) * WORLD_DEVICES_MAX, sizeof(*starts));

	assert_non_null(starts);
	memset(starts + count * WORLD_DEVICES_MAX, 0xff, WORLD_DEVICES_MAX * sizeof(*starts));
	for (size_t i = count; i-- > 0;) {
		const struct event *event = &world_events(world)[i];
		const struct event_operation *operation = NULL;

		if (event->kind == EVENT_GPU_KERNEL) {
			operation = &event->kernel.operation;
		} else if (event->kind == EVENT_GPU_MEMCPY || event->kind == EVENT_GPU_MEMSET) {
			operation = &event->copy.operation;
		}
		for (int device = 0; device < WORLD_DEVICES_MAX; device++) {
			uint64_t *start = &starts[i * WORLD_DEVICES_MAX + (size_t)device];

			*start = start[WORLD_DEVICES_MAX];
			if (operation && operation->device == device &&
				operation->start_ns < *start) {
				*start = operation->start_ns;
			}
		}
	}
	return starts;
}

static void add(struct report_data *report, const struct event *event)
{
	assert_int_equal(analyzer_add(report->analyzer, event), STATUS_OK);
}

/* Live: each device says how far its records are complete, every few events. */
static void add_watermarks(struct report_data *report, const struct world *world,
	const struct event *now, const uint64_t *starts)
{
	for (int device = 0; device < world_device_count(world); device++) {
		struct event mark = {
			.kind = EVENT_GPU_WATERMARK, .time_ns = now->time_ns, .pid = world_pid()};

		mark.tid = mark.pid;
		mark.watermark.device = device;
		mark.watermark.complete_until_ns =
			starts[device] < now->time_ns ? starts[device] : now->time_ns;
		add(report, &mark);
	}
}

static struct report_data *report_of(const struct world *world, const char *unit, bool is_live)
{
	struct report_data *report = NULL;
	struct work_unit work;
	uint64_t *starts = first_starts(world);

	assert_int_equal(work_unit_parse(unit, &work, NULL), STATUS_OK);
	assert_int_equal(report_data_create(THRESHOLD_NS, &report), STATUS_OK);
	report_data_set_work(report, &work);
	for (size_t i = 0; i < world_event_count(world); i++) {
		const struct event *event = &world_events(world)[i];

		add(report, event);
		if (is_live && i % 7 == 0) {
			add_watermarks(report, world, event, starts + (i + 1) * WORLD_DEVICES_MAX);
		}
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	free(starts);
	return report;
}

static bool is_end_of_work(
	const struct world *world, const struct report_data *report, uint64_t time_ns)
{
	const struct work_unit *unit = &report->meter.unit;

	for (size_t i = 0; i < world_event_count(world); i++) {
		const struct event *event = &world_events(world)[i];
		uint64_t end_ns = event->time_ns;

		if (unit->kind == WORK_UNIT_PARTITION
				? event->kind == EVENT_PROVE_FINISH_END && end_ns == time_ns
				: work_unit_ends(unit, event, &end_ns) && end_ns == time_ns) {
			return true;
		}
	}
	return false;
}

static void check_cover(const struct world *world, const struct report_data *report)
{
	const struct blocks *blocks = &report->blocks;
	uint64_t at_ns = report->window_begin_ns;
	uint64_t work = 0;

	assert_in_range(blocks->count, 1, BLOCK_COUNT_MAX);
	for (uint32_t i = 0; i < blocks->count; i++) {
		assert_int_equal(blocks_begin_ns(blocks, i), at_ns);
		assert_true(blocks->list[i].end_ns > at_ns);
		at_ns = blocks->list[i].end_ns;
		work += blocks->list[i].work;
		assert_true(blocks->count == 1 || blocks->list[i].work > 0);
		assert_true(i + 1 == blocks->count || is_end_of_work(world, report, at_ns));
	}
	assert_int_equal(at_ns, report->window_end_ns);
	assert_int_equal(work, report->work_count);
}

/* What all blocks charge to the cause, object and phase of one row of the report. */
static void check_cause(
	const struct report_data *report, uint32_t index, const struct report_cause *row)
{
	uint64_t ns = 0;
	uint64_t gap_count = 0;

	for (uint32_t i = 0; i < report->blocks.count; i++) {
		const struct block_device *device = report->blocks.list[i].devices[index];

		for (uint32_t c = 0; device && c < device->cause_count; c++) {
			const struct block_cause *cause = &device->causes[c];

			if (cause->cause == row->cause && strcmp(cause->object, row->object) == 0 &&
				strcmp(cause->phase, row->phase) == 0) {
				ns += cause->ns;
				gap_count += cause->gap_count;
			}
		}
	}
	assert_int_equal(ns, row->ns);
	assert_int_equal(gap_count, row->gap_count);
}

static void check_sums(const struct report_data *report, uint32_t index)
{
	const struct report_device *whole = report->devices[index];
	const uint64_t window_ns = report->window_end_ns - report->window_begin_ns;
	struct block_device sum = {0};

	for (uint32_t i = 0; i < report->blocks.count; i++) {
		const struct block_device *device = report->blocks.list[i].devices[index];
		uint64_t causes_ns = 0;

		for (uint32_t c = 0; device && c < device->cause_count; c++) {
			causes_ns += device->causes[c].ns;
		}
		if (device) {
			assert_int_equal(causes_ns, device->gap_ns);
			assert_true(device->covered_ns[SWEEP_KERNEL] <=
				    device->covered_ns[SWEEP_ANYTHING]);
			assert_true(device->covered_ns[SWEEP_ANYTHING] <=
				    report->blocks.list[i].end_ns -
					    blocks_begin_ns(&report->blocks, i));
			sum.gap_ns += device->gap_ns;
			sum.gap_count += device->gap_count;
			sum.covered_ns[SWEEP_KERNEL] += device->covered_ns[SWEEP_KERNEL];
			sum.covered_ns[SWEEP_ANYTHING] += device->covered_ns[SWEEP_ANYTHING];
		}
	}
	assert_int_equal(sum.gap_ns, whole->gaps[SWEEP_KERNEL].total_ns);
	assert_int_equal(sum.gap_count, whole->gaps[SWEEP_KERNEL].count);
	for (int layer = 0; layer < SWEEP_LAYER_COUNT; layer++) {
		assert_int_equal(
			sum.covered_ns[layer] + whole->gaps[layer].histogram.total_ns, window_ns);
	}
	for (uint32_t c = 0; c < whole->summary.count; c++) {
		check_cause(report, index, &whole->summary.rows[c]);
	}
}

struct gap_list {
	struct gap gaps[100000];
	uint32_t count;
};

static enum status keep_gap(void *context, enum sweep_layer layer, const struct gap *gap,
	const struct gap_part_list *parts)
{
	struct gap_list *list = context;

	(void)layer;
	if (parts && list->count < sizeof(list->gaps) / sizeof(list->gaps[0])) {
		list->gaps[list->count++] = *gap;
	}
	return STATUS_OK;
}

static uint64_t overlap_ns(const struct gap *gap, uint64_t begin_ns, uint64_t end_ns)
{
	const uint64_t from_ns = gap->begin_ns > begin_ns ? gap->begin_ns : begin_ns;
	const uint64_t to_ns = gap->end_ns < end_ns ? gap->end_ns : end_ns;

	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/* Every gap, found once more, lies in the blocks that its time says. */
static void check_places(const struct world *world, const struct report_data *report)
{
	static struct gap_list list;
	AUTO(analyzer_destroy) struct analyzer *analyzer = NULL;
	const struct analyzer_listener listener = {.context = &list, .gap = keep_gap};

	list.count = 0;
	assert_int_equal(analyzer_create(THRESHOLD_NS, &listener, &analyzer), STATUS_OK);
	for (size_t i = 0; i < world_event_count(world); i++) {
		assert_int_equal(analyzer_add(analyzer, &world_events(world)[i]), STATUS_OK);
	}
	assert_int_equal(analyzer_end(analyzer), STATUS_OK);
	for (uint32_t i = 0; i < report->blocks.count; i++) {
		const uint64_t begin_ns = blocks_begin_ns(&report->blocks, i);
		const struct block *block = &report->blocks.list[i];

		for (uint32_t d = 0; d < report_data_device_count(report); d++) {
			uint64_t gap_ns = 0;
			uint64_t count = 0;

			for (uint32_t g = 0; g < list.count; g++) {
				if (list.gaps[g].device == d) {
					gap_ns +=
						overlap_ns(&list.gaps[g], begin_ns, block->end_ns);
					count += list.gaps[g].begin_ns >= begin_ns &&
						 list.gaps[g].begin_ns < block->end_ns;
				}
			}
			assert_int_equal(gap_ns, block->devices[d] ? block->devices[d]->gap_ns : 0);
			assert_int_equal(
				count, block->devices[d] ? block->devices[d]->gap_count : 0);
		}
	}
}

static void check(const struct world *world, const char *unit, bool is_live)
{
	AUTO(report_data_destroy) struct report_data *report = report_of(world, unit, is_live);

	check_cover(world, report);
	for (uint32_t i = 0; i < report_data_device_count(report); i++) {
		check_sums(report, i);
	}
	check_places(world, report);
}

static void check_all(const char *unit)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct service_plan plan = scenario_draw(seed);
		struct world *world = scenario_run(&plan, seed);

		assert_non_null(world);
		check(world, unit, false);
		check(world, unit, true);
		world_destroy(world);
	}
}

static void blocks_of_partitions_sum_to_the_report(void **state)
{
	(void)state;
	check_all("partition");
}

static void blocks_of_kernels_sum_to_the_report(void **state)
{
	(void)state;
	check_all("kernel:*");
}

static void blocks_of_spans_sum_to_the_report(void **state)
{
	(void)state;
	check_all("span:*");
}

static void blocks_of_events_sum_to_the_report(void **state)
{
	(void)state;
	check_all("event:job_end");
}

/* When gaps become final changes nothing: partitions end in the order of time. */
static void a_live_report_has_the_same_blocks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct service_plan plan = scenario_draw(seed);
		struct world *world = scenario_run(&plan, seed);
		AUTO(report_data_destroy)
		struct report_data *whole = report_of(world, "partition", false);
		AUTO(report_data_destroy)
		struct report_data *live = report_of(world, "partition", true);

		assert_int_equal(whole->blocks.count, live->blocks.count);
		for (uint32_t i = 0; i < whole->blocks.count; i++) {
			assert_int_equal(whole->blocks.list[i].end_ns, live->blocks.list[i].end_ns);
			assert_int_equal(whole->blocks.list[i].work, live->blocks.list[i].work);
		}
		world_destroy(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_partitions_sum_to_the_report),
		cmocka_unit_test(blocks_of_kernels_sum_to_the_report),
		cmocka_unit_test(blocks_of_spans_sum_to_the_report),
		cmocka_unit_test(blocks_of_events_sum_to_the_report),
		cmocka_unit_test(a_live_report_has_the_same_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
