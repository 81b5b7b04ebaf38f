/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_step.h"

static void fill_task_event(struct world *world, struct event *event, int task)
{
	const struct task *fact = &world->tasks[task];

	event->task.pool = world_object_address(fact->pool);
	event->task.name = fact->pool_name;
	event->task.kind = "task";
	event->task.task = (uint64_t)task + 1;
	/* As a recording without schedstat has it. */
	event->task.cpu_ns = GAPTRACE_UNKNOWN;
	event->task.run_delay_ns = GAPTRACE_UNKNOWN;
}

enum step world_pool_submit(struct world *world, int thread, const struct op *op)
{
	struct object *object = &world->objects[op->object];
	int task = (int)world->task_count;
	struct event *event;

	world->tasks = world_grow(
		world->tasks, world->task_count, &world->task_capacity, sizeof(*world->tasks));
	world->tasks[world->task_count++] = (struct task){.pool = op->object,
		.pool_name = object->name,
		.submitter = thread,
		.runner = -1,
		.submitted_ns = world->now_ns};
	world_object_add_pending(object, (struct pending){.index = task,
						 .pusher = thread,
						 .pushed_ns = world->now_ns,
						 .program = op->program,
						 .item = world->threads[thread].item,
						 .device = world->threads[thread].device});
	event = world_emit(world, EVENT_TASK_SUBMIT, thread);
	fill_task_event(world, event, task);
	event->task.work = world_work_of(world, thread);
	event->task.work.device = world->threads[thread].device;
	event->task.backlog = (uint32_t)object->pending_count;
	/* Only one that idles: the others look for themselves when they are done. */
	for (int i = 0; i < world->thread_count; i++) {
		struct thread *runner = &world->threads[i];

		if (runner->pool == op->object && runner->task < 0 && !runner->is_woken) {
			world_thread_wake(world, i);
			break;
		}
	}
	return STEP_NEXT;
}

/* A pool's thread takes the next task, or idles. */
bool world_pool_begin(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];
	struct object *object = &world->objects[state->pool];
	struct pending taken;
	struct task *task;
	struct event *event;

	state->is_woken = false;
	if (object->pending_count == 0) {
		return false;
	}
	taken = world_object_take_pending(object, 0);
	/* It idled until now, which is known only now that it ends. */
	state->wait_from_ns = state->idle_from_ns;
	world_thread_note(world, thread,
		(struct activity){.kind = ACTIVITY_IDLE, .name = "", .object = -1, .ender = -1});
	task = &world->tasks[taken.index];
	state->task = taken.index;
	state->item = taken.item;
	state->program = taken.program;
	state->pc = 0;
	state->device = taken.device;
	task->runner = thread;
	task->begin_ns = world->now_ns;
	event = world_emit(world, EVENT_TASK_BEGIN, thread);
	fill_task_event(world, event, taken.index);
	event->task.work = world_work_of(world, thread);
	event->task.queued_ns = world->now_ns - task->submitted_ns;
	return true;
}

void world_pool_end(struct world *world, int thread)
{
	struct thread *state = &world->threads[thread];
	struct task *task = &world->tasks[state->task];
	struct event *event = world_emit(world, EVENT_TASK_END, thread);

	fill_task_event(world, event, state->task);
	event->task.work = world_work_of(world, thread);
	event->task.queued_ns = task->begin_ns - task->submitted_ns;
	event->task.run_ns = world->now_ns - task->begin_ns;
	task->end_ns = world->now_ns;
	state->task = -1;
	state->item = -1;
	state->program = -1;
	state->idle_from_ns = world->now_ns;
}
