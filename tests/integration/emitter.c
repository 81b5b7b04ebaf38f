/* SPDX-License-Identifier: MIT */
/*
 * A traced program for the integration tests. `emitter all` makes every call once, `emitter wait
 * FILE` does so once something records and the file exists, `emitter locks THREADS ROUNDS` contends
 * for locks and waits on a condition, `emitter environment` tells what the library left of it.
 */
#include "gaptrace/gaptrace.h"
#include "tests/unit/emit_calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As long as a busy machine may take to start a daemon and a session. */
#define WAIT_MS_MAX 120000

#define THREAD_COUNT_MAX 64

static struct gaptrace_mutex mutex;
static struct gaptrace_rwlock rwlock;
static struct gaptrace_condition condition;
static long round_count;
static uint64_t value;
static uint64_t wait_count;

/* The session starts event by event: the file says that it has them all. */
static int wait_for_recording(const char *path)
{
	for (int i = 0; i < WAIT_MS_MAX; i++) {
		if (gaptrace_is_recording() && access(path, F_OK) == 0) {
			return 0;
		}
		(void)usleep(1000);
	}
	(void)fputs("nothing records\n", stderr);
	return 1;
}

/* Threads take turns by twos, so that each waits on the condition and contends for the locks. */
static void *contend(void *number)
{
	uint64_t parity = (uintptr_t)number % 2;

	gaptrace_thread_name(parity ? "odd" : "even");
	for (long i = 0; i < round_count; i++) {
		gaptrace_mutex_lock(&mutex);
		while (value % 2 != parity) {
			wait_count++;
			gaptrace_condition_wait(&condition, &mutex);
		}
		value++;
		gaptrace_condition_broadcast(&condition);
		gaptrace_mutex_unlock(&mutex);

		if (i % 4 == 0) {
			gaptrace_rwlock_write_lock(&rwlock);
		} else {
			gaptrace_rwlock_read_lock(&rwlock);
		}
		gaptrace_rwlock_unlock(&rwlock);
	}
	return NULL;
}

static int locks(int thread_count)
{
	pthread_t threads[THREAD_COUNT_MAX];

	if (gaptrace_mutex_init(&mutex, "mutex") != 0 ||
		gaptrace_rwlock_init(&rwlock, "rwlock") != 0) {
		return 1;
	}
	gaptrace_condition_init(&condition, "turn");
	for (int i = 0; i < thread_count; i++) {
		if (pthread_create(&threads[i], NULL, contend, (void *)(uintptr_t)i) != 0) {
			return 1;
		}
	}
	for (int i = 0; i < thread_count; i++) {
		(void)pthread_join(threads[i], NULL);
	}
	printf("mutex %llu\nrwlock %llu\nturn %llu\n", (unsigned long long)mutex.acquire_count,
		(unsigned long long)rwlock.acquire_count, (unsigned long long)wait_count);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "all") == 0) {
		emit_calls();
		return 0;
	}
	if (strcmp(mode, "wait") == 0 && argc == 3) {
		if (wait_for_recording(argv[2]) != 0) {
			return 1;
		}
		emit_calls();
		return 0;
	}
	if (strcmp(mode, "environment") == 0) {
		const char *timeout = getenv("LTTNG_UST_REGISTER_TIMEOUT");

		printf("after: %s\n", timeout ? timeout : "unset");
		return 0;
	}
	if (strcmp(mode, "locks") == 0 && argc == 4) {
		int thread_count = (int)strtol(argv[2], NULL, 10);

		round_count = strtol(argv[3], NULL, 10);
		if (thread_count > 0 && thread_count % 2 == 0 && thread_count <= THREAD_COUNT_MAX) {
			return locks(thread_count);
		}
	}
	(void)fprintf(stderr, "usage: %s all | wait FILE | locks THREADS ROUNDS | environment\n",
		argv[0]);
	return 2;
}
