/* SPDX-License-Identifier: MIT */
#include "prover/pipeline_devices.h"

#include "prover/device/model_sleep.h"
#include "trace/base/clock.h"

#include <unistd.h>

#define BYTES_PER_MB 1000000ULL

/* As many proofs may be half made as finalizers are behind. */
#define PREP_THREADS_MAX 256

static uint32_t cpu_count(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint32_t)count : 1;
}

static enum status open_pools(struct pipeline *pipeline)
{
	const struct config *config = &pipeline->config;
	struct thread_pool_config blocking = {.name = "blocking",
		.thread_name = "blocking-",
		.thread_count = (uint32_t)config->pools.blocking,
		.is_growing = true};
	/* Not growing: its tiles compete for cores, and more threads than cores only trash
	 * caches. */
	struct thread_pool_config groth16 = {.name = "groth16_pool",
		.thread_name = "groth16-",
		.thread_count =
			config->pools.groth16 ? (uint32_t)config->pools.groth16 : cpu_count()};
	/* Growing, since a prep that waited for a thread would be the planted cause prep_queued. */
	struct thread_pool_config prep = {.name = "prep",
		.thread_name = "prep-",
		.thread_count = PREP_THREADS_MAX,
		.is_growing = true};
	struct thread_pool_config dealloc = {
		.name = "dealloc", .thread_name = "dealloc-", .thread_count = 1};
	struct thread_pool_config trim = {
		.name = "trim", .thread_name = "trim-", .thread_count = 1};
	enum status status = thread_pool_create(&blocking, &pipeline->blocking_pool);

	if (status == STATUS_OK) {
		status = thread_pool_create(&groth16, &pipeline->groth16_pool);
	}
	if (status == STATUS_OK) {
		status = thread_pool_create(&prep, &pipeline->prep_pool);
	}
	if (status == STATUS_OK && config->memory.dealloc == CONFIG_DEALLOC_BACKGROUND) {
		status = thread_pool_create(&dealloc, &pipeline->dealloc_pool);
	}
	if (status == STATUS_OK && config->memory.trim == CONFIG_TRIM_BACKGROUND) {
		status = thread_pool_create(&trim, &pipeline->trim_pool);
	}
	return status;
}

/* 0 keeps the model's. */
static void set_rate(uint64_t *bytes_per_s, uint64_t mb_per_s)
{
	if (mb_per_s != 0) {
		*bytes_per_s = mb_per_s * BYTES_PER_MB;
	}
}

static void set_figure(uint64_t *figure, uint64_t value)
{
	if (value != 0) {
		*figure = value;
	}
}

static struct device_model device_model_of(const struct config_sim *sim)
{
	struct device_model model = device_model_rtx_5070_ti;

	model.time_scale = sim->time_scale;
	set_rate(&model.pinned_bytes_per_s, sim->pinned_mb_per_s);
	set_rate(&model.pageable_bytes_per_s, sim->pageable_mb_per_s);
	set_rate(&model.key_bytes_per_s, sim->key_mb_per_s);
	set_rate(&model.pinned_alloc_bytes_per_s, sim->pinned_alloc_mb_per_s);
	set_rate(&model.memory_alloc_bytes_per_s, sim->device_alloc_mb_per_s);
	set_rate(&model.key_load_bytes_per_s, sim->key_load_mb_per_s);
	set_figure(&model.transform_ps_per_element, sim->transform_ps);
	set_figure(&model.msm_h_ps_per_point, sim->msm_h_ps);
	set_figure(&model.tail_ps_per_point, sim->tail_ps);
	return model;
}

static struct partition_model partition_model_of(const struct pipeline *pipeline)
{
	const struct config_sim *sim = &pipeline->config.sim;
	struct partition_model model = partition_model_threadripper;

	model.time_scale = sim->time_scale;
	model.burns_cpu = sim->burns_cpu != 0;
	model.sleep = pipeline->sleep;
	set_figure(&model.prep_ns, sim->prep_ms * NS_PER_MS);
	set_figure(&model.b_g2_ns, sim->b_g2_ms * NS_PER_MS);
	set_figure(&model.epilogue_ns, sim->epilogue_ms * NS_PER_MS);
	set_rate(&model.unmap_bytes_per_s, sim->unmap_mb_per_s);
	return model;
}

static enum status open_device(struct pipeline *pipeline, uint32_t index, struct diag *diag)
{
	const struct config_gpu *gpu = &pipeline->config.gpu;
	/* 0 when there are more devices than CPUs; the device then takes one. */
	uint32_t share = cpu_count() / (uint32_t)gpu->count;
	struct device_config config = {.driver = pipeline->driver,
		.meter = pipeline->meter,
		.index = index,
		.memory_bytes = gpu->memory_bytes,
		.holds_matrices = pipeline->config.synthesis.evaluate == CONFIG_EVALUATE_DEVICE,
		.lane_thread_count = gpu->kernel_threads ? (uint32_t)gpu->kernel_threads : share,
		.pinned_bytes_per_s = gpu->pinned_mb_per_s * BYTES_PER_MB,
		.pageable_bytes_per_s = gpu->pageable_mb_per_s * BYTES_PER_MB,
		.model = device_model_of(&pipeline->config.sim),
		.sleep = pipeline->sleep};
	enum status status = pipeline->ops->open(&config, diag, &pipeline->devices[index]);

