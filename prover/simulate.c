/* SPDX-License-Identifier: MIT */
#include "prover/simulate.h"

#include "prover/device/model_sleep.h"
#include "trace/base/clock.h"

void simulate_work(const struct config_sim *sim, struct model_sleep *sleep, uint64_t duration_ms)
{
	uint64_t duration_ns = (uint64_t)((double)(duration_ms * NS_PER_MS) * sim->time_scale);

	if (sim->burns_cpu) {
		/* CPU time, not time: real work takes longer on a host that is busy. */
		model_sleep_burn(sleep, duration_ns);
	} else {
		(void)model_sleep_until(sleep, clock_now_ns() + duration_ns);
	}
}
