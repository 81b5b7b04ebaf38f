/* SPDX-License-Identifier: MIT */
#include "analysis/core/quantiles.h"

#include <assert.h>

static uint32_t bucket_of(uint64_t duration_ns)
{
	uint32_t shift;

	if (duration_ns < QUANTILES_STEPS) {
		return (uint32_t)duration_ns;
	}
	/* Powers of two cut into equal steps: the error is a share of the length, whatever the
	 * length. */
	shift = 63 - (uint32_t)__builtin_clzll(duration_ns) - QUANTILES_STEP_BITS;
	return QUANTILES_STEPS * (shift + 1) + (uint32_t)((duration_ns >> shift) - QUANTILES_STEPS);
}

/* Half a bucket from either of its ends. */
static uint64_t middle_ns(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < QUANTILES_STEPS) {
		return bucket;
	}
	shift = bucket / QUANTILES_STEPS - 1;
	return ((uint64_t)(QUANTILES_STEPS + bucket % QUANTILES_STEPS) << shift) +
	       ((1ULL << shift) >> 1);
}

void quantiles_add(struct quantiles *quantiles, uint64_t duration_ns)
{
	quantiles->counts[bucket_of(duration_ns)]++;
	quantiles->count++;
	if (duration_ns > quantiles->max_ns) {
		quantiles->max_ns = duration_ns;
	}
}

uint64_t quantiles_ns(const struct quantiles *quantiles, uint32_t percent)
{
	/* Split, so that no count overflows. */
	const uint64_t rank =
		quantiles->count / 100 * percent + (quantiles->count % 100 * percent + 99) / 100;
	uint64_t seen = 0;

	assert(percent >= 1 && percent <= 100);
	for (uint32_t i = 0; i < QUANTILES_BUCKET_COUNT_MAX && quantiles->count > 0; i++) {
		seen += quantiles->counts[i];
		if (seen >= rank) {
			const uint64_t ns = middle_ns(i);

			return ns < quantiles->max_ns ? ns : quantiles->max_ns;
		}
	}
	return 0;
}
