/* SPDX-License-Identifier: MIT */
/*
 * A signal that comes before the daemon serves: making a large test key takes minutes, in which
 * nobody has been promised anything, so that a daemon told to stop ends at once.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

struct listener;
struct startup;

/*
 * From here to startup_end() a signal that `signal_fd` reads removes the socket of `listener` and
 * ends the process with 0. Both are borrowed.
 */
MUST_CHECK enum status startup_begin(
	int signal_fd, struct listener *listener, struct diag *diag, struct startup **out_startup);

/* A signal that comes later is left in `signal_fd`. NULL is allowed. */
void startup_end(struct startup *startup);

DEFINE_AUTO(struct startup, startup_end)
