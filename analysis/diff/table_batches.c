/* SPDX-License-Identifier: MIT */
#include "analysis/diff/table_batches.h"

#include <math.h>

static uint64_t blocks_work(const struct run *run)
{
	uint64_t work = 0;

	for (uint32_t i = 0; i < run->block_count; i++) {
		work += run->blocks[i].work;
	}
	return work;
}

/* As many batches as leave two blocks in each, within bounds. */
static uint32_t batches_of(const struct run *run)
{
	const uint32_t half = run->block_count / 2;

	return half > TABLE_BATCH_COUNT       ? TABLE_BATCH_COUNT
	       : half < TABLE_BATCH_COUNT_MIN ? TABLE_BATCH_COUNT_MIN
					      : half;
}

double table_batch_work(const struct run *const *runs, uint32_t run_count)
{
	double most = 0;

	for (uint32_t i = 0; i < run_count; i++) {
		most = fmax(most, (double)blocks_work(runs[i]) / batches_of(runs[i]));
	}
	return most;
}

static uint32_t batches_wanted(const struct run *run, double work)
{
	const double count = work > 0 ? round((double)blocks_work(run) / work) : 0;

	return count > TABLE_BATCH_COUNT       ? TABLE_BATCH_COUNT
	       : count < TABLE_BATCH_COUNT_MIN ? TABLE_BATCH_COUNT_MIN
					       : (uint32_t)count;
}

uint32_t table_cut_batches(
	const struct run *run, double batch_work, struct table_batch batches[TABLE_BATCH_COUNT])
{
	const uint32_t wanted = batches_wanted(run, batch_work);
	const double share = (double)blocks_work(run) / wanted;
	double before = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->block_count; i++) {
		const double work = (double)run->blocks[i].work;
		const double middle = before + work / 2;

		/* The batch goes on until its share is done, and while it has no work at all. */
		if (count == 0 || (batches[count - 1].work > 0 && work > 0 && count < wanted &&
					  middle >= share * count)) {
			batches[count++] = (struct table_batch){.begin = i};
		}
		batches[count - 1].end = i + 1;
		batches[count - 1].work += work;
		before += work;
	}
	for (uint32_t i = 0; i < count; i++) {
		batches[i].stratum = i == 0           ? TABLE_STRATUM_FIRST
				     : i == count - 1 ? TABLE_STRATUM_LAST
						      : TABLE_STRATUM_MIDDLE;
	}
	return count > 0 && batches[count - 1].work > 0 ? count : 0;
}

static bool has_batches(const struct run *const *runs, uint32_t run_count)
{
	struct table_batch batches[TABLE_BATCH_COUNT];
	const double work = table_batch_work(runs, run_count);

	for (uint32_t i = 0; i < run_count; i++) {
		if (table_cut_batches(runs[i], work, batches) < TABLE_BATCH_COUNT_MIN) {
			return false;
		}
	}
	return true;
}

enum table_mode table_mode_of(
	const struct run *const *runs, uint32_t run_count, uint32_t base_count, double false_alarms)
{
	const double wanted = statistics_labellings_wanted(false_alarms);
	double labellings;

	if (base_count == 0 || base_count == run_count) {
		return TABLE_NO_SAMPLES;
	}
	labellings = statistics_labellings(base_count, run_count - base_count);
	if (labellings >= fmax(wanted, STATISTICS_LABELLINGS_PLENTY)) {
		return TABLE_RUNS;
	}
	if (has_batches(runs, run_count)) {
		return TABLE_BLOCKS;
	}
	return labellings >= wanted ? TABLE_RUNS : TABLE_NO_SAMPLES;
}
