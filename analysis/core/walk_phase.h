/* SPDX-License-Identifier: MIT */
/* What running a phase is charged to: a table of names that are more than host work. */
#pragma once

#include "analysis/core/causes.h"

#include <stdbool.h>

/* The cause that stands for a span or task of this name, which was kept; CAUSE_CPU_PHASE for most.
 */
enum cause walk_phase_cause(const char *name);

/* A GPU's own mutex is known by how its name, which was kept, begins. */
bool walk_phase_is_gpu_mutex(const char *name);
