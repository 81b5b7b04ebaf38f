/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of durations: nine linear buckets in every decimal decade, so that the
 * bounds are numbers people write (1, 2 .. 9, 10, 20 ..) and decades add up exactly.
 */
#pragma once

#include <stdint.h>

/* Every time of 64 bits has its bucket, one for each leading digit. */
#define HISTOGRAM_DECADE_COUNT     20 /* 10^19 < 2^64 < 10^20 */
#define HISTOGRAM_DECADE_BUCKETS   9
#define HISTOGRAM_BUCKET_COUNT_MAX (HISTOGRAM_DECADE_COUNT * HISTOGRAM_DECADE_BUCKETS)

struct histogram_bucket {
	uint64_t count;
	uint64_t total_ns;
};

struct histogram {
	struct histogram_bucket buckets[HISTOGRAM_BUCKET_COUNT_MAX];
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
};

/* A duration of 0 counts in the first bucket. */
void histogram_add(struct histogram *histogram, uint64_t duration_ns);

/* Bucket `index` holds durations in [from, to). */
uint64_t histogram_from_ns(uint32_t index);
uint64_t histogram_to_ns(uint32_t index);
