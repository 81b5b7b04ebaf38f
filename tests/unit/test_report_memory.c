/* SPDX-License-Identifier: MIT */
/* Proves that what a report needs while it is made does not grow with the recording, and that it
 * has what it needs. */
#include "analysis/core/report_data.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define PID         1
#define DEVICES     2
#define STEP_NS     2000
#define ROUND_STEPS 40
#define FEW         100000
#define MANY        1000000
/* Tables double; what is open at one moment is not what is open at another. */
#define SPARE_BYTES (1u << 20)

/* The sanitizers have their own heap, and tell it by this. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

struct load {
	struct analyzer *analyzer;
	uint64_t now_ns;
	uint64_t event_count;
	uint64_t number; /* of everything: jobs, items, tasks, correlations */
};

static size_t heap_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes) {
		return __sanitizer_get_current_allocated_bytes();
	}
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static struct event make(struct load *load, enum event_kind kind, int32_t tid)
{
	load->now_ns += STEP_NS;
	return (struct event){.kind = kind, .time_ns = load->now_ns, .pid = PID, .tid = tid};
}

static void add(struct load *load, const struct event *event)
{
	load->event_count++;
	assert_int_equal(analyzer_add(load->analyzer, event), STATUS_OK);
}

static struct event_work work_of(const struct load *load, int32_t device)
{
	return (struct event_work){.job = load->number, .partition = 0, .device = device};
}

static void queue(struct load *load, int32_t device, int32_t tid)
{
	static const enum event_kind kinds[] = {
		EVENT_QUEUE_PUSH, EVENT_QUEUE_POP_WAIT, EVENT_QUEUE_POP};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = make(load, kinds[i], i == 0 ? 99 : tid);

		event.queue.queue = 5;
		event.queue.name = "gpu_queue";
		event.queue.item = load->number;
		event.queue.work = work_of(load, device);
		event.queue.depth = i == 0;
		event.queue.wait_ns = STEP_NS;
		add(load, &event);
	}
}

static void task(struct load *load, int32_t device, int32_t tid)
{
	static const enum event_kind kinds[] = {
		EVENT_TASK_SUBMIT, EVENT_TASK_BEGIN, EVENT_TASK_END};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = make(load, kinds[i], i == 0 ? tid : tid + 50);

		event.task.pool = 6;
		event.task.name = "blocking";
		event.task.task = load->number;
		event.task.kind = "prove_finish";
		event.task.work = work_of(load, device);
		event.task.queued_ns = STEP_NS;
		event.task.run_ns = STEP_NS;
		event.task.cpu_ns = GAPTRACE_UNKNOWN;
		event.task.run_delay_ns = GAPTRACE_UNKNOWN;
		add(load, &event);
	}
}

static void wait_for_lock(struct load *load, int32_t tid)
{
	static const enum event_kind kinds[] = {
		EVENT_LOCK_WAIT, EVENT_LOCK_ACQUIRE, EVENT_LOCK_RELEASE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = make(load, kinds[i], tid);

		event.lock.lock = 7;
		event.lock.name = "tracker";
		event.lock.wait_ns = STEP_NS;
		event.lock.hold_ns = STEP_NS;
		add(load, &event);
	}
}

static void wait_for_budget(struct load *load, int32_t device, int32_t tid)
{
	static const enum event_kind kinds[] = {
		EVENT_WAIT_BEGIN, EVENT_WAIT_END, EVENT_BUDGET_RESERVE, EVENT_BUDGET_RELEASE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = make(load, kinds[i], tid);

		if (i < 2) {
			event.wait.object = 8;
			event.wait.name = "budget";
			event.wait.kind = GAPTRACE_WAIT_BUDGET;
			event.wait.wait_ns = STEP_NS;
		} else {
			event.budget.budget = 8;
			event.budget.work = work_of(load, device);
			event.budget.bytes = 10;
			event.budget.used = i == 2 ? 10 : 0;
			event.budget.limit = 10;
			event.budget.wait_ns = STEP_NS;
		}
		add(load, &event);
	}
}

static void launch(struct load *load, int32_t device, int32_t tid)
{
	struct event event = make(load, EVENT_GPU_API, tid);

	load->number++;
	event.api.name = "cudaLaunchKernel";
	event.api.tid = tid;
	event.api.correlation = load->number;
	event.api.start_ns = load->now_ns - STEP_NS;
	event.api.end_ns = load->now_ns - STEP_NS / 2;
	add(load, &event);
	event = make(load, EVENT_GPU_KERNEL, tid);
	event.kernel.operation = (struct event_operation){.device = device,
		.stream = 7,
		.correlation = load->number,
		.start_ns = load->now_ns - STEP_NS,
		.end_ns = load->now_ns - 1};
	event.kernel.name = "ntt";
	add(load, &event);
}