	if (status == STATUS_OK) {
		pipeline->device_count++;
	}
	return status;
}

static enum status create_gpu(struct pipeline *pipeline, uint32_t index, struct diag *diag)
{
	const struct config *config = &pipeline->config;
	enum status status;
	struct partition_gpu_config gpu = {.ops = pipeline->ops,
		.device = pipeline->devices[index],
		.groth16_pool = pipeline->groth16_pool,
		.prep_pool = pipeline->prep_pool,
		.dealloc_pool = pipeline->dealloc_pool,
		.meter = pipeline->meter,
		.device_index = index,
		.model = partition_model_of(pipeline)};

	gpu.options = (struct partition_options){
		.mutex_scope = config->gpu.mutex_scope == CONFIG_MUTEX_CALL
				       ? PARTITION_MUTEX_CALL
				       : PARTITION_MUTEX_KERNELS,
		.prep = config->gpu.prep == CONFIG_PREP_POOL ? PARTITION_PREP_POOL
							     : PARTITION_PREP_OWN_THREAD,
		.dealloc = (enum partition_dealloc)config->memory.dealloc,
		.is_whole = config->gpu.prove == CONFIG_PROVE_WHOLE,
		.barrier_before_mutex = config->gpu.barrier == CONFIG_BARRIER_BEFORE_MUTEX,
		.synchronizes_device = config->gpu.sync == CONFIG_SYNC_DEVICE,
		.allocates_each_call = config->gpu.workspace == CONFIG_WORKSPACE_PER_CALL,
		.evaluates = config->synthesis.evaluate == CONFIG_EVALUATE_DEVICE,
	};
	status = partition_gpu_create(&gpu, &pipeline->gpus[index]);
	if (status == STATUS_NO_MEMORY) {
		return diag_set(diag, status,
			"device %u has no memory for what each proof needs; see [gpu] memory_bytes",
			index);
	}
	return status;
}

_Static_assert((int)CONFIG_DEALLOC_BACKGROUND == (int)PARTITION_DEALLOC_BACKGROUND &&
		       (int)CONFIG_DEALLOC_FINALIZER == (int)PARTITION_DEALLOC_FINALIZER &&
		       (int)CONFIG_DEALLOC_CALL == (int)PARTITION_DEALLOC_CALL,
	"the words of [memory] dealloc stand in the order of enum partition_dealloc");

static enum status create_pinned_pool(struct pipeline *pipeline)
{
	struct pinned_pool_config config = {
		/* Pinned memory is the host's: what device 0 allocates every device copies from. */
		.ops = pipeline->ops,
		.device = pipeline->devices[0],
		.staging = PINNED_POOL_REUSE};

	if (pipeline->config.memory.staging == CONFIG_STAGING_PAGEABLE) {
		config.staging = PINNED_POOL_PAGEABLE;
	} else if (pipeline->config.memory.pinned == CONFIG_PINNED_PER_CALL) {
		config.staging = PINNED_POOL_PER_CALL;
	}
	return pinned_pool_create(&config, &pipeline->pinned_pool);
}

enum status pipeline_devices_open(struct pipeline *pipeline, struct diag *diag)
{
	uint32_t count = (uint32_t)pipeline->config.gpu.count;
	enum status status = open_pools(pipeline);

	if (status == STATUS_OK) {
		status = device_driver_create(&pipeline->driver);
	}
	if (status == STATUS_OK) {
		status = model_sleep_create(&pipeline->sleep);
	}
	if (status == STATUS_OK) {
		status = idle_meter_create(
			count, (uint32_t)pipeline->config.gpu.workers_per_device, &pipeline->meter);
	}
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		status = open_device(pipeline, i, diag);
		if (status == STATUS_OK) {
			status = create_gpu(pipeline, i, diag);
		}
	}
	if (status == STATUS_OK) {
		status = create_pinned_pool(pipeline);
	}
	return status;
}

void pipeline_devices_stop(struct pipeline *pipeline)
{
	/* Finalizers use the other pools, so theirs goes first. */
	thread_pool_destroy(MOVE(pipeline->blocking_pool));
	thread_pool_destroy(MOVE(pipeline->prep_pool));
	thread_pool_destroy(MOVE(pipeline->groth16_pool));
	thread_pool_destroy(MOVE(pipeline->dealloc_pool));
	thread_pool_destroy(MOVE(pipeline->trim_pool));
}

void pipeline_devices_close(struct pipeline *pipeline)
{
	pipeline_devices_stop(pipeline);
	/* GPUs before the buffers they may hold, those before the device that allocated them. */
	for (uint32_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		partition_gpu_destroy(MOVE(pipeline->gpus[i]));
	}
	pinned_pool_destroy(MOVE(pipeline->pinned_pool));
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		pipeline->ops->close(MOVE(pipeline->devices[i]));
	}
	pipeline->device_count = 0;
	device_driver_destroy(MOVE(pipeline->driver));
	model_sleep_destroy(MOVE(pipeline->sleep));
	idle_meter_destroy(MOVE(pipeline->meter));
}
