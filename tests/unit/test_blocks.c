/* SPDX-License-Identifier: MIT */
/* Blocks are cut at ends of work, are few and about equal, and lose nothing that was put in. */
#include "analysis/core/report_data.h"

#include "tests/unit/event_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ULL

static void end(struct blocks *blocks, uint64_t begin_ns, uint64_t end_ns)
{
	blocks_set_limit(blocks, end_ns);
	assert_int_equal(blocks_end(blocks, begin_ns), STATUS_OK);
}

static void work(struct blocks *blocks, uint64_t time_ns, uint64_t count)
{
	assert_int_equal(blocks_add_work(blocks, time_ns, count), STATUS_OK);
}

static void finish_partition(struct report_data *report, uint64_t time_ns)
{
	const struct event event = {.kind = EVENT_PROVE_FINISH_END,
		.time_ns = time_ns,
		.pid = 7,
		.tid = 7,
		.span = {.name = "prove_finish", .work = {.job = 1}, .duration_ns = time_ns}};

	assert_int_equal(analyzer_add(report->analyzer, &event), STATUS_OK);
}

static void add(struct report_data *report, struct event event)
{
	assert_int_equal(analyzer_add(report->analyzer, &event), STATUS_OK);
}

/*
 * ms         0    10   20   30   40   50   60   70   80   90
 * kernels         ####           ####                ####
 * copy                 ==                                     threshold 5 ms
 * finished                  |              |
 * job        |--------------------------------------------|
 * blocks     [------ 1 -----)[--------------- 1 ----------)
 */
static void figures_are_those_of_the_drawing(void **state)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	const struct block_device *device;

	(void)state;
	assert_int_equal(report_data_create(5 * MS, &report), STATUS_OK);
	add(report, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(report, event_device(1, 7, 0, "A"));
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10 * MS, 20 * MS));
	add(report, event_operation_at(EVENT_GPU_MEMCPY, 7, 0, 20 * MS, 22 * MS));
	finish_partition(report, 30 * MS);
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 40 * MS, 50 * MS));
	finish_partition(report, 60 * MS);
	add(report, event_job(EVENT_JOB_END, 90 * MS, 7, 1));
	/* It runs on beyond the window. */
	add(report, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 80 * MS, 95 * MS));
	assert_int_equal(report_data_end(report), STATUS_OK);

	assert_int_equal(report->work_count, 2);
	assert_int_equal(report->blocks.count, 2);
	assert_int_equal(blocks_begin_ns(&report->blocks, 0), 0);
	assert_int_equal(blocks_begin_ns(&report->blocks, 1), 30 * MS);
	assert_int_equal(report->blocks.list[1].end_ns, 90 * MS);
	assert_int_equal(report->blocks.list[0].work, 1);
	assert_int_equal(report->blocks.list[1].work, 1);
	device = report->blocks.list[0].devices[0];
	assert_int_equal(device->covered_ns[SWEEP_KERNEL], 10 * MS);
	assert_int_equal(device->covered_ns[SWEEP_ANYTHING], 12 * MS);
	assert_int_equal(device->gap_ns, 20 * MS);
	assert_int_equal(device->gap_count, 2); /* at 0 and at 20 */
	device = report->blocks.list[1].devices[0];
	assert_int_equal(device->covered_ns[SWEEP_KERNEL], 20 * MS);
	assert_int_equal(device->covered_ns[SWEEP_ANYTHING], 20 * MS);
	assert_int_equal(device->gap_ns, 40 * MS);
	assert_int_equal(device->gap_count, 1);
	/* The gaps of 10, 20 and 30 ms; the first is at the window's edge. */
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].count, 3);
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].inner_count, 2);
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].inner_total_ns, 50 * MS);
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].inner_max_ns, 30 * MS);
}

