/* SPDX-License-Identifier: MIT */
/*
 * Proves that a pool runs every task once and in order, grows and shrinks as it says, refuses what
 * is over its limit, drains before it goes, and says all of it in the trace.
 */
#include "prover/thread_pool.h"
#include "recorded_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TASK_COUNT 200

static struct thread_pool *make_pool(struct thread_pool_config config)
{
	struct thread_pool *pool = NULL;

	config.name = "test_pool";
	config.thread_name = "test";
	assert_int_equal(thread_pool_create(&config, &pool), STATUS_OK);
	return pool;
}

struct order {
	atomic_uint next;
	uint32_t seen[TASK_COUNT];
};

struct order_task {
	struct order *order;
	uint32_t number;
};

static void note_order(void *argument)
{
	struct order_task *task = argument;
	uint32_t place = atomic_fetch_add(&task->order->next, 1);

	task->order->seen[place] = task->number;
}

static void tasks_run_once_first_in_first_out(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){.thread_count = 1});
	static struct order order;
	struct order_task arguments[TASK_COUNT];
	struct thread_pool_task tasks[TASK_COUNT];

	(void)state;
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		arguments[i] = (struct order_task){&order, i};
		tasks[i] = (struct thread_pool_task){
			.run = note_order, .argument = &arguments[i], .kind = "note"};
		assert_int_equal(thread_pool_submit(pool, &tasks[i]), STATUS_OK);
	}
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		thread_pool_join(pool, &tasks[i]);
	}
	assert_int_equal(atomic_load(&order.next), TASK_COUNT);
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		assert_int_equal(order.seen[i], i);
	}
	thread_pool_destroy(pool);
}

static void count_one(void *argument)
{
	(void)atomic_fetch_add((atomic_uint *)argument, 1);
}

static void posted_tasks_are_drained_by_destroy(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){.thread_count = 2});
	atomic_uint count = 0;

	(void)state;
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		assert_int_equal(thread_pool_post(pool, count_one, &count, "count",
					 (struct gaptrace_work)GAPTRACE_NO_WORK),
			STATUS_OK);
	}
	thread_pool_destroy(pool);
	assert_int_equal(atomic_load(&count), TASK_COUNT);
}

/* A task that holds its thread until it is let go. */
struct gate {
	struct gaptrace_mutex mutex;
	struct gaptrace_condition changed;
	uint32_t inside_count;
	bool is_open;
};

static void gate_init(struct gate *gate)
{
	memset(gate, 0, sizeof(*gate));
	assert_int_equal(gaptrace_mutex_init(&gate->mutex, "gate"), 0);
	gaptrace_condition_init(&gate->changed, NULL);
}

static void gate_finish(struct gate *gate)
{
	gaptrace_condition_finish(&gate->changed);
	gaptrace_mutex_finish(&gate->mutex);
}

static void stand_at_gate(void *argument)
{
	struct gate *gate = argument;

	gaptrace_mutex_lock(&gate->mutex);
	gate->inside_count++;
	gaptrace_condition_broadcast(&gate->changed);
	while (!gate->is_open) {
		gaptrace_condition_wait(&gate->changed, &gate->mutex);
	}
	gaptrace_mutex_unlock(&gate->mutex);
}

static void wait_inside(struct gate *gate, uint32_t count)
{
	gaptrace_mutex_lock(&gate->mutex);
	while (gate->inside_count < count) {
		gaptrace_condition_wait(&gate->changed, &gate->mutex);
	}
	gaptrace_mutex_unlock(&gate->mutex);
}

static void open_gate(struct gate *gate)
{
	gaptrace_mutex_lock(&gate->mutex);
	gate->is_open = true;
	gaptrace_condition_broadcast(&gate->changed);
	gaptrace_mutex_unlock(&gate->mutex);
}

static void open_gate_task(void *argument)
{
	open_gate(argument);
}

