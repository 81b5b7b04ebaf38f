/* SPDX-License-Identifier: MIT */
/* Where the daemon keeps its files and its socket unless told, and where its client looks. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

/* $STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/gaptrace, else ~/.local/state/gaptrace. */
MUST_CHECK enum status paths_state_dir(struct diag *diag, char *path, size_t size);

/* $XDG_RUNTIME_DIR/gaptrace/proverd.sock, else proverd.sock in the state directory, which may be
 * NULL for none. */
MUST_CHECK enum status paths_socket(
	const char *state_dir, struct diag *diag, char *path, size_t size);

/* Makes `path` and what lies above it, for the user alone. */
MUST_CHECK enum status paths_make_dir(const char *path, struct diag *diag);