static void blocks_stay_few_and_equal(void **state)
{
	static struct blocks blocks;

	(void)state;
	for (uint64_t count = 1; count < 3000; count += 7) {
		uint64_t at_ns = 0;
		uint64_t least = UINT64_MAX;
		uint64_t most = 0;

		blocks_init(&blocks);
		for (uint64_t i = 1; i <= count; i++) {
			work(&blocks, i * 10, 1);
		}
		end(&blocks, 0, count * 10 + 5);
		assert_in_range(blocks.count, 1, BLOCK_COUNT_MAX);
		assert_true(blocks.count >= BLOCK_COUNT_MAX / 2 || blocks.count == count);
		assert_int_equal(blocks_work(&blocks), count);
		for (uint32_t i = 0; i < blocks.count; i++) {
			const struct block *block = &blocks.list[i];

			assert_true(block->end_ns > at_ns);
			assert_true(i + 1 == blocks.count || block->end_ns % 10 == 0);
			at_ns = block->end_ns;
			least = block->work < least ? block->work : least;
			most = block->work > most ? block->work : most;
		}
		assert_int_equal(at_ns, count * 10 + 5);
		assert_true(most <= 2 * least);
		blocks_finish(&blocks);
	}
}

static void two_ends_at_one_time_are_in_one_block(void **state)
{
	static struct blocks blocks;

	(void)state;
	blocks_init(&blocks);
	work(&blocks, 10, 1);
	work(&blocks, 10, 1);
	work(&blocks, 20, 1);
	work(&blocks, 5, 1); /* late */
	end(&blocks, 0, 25);
	assert_int_equal(blocks.count, 2);
	assert_int_equal(blocks.list[0].work, 3);
	assert_int_equal(blocks.list[0].end_ns, 10);
	assert_int_equal(blocks.list[1].work, 1);
	assert_int_equal(blocks.list[1].end_ns, 25);
	blocks_finish(&blocks);
}

/* A gap that was charged already is not cut by an end that is told later. */
static void nothing_is_cut_behind_charged_time(void **state)
{
	static struct blocks blocks;
	const struct gap gap = {.begin_ns = 0, .end_ns = 100};

	(void)state;
	blocks_init(&blocks);
	assert_int_equal(blocks_add_gap(&blocks, &gap), STATUS_OK);
	work(&blocks, 50, 1);
	work(&blocks, 120, 1);
	end(&blocks, 0, 200);
	assert_int_equal(blocks.count, 1);
	assert_int_equal(blocks.list[0].work, 2);
	assert_int_equal(blocks.list[0].devices[0]->gap_ns, 100);
	blocks_finish(&blocks);
}

/* Stretches told before the window's end is known may reach beyond it, one after the other. */
static void what_ran_beyond_the_window_is_left_out(void **state)
{
	static struct blocks blocks;
	const struct block_run runs[] = {{0, 40}, {50, 100}, {100, 200}};

	(void)state;
	blocks_init(&blocks);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		assert_int_equal(blocks_add_covered(&blocks, 0, SWEEP_KERNEL, &runs[i]), STATUS_OK);
	}
	work(&blocks, 55, 1);
	end(&blocks, 0, 60);
	assert_int_equal(blocks.list[0].devices[0]->covered_ns[SWEEP_KERNEL], 50);
	blocks_finish(&blocks);
}

static void ends_at_the_edges_of_the_window_cut_nothing(void **state)
{
	static struct blocks blocks;

	(void)state;
	blocks_init(&blocks);
	work(&blocks, 10, 1);
	work(&blocks, 20, 1);
	work(&blocks, 30, 1);
	work(&blocks, 40, 1);
	end(&blocks, 10, 30);
	assert_int_equal(blocks.count, 2);
	assert_int_equal(blocks.list[0].end_ns, 20);
	assert_int_equal(blocks.list[1].end_ns, 30);
	assert_int_equal(blocks_work(&blocks), 4);
	blocks_finish(&blocks);
}

