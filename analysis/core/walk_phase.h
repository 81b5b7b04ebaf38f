/* SPDX-License-Identifier: MIT */
/* What running a phase is charged to: a table of names that are more than host work. */
#pragma once

#include "analysis/core/causes.h"

/* The cause that stands for a span or task of this name; CAUSE_CPU_PHASE for most. */
enum cause walk_phase_cause(const char *name);
