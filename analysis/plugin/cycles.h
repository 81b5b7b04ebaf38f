/* SPDX-License-Identifier: MIT */
/* Cycles of a trace's clock as nanoseconds. */
#pragma once

#include "trace/base/clock.h"

#include <stdint.h>

/* Exact for every frequency up to 18 GHz; `frequency` is in Hz and not 0. */
static inline uint64_t cycles_to_ns(uint64_t cycles, uint64_t frequency)
{
	if (frequency == NS_PER_S) {
		return cycles;
	}
	return cycles / frequency * NS_PER_S + cycles % frequency * NS_PER_S / frequency;
}