static void growing_pool_starts_threads_up_to_its_cap(void **state)
{
	struct thread_pool *pool =
		make_pool((struct thread_pool_config){.thread_count = 3, .is_growing = true});
	struct thread_pool_task tasks[5];
	struct thread_pool_counts counts;
	struct gate gate;

	(void)state;
	gate_init(&gate);
	assert_int_equal(thread_pool_counts(pool).thread_count, 0);
	for (uint32_t i = 0; i < 5; i++) {
		tasks[i] = (struct thread_pool_task){
			.run = stand_at_gate, .argument = &gate, .kind = "gate"};
		assert_int_equal(thread_pool_submit(pool, &tasks[i]), STATUS_OK);
	}
	wait_inside(&gate, 3);
	counts = thread_pool_counts(pool);
	assert_int_equal(counts.thread_count, 3);
	assert_int_equal(counts.busy_count, 3);
	assert_int_equal(counts.backlog, 2);
	open_gate(&gate);
	for (uint32_t i = 0; i < 5; i++) {
		thread_pool_join(pool, &tasks[i]);
	}
	assert_int_equal(thread_pool_counts(pool).finished_count, 5);
	thread_pool_destroy(pool);
	gate_finish(&gate);
}

static void idle_threads_of_a_growing_pool_leave_and_come_back(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){
		.thread_count = 2, .is_growing = true, .keep_alive_ns = 1});
	atomic_uint count = 0;
	const struct timespec nap = {.tv_nsec = 1000000};

	(void)state;
	for (uint32_t i = 1; i <= 20; i++) {
		struct thread_pool_task task = {
			.run = count_one, .argument = &count, .kind = "count"};

		assert_int_equal(thread_pool_submit(pool, &task), STATUS_OK);
		thread_pool_join(pool, &task);
		while (thread_pool_counts(pool).thread_count > 0) {
			(void)nanosleep(&nap, NULL);
		}
		assert_int_equal(atomic_load(&count), i);
	}
	thread_pool_destroy(pool);
}

static void full_backlog_is_refused_and_the_rest_runs(void **state)
{
	struct thread_pool *pool =
		make_pool((struct thread_pool_config){.thread_count = 1, .backlog_max = 2});
	struct thread_pool_task tasks[4];
	struct gate gate;

	(void)state;
	gate_init(&gate);
	for (uint32_t i = 0; i < 4; i++) {
		tasks[i] = (struct thread_pool_task){
			.run = stand_at_gate, .argument = &gate, .kind = "gate"};
	}
	assert_int_equal(thread_pool_submit(pool, &tasks[0]), STATUS_OK);
	wait_inside(&gate, 1);
	assert_int_equal(thread_pool_submit(pool, &tasks[1]), STATUS_OK);
	assert_int_equal(thread_pool_submit(pool, &tasks[2]), STATUS_OK);
	assert_int_equal(thread_pool_submit(pool, &tasks[3]), STATUS_OVER_LIMIT);
	open_gate(&gate);
	for (uint32_t i = 0; i < 3; i++) {
		thread_pool_join(pool, &tasks[i]);
	}
	thread_pool_destroy(pool);
	gate_finish(&gate);
}

struct marks {
	atomic_uint count[TASK_COUNT];
};

static void mark(void *context, uint32_t index)
{
	(void)atomic_fetch_add(&((struct marks *)context)->count[index], 1);
}

static void loop_runs_every_index_once(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){.thread_count = 3});
	static struct marks marks;
	const struct thread_pool_loop loop = {
		.run = mark, .context = &marks, .count = TASK_COUNT, .kind = "mark"};
	const struct thread_pool_loop nothing = {.run = mark, .context = &marks, .kind = "mark"};

	(void)state;
	assert_int_equal(thread_pool_for_each(pool, &loop), STATUS_OK);
	assert_int_equal(thread_pool_for_each(pool, &nothing), STATUS_OK);
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		assert_int_equal(atomic_load(&marks.count[i]), 1);
	}
	thread_pool_destroy(pool);
}

/* Position of the record of this kind and task id; -1 if there is none. */
static int64_t position(enum recorded_kind kind, uint64_t task_id)
{
	uint32_t count;
	const struct recorded *records = recorded_trace(&count);

	for (uint32_t i = 0; i < count; i++) {
		if (records[i].kind == kind && records[i].number == task_id) {
			return i;
		}
	}
	return -1;
}

