/* SPDX-License-Identifier: MIT */
/*
 * Quantiles of durations in bounded memory: a log-linear histogram of 64 buckets to every power of
 * two. A quantile is within 1/128 of the duration that has that rank; below 128 ns it is exact.
 */
#pragma once

#include <stdint.h>

#define QUANTILES_STEP_BITS 6
#define QUANTILES_STEPS     (1u << QUANTILES_STEP_BITS)

/* A duration has 64 bits: those below 2 * STEPS have a bucket each, each bit above STEPS more. */
#define QUANTILES_BUCKET_COUNT_MAX (QUANTILES_STEPS * (64 - QUANTILES_STEP_BITS + 1))

/* All zero is empty. */
struct quantiles {
	uint64_t counts[QUANTILES_BUCKET_COUNT_MAX];
	uint64_t count;
	uint64_t max_ns;
};

void quantiles_add(struct quantiles *quantiles, uint64_t duration_ns);

/* The duration that `percent` of all do not exceed (nearest rank, 1 to 100); 0 when there is none.
 */
uint64_t quantiles_ns(const struct quantiles *quantiles, uint32_t percent);
