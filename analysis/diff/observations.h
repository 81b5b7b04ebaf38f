/* SPDX-License-Identifier: MIT */
/* Every figure of every run and block as one flat list, sorted by what it is about. */
#pragma once

#include "analysis/diff/table.h"

/* The `block` of a figure of the whole run. */
#define OBSERVATION_TOTAL UINT32_MAX

struct observation {
	int32_t device;
	enum metric metric;
	enum cause cause;
	const char *object;
	const char *phase;
	uint32_t run;
	uint32_t block;
	double amount;
	double gaps;
};

struct observations {
	struct observation *list;
	size_t count;
	size_t capacity;
};

/* With or without those of blocks. */
MUST_CHECK enum status observations_collect(
	struct observations *observations, const struct table *table, bool with_blocks);

/* Whether both are about the same row. */
bool observation_is_same(const struct observation *left, const struct observation *right);

void observations_finish(struct observations *observations);
