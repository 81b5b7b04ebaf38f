/* SPDX-License-Identifier: MIT */
#include "walk_events.h"

#include "analysis/core/walk.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID          3
#define THREAD_COUNT 6
#define OBJECT_COUNT 4
#define DEVICE_COUNT 2

/* One step of a replay, drawn from its bytes. */
struct step {
	uint8_t kind;
	int32_t tid;
	uint64_t object; /* 0 to OBJECT_COUNT - 1 */
	uint64_t delta_ns;
	uint64_t a;
	uint64_t b;
	uint8_t flags;
};

static const char *const lock_names[] = {"tracker", "gpu_mutex", "status", "driver"};
static const char *const names[] = {"synthesize", "prep_msm", "release_abc", "srs_load"};
static const char *const calls[] = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize",
	"cudaMallocHost", "cudaGraphLaunch"};
/* Of imported traces: ranges that count or are a library's, and calls of the system. */
static const char *const ranges[] = {"IO 0", "IO 1", "aten::to", "step_7"};
static const char *const os_calls[] = {"write", "nanosleep", "poll", "mmap", "munmap"};

static void check(bool holds, const char *claim)
{
	if (!holds) {
		(void)fprintf(stderr, "walk: does not hold: %s\n", claim);
		abort();
	}
}

static void check_parts(const struct gap *gap, const struct gap_part_list *list)
{
	uint64_t at_ns = gap->begin_ns;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct gap_part *part = &list->parts[i];

		check(part->from_ns == at_ns && part->to_ns > part->from_ns, "parts are in order");
		check((unsigned int)part->cause < CAUSE_COUNT, "the cause is one of the list");
		check(part->object && part->phase, "names are there");
		check(part->via_count <= GAP_VIA_MAX, "the chain is bounded");
		for (uint32_t j = 0; j < part->via_count; j++) {
			check(part->via[j].object && gap_via_kind_name(part->via[j].kind),
				"names of waits are there");
		}
		check(part->cause != CAUSE_UNKNOWN || part->phase[0], "an unknown has a reason");
		at_ns = part->to_ns;
	}
	check(at_ns == gap->end_ns || gap->begin_ns >= gap->end_ns, "parts sum to the gap");
}

static struct step read_step(const uint8_t *bytes)
{
	return (struct step){
		.kind = bytes[0],
		.tid = 1 + bytes[1] % THREAD_COUNT,
		.object = bytes[2] % OBJECT_COUNT,
		.delta_ns = bytes[3] % 16,
		.a = bytes[4],
		.b = bytes[5],
		.flags = bytes[6],
	};
}

static struct event_work work_of(const struct step *step)
{
	return (struct event_work){.job = step->a % 3,
		.partition = (int32_t)(step->b % 3) - 1,
		.device = (int32_t)(step->flags % 3) - 1};
}

static uint64_t duration_of(const struct step *step)
{
	return step->b == 255 ? GAPTRACE_UNKNOWN : step->b;
}

static struct event_operation operation_of(const struct step *step, uint64_t now_ns)
{
	/* Other tools' operations come at their start, and end later. */
	const uint64_t end_ns = step->flags >= 192 ? now_ns + step->b
				: now_ns > step->a ? now_ns - step->a
						   : 0;

	return (struct event_operation){
		.device = (int32_t)(step->flags % DEVICE_COUNT),
		.context = 1,
		.stream = step->flags % 4,
		.correlation = step->object * 4 + step->flags % 4,
		.start_ns = end_ns > step->b ? end_ns - step->b : 0,
		.end_ns = end_ns,
	};
}

