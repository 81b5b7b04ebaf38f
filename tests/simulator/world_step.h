/* SPDX-License-Identifier: MIT */
/*
 * One step of a thread's program, and what the steps share. A step is called again from its begin
 * whenever its thread wakes, until it says that it is over: what it is in the midst of is in the
 * thread (is_waiting, run_until_ns, operation). Each kind of object has its steps in a file.
 */
#pragma once

#include "tests/simulator/world_private.h"

/* What a step did: took no time, blocks or takes time, or ended the thread. */
enum step {
	STEP_NEXT,
	STEP_STAY,
	STEP_GONE
};

/* ---- What steps share ---- */

/* The first half of every op that lasts: true until its time has passed. */
bool world_thread_lasts(struct world *world, int thread, const struct op *op, uint64_t duration_ns);

/* Keeps what the thread did since wait_from_ns. */
void world_thread_note(struct world *world, int thread, struct activity activity);

enum step world_thread_finish(struct world *world, int thread);

/* The innermost open span, "" when in none. */
const char *world_span_inner(const struct thread *thread);

uint64_t world_object_address(int object);
void world_object_add_thread(struct thread_list *list, int thread);
void world_object_remove_thread(struct thread_list *list, int thread);
/* The first one that no wake-up is on its way to yet. */
void world_object_wake_first(struct world *world, const struct thread_list *list);
void world_object_add_pending(struct object *object, struct pending pending);
struct pending world_object_take_pending(struct object *object, size_t index);

void world_wait_fill(struct event *event, uint64_t object, const char *name, int kind);

/* ---- Steps ---- */

enum step world_span_begin(struct world *world, int thread, const struct op *op);
enum step world_span_end(struct world *world, int thread, const struct op *op);
enum step world_span_run(struct world *world, int thread, const struct op *op);

/* A free lock goes to whoever tries first, as with pthreads. */
enum step world_lock_take(struct world *world, int thread, const struct op *op);
enum step world_lock_release(struct world *world, int thread, const struct op *op);

enum step world_queue_push(struct world *world, int thread, const struct op *op);
enum step world_queue_pop(struct world *world, int thread, const struct op *op);

enum step world_pool_submit(struct world *world, int thread, const struct op *op);
/* A pool's thread takes the next task; false when there is none, and it idles. */
bool world_pool_begin(struct world *world, int thread);
void world_pool_end(struct world *world, int thread);

enum step world_wait_latch(struct world *world, int thread, const struct op *op);
enum step world_wait_signal(struct world *world, int thread, const struct op *op);
enum step world_wait_sleep(struct world *world, int thread, const struct op *op);

enum step world_budget_reserve(struct world *world, int thread, const struct op *op);
enum step world_budget_release(struct world *world, int thread, const struct op *op);

enum step world_call_run(struct world *world, int thread, const struct op *op);
enum step world_call_issue(struct world *world, int thread, const struct op *op);
enum step world_call_stream_wait(struct world *world, int thread, const struct op *op);
enum step world_call_synchronize(struct world *world, int thread, const struct op *op);

enum step world_job_note(struct world *world, int thread, const struct op *op);
enum step world_job_next_item(struct world *world, int thread, const struct op *op);