/* A gap over three blocks: time goes where it belongs, counts to where it begins. */
static void parts_are_split_at_cuts_and_counted_once(void **state)
{
	static struct blocks blocks;
	const struct gap gap = {.begin_ns = 5, .end_ns = 25};
	const struct gap_part part = {
		.from_ns = 5, .to_ns = 25, .cause = CAUSE_LOCK, .object = "tracker", .phase = ""};

	(void)state;
	blocks_init(&blocks);
	work(&blocks, 10, 1);
	work(&blocks, 20, 1);
	work(&blocks, 30, 1);
	assert_int_equal(blocks_add_gap(&blocks, &gap), STATUS_OK);
	assert_int_equal(blocks_add_part(&blocks, 0, &part, true), STATUS_OK);
	end(&blocks, 0, 30);
	assert_int_equal(blocks.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct block_device *device = blocks.list[i].devices[0];

		assert_int_equal(device->gap_ns, i == 1 ? 10 : 5);
		assert_int_equal(device->gap_count, i == 0);
		assert_int_equal(device->cause_count, 1);
		assert_int_equal(device->causes[0].ns, i == 1 ? 10 : 5);
		assert_int_equal(device->causes[0].gap_count, i == 0);
	}
	blocks_finish(&blocks);
}

/* More causes than rows, in blocks that are then joined: no nanosecond is lost. */
static void causes_beyond_the_limit_are_summed(void **state)
{
	static struct blocks blocks;
	static char names[500][8];
	uint64_t sum_ns = 0;
	uint64_t put_ns = 0;

	(void)state;
	blocks_init(&blocks);
	for (uint64_t i = 0; i < 500; i++) {
		const struct gap_part part = {.from_ns = i * 10 + 1,
			.to_ns = i * 10 + 8,
			.cause = i % 3 ? CAUSE_LOCK : CAUSE_POOL,
			.object = names[i],
			.phase = "held"};

		(void)snprintf(names[i], sizeof(names[i]), "n%d", (int)i);
		assert_int_equal(blocks_add_part(&blocks, 3, &part, true), STATUS_OK);
		put_ns += 7;
		if (i % 2) {
			work(&blocks, i * 10 + 10, 1);
		}
	}
	end(&blocks, 0, 5000);
	for (uint32_t i = 0; i < blocks.count; i++) {
		const struct block_device *device = blocks.list[i].devices[3];

		assert_true(device->cause_count <= BLOCK_CAUSE_COUNT_MAX + CAUSE_COUNT);
		for (uint32_t c = 0; c < device->cause_count; c++) {
			assert_true(c == 0 || device->causes[c].ns <= device->causes[c - 1].ns);
			sum_ns += device->causes[c].ns;
		}
	}
	assert_int_equal(sum_ns, put_ns);
	blocks_finish(&blocks);

	blocks_init(&blocks);
	for (uint64_t i = 0; i < 500; i++) {
		const struct gap_part part = {.from_ns = i * 10,
			.to_ns = i * 10 + 1,
			.cause = CAUSE_LOCK,
			.object = names[i],
			.phase = "held"};

		assert_int_equal(blocks_add_part(&blocks, 3, &part, true), STATUS_OK);
	}
	end(&blocks, 0, 5000);
	assert_int_equal(blocks.list[0].devices[3]->cause_count, BLOCK_CAUSE_COUNT_MAX + 1);
	assert_string_equal(blocks.list[0].devices[3]->causes[0].phase, "others");
	assert_int_equal(blocks.list[0].devices[3]->causes[0].ns, 500 - BLOCK_CAUSE_COUNT_MAX);
	blocks_finish(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_the_drawing),
		cmocka_unit_test(blocks_stay_few_and_equal),
		cmocka_unit_test(two_ends_at_one_time_are_in_one_block),
		cmocka_unit_test(nothing_is_cut_behind_charged_time),
		cmocka_unit_test(what_ran_beyond_the_window_is_left_out),
		cmocka_unit_test(ends_at_the_edges_of_the_window_cut_nothing),
		cmocka_unit_test(parts_are_split_at_cuts_and_counted_once),
		cmocka_unit_test(causes_beyond_the_limit_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
