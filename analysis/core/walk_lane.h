/* SPDX-License-Identifier: MIT */
/*
 * Lanes: what every thread did along time, as nested activities. An open activity hangs on its
 * lane; a closed one stays as long as somebody may ask for an instant it covers. A lane is named by
 * a reference that outlives it, since threads come and go.
 *
 * An activity covers the instants in (begin_ns, end_ns] as seen by one who looks back from them:
 * "at y" is always the moment before y.
 */
#pragma once

#include "analysis/core/causes.h"
#include "analysis/core/event.h"
#include "analysis/core/walk_map.h"
#include "analysis/core/walk_ring.h"
#include "analysis/core/walk_slab.h"

#define WALK_OPEN UINT64_MAX

/* Activities open on one thread: beyond this, ends were lost, and the lane starts anew. */
#define WALK_DEPTH_MAX 64

/* Of imported traces, which may tell a whole stack of functions: 53 deep in one of a few layers. */
#define WALK_IMPORT_DEPTH_MAX 256

enum walk_activity_kind {
	WALK_LOCK_WAIT,
	WALK_POP,
	WALK_WAIT,
	WALK_SPAN,
	WALK_PROVE_START,
	WALK_TASK,
	WALK_BUFFER, /* an allocation or a free that told how long it took */
};

struct walk_lane_reference {
	uint32_t index;
	uint32_t generation; /* 0: no lane */
};

struct walk_activity {
	uint64_t begin_ns;
	uint64_t end_ns;              /* WALK_OPEN */
	struct walk_activity *parent; /* what it is nested in */
	uint32_t child_count;         /* activities that point here */
	uint32_t depth;
	enum walk_activity_kind kind;
	enum gaptrace_wait_kind wait_kind;
	enum gaptrace_lock_mode mode;
	enum cause cause; /* of a running one */
	bool is_pruned;
	bool has_ender;
	const char *name; /* span, task kind, lock, queue, object */
	const char *pool; /* of a task */
	uint64_t object;  /* lock, queue, object; the number of a task */
	struct event_work work;
	struct walk_lane_reference ender; /* who ended the wait; who submitted the task */
	uint64_t ender_ns;
	const char *doubt; /* why it may have ended without our knowing; NULL: its end was told */
	uint64_t doubt_ns; /* up to then it lasted in any case */
	uint64_t run_delay_ns; /* GAPTRACE_UNKNOWN */
	/* Inside it: waits and what tells a run delay of its own, with that delay. */
	uint64_t covered_ns;
	uint64_t covered_delay_ns;
};

struct walk_call;

/* A time during which a thread held a GPU's mutex. */
struct walk_gpu_hold {
	uint64_t release_ns; /* WALK_OPEN */
	uint64_t acquire_ns;
	const char *name;
	uint64_t is_released; /* as was told; a whole word, as rings have it */
};

struct walk_lane {
	int32_t pid;
	int32_t tid;
	bool is_unused;      /* given up, waiting for another thread */
	uint64_t process_ns; /* the first event of its process: no loss before it counts */
	struct walk_lane *next_unused;
	struct walk_lane_reference self;
	uint64_t last_ns;
	uint64_t forgotten_ns; /* of what it did up to then, something is not remembered any more */
	bool runs_tasks;       /* of a pool, as was seen */
	struct walk_activity *top;  /* the innermost open one */
	struct walk_ring closed;    /* struct walk_closed */
	struct walk_ring calls;     /* struct walk_lane_call */
	struct walk_ring gpu_holds; /* struct walk_gpu_hold */
	struct walk_ring os_calls;  /* struct walk_os_call; of imported traces */
};

struct walk_closed {
	uint64_t end_ns;
	struct walk_activity *activity;
};

struct walk_lane_call {
	uint64_t end_ns;
	struct walk_call *call;
};

/* A call of the system, of an imported trace. */
struct walk_os_call {
	uint64_t end_ns;
	uint64_t start_ns;
	const char *name;
};

/* A process of the recording. */
struct walk_lane_process {
	uint64_t first_ns;
	uint64_t
		forgotten_ns; /* of its threads whose lanes were given up; as in struct walk_lane */
};

