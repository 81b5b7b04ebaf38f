/* SPDX-License-Identifier: MIT */
#include "prover/simulate.h"

#include "trace/base/clock.h"

void simulate_work(const struct config_sim *sim, uint64_t duration_ms)
{
	uint64_t end_ns =
		clock_now_ns() + (uint64_t)((double)(duration_ms * NS_PER_MS) * sim->time_scale);
	struct timespec end = clock_timespec(end_ns);

	if (sim->burns_cpu) {
		while (clock_now_ns() < end_ns) {
		}
		return;
	}
	/* A signal may cut the sleep short; the end stays where it is. */
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) {
	}
}
