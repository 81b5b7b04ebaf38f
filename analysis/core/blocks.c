/* SPDX-License-Identifier: MIT */
#include "analysis/core/blocks.h"

#include "trace/base/array.h"

#include <stdlib.h>
#include <string.h>

void blocks_init(struct blocks *blocks)
{
	memset(blocks, 0, sizeof(*blocks));
	blocks->count = 1;
	blocks->work_per_block = 1;
	blocks->list[0].end_ns = UINT64_MAX;
	blocks->limit_ns = UINT64_MAX;
}

uint64_t blocks_begin_ns(const struct blocks *blocks, uint32_t index)
{
	return index == 0 ? blocks->begin_ns : blocks->list[index - 1].end_ns;
}

/* The block that holds an instant; asked mostly for one of the last. */
static uint32_t block_of(const struct blocks *blocks, uint64_t time_ns)
{
	uint32_t i = blocks->count - 1;

	while (i > 0 && blocks->list[i - 1].end_ns > time_ns) {
		i--;
	}
	return i;
}

static enum status device_of(struct block *block, uint32_t index, struct block_device **out_device)
{
	struct block_device *device = block->devices[index];

	if (!device) {
		device = calloc(1, sizeof(*device));
		if (!device) {
			return STATUS_NO_MEMORY;
		}
		block->devices[index] = device;
	}
	*out_device = device;
	return STATUS_OK;
}

/* Names are mostly kept once: the pointer decides. */
static bool is_same_text(const char *left, const char *right)
{
	return left == right || strcmp(left, right) == 0;
}

static struct block_cause *find_cause(
	const struct block_device *device, const struct block_cause *wanted)
{
	for (uint32_t i = 0; i < device->cause_count; i++) {
		struct block_cause *row = &device->causes[i];

		if (row->cause == wanted->cause && is_same_text(row->object, wanted->object) &&
			is_same_text(row->phase, wanted->phase)) {
			return row;
		}
	}
	return NULL;
}

static enum status add_cause(struct block_device *device, const struct block_cause *added)
{
	struct block_cause wanted = {
		.cause = added->cause, .object = added->object, .phase = added->phase};
	struct block_cause *row = find_cause(device, &wanted);

	/* As in the report's tables: the cause stays, its details go. */
	if (!row && device->cause_count >= BLOCK_CAUSE_COUNT_MAX) {
		wanted.object = "";
		wanted.phase = "others";
		row = find_cause(device, &wanted);
	}
	if (!row) {
		if (!ARRAY_MAKE_ROOM(
			    device->causes, device->cause_count, device->cause_capacity, 4)) {
			return STATUS_NO_MEMORY;
		}
		row = &device->causes[device->cause_count++];
		*row = wanted;
	}
	row->ns += added->ns;
	row->gap_count += added->gap_count;
	return STATUS_OK;
}

static void device_destroy(struct block_device *device)
{
	if (device) {
		free(device->causes);
		free(device);
	}
}

/* Adds `from` to `into` and destroys it. */
static enum status join_devices(struct block_device *into, struct block_device *from)
{
	enum status status = STATUS_OK;

	for (int layer = 0; layer < SWEEP_LAYER_COUNT; layer++) {
		into->covered_ns[layer] += from->covered_ns[layer];
	}
	into->gap_ns += from->gap_ns;
	into->gap_count += from->gap_count;
	for (uint32_t i = 0; i < from->cause_count && status == STATUS_OK; i++) {
		status = add_cause(into, &from->causes[i]);
	}
	device_destroy(from);
	return status;
}

/* Adds the block `from` to the one that it follows; nothing is left in it, even on failure. */
static enum status join(struct block *into, struct block *from)
{
	enum status status = STATUS_OK;

	into->end_ns = from->end_ns;
	into->work += from->work;
	for (uint32_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		struct block_device *device = from->devices[i];

		from->devices[i] = NULL;
		if (!into->devices[i]) {
			into->devices[i] = device;
		} else if (device && status == STATUS_OK) {
			status = join_devices(into->devices[i], device);
		} else {
			device_destroy(device);
		}
	}
	return status;
}

static enum status join_next(struct blocks *blocks, uint32_t index)
{
	struct block *block = &blocks->list[index];
	const enum status status = join(block, block + 1);

