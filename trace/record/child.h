/* SPDX-License-Identifier: MIT */
/*
 * The recorded command: started, waited for, and sent the signals that reach us. For a program with
 * one thread, since it blocks those signals for the whole process.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int signal_fd;
	sigset_t mask_before;
	bool has_own_group; /* what is sent to our process group does not reach it */
	bool has_ended;
	int exit_code; /* the command's own, or 128 + the signal that killed it */
};

/*
 * From here on INT, TERM, HUP, QUIT, USR1 and USR2 wait until child_wait, so that none of them
 * ends us with a session left open.
 */
MUST_CHECK enum status child_init(struct child *child, struct diag *diag);
void child_finish(struct child *child);

/* The exit code of env(1): 0 when `name` can be run, 127 when it is not found, 126 otherwise. */
int child_check(const char *name, struct diag *diag);

MUST_CHECK enum status child_start(struct child *child, char *const *argv, struct diag *diag);

/* Waits at most `limit_ms` for its end; forwards what arrives meanwhile. */
void child_wait(struct child *child, int limit_ms);

/* One of those signals that has arrived and waits since child_init, or 0. */
int child_pending_signal(void);
