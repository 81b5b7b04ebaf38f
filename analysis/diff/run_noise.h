/* SPDX-License-Identifier: MIT */
/*
 * How much whole runs differ from one another beyond what their own samples tell: the host, the
 * clocks of the GPU, other tenants. It is estimated over all rows together, and of each row, since
 * few runs tell too little of one row, and some rows differ more than the others.
 */
#pragma once

#include "analysis/diff/table.h"

/* What is taken for granted where there is one run a side, and at least, elsewhere. */
#define RUN_NOISE_SHARE_LEAST 0.03

struct run_noise {
	const struct table *table;
	double squares; /* weighted sums over the rows that were added */
	double weights;
};

/* Takes note of a row that has samples. */
void run_noise_add(struct run_noise *noise, const struct table_row *row);

/* The noise of whole runs, as a share of a figure; never less than the least. */
double run_noise_share(const struct run_noise *noise);

/* What such noise adds to the variance of the difference between the two sides of the row. */
double run_noise_variance(const struct table *table, const struct table_row *row, double share);
