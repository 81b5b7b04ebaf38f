/* SPDX-License-Identifier: MIT */
#include "trace/emit/thread.h"

#include "gaptrace/gaptrace.h"
#include "trace/base/limits.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/tracepoints.h"
#include "trace/emit/usage.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What prctl(PR_SET_NAME) keeps, the final zero included. */
#define OS_NAME_BYTES 16

__thread struct thread thread_self;

static struct {
	pthread_mutex_t mutex; /* guards the table */
	pthread_once_t once;
	pthread_key_t end_key;
	bool has_end_key;
	uint32_t count;
	struct {
		int32_t tid;
		char name[NAME_BYTES_MAX];
	} names[THREAD_NAME_COUNT_MAX];
} threads = {.mutex = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* By search: names change when threads come and go, not while they work. */
static void table_remove(int32_t tid)
{
	pthread_mutex_lock(&threads.mutex);
	for (uint32_t i = 0; i < threads.count; i++) {
		if (threads.names[i].tid == tid) {
			threads.count--;
			threads.names[i] = threads.names[threads.count];
			break;
		}
	}
	pthread_mutex_unlock(&threads.mutex);
}

static void table_add(int32_t tid, const char *name)
{
	uint32_t i = 0;

	pthread_mutex_lock(&threads.mutex);
	while (i < threads.count && threads.names[i].tid != tid) {
		i++;
	}
	if (i < THREAD_NAME_COUNT_MAX) {
		threads.names[i].tid = tid;
		/* A copy, as the operating system keeps one: names of threads are often composed.
		 */
		(void)snprintf(threads.names[i].name, NAME_BYTES_MAX, "%s", name);
		threads.count += i == threads.count;
	}
	pthread_mutex_unlock(&threads.mutex);
}

static void thread_ended(void *unused)
{
	(void)unused;
	gaptrace_thread_end();
	/* Other destructors may still emit; they must not make the thread watched again. */
	thread_self.is_ending = true;
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&threads.mutex);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&threads.mutex);
}

/* The child has one thread, with another id; its schedstat file is the parent's. */
static void fork_child(void)
{
	uint32_t own = 0;

	/* Its own name stays, under its new id; the others' threads are not in the child. */
	while (own < threads.count && threads.names[own].tid != thread_self.tid) {
		own++;
	}
	usage_close();
	thread_self.tid = 0;
	if (own < threads.count) {
		threads.names[0] = threads.names[own];
		threads.names[0].tid = thread_tid();
		threads.count = 1;
	} else {
		threads.count = 0;
	}
	pthread_mutex_unlock(&threads.mutex);
}

static void threads_prepare(void)
{
	threads.has_end_key = pthread_key_create(&threads.end_key, thread_ended) == 0;
}

/* At load, so that a fork finds the cached thread id forgotten whatever was called before. */
__attribute__((constructor)) static void fork_watch(void)
{
	(void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

bool thread_watch(void)
{
	if (thread_self.is_watched || thread_self.is_ending) {
		return thread_self.is_watched;
	}
	(void)pthread_once(&threads.once, threads_prepare);
	/* The value only has to differ from NULL for the destructor to run. */
	thread_self.is_watched =
		threads.has_end_key && pthread_setspecific(threads.end_key, &threads) == 0;
	return thread_self.is_watched;
}

void thread_each_name(void (*visit)(int32_t tid, const char *name))
{
	pthread_mutex_lock(&threads.mutex);
	for (uint32_t i = 0; i < threads.count; i++) {
		visit(threads.names[i].tid, threads.names[i].name);
	}
	pthread_mutex_unlock(&threads.mutex);
}

void gaptrace_thread_name(const char *name)
{
	char os_name[OS_NAME_BYTES];
	int32_t tid = thread_tid();

	if (!name) {
		return;
	}
	(void)snprintf(os_name, sizeof(os_name), "%s", name);
	(void)pthread_setname_np(pthread_self(), os_name);
	nvtx_range_name_thread(tid, name);
	if (thread_watch()) {
		table_add(tid, name);
	}
	if (WANTED(state)) {
		struct gaptrace_state state = {.subject = GAPTRACE_STATE_THREAD,
			.name = name,
			.work = GAPTRACE_NO_WORK,
			.tid = tid};

		EMIT(state, &state);
	}
}

void gaptrace_thread_end(void)
{
	if (thread_self.tid) {
		table_remove(thread_self.tid);
	}
	usage_close();
	thread_self.is_watched = false;
}
