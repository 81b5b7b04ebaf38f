/* SPDX-License-Identifier: MIT */
#include "prover/simulate.h"

#include "trace/base/clock.h"

void simulate_work(const struct config_sim *sim, uint64_t duration_ms)
{
	uint64_t duration_ns = (uint64_t)((double)(duration_ms * NS_PER_MS) * sim->time_scale);
	uint64_t cpu_end_ns = clock_thread_cpu_ns() + duration_ns;
	struct timespec end = clock_timespec(clock_now_ns() + duration_ns);

	if (sim->burns_cpu) {
		/* CPU time, not time: real work takes longer on a host that is busy. */
		while (clock_thread_cpu_ns() < cpu_end_ns) {
		}
		return;
	}
	/* A signal may cut the sleep short; the end stays where it is. */
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) {
	}
}
