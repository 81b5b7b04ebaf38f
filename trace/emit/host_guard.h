/* SPDX-License-Identifier: MIT */
/*
 * Around system calls that the host did not ask for: its errno stays, and they are no cancellation
 * points. A host that cancels a thread expects it to end at its own calls, and may hold locks here
 * that no cleanup handler lets go.
 */
#pragma once

#include <errno.h>
#include <pthread.h>

struct host_guard {
	int error;
	int cancel_state;
};

static inline struct host_guard host_guard_begin(void)
{
	struct host_guard guard = {.error = errno};

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard.cancel_state);
	return guard;
}

static inline void host_guard_end(const struct host_guard *guard)
{
	(void)pthread_setcancelstate(guard->cancel_state, NULL);
	errno = guard->error;
}
