/* SPDX-License-Identifier: MIT */
#include "tests/simulator/world_private.h"

const struct activity *world_history(const struct world *world, int thread, size_t *out_count)
{
	*out_count = world->threads[thread].history_count;
	return world->threads[thread].history;
}

const struct hold *world_holds(const struct world *world, int lock, size_t *out_count)
{
	*out_count = world->objects[lock].hold_count;
	return world->objects[lock].holds;
}

int world_task_count(const struct world *world)
{
	return (int)world->task_count;
}

const struct task *world_task(const struct world *world, int task)
{
	return &world->tasks[task];
}

size_t world_event_count(const struct world *world)
{
	return world->event_count;
}

const struct event *world_events(const struct world *world)
{
	return world->events;
}

size_t world_operation_count(const struct world *world)
{
	return world->operation_count;
}

const struct world_operation *world_operations(const struct world *world)
{
	return world->operations;
}

size_t world_stay_count(const struct world *world)
{
	return world->stay_count;
}

const struct stay *world_stays(const struct world *world)
{
	return world->stays;
}

int world_thread_count(const struct world *world)
{
	return world->thread_count;
}

const char *world_object_name(const struct world *world, int object)
{
	return world->objects[object].name;
}

int world_queue_device(const struct world *world, int queue)
{
	return world->objects[queue].device;
}

bool world_is_lock(const struct world *world, int object)
{
	return world->objects[object].kind == OBJECT_LOCK;
}

bool world_has_scheduler(const struct world *world)
{
	return world->options.has_scheduler;
}

int world_object_count(const struct world *world)
{
	return world->object_count;
}

uint64_t world_job_submitted_ns(const struct world *world, uint64_t job)
{
	return world->job_submitted_ns[job];
}

uint64_t world_job_ended_ns(const struct world *world, uint64_t job)
{
	return world->job_ended_ns[job];
}

uint64_t world_item_job(const struct world *world, int item)
{
	return world->items[item].job;
}

int32_t world_pid(void)
{
	return WORLD_PID;
}

int32_t world_tid(int thread)
{
	return WORLD_TID_BASE + thread;
}

uint32_t world_context(int device)
{
	return (uint32_t)device + 1;
}

int world_device_count(const struct world *world)
{
	return world->device_count;
}

void world_window(const struct world *world, uint64_t *out_begin_ns, uint64_t *out_end_ns)
{
	*out_begin_ns = world->window_begin_ns;
	*out_end_ns = world->window_end_ns;
}
