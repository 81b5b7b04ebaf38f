/* SPDX-License-Identifier: MIT */
/*
 * Loads the LTTng provider when the library is loaded, so that a program started before any
 * session exists can be recorded later. Where the provider or LTTng is missing the program runs on
 * and nothing is said: tracing must not fail or delay its host.
 *
 * GAPTRACE_PROVIDER names the provider's file, or is "off". Without it the provider is looked for
 * beside this library and then where the dynamic loader looks.
 */
#include "gaptrace/schema.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>

#define PROVIDER_FILE    "libgaptrace-lttng.so"
#define PROVIDER_ENV     "GAPTRACE_PROVIDER"
#define REGISTER_ENV     "LTTNG_UST_REGISTER_TIMEOUT"
#define PROVIDER_VERSION "gaptrace_lttng_schema_version"

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
	if (!__libc_single_threaded || is_off(getenv(PROVIDER_ENV)) || getenv(REGISTER_ENV)) {
		return;
	}
	register_env_is_ours = setenv(REGISTER_ENV, "0", 0) == 0;
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

__attribute__((constructor)) static void provider_load(void)
{
	const char *path = getenv(PROVIDER_ENV);
	void *provider = NULL;

	if (is_off(path)) {
		return;
	}
	if (path && *path) {
		provider = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	} else {
		provider = open_beside_us();
		if (!provider) {
			provider = dlopen(PROVIDER_FILE, RTLD_NOW | RTLD_LOCAL);
		}
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
