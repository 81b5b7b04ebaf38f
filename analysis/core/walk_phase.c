/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_phase.h"

#include "analysis/core/walk_names.h"

#include <string.h>

#define GPU_MUTEX_PREFIX "gpu_mutex"

struct phase_cause {
	const char *name;
	enum cause cause;
};

/* docs/causes.md, rule 5. Whatever is not here is CAUSE_CPU_PHASE. */
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

static enum cause find_cause(const char *name)
{
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		if (strcmp(name, phases[i].name) == 0) {
			return phases[i].cause;
		}
	}
	return CAUSE_CPU_PHASE;
}

enum cause walk_phase_cause(const char *name)
{
	struct walk_name_facts *facts = walk_names_facts(name);

	/* Looked up once for each name and kept beside it: 0 is "not asked yet". */
	if (facts->phase_cause == 0) {
		facts->phase_cause = (uint8_t)(find_cause(name) + 1);
	}
	return (enum cause)(facts->phase_cause - 1);
}

bool walk_phase_is_gpu_mutex(const char *name)
{
	struct walk_name_facts *facts = walk_names_facts(name);

	if (facts->is_gpu_mutex == 0) {
		facts->is_gpu_mutex =
			1 + (strncmp(name, GPU_MUTEX_PREFIX, strlen(GPU_MUTEX_PREFIX)) == 0);
	}
	return facts->is_gpu_mutex == 2;
}
