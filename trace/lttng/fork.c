/* SPDX-License-Identifier: MIT */
/*
 * LTTng's destructors wait until nobody is inside a trace point. In a child of a fork that would be
 * for threads of its parent, which never leave there, or on a list of them that a fork cut off in
 * the middle of a change: its exit would hang or crash. So the list stands still during a fork, and
 * the child's has nobody else.
 */
#include <dlfcn.h>
#include <lttng/urcu/urcu-ust.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Preloaded it does the same, and more, outside of the fork that runs our handlers. */
static bool has_lttng_fork(void)
{
	const void *address = dlsym(RTLD_DEFAULT, "fork");
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "liblttng-ust-fork");
}

__attribute__((constructor)) static void fork_watch(void)
{
	if (!has_lttng_fork()) {
		(void)pthread_atfork(lttng_ust_urcu_before_fork, lttng_ust_urcu_after_fork_parent,
			lttng_ust_urcu_after_fork_child);
	}
}
