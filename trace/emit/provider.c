/* SPDX-License-Identifier: MIT */
/*
 * Loads the LTTng provider when the library is loaded, so that a program started before any
 * session exists can be recorded later. Where the provider or LTTng is missing the program runs on
 * and nothing is said: tracing must not fail or delay its host.
 *
 * GAPTRACE_PROVIDER names the provider's file, or is "off"; a program with more rights than its
 * caller does not read it. Without it the provider is looked for beside this library and then where
 * the dynamic loader looks.
 */
#include "gaptrace/schema.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/statvfs.h>

#define PROVIDER_FILE    "libgaptrace-lttng.so"
#define PROVIDER_ENV     "GAPTRACE_PROVIDER"
#define REGISTER_ENV     "LTTNG_UST_REGISTER_TIMEOUT"
#define PROVIDER_VERSION "gaptrace_lttng_schema_version"

#define SHARED_MEMORY_PATH "/dev/shm"

/* The two pages, and what others may take between the question and their first use. */
#define SHARED_MEMORY_BYTES_MIN 65536

/* LTTng 2.13 starts two at once, 2.14 three. */
#define LTTNG_THREAD_COUNT 3

static bool register_env_is_ours;

static bool is_off(const char *path)
{
	return path && strcmp(path, "off") == 0;
}

/*
 * Before LTTng's own constructors read the environment: by default they may wait 3 s for a session
 * daemon that is stuck. Only while there is one thread, since others may be reading the
 * environment; a program that loads this library late sets the variable itself.
 */
__attribute__((constructor(101))) static void provider_prepare(void)
{
	if (!__libc_single_threaded || is_off(secure_getenv(PROVIDER_ENV)) ||
		getenv(REGISTER_ENV)) {
		return;
	}
	register_env_is_ours = setenv(REGISTER_ENV, "0", 0) == 0;
}

/*
 * LTTng reads two pages of shared memory from threads of its own. On a full tmpfs that is SIGBUS,
 * which ends the host: then rather no events, since no buffer would find room either.
 */
static bool shared_memory_has_room(void)
{
	struct statvfs room;

	if (statvfs(SHARED_MEMORY_PATH, &room) != 0 || room.f_blocks == 0) {
		return true; /* LTTng copes with none; no blocks means no limit */
	}
	return room.f_bavail * room.f_frsize >= SHARED_MEMORY_BYTES_MIN;
}

static void *wait_at(void *gate)
{
	(void)pthread_mutex_lock(gate);
	(void)pthread_mutex_unlock(gate);
	return NULL;
}

/*
 * LTTng notes a thread it could not start as started, and cancels it when the host exits: a null
 * pointer. So as many are started first, all there at once; libc keeps their stacks for LTTng's.
 * Signals are blocked, since the host's handlers expect the host's threads.
 */
static bool threads_have_room(void)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[LTTNG_THREAD_COUNT];
	sigset_t all;
	sigset_t before;
	int count = 0;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	(void)pthread_mutex_lock(&gate);
	while (count < LTTNG_THREAD_COUNT &&
		pthread_create(&threads[count], NULL, wait_at, &gate) == 0) {
		count++;
	}
	(void)pthread_mutex_unlock(&gate);
	for (int i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return count == LTTNG_THREAD_COUNT;
}

static void *open_beside_us(void)
{
	Dl_info info;
	char path[PATH_MAX];
	const char *slash;
	int length;

	if (!dladdr(&register_env_is_ours, &info) || !info.dli_fname) {
		return NULL;
	}
	slash = strrchr(info.dli_fname, '/');
	if (!slash) {
		return NULL;
	}
	length = snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - info.dli_fname),
		info.dli_fname, PROVIDER_FILE);
	if (length < 0 || (size_t)length >= sizeof(path)) {
		return NULL;
	}
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *provider_open(const char *path)
{
	void *provider;

	if (path && *path) {
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	provider = open_beside_us();
	return provider ? provider : dlopen(PROVIDER_FILE, RTLD_NOW | RTLD_LOCAL);
}

__attribute__((constructor)) static void provider_load(void)
{
	const char *path = secure_getenv(PROVIDER_ENV);
	void *provider = NULL;

	if (is_off(path)) {
		return;
	}
	if (shared_memory_has_room() && threads_have_room()) {
		provider = provider_open(path);
	}
	if (provider) {
		const int *version = dlsym(provider, PROVIDER_VERSION);

		/* Another version's provider reads our structs wrongly: rather no events. */
		if (!version || *version != GAPTRACE_SCHEMA_VERSION) {
			(void)dlclose(provider);
		}
	}
	/* By now LTTng has threads of its own, which keep copies of the variables they need. */
	if (register_env_is_ours) {
		(void)unsetenv(REGISTER_ENV);
	}
}
