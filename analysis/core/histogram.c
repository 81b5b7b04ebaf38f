/* SPDX-License-Identifier: MIT */
#include "analysis/core/histogram.h"

#include <assert.h>

static uint64_t power_of_ten(uint32_t exponent)
{
	uint64_t power = 1;

	while (exponent-- > 0) {
		power *= 10;
	}
	return power;
}

/* Nine buckets a decade, by the first digit: bounds that people read without a table. */
static uint32_t bucket_of(uint64_t duration_ns)
{
	uint32_t decade = 0;

	while (duration_ns >= 10) {
		duration_ns /= 10;
		decade++;
	}
	return decade * HISTOGRAM_DECADE_BUCKETS + (duration_ns ? (uint32_t)duration_ns - 1 : 0);
}

void histogram_add(struct histogram *histogram, uint64_t duration_ns)
{
	struct histogram_bucket *bucket = &histogram->buckets[bucket_of(duration_ns)];

	bucket->count++;
	bucket->total_ns += duration_ns;
	histogram->count++;
	histogram->total_ns += duration_ns;
	if (duration_ns > histogram->max_ns) {
		histogram->max_ns = duration_ns;
	}
}

uint64_t histogram_from_ns(uint32_t index)
{
	assert(index < HISTOGRAM_BUCKET_COUNT_MAX);
	if (index == 0) {
		return 0;
	}
	return power_of_ten(index / HISTOGRAM_DECADE_BUCKETS) *
	       (index % HISTOGRAM_DECADE_BUCKETS + 1);
}

uint64_t histogram_to_ns(uint32_t index)
{
	/* The last decade's upper bounds do not fit; nothing longer than 2^64 - 1 exists anyway. */
	if (index + 1 >= HISTOGRAM_BUCKET_COUNT_MAX || index / HISTOGRAM_DECADE_BUCKETS >= 19) {
		return UINT64_MAX;
	}
	return histogram_from_ns(index + 1);
}
