/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps of each thread: its id, its name, the file that tells how long it waited
 * for a CPU, and the read-write locks it holds shared. Given up when the thread ends. The table of
 * names is the one list of threads, for keyframes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* Read-write locks a thread holds shared at once. Locks beyond it have an unknown hold time. */
#define THREAD_SHARED_LOCK_COUNT_MAX 8

/* Named threads a keyframe repeats; more are named once, when they start. */
#define THREAD_NAME_COUNT_MAX 1024

struct thread_shared_lock {
	const void *lock;
	uint64_t acquired_ns; /* 0 when nothing recorded then */
	uint64_t nvtx_range;
};

struct thread {
	int32_t tid;         /* 0 until asked for */
	int schedstat_fd;    /* plus one, so that 0 is none; -1 when it cannot be had */
	uint64_t file_inode; /* of schedstat_fd: a host may close our file and reuse the number */
	uint64_t file_device;
	uint64_t usage_read_ns; /* when the next two were read */
	uint64_t usage_cpu_ns;
	uint64_t usage_run_delay_ns;
	bool is_watched; /* its end will be noticed */
	bool is_ending;  /* its end was: nothing more is kept for it */
	uint32_t shared_lock_count;
	struct thread_shared_lock shared_locks[THREAD_SHARED_LOCK_COUNT_MAX];
};

/* Small enough for the room that libc keeps for libraries loaded late. */
extern __thread struct thread thread_self __attribute__((tls_model("initial-exec")));

static inline int32_t thread_tid(void)
{
	if (!thread_self.tid) {
		thread_self.tid = (int32_t)gettid();
	}
	return thread_self.tid;
}

/* False when the calling thread's end would go unnoticed; else it frees what is held here. */
bool thread_watch(void);

/* Calls `visit` for each named thread; `name` is the table's own. Under the table's lock: `visit`
 * names no thread. */
void thread_each_name(void (*visit)(int32_t tid, const char *name));
