/* SPDX-License-Identifier: MIT */
#include "prover/partition_gpu.h"

#include "prover/device/model_sleep.h"
#include "prover/lock_registry.h"
#include "prover/partition_private.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

#define GB 1000000000ULL

/* Room for one scalar of a query in device memory: its index and its value. */
#define SCALAR_ROOM_BYTES (sizeof(uint32_t) + sizeof(blst_scalar))

/* Room for aligning each of the pieces that the scalars of a query are in. */
#define ALIGNMENT_ROOM_BYTES (5 * 64)

/*
 * Single-threaded prep 1.9 s, b_g2 on 32 threads 1.7 s, epilogue 5 ms, 167 GB unmapped in 10 s.
 * What the split vectors hold is assumed to be as much as the witness.
 */
const struct partition_model partition_model_threadripper = {
	.time_scale = 1,
	.prep_ns = 1900 * NS_PER_MS,
	.b_g2_ns = 1700 * NS_PER_MS,
	.epilogue_ns = 5 * NS_PER_MS,
	.unmap_bytes_per_s = 16700000000ULL,
	.tail_bytes = 4 * GB,
};

void partition_gpu_add(struct partition_gpu *gpu, enum partition_clock clock, uint64_t ns)
{
	(void)atomic_fetch_add_explicit(&gpu->clocks[clock], ns, memory_order_relaxed);
}

void partition_model_wait(const struct partition_model *model, uint64_t time_ns)
{
	/* A model that was not filled in is as fast as it says. */
	const double scale = model->time_scale > 0 ? model->time_scale : 1;
	const uint64_t scaled_ns = (uint64_t)((double)time_ns * scale);

	if (model->burns_cpu) {
		model_sleep_burn(model->sleep, scaled_ns);
	} else {
		(void)model_sleep_until(model->sleep, clock_now_ns() + scaled_ns);
	}
}

void partition_model_unmap(const struct partition_model *model, uint64_t bytes)
{
	if (model->unmap_bytes_per_s && bytes) {
		partition_model_wait(model, (uint64_t)((double)bytes * (double)NS_PER_S /
						       (double)model->unmap_bytes_per_s));
	}
}

/* The vectors, with the witness behind them, and afterwards, in the same memory, the scalars of the
 * other queries. */
static uint64_t workspace_bytes(const struct device_shape *shape, bool evaluates)
{
	const uint64_t vector_bytes = DEVICE_VECTOR_COUNT * shape->domain_size * sizeof(blst_fr) +
				      (evaluates ? shape->wire_count * sizeof(blst_scalar) : 0);
	uint64_t scalar_bytes = 0;

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		if (i != DEVICE_QUERY_H) {
			scalar_bytes +=
				shape->point_count[i] * SCALAR_ROOM_BYTES + ALIGNMENT_ROOM_BYTES;
		}
	}
	return vector_bytes > scalar_bytes ? vector_bytes : scalar_bytes;
}

static void meter_workspace(struct partition_gpu *gpu, uint64_t begin_ns)
{
	partition_gpu_add(gpu, PARTITION_WORKSPACE, clock_now_ns() - begin_ns);
	idle_meter_interval(
		gpu->config.meter, IDLE_CLOCK_DEVICE_ALLOC, gpu->config.device_index, begin_ns);
}

struct device_memory *partition_gpu_take_outgrown(
	struct partition_gpu *gpu, const struct partition_key *key)
{
	const uint64_t bytes = workspace_bytes(&key->shape, gpu->config.options.evaluates);
	const struct device_ops *ops = gpu->config.ops;
	struct device_memory *outgrown = NULL;

	if (gpu->workspace && gpu->workspace_bytes < bytes) {
		gpu->workspace_bytes = 0;
		return MOVE(gpu->workspace);
	}
	for (int i = 0; i < DEVICE_VECTOR_COUNT && ops->stream_take_outgrown && !outgrown; i++) {
		outgrown = ops->stream_take_outgrown(
			gpu->streams[i], key->device_keys[gpu->config.device_index]);
	}
	return outgrown;
}

void partition_gpu_free(struct partition_gpu *gpu, struct device_memory *memory)
{
	const uint64_t begin_ns = clock_now_ns();

	gpu->config.ops->memory_free(gpu->config.device, memory);
	meter_workspace(gpu, begin_ns);
}

enum status partition_gpu_reserve(struct partition_gpu *gpu, const struct device_shape *shape)
{
	const struct device_ops *ops = gpu->config.ops;
	const uint64_t bytes = workspace_bytes(shape, gpu->config.options.evaluates);
	const uint64_t begin_ns = clock_now_ns();
	enum status status;

	/* Kept from a partition of a key as large; of a smaller one it was taken away. */
	if (gpu->workspace) {
		assert(gpu->workspace_bytes >= bytes);
		return STATUS_OK;
	}
	status = ops->memory_alloc(gpu->config.device, bytes, &gpu->workspace);
	if (status == STATUS_OK) {
		gpu->workspace_bytes = bytes;
	}
	meter_workspace(gpu, begin_ns);
	return status;
}

void partition_gpu_return(struct partition_gpu *gpu)
{
	if (gpu->config.options.allocates_each_call) {
		gpu->workspace_bytes = 0;
		partition_gpu_free(gpu, MOVE(gpu->workspace));
	}
}

static enum status open_streams(struct partition_gpu *gpu)
{
	const struct device_ops *ops = gpu->config.ops;
	struct device *device = gpu->config.device;
	enum status status = STATUS_OK;