static void span(struct load *load, int32_t device, int32_t tid, enum event_kind kind)
{
	struct event event = make(load, kind, tid);

	event.span.name = "prep_msm";
	event.span.work = work_of(load, device);
	event.span.begin_tid = tid;
	event.span.duration_ns = GAPTRACE_UNKNOWN;
	event.span.run_delay_ns = GAPTRACE_UNKNOWN;
	add(load, &event);
}

/* One partition of a job of its own, from its submission to its end. */
static void prove(struct load *load, int32_t device)
{
	const int32_t tid = 10 + device;
	struct event event;

	load->number++;
	event = make(load, EVENT_JOB_SUBMIT, 99);
	event.job.job = load->number;
	event.job.kind = "test";
	add(load, &event);
	queue(load, device, tid);
	wait_for_budget(load, device, tid);
	span(load, device, tid, EVENT_SPAN_BEGIN);
	wait_for_lock(load, tid);
	span(load, device, tid, EVENT_SPAN_END);
	event = make(load, EVENT_JOB_END, 99);
	event.job.job = load->number;
	add(load, &event);
	for (int i = 0; i < 4; i++) {
		launch(load, device, tid);
	}
	task(load, device, tid);
	event = make(load, EVENT_GPU_WATERMARK, 98);
	event.watermark.device = device;
	event.watermark.complete_until_ns = load->now_ns - STEP_NS;
	add(load, &event);
	load->now_ns += (uint64_t)STEP_NS * ROUND_STEPS;
}

static void describe(struct load *load)
{
	for (int32_t device = 0; device < DEVICES; device++) {
		struct event event = make(load, EVENT_GPU_DEVICE, 98);

		event.device.device = device;
		event.device.uuid = device ? "b" : "a";
		event.device.name = "gpu";
		event.device.link = "";
		add(load, &event);
	}
}

static size_t run_until(struct load *load, uint64_t event_count)
{
	size_t most = 0;

	while (load->event_count < event_count) {
		const size_t now = heap_bytes();

		most = now > most ? now : most;
		prove(load, (int32_t)(load->number % DEVICES));
	}
	return most;
}

static void ten_times_the_events_need_no_more_memory(void **state)
{
	struct report_data *report = NULL;
	struct load load = {.now_ns = 1000000000};
	size_t few;

	(void)state;
	assert_int_equal(report_data_create(STEP_NS, &report), STATUS_OK);
	load.analyzer = report->analyzer;
	describe(&load);
	few = run_until(&load, FEW);
	assert_in_range(run_until(&load, MANY), 1, few + SPARE_BYTES);
	assert_int_equal(report_data_end(report), STATUS_OK);
	assert_true(report->devices[0]->gaps[SWEEP_KERNEL].count > MANY / 100);
	assert_int_equal(report->devices[1]->worst_count, REPORT_WORST_COUNT);
	report_data_destroy(report);
}

/* A row is a span of its own; 400 of them and a launch take a millisecond. */
static void add_rows_and_launch(struct load *load)
{
	const uint64_t number = load->number;
	struct event event;

	load->number = 0; /* of no job */
	span(load, GAPTRACE_NONE, 10, EVENT_SPAN_BEGIN);
	for (int i = 0; i < 400; i++) {
		span(load, GAPTRACE_NONE, 10, EVENT_SPAN_BEGIN);
		span(load, GAPTRACE_NONE, 10, EVENT_SPAN_END);
	}
	span(load, GAPTRACE_NONE, 10, EVENT_SPAN_END);
	load->number = number;
	launch(load, 0, 10);
	event = make(load, EVENT_GPU_WATERMARK, 98);
	event.watermark.complete_until_ns = load->now_ns - STEP_NS;
	add(load, &event);
}

/*
 * A program without jobs tells far more than the walk remembers: its gaps are told while what
 * explains them is still known. Each is of the span's rows, but for a few steps around them.
 */
static void a_recording_without_jobs_is_explained_from_its_begin(void **state)
{
	const uint64_t count = 1000;
	struct report_data *report = NULL;
	struct load load = {.now_ns = 1000000000};
	const struct report_cause_table *causes;
	uint64_t unknown_ns = 0;

	(void)state;
	assert_int_equal(report_data_create(STEP_NS, &report), STATUS_OK);
	load.analyzer = report->analyzer;
	describe(&load);
	while (load.number < count) {
		add_rows_and_launch(&load);
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	causes = &report->devices[0]->causes;
	for (uint32_t i = 0; i < causes->count; i++) {
		unknown_ns += causes->rows[i].cause == CAUSE_UNKNOWN ? causes->rows[i].ns : 0;
	}
	assert_int_equal(report->devices[0]->gaps[SWEEP_KERNEL].joined_count, count - 1);
	assert_in_range(unknown_ns, 0, count * 8 * STEP_NS);
	report_data_destroy(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_times_the_events_need_no_more_memory),
		cmocka_unit_test(a_recording_without_jobs_is_explained_from_its_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