static void fill_wait(const struct step *step, struct event *event)
{
	const struct event_work work = work_of(step);

	switch ((int)event->kind) {
	case EVENT_LOCK_WAIT:
	case EVENT_LOCK_ACQUIRE:
	case EVENT_LOCK_RELEASE:
		event->lock.lock = step->object;
		event->lock.name = lock_names[step->object];
		event->lock.mode = step->flags % 2 ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
		event->lock.wait_ns = event->kind == EVENT_LOCK_ACQUIRE ? duration_of(step) : 0;
		if (event->kind == EVENT_LOCK_RELEASE) {
			event->lock.hold_ns = duration_of(step);
		}
		return;
	case EVENT_QUEUE_PUSH:
	case EVENT_QUEUE_POP_WAIT:
	case EVENT_QUEUE_POP:
		event->queue.queue = step->object;
		event->queue.name = names[step->object];
		event->queue.item = step->a % 4;
		event->queue.work = work;
		event->queue.depth = step->flags % 2;
		event->queue.wait_ns = duration_of(step);
		return;
	case EVENT_TASK_SUBMIT:
	case EVENT_TASK_BEGIN:
	case EVENT_TASK_END:
		event->task.name = names[step->object];
		event->task.task = step->a % 4;
		event->task.kind = names[step->flags % 4];
		event->task.work = work;
		event->task.queued_ns = duration_of(step);
		event->task.run_ns = duration_of(step);
		event->task.run_delay_ns = step->flags % 2 ? GAPTRACE_UNKNOWN : step->a;
		return;
	case EVENT_WAIT_BEGIN:
	case EVENT_WAIT_END:
	case EVENT_WAKE:
		event->wait.object = step->object;
		event->wait.name = names[step->object];
		event->wait.kind = (enum gaptrace_wait_kind)(step->flags % 8);
		event->wait.wait_ns = duration_of(step);
		return;
	default:
		return;
	}
}

static void fill_work(const struct step *step, struct event *event)
{
	const struct event_work work = work_of(step);

	switch ((int)event->kind) {
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
	case EVENT_PROVE_START_BEGIN:
	case EVENT_PROVE_START_END:
	case EVENT_PROVE_FINISH_BEGIN:
	case EVENT_PROVE_FINISH_END:
		event->span.name = step->flags & 32 ? ranges[step->object] : names[step->object];
		event->span.work = (struct event_work){.device = (int32_t)(step->flags % 2)};
		event->span.begin_tid = (int32_t)(step->a % (THREAD_COUNT + 1));
		event->span.duration_ns = duration_of(step);
		event->span.run_delay_ns = step->flags % 2 ? GAPTRACE_UNKNOWN : step->a;
		return;
	case EVENT_MALLOC_TRIM_END:
		event->malloc_trim.duration_ns = duration_of(step);
		return;
	case EVENT_BUDGET_RESERVE:
	case EVENT_BUDGET_RELEASE:
		event->budget.budget = step->object;
		event->budget.bytes = step->a;
		event->budget.used = step->b;
		event->budget.limit = 200;
		event->budget.wait_ns = step->flags;
		return;
	case EVENT_BUFFER_ALLOC:
	case EVENT_BUFFER_FREE:
		event->buffer.kind = (enum gaptrace_buffer_kind)(step->flags % 8);
		event->buffer.duration_ns = duration_of(step);
		return;
	case EVENT_JOB_SUBMIT:
	case EVENT_JOB_BEGIN:
	case EVENT_JOB_END:
		event->job.job = step->a % 3;
		event->job.kind = "proof";
		event->job.duration_ns = duration_of(step);
		return;
	case EVENT_STATE:
		event->state.subject = (enum gaptrace_state_subject)(step->flags % 12);
		event->state.object = step->object;
		event->state.name = names[step->object];
		event->state.work = work;
		event->state.tid = step->tid;
		event->state.value = step->a;
		event->state.since_ns = step->b;
		return;
	case EVENT_SCHED_SWITCH:
		event->sched_switch.previous_tid = step->tid;
		event->sched_switch.next_tid = (int32_t)(step->a % THREAD_COUNT);
		event->sched_switch.previous_state =
			step->flags % 4 == 3 ? GAPTRACE_UNKNOWN : step->flags % 2;
		return;
	case EVENT_SCHED_WAKING:
		event->sched_waking.woken_tid = step->tid;
		return;
	default:
		return;
	}
}

static void fill_import(const struct step *step, struct event *event)
{
	if (event->kind == EVENT_IMPORT_NOTE) {
		event->note.kind = (enum event_note_kind)(step->flags % 4);
		event->note.text = "a file";
	} else if (event->kind == EVENT_IMPORT_OS_CALL) {
		event->os_call.name = os_calls[step->a % 5];
		event->os_call.tid = step->tid;
		event->os_call.start_ns = event->time_ns;
		event->os_call.end_ns = event->time_ns + step->b;
	}
}