	blocks->count--;
	memmove(block + 1, block + 2, (blocks->count - index - 1) * sizeof(*block));
	memset(&blocks->list[blocks->count], 0, sizeof(*block));
	return status;
}

static enum status join_pairs(struct blocks *blocks)
{
	enum status status = STATUS_OK;

	/* join_next() moves the rest down, so the next pair begins one further on. */
	for (uint32_t i = 0; i + 1 < blocks->count && status == STATUS_OK; i++) {
		status = join_next(blocks, i);
	}
	blocks->work_per_block *= 2;
	return status;
}

enum status blocks_add_work(struct blocks *blocks, uint64_t time_ns, uint64_t work)
{
	struct block *last = &blocks->list[blocks->count - 1];
	enum status status = STATUS_OK;

	if (time_ns <= blocks_begin_ns(blocks, blocks->count - 1)) {
		/* A block holds the end it was cut at. */
		blocks->list[block_of(blocks, time_ns ? time_ns - 1 : 0)].work += work;
		return STATUS_OK;
	}
	last->work += work;
	/* No cut where time was charged already: it would have to be shared out again. */
	if (last->work < blocks->work_per_block || time_ns < blocks->charged_until_ns) {
		return STATUS_OK;
	}
	last->end_ns = time_ns;
	/* Half of them hold twice the work: later blocks are cut as large. */
	if (blocks->count == BLOCK_COUNT_MAX) {
		status = join_pairs(blocks);
	}
	blocks->list[blocks->count++] = (struct block){.end_ns = UINT64_MAX};
	return status;
}

void blocks_forget_work(struct blocks *blocks)
{
	for (uint32_t i = 0; i < blocks->count; i++) {
		blocks->list[i].work = 0;
	}
	/* Nothing lies in them yet: the cuts go, too. */
	if (blocks->charged_until_ns == 0) {
		blocks->count = 1;
		blocks->work_per_block = 1;
		blocks->list[0].end_ns = UINT64_MAX;
	}
}

static void charge_until(struct blocks *blocks, uint64_t end_ns)
{
	if (end_ns > blocks->charged_until_ns) {
		blocks->charged_until_ns = end_ns;
	}
}

static enum status put_run(struct blocks *blocks, uint32_t index, enum sweep_layer layer)
{
	const struct block_run *run = &blocks->runs[index][layer];
	const uint64_t end_ns = run->end_ns < blocks->limit_ns ? run->end_ns : blocks->limit_ns;
	uint64_t from_ns = run->begin_ns;
	enum status status = STATUS_OK;

	charge_until(blocks, end_ns);
	/* The last block reaches to the end of time, so the loop ends. */
	for (uint32_t i = block_of(blocks, from_ns); from_ns < end_ns; i++) {
		struct block *block = &blocks->list[i];
		const uint64_t to_ns = block->end_ns < end_ns ? block->end_ns : end_ns;
		struct block_device *device = NULL;

		status = device_of(block, index, &device);
		if (status != STATUS_OK) {
			break;
		}
		device->covered_ns[layer] += to_ns - from_ns;
		from_ns = to_ns;
	}
	return status;
}

enum status blocks_add_covered(struct blocks *blocks, uint32_t device, enum sweep_layer layer,
	const struct block_run *covered)
{
	struct block_run *run = &blocks->runs[device][layer];
	enum status status = STATUS_OK;

	/* The last run may reach beyond the window, whose end is not known yet: it waits. */
	if (run->end_ns == covered->begin_ns) {
		run->end_ns = covered->end_ns;
		return STATUS_OK;
	}
	status = put_run(blocks, device, layer);
	*run = *covered;
	return status;
}

enum status blocks_add_gap(struct blocks *blocks, const struct gap *gap)
{
	uint64_t from_ns = gap->begin_ns;
	uint64_t count = 1;

	charge_until(blocks, gap->end_ns);
	for (uint32_t i = block_of(blocks, from_ns); from_ns < gap->end_ns; i++) {
		struct block *block = &blocks->list[i];
		const uint64_t to_ns = block->end_ns < gap->end_ns ? block->end_ns : gap->end_ns;
		struct block_device *device = NULL;
		const enum status status = device_of(block, gap->device, &device);

		if (status != STATUS_OK) {
			return status;
		}
		device->gap_ns += to_ns - from_ns;
		device->gap_count += count;
		from_ns = to_ns;
		/* It is counted where it begins, so that blocks add up to the report. */
		count = 0;
	}
	return STATUS_OK;
}

