/* SPDX-License-Identifier: MIT */
#include "analysis/diff/run_check.h"

#include <inttypes.h>

/* Causes share out the time in gaps: they may leave some of it, and never name more. */
static bool has_more_causes_than_gaps(const struct run_usage *usage)
{
	uint64_t left_ns = usage->gap_ns;

	for (uint32_t i = 0; i < usage->cause_count; i++) {
		if (usage->causes[i].ns > left_ns) {
			return true;
		}
		left_ns -= usage->causes[i].ns;
	}
	return false;
}

static enum status check_device(
	const struct run *run, const struct run_device *device, struct diag *diag)
{
	const struct run_usage *usage = &device->usage;
	const uint64_t window_ns = run->window_end_ns - run->window_begin_ns;

	if (usage->busy_ns > window_ns || usage->gap_ns > window_ns - usage->busy_ns ||
		usage->short_ns > window_ns - usage->busy_ns - usage->gap_ns) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: gpu %" PRId64 " is busy and idle for longer than the window",
			run->path, device->index);
	}
	if (has_more_causes_than_gaps(usage)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: gpu %" PRId64 " has more time in causes than in gaps", run->path,
			device->index);
	}
	return STATUS_OK;
}

static enum status check_block(const struct run *run, uint32_t index, struct diag *diag)
{
	const struct run_block *block = &run->blocks[index];

	for (uint32_t i = 0; i < run->device_count; i++) {
		/* A device that was read has a list of causes, if only an empty one. */
		if (!block->devices[i].causes) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"%s: blocks[%" PRIu32 "] does not tell of gpu %" PRId64, run->path,
				index, run->devices[i].index);
		}
		if (has_more_causes_than_gaps(&block->devices[i])) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"%s: blocks[%" PRIu32
				"] has more time in causes than in gaps of gpu %" PRId64,
				run->path, index, run->devices[i].index);
		}
	}
	return STATUS_OK;
}

static enum status check_work(const struct run *run, struct diag *diag)
{
	uint64_t left = run->work_count;

	for (uint32_t i = 0; i < run->block_count; i++) {
		/* Too much of it must not wrap around to what would fit. */
		left = run->blocks[i].work <= left ? left - run->blocks[i].work : UINT64_MAX;
	}
	if (run->block_count > 0 && left != 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: the work of its blocks is not the %" PRIu64 " units of the window",
			run->path, run->work_count);
	}
	return STATUS_OK;
}

enum status run_check(const struct run *run, struct diag *diag)
{
	enum status status = STATUS_OK;

	if (!run->is_trusted) {
		return STATUS_OK;
	}
	for (uint32_t i = 0; i < run->device_count && status == STATUS_OK; i++) {
		status = check_device(run, &run->devices[i], diag);
	}
	for (uint32_t i = 0; i < run->block_count && status == STATUS_OK; i++) {
		status = check_block(run, i, diag);
	}
	return status == STATUS_OK ? check_work(run, diag) : status;
}