struct walk_lanes {
	struct walk_map by_thread;
	struct walk_map processes; /* struct walk_lane_process */
	struct walk_slab process_slab;
	uint64_t now_ns;          /* of the event that is added */
	struct walk_lane **lanes; /* by index */
	uint32_t count;
	uint32_t capacity;
	struct walk_slab activities;
	uint32_t depth_max;
	uint64_t forget_ns;
	uint64_t stale_count; /* activities given up because their end never came */
	const char *doubt;    /* what begins before doubt_until_ns may end without our knowing */
	uint64_t doubt_until_ns;
	struct walk_lane *latest;
	struct walk_lane *unused;
};

void walk_lanes_init(struct walk_lanes *lanes);
void walk_lanes_finish(struct walk_lanes *lanes);

/* The lane of a thread, made when there is none; NULL when there is no memory. */
struct walk_lane *walk_lanes_get(struct walk_lanes *lanes, int32_t pid, int32_t tid);

/* When the process was first heard of; UINT64_MAX when it never was. */
uint64_t walk_lanes_process_ns(const struct walk_lanes *lanes, int32_t pid);

/* NULL when the thread was given up. */
struct walk_lane *walk_lanes_of(
	const struct walk_lanes *lanes, struct walk_lane_reference reference);

/* What ended then is dropped. */
static inline void walk_lane_forget(struct walk_lane *lane, uint64_t end_ns)
{
	lane->forgotten_ns = end_ns > lane->forgotten_ns ? end_ns : lane->forgotten_ns;
}

/* Drops what ended before lanes->forget_ns, and lanes that have not moved for `idle_ns`. */
void walk_lanes_sweep(struct walk_lanes *lanes, uint64_t idle_ns);

/* Opens a copy of `activity` (whose begin_ns is set); NULL when there is no memory. */
struct walk_activity *walk_lane_begin(
	struct walk_lanes *lanes, struct walk_lane *lane, const struct walk_activity *activity);

/* Closes it; the pointer is not to be used any more. */
MUST_CHECK enum status walk_lane_end(struct walk_lanes *lanes, struct walk_lane *lane,
	struct walk_activity *activity, uint64_t end_ns);

/* Takes in one whose begin was not seen, with begin_ns and end_ns set; it ends now. */
MUST_CHECK enum status walk_lane_insert(
	struct walk_lanes *lanes, struct walk_lane *lane, const struct walk_activity *activity);

/* Events are missing from begin_ns to end_ns: whatever is open may have ended there. */
void walk_lanes_doubt(
	struct walk_lanes *lanes, uint64_t begin_ns, uint64_t end_ns, const char *reason);

/* True at those instants of an activity at which it may have been over. */
static inline bool walk_activity_is_doubtful(const struct walk_activity *activity, uint64_t y_ns)
{
	return activity->doubt && y_ns > activity->doubt_ns;
}

/* The open activity above `activity` or, for NULL, the innermost one; NULL when there is none. */
struct walk_activity *walk_lane_open(
	const struct walk_lane *lane, const struct walk_activity *activity);

bool walk_activity_is_wait(const struct walk_activity *activity);

static inline bool walk_activity_covers(const struct walk_activity *activity, uint64_t y_ns)
{
	return activity->begin_ns < y_ns && y_ns <= activity->end_ns;
}

/* The innermost activity at y, NULL when nothing is recorded there. */
struct walk_activity *walk_lane_at(const struct walk_lane *lane, uint64_t y_ns);

/* The next one outwards that covers y. */
struct walk_activity *walk_activity_outer(const struct walk_activity *activity, uint64_t y_ns);

/* The GPU mutex that the thread held at y, NULL for none. */
const struct walk_gpu_hold *walk_lane_gpu_hold(const struct walk_lane *lane, uint64_t y_ns);

/* When the thread last took or released a GPU mutex before y, 0 for never. */
uint64_t walk_lane_gpu_change_before(const struct walk_lane *lane, uint64_t y_ns);

/* The latest end of an activity before y, 0 when there is none. */
uint64_t walk_lane_end_before(const struct walk_lane *lane, uint64_t y_ns);
