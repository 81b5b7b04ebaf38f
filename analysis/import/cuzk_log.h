/* SPDX-License-Identifier: MIT */
/* Reader of the log of the proving daemon cuzk. */
#pragma once

#include "analysis/import/import.h"

/* One daemon's log, of which the files are parts: standard output and standard error, or earlier
 * days. BAD_INPUT when no line of them is the daemon's. */
MUST_CHECK enum status cuzk_log_open(const char *const *paths, size_t count, struct diag *diag,
	struct import_reader **out_reader);
