/* SPDX-License-Identifier: MIT */
/* Proves that the walk's memory is bounded by what is open, whatever is lost or left open. */
#include "analysis/core/walk_charge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PID       1
#define NS_PER_S  1000000000ULL
#define SWEEP_MAX ((size_t)2 * WALK_SWEEP_EVENTS)

static void add(struct walk *walk, const struct event *event)
{
	assert_int_equal(walk_add(walk, event), STATUS_OK);
}

static void add_span(struct walk *walk, int32_t tid, uint64_t begin_ns, uint64_t end_ns)
{
	struct event event = {
		.kind = EVENT_SPAN_BEGIN, .time_ns = begin_ns, .pid = PID, .tid = tid};

	event.span.name = "prep_msm";
	event.span.work.partition = GAPTRACE_NONE;
	add(walk, &event);
	event.kind = EVENT_SPAN_END;
	event.time_ns = end_ns;
	event.span.duration_ns = end_ns - begin_ns;
	event.span.run_delay_ns = GAPTRACE_UNKNOWN;
	add(walk, &event);
}

/* A thread a span, one span a millisecond: an hour of a daemon that starts threads for each proof.
 */
static void threads_that_come_and_go_leave_nothing(void **state)
{
	const uint32_t span_count = 400000;
	struct walk *walk = NULL;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint32_t i = 0; i < span_count; i++) {
		const uint64_t at_ns = NS_PER_S + i * (NS_PER_S / 1000);

		add_span(walk, (int32_t)i + 1, at_ns, at_ns + 1000);
		walk_forget_before(walk, at_ns);
	}
	/* Those of the last minute, and of one round of the sweep. */
	assert_true(walk->lanes.count < 60000 + SWEEP_MAX);
	assert_true(walk->lanes.activities.taken_count < SWEEP_MAX);
	walk_destroy(walk);
}

/* Thread 7 was idle for long, so its lane went to another: that of its process may be its own
 * again. */
static void a_lane_knows_what_was_forgotten_of_its_process_and_of_no_other(void **state)
{
	struct walk *walk = NULL;
	const struct walk_lane *first;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	add_span(walk, 7, NS_PER_S, NS_PER_S + 1000);
	walk_forget_before(walk, 200 * NS_PER_S);
	first = walk_lanes_get(&walk->lanes, PID, 7);
	walk_lanes_sweep(&walk->lanes, 0);
	assert_ptr_equal(walk_lanes_get(&walk->lanes, PID + 1, 7), first);
	assert_int_equal(first->forgotten_ns, 0);
	assert_int_equal(walk_lanes_get(&walk->lanes, PID, 7)->forgotten_ns, NS_PER_S + 1000);
	walk_destroy(walk);
}

/* A hostile file: a thread for every event, all within one second. */
static void more_threads_than_any_program_has_are_not_kept(void **state)
{
	struct walk *walk = NULL;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint32_t i = 0; i < 300000; i++) {
		const uint64_t at_ns = NS_PER_S + (uint64_t)i * 3000;

		add_span(walk, (int32_t)i + 1, at_ns, at_ns + 1000);
		walk_forget_before(walk, at_ns);
	}
	assert_true(walk->lanes.count <= WALK_LANE_COUNT_IDLE + SWEEP_MAX);
	walk_destroy(walk);
}

/* What is over before the oldest gap that may be asked for is not kept. */
static void what_is_forgotten_is_given_back(void **state)
{
	struct walk *walk = NULL;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint64_t i = 0; i < 1000000; i++) {
		struct event event = {.kind = EVENT_LOCK_ACQUIRE,
			.time_ns = NS_PER_S + i * 1000,
			.pid = PID,
			.tid = 1 + (int32_t)(i % 8)};

		event.lock.lock = i % 16;
		event.lock.name = "tracker";
		add(walk, &event);
		event.kind = EVENT_LOCK_RELEASE;
		event.time_ns += 10;
		event.lock.hold_ns = 10;
		add(walk, &event);
		add_span(walk, event.tid, event.time_ns, event.time_ns + 100);
		walk_forget_before(walk, NS_PER_S + i * 1000);
	}
	assert_true(walk->locks.hold_count < SWEEP_MAX);
	assert_true(walk->lanes.activities.taken_count < 64);
	walk_destroy(walk);
}