	for (int i = 0; i < DEVICE_VECTOR_COUNT && status == STATUS_OK; i++) {
		status = ops->stream_open(device, &gpu->streams[i]);
		if (status == STATUS_OK) {
			status = ops->event_open(device, &gpu->transformed[i]);
		}
	}
	if (status == STATUS_OK) {
		status = ops->event_open(device, &gpu->evaluated);
	}
	return status == STATUS_OK ? ops->event_open(device, &gpu->uploaded) : status;
}

static enum status open_results(struct partition_gpu *gpu)
{
	const struct device_ops *ops = gpu->config.ops;
	/* Pinned on the host's side, so that fetching them is never staged. */
	const uint64_t bytes = PARTITION_RESULT_COUNT * sizeof(blst_p1);
	void *host_results = NULL;
	enum status status = ops->memory_alloc(gpu->config.device, bytes, &gpu->results);

	if (status == STATUS_OK) {
		status = ops->pinned_alloc(gpu->config.device, bytes, &host_results);
	}
	if (status == STATUS_OK) {
		gpu->host_results = host_results;
	}
	return status;
}

enum status partition_gpu_create(
	const struct partition_gpu_config *config, struct partition_gpu **out_gpu)
{
	AUTO(partition_gpu_destroy) struct partition_gpu *gpu = NULL;
	enum status status;

	assert(config && config->ops && config->device && config->groth16_pool);
	assert(config->prep_pool && config->device_index < DEVICE_COUNT_MAX && out_gpu);

	gpu = calloc(1, sizeof(*gpu));
	if (!gpu) {
		return STATUS_NO_MEMORY;
	}
	gpu->config = *config;
	status = lock_registry_mutex_init(&gpu->mutex, "gpu_mutex");
	if (status != STATUS_OK) {
		free(MOVE(gpu));
		return status;
	}
	status = lock_registry_mutex_init(&gpu->barrier_mutex, "prep_barrier");
	if (status != STATUS_OK) {
		lock_registry_mutex_finish(&gpu->mutex);
		free(MOVE(gpu));
		return status;
	}
	gaptrace_condition_init(&gpu->barrier, NULL);

	status = open_streams(gpu);
	if (status == STATUS_OK) {
		status = open_results(gpu);
	}
	if (status == STATUS_OK) {
		*out_gpu = MOVE(gpu);
	}
	return status;
}

struct partition_gpu_counts partition_gpu_counts(struct partition_gpu *gpu)
{
	uint64_t clocks[PARTITION_CLOCK_COUNT];

	assert(gpu);

	for (int i = 0; i < PARTITION_CLOCK_COUNT; i++) {
		/* Each of nearly the same moment: figures for people, not for sums that must
		 * agree. */
		clocks[i] = atomic_load_explicit(&gpu->clocks[i], memory_order_relaxed);
	}
	return (struct partition_gpu_counts){
		.start_count = clocks[PARTITION_START_COUNT],
		.finish_count = clocks[PARTITION_FINISH_COUNT],
		.failed_count = clocks[PARTITION_FAILED_COUNT],
		.proved_count = clocks[PARTITION_PROVED_COUNT],
		.mutex_wait_ns = clocks[PARTITION_MUTEX_WAIT],
		.mutex_held_ns = clocks[PARTITION_MUTEX_HELD],
		.mutex_without_kernel_ns = clocks[PARTITION_MUTEX_WITHOUT_KERNEL],
		.barrier_wait_ns = clocks[PARTITION_BARRIER_WAIT],
		.barrier_in_mutex_ns = clocks[PARTITION_BARRIER_IN_MUTEX],
		.barrier_count = clocks[PARTITION_BARRIER_COUNT],
		.upload_pageable_ns = clocks[PARTITION_UPLOAD_PAGEABLE],
		.workspace_ns = clocks[PARTITION_WORKSPACE],
		.device_sync_ns = clocks[PARTITION_DEVICE_SYNC],
		.prep_ns = clocks[PARTITION_PREP],
		.b_g2_ns = clocks[PARTITION_B_G2],
		.b_g2_join_ns = clocks[PARTITION_B_G2_JOIN],
		.epilogue_ns = clocks[PARTITION_EPILOGUE],
		.release_abc_ns = clocks[PARTITION_RELEASE_ABC],
		.dealloc_ns = clocks[PARTITION_DEALLOC],
		.device = gpu->config.ops->counts(gpu->config.device),
	};
}

void partition_gpu_destroy(struct partition_gpu *gpu)
{
	const struct device_ops *ops;
	struct device *device;

	if (!gpu) {
		return;
	}

	/* Also of one that was opened in part: every close accepts NULL. */
	ops = gpu->config.ops;
	device = gpu->config.device;
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		ops->stream_close(device, gpu->streams[i]);
	}
	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		ops->event_close(device, gpu->transformed[i]);
	}
	ops->event_close(device, gpu->uploaded);
	ops->event_close(device, gpu->evaluated);
	ops->memory_free(device, gpu->workspace);
	ops->memory_free(device, gpu->results);
	ops->pinned_free(device, gpu->host_results, PARTITION_RESULT_COUNT * sizeof(blst_p1));
	gaptrace_condition_finish(&gpu->barrier);
	lock_registry_mutex_finish(&gpu->barrier_mutex);
	lock_registry_mutex_finish(&gpu->mutex);
	free(gpu);
}
