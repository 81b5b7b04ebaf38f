/* SPDX-License-Identifier: MIT */
/*
 * A launcher that runs kernels' bodies on the host, thread after thread. Backwards is another order
 * that a device could take: what depends on it is a race.
 */
#pragma once

#include "prover/device/cuda/sums.h"

struct cuda_emulation {
	bool is_backwards;
	uint32_t launch_count;
	uint32_t fails_after; /* launches; 0: never */
};

struct sums_launcher cuda_emulation_launcher(struct cuda_emulation *emulation);