static void each_task_is_submitted_begun_and_ended_in_the_trace(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){.thread_count = 2});
	struct thread_pool_task tasks[TASK_COUNT];
	atomic_uint count = 0;

	(void)state;
	recorded_trace_clear();
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		tasks[i] = (struct thread_pool_task){.run = count_one,
			.argument = &count,
			.kind = "count",
			.work = {.job = 7, .partition = (int32_t)i, .device = GAPTRACE_NONE}};
		assert_int_equal(thread_pool_submit(pool, &tasks[i]), STATUS_OK);
	}
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		thread_pool_join(pool, &tasks[i]);
	}
	thread_pool_destroy(pool);
	for (uint32_t i = 0; i < TASK_COUNT; i++) {
		const uint64_t id = tasks[i].trace.id;
		const int64_t submit = position(RECORDED_TASK_SUBMIT, id);
		const int64_t begin = position(RECORDED_TASK_BEGIN, id);
		const int64_t end = position(RECORDED_TASK_END, id);

		assert_true(submit >= 0 && submit < begin && begin < end);
		for (uint32_t k = 0; k < i; k++) {
			assert_true(tasks[k].trace.id != id);
		}
	}
	assert_int_equal(recorded_trace_count(RECORDED_TASK_SUBMIT, "test_pool"), TASK_COUNT);
	assert_int_equal(recorded_trace_count(RECORDED_TASK_END, "test_pool"), TASK_COUNT);
}

/* A join that waits is ended by a wake that comes from inside the task it waited for. */
static void a_join_that_waits_is_woken_inside_the_task(void **state)
{
	struct thread_pool *pool = make_pool((struct thread_pool_config){.thread_count = 1});
	struct gate gate;
	struct thread_pool_task task = {.run = stand_at_gate, .argument = &gate, .kind = "gate"};
	struct thread_pool_task opener_task;
	struct thread_pool *opener = make_pool((struct thread_pool_config){.thread_count = 1});
	const struct recorded *wake;
	const struct recorded *end;
	const struct recorded *wait;

	(void)state;
	gate_init(&gate);
	recorded_trace_clear();
	assert_int_equal(thread_pool_submit(pool, &task), STATUS_OK);
	wait_inside(&gate, 1);
	opener_task =
		(struct thread_pool_task){.run = open_gate_task, .argument = &gate, .kind = "open"};
	assert_int_equal(thread_pool_submit(opener, &opener_task), STATUS_OK);
	thread_pool_join(pool, &task);
	thread_pool_destroy(pool);
	thread_pool_destroy(opener);
	gate_finish(&gate);

	wait = recorded_trace_find(RECORDED_WAIT_BEGIN, NULL);
	wake = recorded_trace_find(RECORDED_WAKE, NULL);
	assert_int_equal(recorded_trace_count(RECORDED_WAIT_BEGIN, NULL), wake ? 1 : 0);
	if (!wait) {
		return; /* the task was done before the join: nothing to wait for */
	}
	assert_ptr_equal(wait->object, &task);
	assert_int_equal(wait->number, GAPTRACE_WAIT_JOIN);
	assert_non_null(wake);
	assert_ptr_equal(wake->object, &task);
	uint32_t count;
	const struct recorded *records = recorded_trace(&count);

	end = &records[position(RECORDED_TASK_END, task.trace.id)];
	assert_true(wake < end);
	assert_int_equal(wake->tid, end->tid);
}

static void zero_and_absurd_thread_counts_are_refused(void **state)
{
	struct thread_pool *pool = NULL;
	struct thread_pool_config config = {.name = "test_pool", .thread_name = "test"};

	(void)state;
	assert_int_equal(thread_pool_create(&config, &pool), STATUS_BAD_USE);
	config.thread_count = 1u << 20;
	assert_int_equal(thread_pool_create(&config, &pool), STATUS_BAD_USE);
	assert_null(pool);
	thread_pool_destroy(NULL);
}

static int clear(void **state)
{
	(void)state;
	recorded_trace_clear();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_run_once_first_in_first_out),
		cmocka_unit_test(posted_tasks_are_drained_by_destroy),
		cmocka_unit_test(growing_pool_starts_threads_up_to_its_cap),
		cmocka_unit_test(idle_threads_of_a_growing_pool_leave_and_come_back),
		cmocka_unit_test(full_backlog_is_refused_and_the_rest_runs),
		cmocka_unit_test(loop_runs_every_index_once),
		cmocka_unit_test(each_task_is_submitted_begun_and_ended_in_the_trace),
		cmocka_unit_test(a_join_that_waits_is_woken_inside_the_task),
		cmocka_unit_test(zero_and_absurd_thread_counts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