static struct event gpu_event(enum event_kind kind, uint64_t correlation, uint32_t stream,
	uint64_t start_ns, uint64_t end_ns)
{
	struct event event = {.kind = kind, .time_ns = end_ns, .pid = PID, .tid = 1};
	const struct event_operation where = {.stream = stream,
		.correlation = correlation,
		.start_ns = start_ns,
		.end_ns = end_ns};

	if (kind == EVENT_GPU_KERNEL) {
		event.kernel.operation = where;
	} else if (kind == EVENT_GPU_MEMCPY) {
		event.copy.operation = where;
	} else if (kind == EVENT_GPU_SYNC) {
		event.sync.operation = where;
		event.sync.kind = GAPTRACE_SYNC_STREAM_WAIT_EVENT;
		event.sync.event_stream = 2;
	} else {
		event.api.name = "cudaLaunchKernel";
		event.api.tid = 1;
		event.api.correlation = correlation;
		event.api.start_ns = start_ns;
		event.api.end_ns = end_ns;
	}
	return event;
}

static void add_gpu(struct walk *walk, enum event_kind kind, uint64_t correlation, uint32_t stream,
	uint64_t start_ns, uint64_t end_ns)
{
	const struct event event = gpu_event(kind, correlation, stream, start_ns, end_ns);

	add(walk, &event);
}

/*
 * The host ran ahead: stream 1 has a kernel until second 3, a wait for stream 2, which copies until
 * second 4, and the kernel behind that wait. What the host did is forgotten by then.
 */
static void a_wait_told_long_before_is_remembered_until_it_is_passed(void **state)
{
	struct gap_part_list list = {0};
	struct walk *walk = NULL;
	const struct gap gap = {.begin_ns = 3 * NS_PER_S,
		.end_ns = 4 * NS_PER_S,
		.has_ender = true,
		.ender = {.pid = PID, .stream = 1, .correlation = 4, .start_ns = 4 * NS_PER_S}};

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	assert_int_equal(walk_add_device(walk, PID, 0, 0), STATUS_OK);
	for (uint64_t i = 1; i <= 4; i++) {
		add_gpu(walk, i == 3 ? EVENT_GPU_SYNC : EVENT_GPU_API, i, 1, i * 1000,
			i * 1000 + 100);
	}
	add_gpu(walk, EVENT_GPU_KERNEL, 1, 1, NS_PER_S, 3 * NS_PER_S);
	for (uint64_t i = 0; i < SWEEP_MAX; i++) {
		add_span(walk, 2, 3 * NS_PER_S + i * 10, 3 * NS_PER_S + i * 10 + 5);
		walk_forget_before(walk, 3 * NS_PER_S);
	}
	add_gpu(walk, EVENT_GPU_MEMCPY, 2, 2, 2 * NS_PER_S, 4 * NS_PER_S);
	add_gpu(walk, EVENT_GPU_KERNEL, 4, 1, 4 * NS_PER_S, 5 * NS_PER_S);
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.parts[0].cause, CAUSE_DEVICE_DEPENDENCY);
	for (uint64_t i = 0; i < SWEEP_MAX; i++) {
		add_span(walk, 2, 6 * NS_PER_S + i * 10, 6 * NS_PER_S + i * 10 + 5);
		walk_forget_before(walk, 6 * NS_PER_S);
	}
	assert_int_equal(walk->devices.waits.count, 0);
	gap_part_list_finish(&list);
	walk_destroy(walk);
}

/* A stream that is told to wait again and again, and never runs anything. */
static void waits_that_nothing_passes_do_not_fill_the_memory(void **state)
{
	struct walk *walk = NULL;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	assert_int_equal(walk_add_device(walk, PID, 0, 0), STATUS_OK);
	for (uint64_t i = 1; i <= 10 * SWEEP_MAX; i++) {
		add_gpu(walk, EVENT_GPU_SYNC, i, 1, NS_PER_S + i * 100, NS_PER_S + i * 100 + 10);
		walk_forget_before(walk, NS_PER_S + i * 100);
	}
	assert_true(walk->devices.waits.count <= WALK_OLD_WAITS_MAX + SWEEP_MAX);
	walk_destroy(walk);
}

/* A GPU that is idle for ever: the older half of its history goes, and is said to be gone. */
static void a_gap_that_stays_open_does_not_fill_the_memory(void **state)
{
	struct gap_part_list list = {0};
	struct walk *walk = NULL;
	struct gap gap = {.begin_ns = NS_PER_S, .has_ender = true};
	uint64_t at_ns = NS_PER_S;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint32_t i = 0; i < 1000000; i++) {
		add_span(walk, 1, at_ns, at_ns + 500);
		at_ns += 500;
	}
	assert_true(walk->lanes.activities.taken_count < WALK_RECORD_COUNT_MAX + WALK_SWEEP_EVENTS);

	add(walk, &(struct event){.kind = EVENT_GPU_API,
			  .time_ns = at_ns,
			  .pid = PID,
			  .tid = 1,
			  .api = {.name = "cudaLaunchKernel",
				  .tid = 1,
				  .correlation = 9,
				  .start_ns = at_ns,
				  .end_ns = at_ns}});
	gap.end_ns = at_ns;
	gap.ender.pid = PID;
	gap.ender.correlation = 9;
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_int_equal(list.parts[0].cause, CAUSE_UNKNOWN);
	assert_int_equal(list.parts[0].from_ns, NS_PER_S);
	assert_int_equal(list.parts[list.count - 1].to_ns, at_ns);

	/* The last tenth of it is known as ever. */
	gap.begin_ns = at_ns - (at_ns - NS_PER_S) / 10;
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.parts[0].cause, CAUSE_CPU_PHASE);
	gap_part_list_finish(&list);
	walk_destroy(walk);
}