static void fill_gpu(const struct step *step, struct event *event)
{
	const struct event_operation operation = operation_of(step, event->time_ns);

	switch ((int)event->kind) {
	case EVENT_GPU_KERNEL:
		event->kernel.operation = operation;
		event->kernel.name = "kernel";
		event->kernel.graph = step->flags % 2;
		return;
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		event->copy.operation = operation;
		event->copy.kind = (enum gaptrace_copy_kind)(step->flags % 12);
		event->copy.source_memory = (enum gaptrace_memory_kind)(step->flags % 9);
		event->copy.bytes = step->a;
		return;
	case EVENT_GPU_API:
		event->api.name = calls[step->flags % 5];
		event->api.tid = step->tid;
		event->api.correlation = operation.correlation;
		event->api.start_ns = operation.start_ns;
		event->api.end_ns = operation.end_ns;
		return;
	case EVENT_GPU_SYNC:
		event->sync.operation = operation;
		event->sync.kind = (enum gaptrace_sync_kind)(step->b % 6);
		event->sync.event_stream = step->a % 4;
		return;
	case EVENT_GPU_OVERHEAD:
		event->overhead.kind = (enum gaptrace_overhead_kind)(step->flags % 11);
		event->overhead.tid = step->tid;
		event->overhead.start_ns = operation.start_ns;
		event->overhead.end_ns = operation.end_ns;
		return;
	default:
		return;
	}
}

static void ask(
	struct walk *walk, const struct step *step, uint64_t now_ns, struct gap_part_list *list)
{
	const uint64_t length_ns = step->a * 4;
	const struct gap gap = {
		.device = step->flags % DEVICE_COUNT,
		.begin_ns = now_ns > length_ns ? now_ns - length_ns : 0,
		.end_ns = now_ns > step->b / 8 ? now_ns - step->b / 8 : 0,
		.edge = step->flags % 8 == 7 ? GAP_AFTER_LAST : GAP_INNER,
		.has_ender = step->flags % 8 != 7,
		.ender = {.pid = PID,
			.context = 1,
			.stream = step->flags % 4,
			.correlation = step->object * 4 + step->flags % 4,
			.start_ns = now_ns,
			.graph = step->b % 2},
	};

	check(walk_explain(walk, &gap, list) == STATUS_OK, "a gap can be explained");
	check_parts(&gap, list);
	check(walk_counts(walk).internal_errors == 0, "nothing had to be mended");
}

static void take_step(
	struct walk *walk, const struct step *step, uint64_t *now_ns, struct gap_part_list *list)
{
	struct event event = {.pid = PID, .tid = step->tid};
	enum status status = STATUS_OK;

	*now_ns += step->delta_ns;
	event.time_ns = *now_ns;
	if (step->kind % 64 >= EVENT_KIND_COUNT + 4) {
		ask(walk, step, *now_ns, list);
	} else if (step->kind % 64 == EVENT_KIND_COUNT) {
		walk_forget_before(walk, *now_ns > step->a * 16 ? *now_ns - step->a * 16 : 0);
	} else if (step->kind % 64 == EVENT_KIND_COUNT + 1 && step->flags % 8 == 0) {
		status = walk_add_untrusted(
			walk, *now_ns > step->a ? *now_ns - step->a : 0, *now_ns, "lost events");
	} else if (step->kind % 64 < EVENT_KIND_COUNT) {
		event.kind = (enum event_kind)(step->kind % 64);
		fill_wait(step, &event);
		fill_work(step, &event);
		fill_gpu(step, &event);
		fill_import(step, &event);
		status = walk_add(walk, &event);
	}
	check(status == STATUS_OK, "an event is taken");
}

void walk_events_replay(const uint8_t *data, size_t size)
{
	struct gap_part_list list = {0};
	struct walk *walk = NULL;
	uint64_t now_ns = 0;
	struct step last = {.a = 255, .flags = 0};

	check(walk_create(&walk) == STATUS_OK, "there is memory");
	for (int32_t i = 0; i < DEVICE_COUNT; i++) {
		check(walk_add_device(walk, PID, i, (uint32_t)i) == STATUS_OK, "a device is taken");
	}
	for (size_t i = 0; i + WALK_EVENTS_BYTES <= size; i += WALK_EVENTS_BYTES) {
		const struct step step = read_step(data + i);

		take_step(walk, &step, &now_ns, &list);
	}
	for (; last.flags < 16; last.flags++) {
		last.object = last.flags / 4;
		ask(walk, &last, now_ns, &list);
	}
	gap_part_list_finish(&list);
	walk_destroy(walk);
}
