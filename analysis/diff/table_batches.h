/* SPDX-License-Identifier: MIT */
/* The blocks of a run, joined into batches of neighbours that are samples of a comparison. */
#pragma once

#include "analysis/diff/table.h"

/* Blocks [begin, end) of a run; with samples of runs, all of it. */
struct table_batch {
	uint32_t run;
	uint32_t begin;
	uint32_t end;
	double work;
	uint8_t stratum;
	bool is_new;
};

/* The work of a batch: the same in all runs, as far as bounds allow, so that means vary alike. */
double table_batch_work(const struct run *const *runs, uint32_t run_count);

/* Cuts a run's blocks into batches of about that work, none without any; gives how many. */
uint32_t table_cut_batches(
	const struct run *run, double batch_work, struct table_batch batches[TABLE_BATCH_COUNT]);