/* Jobs come and go while a GPU has been left for good: no list of parts grows with them. */
static void parts_of_one_gap_are_bounded(void **state)
{
	struct gap_part_list list = {0};
	struct walk *walk = NULL;
	struct gap gap = {.begin_ns = NS_PER_S, .edge = GAP_AFTER_LAST};
	uint64_t at_ns = NS_PER_S;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint32_t i = 1; i <= 2 * WALK_PART_COUNT_MAX; i++) {
		struct event event = {
			.kind = EVENT_JOB_SUBMIT, .time_ns = at_ns + 100, .pid = PID, .tid = 1};

		event.job.job = i;
		event.job.kind = "test";
		add(walk, &event);
		add_span(walk, 2, at_ns + 150, at_ns + 180);
		event.kind = EVENT_JOB_END;
		event.time_ns = at_ns + 200;
		event.job.duration_ns = 100;
		add(walk, &event);
		at_ns += 300;
	}
	add(walk, &(struct event){.kind = EVENT_JOB_SUBMIT,
			  .time_ns = at_ns,
			  .pid = PID,
			  .tid = 1,
			  .job = {.job = UINT64_MAX, .kind = "test"}});
	gap.end_ns = at_ns;
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_in_range(list.count, WALK_PART_COUNT_MAX, WALK_PART_COUNT_MAX + 2);
	assert_int_equal(list.parts[0].from_ns, gap.begin_ns);
	assert_string_equal(list.parts[0].phase, "too many parts");
	assert_string_not_equal(list.parts[1].phase, "too many parts");
	assert_int_equal(list.parts[list.count - 1].to_ns, gap.end_ns);
	gap_part_list_finish(&list);
	walk_destroy(walk);
}

/* Pops, begins of tasks and records of calls that never come. */
static void what_never_comes_is_given_up(void **state)
{
	struct walk *walk = NULL;

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (uint64_t i = 0; i < 600000; i++) {
		struct event event = {.kind = EVENT_QUEUE_PUSH,
			.time_ns = NS_PER_S + i * 1000,
			.pid = PID,
			.tid = 1};

		event.queue.queue = 1;
		event.queue.name = "gpu_queue";
		event.queue.item = i;
		add(walk, &event);
		event.kind = EVENT_TASK_SUBMIT;
		event.task.name = "blocking";
		event.task.task = i;
		event.task.kind = "prove_start";
		add(walk, &event);
		event.kind = EVENT_GPU_KERNEL;
		event.kernel.operation = (struct event_operation){
			.correlation = i + 1, .start_ns = event.time_ns, .end_ns = event.time_ns};
		add(walk, &event);
		walk_forget_before(walk, event.time_ns);
	}
	assert_true(walk->queues.items.taken_count <= WALK_ITEM_COUNT_MAX);
	assert_true(walk->objects.task_slab.taken_count <= WALK_TASK_COUNT_MAX);
	assert_true(walk->calls.slab.taken_count <= WALK_CALL_COUNT_MAX);
	assert_int_equal(walk_counts(walk).unjoined_operations, 600000);
	walk_destroy(walk);
}

/* Every name another one, as in a trace that puts numbers into names. */
static void names_are_bounded(void **state)
{
	struct walk_names names = {0};
	char name[32];
	const char *first;

	(void)state;
	first = walk_names_keep(&names, "name 0");
	for (uint32_t i = 0; i < WALK_NAME_COUNT_MAX + 1000; i++) {
		(void)snprintf(name, sizeof(name), "name %u", i);
		assert_non_null(walk_names_keep(&names, name));
	}
	assert_ptr_equal(walk_names_keep(&names, "name 0"), first);
	assert_string_equal(walk_names_keep(&names, "one more"), WALK_NAME_OTHER);
	assert_string_equal(walk_names_keep(&names, NULL), WALK_NAME_OTHER);
	assert_int_equal(names.refused_count, 1000 + 2);
	assert_true(names.count <= WALK_NAME_COUNT_MAX + 1);
	walk_names_finish(&names);
}

