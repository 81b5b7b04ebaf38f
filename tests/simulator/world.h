/* SPDX-License-Identifier: MIT */
/*
 * A small discrete-event model of a proving service in virtual time: threads that run programs,
 * locks, queues, pools, latches, a budget, and devices with streams. It writes the events that
 * libgaptrace would write, and keeps what no recording has: for every nanosecond, what each thread
 * was doing or waiting for, and on whom. truth.h turns that into the right answer for each gap.
 *
 * No two threads ever act in the same nanosecond: a thread acts only at times that leave its own
 * remainder modulo WORLD_TICK_NS, so that an order of events is never a matter of taste.
 */
#pragma once

#include "analysis/core/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORLD_TICK_NS        64
#define WORLD_THREADS_MAX    48 /* remainders above belong to the devices' engines */
#define WORLD_OBJECTS_MAX    512
#define WORLD_DEVICES_MAX    4
#define WORLD_STREAMS_MAX    4
#define WORLD_PROGRAM_MAX    96
#define WORLD_SPAN_DEPTH_MAX 16
#define WORLD_JOBS_MAX       1024

enum op_code {
	OP_SPAN_BEGIN,  /* name */
	OP_SPAN_END,    /* name */
	OP_START_BEGIN, /* prove_start */
	OP_START_END,
	OP_FINISH_BEGIN, /* prove_finish */
	OP_FINISH_END,
	OP_RUN,    /* for ns and less than `amount` more */
	OP_STARVE, /* the same, runnable but not running: spans tell it as their run delay */
	OP_TRIM,   /* malloc_trim for as long */
	OP_LOCK,   /* object: a lock */
	OP_LOCK_SHARED,
	OP_UNLOCK,
	OP_PUSH,         /* object: a queue; the thread's current item; waits for room */
	OP_POP,          /* object: a queue; its item becomes current */
	OP_SUBMIT,       /* object: a pool, program: what the task runs, with the current item */
	OP_LATCH_WAIT,   /* the current item's latch number `object`, wait kind `kind` */
	OP_LATCH_SIGNAL, /* wakes it; a signal before the wait is kept */
	OP_RESERVE,      /* object: the budget, amount */
	OP_RELEASE,
	OP_SLEEP,  /* for ns, wait kind `kind` */
	OP_LAUNCH, /* a call of ns that issues a kernel of about amount ns, on stream `object` */
	OP_GRAPH,  /* the same of a graph: two such kernels, the second delay_ns after the first */
	OP_COPY,   /* the same for a copy; kind: 0 pinned, 1 pageable: then the call lasts till its
		      end */
	OP_STREAM_WAIT, /* a call of ns: stream `object` waits for what stream `kind` has now */
	OP_SYNC,        /* a call of at least ns that returns when stream `object` has drained */
	OP_CALL,        /* a call by name that lasts ns */
	OP_JOB_SUBMIT,  /* of the current item's job, with `amount` partitions */
	OP_JOB_BEGIN,
	OP_PARTITION_DONE, /* the last one of a job ends it */
	OP_NEXT_ITEM,      /* makes item number `amount` current, or by kind: see next_item */
	OP_JUMP,           /* to `amount` */
	OP_EXIT,
};

struct op {
	enum op_code code;
	int object;
	int kind;
	uint64_t ns;
	uint64_t amount;
	const char *name;
	int program;
	uint64_t delay_ns; /* of a launch or copy: from the call's issue to the earliest start; of a
			      graph: what the host does between its kernels */
};

/* What a thread was doing in [from, to). */
enum activity_kind {
	ACTIVITY_RUN,  /* in the innermost open span, "" when in none */
	ACTIVITY_CALL, /* in a device API call */
	ACTIVITY_LOCK, /* blocked on a lock: who held it is in the lock's own history */
	ACTIVITY_POP,  /* waited for a queue's item */
	ACTIVITY_WAIT, /* waited on a latch or the budget, or slept */
	ACTIVITY_IDLE, /* a pool's thread without a task */
};

