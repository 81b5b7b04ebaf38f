/* SPDX-License-Identifier: MIT */
/*
 * A picture of one device along time in a fixed number of bins: how long kernels, and how long
 * anything at all, ran in each. Bins widen by doubling as time goes on, so memory does not grow.
 */
#pragma once

#include <stdint.h>

#define STRIP_BIN_COUNT 1024

enum strip_layer {
	STRIP_KERNEL,
	STRIP_ANYTHING,
	STRIP_LAYER_COUNT
};

struct strip {
	uint64_t origin_ns;
	uint64_t bin_ns; /* 0: nothing added yet */
	uint64_t covered_ns[STRIP_LAYER_COUNT][STRIP_BIN_COUNT];
};

/* Time before `origin_ns` is not drawn. */
void strip_init(struct strip *strip, uint64_t origin_ns);

/* Adds [begin, end) to a layer; the caller adds no instant to one layer twice. */
/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the order of every interval here. */
void strip_add(struct strip *strip, enum strip_layer layer, uint64_t begin_ns, uint64_t end_ns);

/* How much of [begin, end) a layer covers, to the precision of the bins. */
double strip_share(
	const struct strip *strip, enum strip_layer layer, uint64_t begin_ns, uint64_t end_ns);