/* Of two that begin alike one is known by its beginning; characters are not cut in half. */
static void long_names_are_kept_by_their_beginnings(void **state)
{
	struct walk_names names = {0};
	char name[5000];
	const char *kept;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	kept = walk_names_keep(&names, name);
	assert_int_equal(strlen(kept), NAME_BYTES_MAX - 1);
	assert_int_equal(strspn(kept, "x"), NAME_BYTES_MAX - 1);
	assert_ptr_equal(walk_names_find(&names, name), kept);
	name[NAME_BYTES_MAX + 100] = 'y';
	assert_ptr_equal(walk_names_keep(&names, name), kept);
	name[0] = 'y';
	assert_ptr_not_equal(walk_names_keep(&names, name), kept);
	memcpy(name + NAME_BYTES_MAX - 2, "\xc3\xa4", 2);
	assert_int_equal(strlen(walk_names_keep(&names, name)), NAME_BYTES_MAX - 2);
	assert_int_equal(names.refused_count, 0);
	walk_names_finish(&names);
}

/* The table against a plain array: put, find and remove of few keys, so that they collide. */
static void a_map_finds_what_was_put(void **state)
{
	static int values[256];
	bool is_in[256] = {false};
	struct walk_map map = {0};
	uint32_t random = 1;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		const uint32_t key = (random = random * 1664525 + 1013904223) >> 24;

		assert_ptr_equal(
			walk_map_find(&map, key / 16, key % 16), is_in[key] ? &values[key] : NULL);
		if (random & 0x800000) {
			assert_int_equal(
				walk_map_put(&map, key / 16, key % 16, &values[key]), STATUS_OK);
			is_in[key] = true;
		} else {
			assert_ptr_equal(walk_map_remove(&map, key / 16, key % 16),
				is_in[key] ? &values[key] : NULL);
			is_in[key] = false;
		}
	}
	walk_map_finish(&map);
}

/* Names of threads come with keyframes; the job of a part with the span that ran. */
static void threads_and_jobs_are_named(void **state)
{
	struct gap_part_list list = {0};
	struct walk *walk = NULL;
	struct event event = {.kind = EVENT_STATE, .time_ns = 1, .pid = PID, .tid = 5};
	const struct gap gap = {.begin_ns = 10,
		.end_ns = 90,
		.has_ender = true,
		.ender = {.pid = PID, .correlation = 3}};

	(void)state;
	assert_int_equal(walk_create(&walk), STATUS_OK);
	event.state.subject = GAPTRACE_STATE_THREAD;
	event.state.tid = 7;
	event.state.name = "gpu_worker 0";
	add(walk, &event);
	event = (struct event){.kind = EVENT_SPAN_BEGIN, .time_ns = 5, .pid = PID, .tid = 7};
	event.span.name = "prep_msm";
	event.span.work = (struct event_work){.job = 12, .partition = 3};
	add(walk, &event);
	add(walk, &(struct event){.kind = EVENT_GPU_API,
			  .time_ns = 90,
			  .pid = PID,
			  .tid = 7,
			  .api = {.name = "cudaLaunchKernel",
				  .tid = 7,
				  .correlation = 3,
				  .start_ns = 90,
				  .end_ns = 95}});
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.parts[0].job, 12);
	assert_int_equal(list.parts[0].partition, 3);
	assert_string_equal(walk_thread_name(walk, list.parts[0].thread_tid), "gpu_worker 0");
	assert_string_equal(walk_thread_name(walk, 8), "");
	gap_part_list_finish(&list);
	walk_destroy(walk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_come_and_go_leave_nothing),
		cmocka_unit_test(a_lane_knows_what_was_forgotten_of_its_process_and_of_no_other),
		cmocka_unit_test(more_threads_than_any_program_has_are_not_kept),
		cmocka_unit_test(what_is_forgotten_is_given_back),
		cmocka_unit_test(a_wait_told_long_before_is_remembered_until_it_is_passed),
		cmocka_unit_test(waits_that_nothing_passes_do_not_fill_the_memory),
		cmocka_unit_test(a_gap_that_stays_open_does_not_fill_the_memory),
		cmocka_unit_test(parts_of_one_gap_are_bounded),
		cmocka_unit_test(what_never_comes_is_given_up),
		cmocka_unit_test(names_are_bounded),
		cmocka_unit_test(long_names_are_kept_by_their_beginnings),
		cmocka_unit_test(a_map_finds_what_was_put),
		cmocka_unit_test(threads_and_jobs_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
