/* SPDX-License-Identifier: MIT */
/*
 * Whether differences between two groups of samples can be chance: a permutation test of many rows
 * at once, corrected for their number (step-down maxT of Westfall and Young), and how far
 * neighbours in time depend on each other. Why these: docs/regression.md.
 */
#pragma once

#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of samples that are exchanged only among themselves. */
#define STATISTICS_STRATUM_COUNT 3

struct statistics_design {
	uint32_t sample_count;
	const bool *is_new;
	const uint8_t *stratum; /* below STATISTICS_STRATUM_COUNT */
};

struct statistics_row {
	const double *values; /* one for each sample */
	double inflation;     /* of the variance of a mean, because neighbours depend; 1: none */
	double added;         /* to the variance of the difference: what samples do not show */
	double p_rise; /* out: adjusted for all rows, that the new mean is higher by chance */
	double p_fall;
};

/* Both groups need a sample in every stratum that has any. The same input gives the same result. */
MUST_CHECK enum status statistics_test(
	const struct statistics_design *design, struct statistics_row *rows, uint32_t row_count);

/* In how many ways the samples can be put into the two groups; as a double, it may be huge. */
double statistics_labellings(uint32_t base_count, uint32_t new_count);

/* With fewer ways to label the samples none is as rare as 1 in 100, whatever they are. */
#define STATISTICS_LABELLINGS_MIN 200

/* With fewer than these one run that strays hides every change: blocks, if any, tell more. */
#define STATISTICS_LABELLINGS_PLENTY 500

/* How many ways it takes for a p of this or less: no p is below one in their number. */
double statistics_labellings_wanted(double p);

/* How many samples on each side have so many. */
uint32_t statistics_runs_for(double labellings);

/* Sums of products of a series with itself, shifted; several series add up. All zero is empty. */
#define STATISTICS_LAG_COUNT 16

struct statistics_memory {
	double sums[STATISTICS_LAG_COUNT + 1];
	uint32_t count; /* of values */
	uint32_t series_count;
};

void statistics_memory_add(struct statistics_memory *memory, const double *series, uint32_t count);

/*
 * How much larger the variance of a mean is than it looks, when it is taken over groups of
 * `group_length` neighbours of the series. At least 1.
 */
double statistics_memory_inflation(const struct statistics_memory *memory, double group_length);