enum status blocks_add_part(
	struct blocks *blocks, uint32_t device_index, const struct gap_part *part, bool is_first)
{
	struct block_cause added = {.cause = part->cause,
		.object = part->object,
		.phase = part->phase,
		.gap_count = is_first};
	uint64_t from_ns = part->from_ns;

	for (uint32_t i = block_of(blocks, from_ns); from_ns < part->to_ns; i++) {
		struct block *block = &blocks->list[i];
		const uint64_t to_ns = block->end_ns < part->to_ns ? block->end_ns : part->to_ns;
		struct block_device *device = NULL;
		enum status status = device_of(block, device_index, &device);

		added.ns = to_ns - from_ns;
		if (status == STATUS_OK) {
			status = add_cause(device, &added);
		}
		if (status != STATUS_OK) {
			return status;
		}
		from_ns = to_ns;
		added.gap_count = 0;
	}
	return STATUS_OK;
}

void blocks_set_limit(struct blocks *blocks, uint64_t end_ns)
{
	blocks->limit_ns = end_ns;
}

static int compare_causes(const void *left, const void *right)
{
	const struct block_cause *a = left;
	const struct block_cause *b = right;
	int order;

	if (a->ns != b->ns) {
		return a->ns > b->ns ? -1 : 1;
	}
	if (a->cause != b->cause) {
		return a->cause < b->cause ? -1 : 1;
	}
	order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->phase, b->phase);
}

static void rank_causes(struct block *block)
{
	for (uint32_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		struct block_device *device = block->devices[i];

		if (device && device->cause_count > 0) {
			qsort(device->causes, device->cause_count, sizeof(*device->causes),
				compare_causes);
		}
	}
}

/* Cuts outside the window go, and so do blocks without work and a last one with little. */
static enum status tidy(struct blocks *blocks)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK && blocks->count > 1 &&
		blocks->list[0].end_ns <= blocks->begin_ns) {
		status = join_next(blocks, 0);
	}
	while (status == STATUS_OK && blocks->count > 1 &&
		blocks->list[blocks->count - 2].end_ns >= blocks->limit_ns) {
		status = join_next(blocks, blocks->count - 2);
	}
	/* From here on the blocks fill the window exactly. */
	blocks->list[blocks->count - 1].end_ns = blocks->limit_ns;
	for (uint32_t i = 0; status == STATUS_OK && i + 1 < blocks->count;) {
		if (blocks->list[i].work == 0) {
			status = join_next(blocks, i);
		} else {
			i++;
		}
	}
	if (status == STATUS_OK && blocks->count > 1 &&
		blocks->list[blocks->count - 1].work < (blocks->work_per_block + 1) / 2) {
		status = join_next(blocks, blocks->count - 2);
	}
	return status;
}

enum status blocks_end(struct blocks *blocks, uint64_t begin_ns)
{
	enum status status = STATUS_OK;

	for (uint32_t device = 0; device < DEVICE_COUNT_MAX; device++) {
		for (int layer = 0; layer < SWEEP_LAYER_COUNT && status == STATUS_OK; layer++) {
			status = put_run(blocks, device, (enum sweep_layer)layer);
		}
	}
	blocks->begin_ns = begin_ns;
	if (status == STATUS_OK) {
		status = tidy(blocks);
	}
	for (uint32_t i = 0; i < blocks->count; i++) {
		rank_causes(&blocks->list[i]);
	}
	return status;
}

uint64_t blocks_work(const struct blocks *blocks)
{
	uint64_t work = 0;

	for (uint32_t i = 0; i < blocks->count; i++) {
		work += blocks->list[i].work;
	}
	return work;
}

void blocks_finish(struct blocks *blocks)
{
	for (uint32_t i = 0; i < BLOCK_COUNT_MAX; i++) {
		for (uint32_t device = 0; device < DEVICE_COUNT_MAX; device++) {
			device_destroy(blocks->list[i].devices[device]);
		}
	}
	blocks_init(blocks);
}
