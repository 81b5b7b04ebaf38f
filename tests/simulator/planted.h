/* SPDX-License-Identifier: MIT */
/*
 * Causes of idling that can be planted in a service at a chosen size, each with what a comparison
 * must name when there is more of it.
 */
#pragma once

#include "analysis/core/causes.h"
#include "tests/simulator/service.h"

/* How much more idle time of the cause, of 100: what regressions are measured at. */
#define PLANTED_MORE_COUNT 3
extern const uint32_t planted_more[PLANTED_MORE_COUNT];

struct planted {
	const char *name; /* of the profile in prover/profiles, where one plants it */
	enum cause cause;
	const char *object; /* "": any */
	const char *phase;
	/*
	 * How much the service idles for it, per unit of work: a tenth of its time, or, where
	 * idling is what one long time exceeds another by, half of it as in the profile. Less of
	 * those would be all noise: 10 % of idling is then a change of 1 % in either time.
	 */
	uint32_t idle_ms;
	uint32_t level;                    /* what takes so long that it idles so much, in us */
	uint32_t more[PLANTED_MORE_COUNT]; /* and with so much more idle time, as measured */
};

uint32_t planted_count(void);
const struct planted *planted_at(uint32_t index);

/* NULL when there is none of that name. */
const struct planted *planted_find(const char *name);

/* The service with the cause planted at that level. */
struct service_plan planted_plan(const struct planted *planted, uint32_t level);
