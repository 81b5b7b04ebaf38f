/* SPDX-License-Identifier: MIT */
/*
 * Small proving services drawn from a seed, for tests that must hold whatever a service is like.
 * Times are a hundredth of real ones, and no two alike, so that every order of events comes up.
 */
#pragma once

#include "tests/simulator/service.h"

struct service_plan scenario_draw(uint64_t seed);

/*
 * The numbers that were drawn, 0 to the count: each can be made smaller, down to its least, for a
 * simpler case. That is how a failure is shrunk.
 */
uint32_t scenario_field_count(void);
uint32_t *scenario_field(struct service_plan *plan, uint32_t index);
uint32_t scenario_field_least(uint32_t index);
const char *scenario_field_name(uint32_t index);

/* Gives a world that has run. NULL when it got stuck, which is a bug of the plan. */
struct world *scenario_run(const struct service_plan *plan, uint64_t seed);
