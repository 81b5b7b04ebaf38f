/* SPDX-License-Identifier: MIT */
/*
 * The session daemon that liblttng-ctl talks to: found, or started when there is none. One that was
 * started here carries a mark in its environment, so that whoever ends the last session, in
 * whatever process, knows to stop it. No file of ours is involved.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>

/*
 * Held while a session is created or a daemon is stopped, so that no daemon stops under the hands
 * of somebody who has just found it, and two do not start one at once. Holds nothing where LTTng's
 * folder cannot be made.
 */
struct daemon_lock {
	int fd; /* -1: none */
};

void daemon_lock_acquire(struct daemon_lock *lock);
void daemon_lock_release(struct daemon_lock *lock);

bool daemon_is_alive(void);

/*
 * Makes sure that one runs: starts lttng-sessiond (from $LTTNG_SESSIOND_PATH or $PATH), without
 * the kernel tracer, when not. STATUS_UNAVAILABLE says why it cannot be had.
 */
MUST_CHECK enum status daemon_ensure(bool *out_is_started, struct diag *diag);

/*
 * Where HOME and LTTNG_HOME are unset the session daemon goes by the user's entry, and traced
 * programs would not find it: says it to those that are started from here on.
 */
MUST_CHECK enum status daemon_export_home(struct diag *diag);

/* Stops a daemon that daemon_ensure started, once it has no session, and waits for its end. */
void daemon_stop_if_idle(bool *out_is_stopped);
