/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: what only traces of other tools have. Calls of the system by their names,
 * what a process's rows can tell at all, and names of ranges that count ("IO 0", "IO 1") as one.
 */
#pragma once

#include "analysis/core/walk_lane.h"
#include "analysis/core/walk_names.h"

/* What it means that a thread is in a call of the system. */
enum walk_os_nature {
	WALK_OS_RUNS, /* works or does input and output, on its own behalf */
	WALK_OS_SLEEPS,
	WALK_OS_BLOCKS, /* until another thread acts, and nothing tells which */
	WALK_OS_ALLOCS,
	WALK_OS_FREES,
};

/* What the rows of one process have shown so far. */
struct walk_process {
	int32_t pid;
	bool has_host;  /* a call, a range or a call of the system */
	bool has_calls; /* of the device's API */
	bool has_syncs; /* that were recorded by the device: stream waits would be there */
	uint64_t first_host_ns;
	uint64_t first_call_ns;
	uint64_t first_correlation; /* the lowest: they are counted up */
	uint64_t outside_count;     /* kernels that came before all calls, or have a lower number */
};

struct walk_imports {
	bool is_on; /* the trace is another tool's */
	struct walk_map processes;
	struct walk_slab slab;
	struct walk_process *latest; /* asked for: events of one process come in a row */
	struct walk_map families;    /* const char * by the address of a range's name */
	size_t os_call_count;        /* of all lanes */
};

void walk_imports_init(struct walk_imports *imports);
void walk_imports_finish(struct walk_imports *imports);

/* What is known of a process; NULL without memory. */
struct walk_process *walk_imports_get(struct walk_imports *imports, int32_t pid);
/* NULL when nothing is known. */
const struct walk_process *walk_imports_find(const struct walk_imports *imports, int32_t pid);

/*
 * True when an operation without a record of its call was issued before the recording began: it
 * started before the first call of its process, or has a lower number than all of them.
 */
bool walk_process_began_before(
	const struct walk_process *process, uint64_t start_ns, uint64_t correlation);

/* Takes note of what an event shows of its process. */
MUST_CHECK enum status walk_imports_note(struct walk_imports *imports, const struct event *event);

/* When the first of what the process's threads did was recorded; 0 when that is not known. */
uint64_t walk_imports_begin_ns(const struct walk_imports *imports, int32_t pid);

/* The kernels that were issued before the recording began, of all processes. */
uint64_t walk_imports_outside_count(const struct walk_imports *imports);

/* Of a name that was kept. */
enum walk_os_nature walk_os_nature(const char *name);

/* Takes in a call of the system by the lane's thread. */
MUST_CHECK enum status walk_os_add(struct walk_imports *imports, struct walk_lane *lane,
	const struct walk_os_call *call, uint64_t forget_ns);

/* The innermost one at y, NULL for none. */
const struct walk_os_call *walk_os_at(const struct walk_lane *lane, uint64_t y_ns);

/* The latest end of one before y, 0 when there is none. */
uint64_t walk_os_end_before(const struct walk_lane *lane, uint64_t y_ns);

/* Drops those of the lane that ended before `forget_ns`. */
void walk_os_prune(struct walk_imports *imports, struct walk_lane *lane, uint64_t forget_ns);

/*
 * Keeps the name of a range, and its family when it has one. Past half of what the names can hold
 * the family stands for it, since a range that counts would fill them. NULL without memory.
 */
const char *walk_range_keep(
	struct walk_imports *imports, struct walk_names *names, const char *name);

/* "IO #" for a kept "IO 12", else the name itself. */
const char *walk_range_family(const struct walk_imports *imports, const char *kept);

/* True of a name of a library ("aten::copy_"): the program's own range is further out. */
bool walk_range_is_library(const char *name);
