/* SPDX-License-Identifier: MIT */
#pragma once

#include "analysis/import/cuzk_lines.h"

/*
 * The parts of a log in order of time: those that tell a date first, by it; then the others, in the
 * order in which they were named. A shell names daemon.log before daemon.log.1, which is older.
 */
void cuzk_files_order(const char **paths, size_t count);
