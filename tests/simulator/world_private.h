/* SPDX-License-Identifier: MIT */
/* What the parts of the world share: threads in world_thread.c, devices in world_device.c. */
#pragma once

#include "tests/simulator/world.h"

#define WORLD_PID        4000
#define WORLD_TID_BASE   4001
#define LATCHES_PER_ITEM 8
#define OBJECT_ADDRESS   0x1000ULL /* of object 0; latches lie above all objects */
#define LATCH_ADDRESS    0x100000ULL

enum object_kind {
	OBJECT_LOCK,
	OBJECT_QUEUE,
	OBJECT_POOL,
	OBJECT_BUDGET
};
enum engine_kind {
	ENGINE_KERNEL,
	ENGINE_COPY,
	ENGINES
};
enum wake_kind {
	WAKE_THREAD,
	WAKE_ENGINE,
	WAKE_ISSUE
};

struct pending {
	int index; /* item of a queue, task of a pool */
	int pusher;
	uint64_t pushed_ns;
	/* Of a task: what it runs, and for what. */
	int program;
	int item;
	int device;
};

/* In the order they came. */
struct thread_list {
	int *threads;
	size_t count;
	size_t capacity;
};

struct object {
	enum object_kind kind;
	const char *name;
	int device;
	/* A lock. */
	int holder; /* thread that holds it exclusively, -1 none */
	int reader_count;
	struct hold *holds;
	size_t hold_count;
	size_t hold_capacity;
	/* A queue or pool. */
	struct pending *pending;
	size_t pending_count;
	size_t pending_capacity;
	uint32_t room; /* of a channel: how many it holds; 0: any number */
	int popper;    /* who popped last, and when */
	uint64_t popped_ns;
	struct thread_list pushers; /* who wait for room */
	/* A budget. */
	uint64_t used;
	uint64_t limit;
	struct thread_list waiters; /* of a queue: who wait for an item */
};

struct item {
	uint64_t job;
	int partition;
	size_t latch_base;
};

struct latch {
	bool is_signalled;
	int waiter;
	int signaller;
	uint64_t signalled_ns;
};

struct span {
	const char *name;
	uint64_t begin_ns;
	uint64_t starved_ns; /* of the thread, when it began */
	int code;            /* the op that began it */
};

struct program {
	struct op ops[WORLD_PROGRAM_MAX];
	size_t count;
};

struct thread {
	const char *name;
	int program;
	size_t pc;
	int device;
	int item;
	int task;
	int pool; /* whose thread it is, -1 none */
	uint64_t resume_ns;
	bool has_ended;
	bool is_waiting; /* in the op at pc, since wait_from_ns */
	uint64_t wait_from_ns;
	bool is_woken;         /* a wake-up is on its way */
	uint64_t run_until_ns; /* the op at pc takes time until then; 0: not begun */
	int operation;         /* the op at pc waits for this operation, -1 none */
	uint64_t idle_from_ns;
	uint64_t starved_ns; /* in all */
	/* While waiting for the budget: the release since which it fits, -1 while it does not. */
	int releaser;
	uint64_t released_ns;
	struct span spans[WORLD_SPAN_DEPTH_MAX];
	int span_count;
	struct activity *history;
	size_t history_count;
	size_t history_capacity;
};

struct device {
	int stream_count;
	int running[ENGINES];
	size_t first_waiting[ENGINES]; /* no operation before it can start any more */
	int last_of_stream[WORLD_STREAMS_MAX];
	int awaited_by_stream[WORLD_STREAMS_MAX]; /* operation that what comes next waits for */
};

struct operation_state {
	struct world_operation fact;
	int engine;
	int previous; /* operation before it in its stream, -1 none */
	bool is_issued;
	bool is_started;
	bool is_done;
	uint64_t duration_ns;
	uint64_t gap_ns; /* of a later node of a graph: after the node before it */
	int waiter;      /* a thread whose call returns when it is done, -1 none */
};

struct wake {
	uint64_t time_ns;
	uint64_t sequence;
	enum wake_kind kind;
	int index;
};

struct world {
	struct world_options options;
	uint64_t random_state;
	uint64_t now_ns;
	uint64_t sequence;
	uint64_t correlation;
	uint32_t graph_count;
	struct thread threads[WORLD_THREADS_MAX];
	int thread_count;
	struct object objects[WORLD_OBJECTS_MAX];
	int object_count;
	struct program programs[WORLD_OBJECTS_MAX];
	int program_count;
	struct device devices[WORLD_DEVICES_MAX];
	int device_count;
	struct item *items;
	size_t item_count;
	size_t item_capacity;
	struct latch *latches;
	size_t latch_count;
	size_t latch_capacity;
	struct task *tasks;
	size_t task_count;
	size_t task_capacity;
	struct world_operation *operations;
	struct operation_state *states;
	size_t operation_count;
	size_t operation_capacity;
	size_t state_capacity;
	struct event *events;
	size_t event_count;
	size_t event_capacity;
	struct wake *heap;
	size_t heap_count;
	size_t heap_capacity;
	struct stay *stays;
	size_t stay_count;
	size_t stay_capacity;
	uint64_t job_submitted_ns[WORLD_JOBS_MAX];
	uint64_t job_ended_ns[WORLD_JOBS_MAX];
	uint32_t job_partitions_left[WORLD_JOBS_MAX];
	bool has_jobs;
	uint64_t window_begin_ns;
	uint64_t window_end_ns;
};

void *world_grow(void *array, size_t count, size_t *capacity, size_t element_bytes);

/* The first time at or after `time_ns` at which this thread may act. */
uint64_t world_thread_time(int thread, uint64_t time_ns);

uint64_t world_duration(
	struct world *world, const struct op *op, enum world_engine engine, uint64_t ns);

void world_schedule(struct world *world, uint64_t time_ns, enum wake_kind kind, int index);

/* Runs the thread from now until it blocks or takes time. */
void world_thread_run(struct world *world, int thread);

/* Wakes a blocked thread after the latency of a wake-up. */
void world_thread_wake(struct world *world, int thread);

/*
 * Gives the number of a new operation, issued by a call that begins now; of a graph that of its
 * first node, which the others follow.
 */
int world_device_call(struct world *world, int thread, const struct op *op);
/* What is issued to the stream from now on waits for all that the other stream has. */
void world_device_await(struct world *world, int device, int stream, int other);
void world_device_issue(struct world *world, int operation);
void world_device_done(struct world *world, int operation);

/* ---- Events: each is written at the world's now ---- */

struct event *world_emit(struct world *world, enum event_kind kind, int thread);
void world_emit_device(struct world *world, int device);
struct event_work world_work_of(const struct world *world, int thread);
void world_sort_events(struct world *world);
void world_note(struct world *world, int thread, struct activity activity);
