/* SPDX-License-Identifier: MIT */
#pragma once

#include "analysis/import/cuzk_lines.h"

/*
 * The parts of a log in order of time: those that tell a date first, by it; then the others, in the
 * order in which they were named. A shell names daemon.log before daemon.log.1, which is older.
 */
void cuzk_files_order(const char **paths, size_t count);

/* Of a file's first and last dated lines; all zero without one. */
struct cuzk_dates {
	uint64_t first_ns;
	uint64_t last_ns;
};

/* BAD_USE when two files tell of the same time: then they are not parts of one log. */
MUST_CHECK enum status cuzk_files_check(const struct cuzk_lines *lines,
	const struct cuzk_dates *dates, size_t count, struct diag *diag);