struct activity {
	uint64_t from_ns;
	uint64_t to_ns;
	enum activity_kind kind;
	const char *name;    /* of the span, call, lock, queue or object */
	int object;          /* lock, queue or latch; -1 none */
	int wait_kind;       /* of a wait; of a lock: 1 when it is wanted shared */
	int ender;           /* thread whose act ended the wait, -1 none */
	uint64_t act_ns;     /* when it acted */
	bool is_stream_sync; /* a call that waited for a stream */
	bool is_pageable;    /* a call that staged a pageable copy */
	bool is_starved;     /* runnable all the time, and not running */
	int device;
	int stream;
	int task; /* the task the thread was running, -1 none */
	int item; /* of a pop: what it popped */
};

struct hold {
	int thread;
	bool is_shared;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct task {
	int pool;
	const char *pool_name;
	int submitter;
	int runner; /* -1 until it begins */
	uint64_t submitted_ns;
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct world_operation {
	int device;
	int stream;
	bool is_kernel;
	bool is_pageable;
	uint64_t correlation;
	uint32_t graph; /* 0: of none */
	int node;       /* of the graph, from 0 */
	int awaited;    /* operation of another stream that must have ended before, -1 none */
	int issuer;
	int issuer_task;
	uint64_t call_begin_ns;
	uint64_t call_end_ns;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t bytes;
	const char *name;
};

/* An item's stay in a queue. */
struct stay {
	int queue;
	int item;
	uint64_t pushed_ns;
	uint64_t popped_ns; /* UINT64_MAX when it is there to the end */
};

enum world_engine {
	WORLD_ON_HOST,
	WORLD_ON_DEVICE
};

struct world_options {
	uint64_t seed;
	uint32_t latency_ns_max; /* of a wake-up */
	bool has_run_delay;      /* spans tell how long they were runnable and not running */
	bool has_scheduler;      /* the kernel's scheduler tells it, to the nanosecond */
	/* How long what a program says lasts `ns` lasts this time; NULL: so long. */
	uint64_t (*duration)(void *context, uint64_t now_ns, const struct op *op,
		enum world_engine engine, uint64_t ns);
	void *context;
};

struct world;

struct world *world_create(struct world_options options);
void world_destroy(struct world *world);

/* Each gives the index that programs use. Names are literals. */
int world_add_lock(struct world *world, const char *name);
int world_add_queue(struct world *world, const char *name, int device);
/* A queue that holds so many; a push waits for room. */
int world_add_channel(struct world *world, const char *name, uint32_t capacity);
int world_add_pool(struct world *world, const char *name, int thread_count);
int world_add_budget(struct world *world, uint64_t limit);
int world_add_device(struct world *world, int stream_count);
int world_add_program(struct world *world, const struct op *ops, size_t count);
int world_add_thread(
	struct world *world, const char *name, int program, int device, uint64_t start_ns);
/* An item: partition `partition` of job `job`. Gives its number. */
int world_add_item(struct world *world, uint64_t job, int partition);

/* Runs until nothing happens any more. False when a thread is stuck in a way no scenario may be. */
bool world_run(struct world *world);

uint64_t world_random(struct world *world, uint64_t below);

/* ---- What happened ---- */

size_t world_event_count(const struct world *world);
/* In the order of time. */
const struct event *world_events(const struct world *world);

size_t world_operation_count(const struct world *world);
const struct world_operation *world_operations(const struct world *world);

const struct activity *world_history(const struct world *world, int thread, size_t *out_count);
const struct hold *world_holds(const struct world *world, int lock, size_t *out_count);
int world_task_count(const struct world *world);
const struct task *world_task(const struct world *world, int task);
size_t world_stay_count(const struct world *world);
const struct stay *world_stays(const struct world *world);
int world_thread_count(const struct world *world);
int32_t world_pid(void);
int32_t world_tid(int thread);
/* The one context of a device: the numbers are unique in a process. */
uint32_t world_context(int device);
const char *world_object_name(const struct world *world, int object);
/* The device a queue belongs to, -1 when it is for all. */
int world_queue_device(const struct world *world, int queue);
bool world_is_lock(const struct world *world, int object);
bool world_has_scheduler(const struct world *world);
int world_object_count(const struct world *world);
/* UINT64_MAX when it was not submitted or has not ended. */
uint64_t world_job_submitted_ns(const struct world *world, uint64_t job);
uint64_t world_job_ended_ns(const struct world *world, uint64_t job);
uint64_t world_item_job(const struct world *world, int item);
int world_device_count(const struct world *world);
/* From the first job submitted to the last job ended. */
void world_window(const struct world *world, uint64_t *out_begin_ns, uint64_t *out_end_ns);
