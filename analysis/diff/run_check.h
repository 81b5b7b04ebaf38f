/* SPDX-License-Identifier: MIT */
/*
 * Whether the figures of a report agree with each other. A report of ours always does; one that was
 * edited or damaged would be compared all the same, and might look better than it was.
 */
#pragma once

#include "analysis/diff/run.h"

/* BAD_INPUT with a line for what does not add up; a run that is not to be trusted may be anything.
 */
MUST_CHECK enum status run_check(const struct run *run, struct diag *diag);
