/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_phase.h"

#include <string.h>

struct phase_cause {
	const char *name;
	enum cause cause;
};

static const struct phase_cause phases[] = {
	{"synthesize", CAUSE_SYNTHESIS},
	{"synthesis", CAUSE_SYNTHESIS},
	{"srs_load", CAUSE_SRS_LOAD},
	{"srs_read", CAUSE_SRS_LOAD},
	{"srs_decode", CAUSE_SRS_LOAD},
	{"srs_pin", CAUSE_SRS_LOAD},
	{"pinned_alloc", CAUSE_ALLOC},
	{"device_alloc", CAUSE_ALLOC},
	{"release_abc", CAUSE_FREE},
	{"dealloc", CAUSE_FREE},
	{"unmap", CAUSE_FREE},
};

enum cause walk_phase_cause(const char *name)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		if (name[0] == phases[i].name[0] && strcmp(name, phases[i].name) == 0) {
			return phases[i].cause;
		}
	}
	return CAUSE_CPU_PHASE;
}
