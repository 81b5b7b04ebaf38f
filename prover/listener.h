/* SPDX-License-Identifier: MIT */
/*
 * The socket that the daemon serves: a unix socket, which only its user may connect to, or a TCP
 * port of the loopback interface. A socket that a dead daemon left is replaced; one that a daemon
 * still holds is refused.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <limits.h>

struct listener {
	int fd;      /* -1: none */
	int lock_fd; /* of the lock's file, held as long as the socket is ours; -1: none */
	char lock_path[PATH_MAX]; /* PATH.lock; empty: not held */
	char path[PATH_MAX];      /* empty for TCP */
	char name[PATH_MAX];      /* for the log: "unix:/run/x.sock", "http://127.0.0.1:9821" */
};

MUST_CHECK enum status listener_open_unix(
	const char *path, struct diag *diag, struct listener *out_listener);

/* Whether listener_open_tcp() takes it: BAD_USE, with the reason, when it does not. */
MUST_CHECK enum status listener_check_tcp(const char *address, struct diag *diag);

/* `address` is 127.0.0.1:PORT, [::1]:PORT or localhost:PORT; port 0 takes a free one. */
MUST_CHECK enum status listener_open_tcp(
	const char *address, struct diag *diag, struct listener *out_listener);

/* Closes and, of a unix socket, removes it. */
void listener_close(struct listener *listener);
