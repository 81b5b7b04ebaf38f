/* SPDX-License-Identifier: MIT */
#include "prover/pipeline.h"

#include "prover/device/model_sleep.h"
#include "prover/hand_over.h"
#include "prover/heap_chunks.h"
#include "prover/keyframe.h"
#include "prover/lock_registry.h"
#include "prover/pipeline_devices.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A stopped pipeline waits for its jobs in steps of this, only to look again. */
#define PIPELINE_WAIT_NS (3600 * NS_PER_S)

#define PIPELINE_THREAD_NAME_BYTES 16

enum stage {
	STAGE_SCHEDULER,
	STAGE_DISPATCHER,
	STAGE_SYNTHESIS,
	STAGE_GPU_WORKER
};

struct pipeline_thread {
	struct pipeline *pipeline;
	pthread_t handle;
	enum stage stage;
	uint32_t index; /* of the worker */
	char name[PIPELINE_THREAD_NAME_BYTES];
};

static void *thread_run(void *argument)
{
	struct pipeline_thread *thread = argument;

	gaptrace_thread_name(thread->name);
	switch (thread->stage) {
	case STAGE_SCHEDULER:
		scheduler_run(thread->pipeline);
		break;
	case STAGE_DISPATCHER:
		dispatcher_run(thread->pipeline);
		break;
	case STAGE_SYNTHESIS:
		synthesis_run(thread->pipeline);
		break;
	case STAGE_GPU_WORKER:
		gpu_worker_run(thread->pipeline, thread->index);
		break;
	}
	gaptrace_thread_end();
	return NULL;
}

static void thread_name(
	const struct pipeline *pipeline, struct pipeline_thread *thread, uint32_t index)
{
	uint32_t workers = (uint32_t)pipeline->config.gpu.workers_per_device;

	switch (thread->stage) {
	case STAGE_SCHEDULER:
		(void)snprintf(thread->name, sizeof(thread->name), "scheduler");
		break;
	case STAGE_DISPATCHER:
		(void)snprintf(thread->name, sizeof(thread->name), "dispatcher");
		break;
	case STAGE_SYNTHESIS:
		/* Masked to what 15 bytes of a thread's name hold; the limits of the keys are no
		 * larger. */
		(void)snprintf(thread->name, sizeof(thread->name), "synthesis-%u", index & 0xff);
		break;
	case STAGE_GPU_WORKER:
		(void)snprintf(thread->name, sizeof(thread->name), "gpu%u-worker%u",
			(index / workers) & 0x3f, (index % workers) & 0xf);
		break;
	}
}

static enum status start_threads(
	struct pipeline *pipeline, enum stage stage, uint32_t count, struct diag *diag)
{
	for (uint32_t i = 0; i < count; i++) {
		struct pipeline_thread *thread = &pipeline->threads[pipeline->thread_count];
		int error = 0;

		*thread =
			(struct pipeline_thread){.pipeline = pipeline, .stage = stage, .index = i};
		thread_name(pipeline, thread, i);
		error = pthread_create(&thread->handle, NULL, thread_run, thread);
		if (error != 0) {
			return diag_set(diag, status_from_errno(error),
				"cannot start the thread %s", thread->name);
		}
		pipeline->thread_count++;
	}
	return STATUS_OK;
}

uint32_t pipeline_worker_count(const struct pipeline *pipeline)
{
	return (uint32_t)(pipeline->config.gpu.count * pipeline->config.gpu.workers_per_device);
}

bool pipeline_is_simulated(const struct pipeline *pipeline)
{
	return !pipeline->ops->makes_proofs;
}

static enum status start_all_threads(struct pipeline *pipeline, struct diag *diag)
{
	uint32_t synthesis = (uint32_t)pipeline->config.synthesis.workers;
	uint32_t gpu = pipeline_worker_count(pipeline);
	enum status status = STATUS_OK;

	pipeline->threads = calloc(2 + synthesis + gpu, sizeof(*pipeline->threads));
	if (!pipeline->threads) {
		return STATUS_NO_MEMORY;
	}
	/* From the end of the pipeline to its begin: nothing is pushed before its consumer is
	 * there. */
	status = start_threads(pipeline, STAGE_GPU_WORKER, gpu, diag);
	if (status == STATUS_OK) {
		status = start_threads(pipeline, STAGE_SYNTHESIS, synthesis, diag);
	}
	if (status == STATUS_OK) {
		status = start_threads(pipeline, STAGE_DISPATCHER, 1, diag);
	}
	if (status == STATUS_OK) {
		status = start_threads(pipeline, STAGE_SCHEDULER, 1, diag);
	}
	if (status == STATUS_OK) {
		status = keyframe_start(pipeline, &pipeline->keyframe);
	}
	return status;
}

/* Half the host's memory; of a simulated host, what holds a key and a dozen partitions. */
static uint64_t budget_bytes(const struct pipeline *pipeline)
{
	if (pipeline->config.memory.budget_bytes != 0) {
		return pipeline->config.memory.budget_bytes;
	}
	if (pipeline_is_simulated(pipeline)) {
		return 256ULL << 30;
	}
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

static enum status init_tracker(struct pipeline *pipeline)
{
	struct tracker_config config = {.active_max = (uint32_t)pipeline->config.daemon.queue_max,
		.history_max = (uint32_t)pipeline->config.daemon.history_max,
		.worker_count = pipeline_worker_count(pipeline)};
	enum status status = tracker_init(&pipeline->tracker, &config);

	for (uint32_t i = 0; i < config.worker_count && status == STATUS_OK; i++) {
		pipeline->tracker.workers[i].device =
			i / (uint32_t)pipeline->config.gpu.workers_per_device;
		pipeline->tracker.workers[i].since_ns = pipeline->begin_ns;
	}
	return status;
}

static enum status init_pacer(struct pipeline *pipeline)
{
	const struct config_scheduler *scheduler = &pipeline->config.scheduler;
	struct pacer_config config = {.mode = (enum pacer_mode)scheduler->pacer,
		.interval_ns = scheduler->pacer_interval_ms * NS_PER_MS,
		.interval_min_ns = scheduler->pacer_interval_min_ms * NS_PER_MS,
		.interval_max_ns = scheduler->pacer_interval_max_ms * NS_PER_MS,
		.target_depth = (uint32_t)scheduler->pacer_target_depth,
		.lane_count = pipeline_worker_count(pipeline)};

	return pacer_init(&pipeline->pacer, &config);
}

static enum status init_gpu_queues(struct pipeline *pipeline)
{
	/* One for all devices, or one for each. */
	uint32_t count = pipeline->config.gpu.affinity == CONFIG_AFFINITY_SHARED
				 ? 1
				 : (uint32_t)pipeline->config.gpu.count;

	pipeline->gpu_queues = calloc(count, sizeof(*pipeline->gpu_queues));
	if (!pipeline->gpu_queues) {
		return STATUS_NO_MEMORY;
	}
	while (pipeline->gpu_queue_count < count) {
		enum status status = priority_queue_init(
			&pipeline->gpu_queues[pipeline->gpu_queue_count], "gpu_queue", UINT32_MAX);

		if (status != STATUS_OK) {
			return status;
		}
		pipeline->gpu_queue_count++;
	}
	return STATUS_OK;
}

/* The parts that live inside the struct, in the order in which init_count counts them. */
static enum status init_step(struct pipeline *pipeline, uint32_t step)
{
	const struct config *config = &pipeline->config;
	uint64_t channel = config->synthesis.channel_capacity ? config->synthesis.channel_capacity
							      : config->synthesis.workers;

	switch (step) {
	case 0:
		return init_tracker(pipeline);
	case 1:
		return memory_budget_init(&pipeline->budget, budget_bytes(pipeline));
	case 2:
		return init_pacer(pipeline);
	case 3:
		/* The tracker bounds the jobs, and so the partitions in all queues behind. */
		return priority_queue_init(&pipeline->scheduler, "scheduler", UINT32_MAX);
	case 4:
		return priority_queue_init(&pipeline->synth_queue, "synth_queue", UINT32_MAX);
	default:
		return priority_queue_init(&pipeline->dispatch, "dispatch", (uint32_t)channel);
	}
}

#define INIT_STEPS 6

static void finish_step(struct pipeline *pipeline, uint32_t step)
{
	switch (step) {
	case 0:
		tracker_finish(&pipeline->tracker);
		break;
	case 1:
		memory_budget_finish(&pipeline->budget);
		break;
	case 2:
		pacer_finish(&pipeline->pacer);
		break;
	case 3:
		priority_queue_finish(&pipeline->scheduler);
		break;
	case 4:
		priority_queue_finish(&pipeline->synth_queue);
		break;
	default:
		priority_queue_finish(&pipeline->dispatch);
		break;
	}
}

static enum status build(struct pipeline *pipeline, const char *state_dir, struct diag *diag)
{
	const struct config *config = &pipeline->config;
	struct srs_manager_config keys = {.config = &pipeline->config, .state_dir = state_dir};
	enum status status = STATUS_OK;

	while (pipeline->init_count < INIT_STEPS) {
		status = init_step(pipeline, pipeline->init_count);
		if (status != STATUS_OK) {
			return status;
		}
		pipeline->init_count++;
	}
	status = init_gpu_queues(pipeline);
	if (status == STATUS_OK) {
		status = hand_over_create(&pipeline->hand_over);
	}
	if (status == STATUS_OK && config->memory.heap_chunks > 0) {
		status = heap_chunks_create(config->memory.heap_chunks, &pipeline->heap_chunks);
	}
	if (status == STATUS_OK) {
		status = pipeline_devices_open(pipeline, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	keys.ops = pipeline->ops;
	keys.devices = pipeline->devices;
	keys.device_count = pipeline->device_count;
	keys.budget = &pipeline->budget;
	keys.blocking_pool = pipeline->blocking_pool;
	status = srs_manager_create(&keys, &pipeline->srs_manager);
	if (status == STATUS_OK) {
		status = srs_manager_prepare(pipeline->srs_manager, diag);
	}
	if (status == STATUS_OK && pipeline->config.srs.load == CONFIG_SRS_START) {
		status = srs_manager_preload(pipeline->srs_manager, diag);
	}
	if (status == STATUS_OK) {
		status = start_all_threads(pipeline, diag);
	}
	return status;
}

static enum status find_device(
	const struct config *config, struct diag *diag, const struct device_ops **out_ops)
{
	static const char *const names[] = {
		[CONFIG_DEVICE_CPU] = "cpu",
		[CONFIG_DEVICE_SIM] = "sim",
		[CONFIG_DEVICE_CUDA] = "cuda",
	};
	const struct device_ops *ops = device_find(names[config->gpu.kind]);

	if (!ops) {
		return diag_set(diag, STATUS_UNSUPPORTED,
			"[gpu] kind = %s: this build has none: build where nvcc is, or set kind = "
			"cpu",
			names[config->gpu.kind]);
	}
	*out_ops = ops;
	return STATUS_OK;
}

enum status pipeline_create(const struct config *config, const char *state_dir, struct diag *diag,
	struct pipeline **out_pipeline)
{
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));
	enum status status = STATUS_OK;

	assert(config && state_dir && out_pipeline);

	if (!pipeline) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	if (diag) {
		diag->line[0] = '\0';
	}
	pipeline->config = *config;
	pipeline->begin_ns = clock_now_ns();
	status = find_device(config, diag, &pipeline->ops);
	if (status != STATUS_OK) {
		free(pipeline);
		return status;
	}
	pipeline->lost_fd = eventfd(0, EFD_CLOEXEC);
	if (pipeline->lost_fd < 0) {
		status = status_from_errno(errno);
		free(pipeline);
		return diag_set(diag, status, "cannot start: no event: %s", strerror(errno));
	}
	status = build(pipeline, state_dir, diag);
	if (status != STATUS_OK) {
		if (diag && diag->line[0] == '\0') {
			status = diag_set(diag, status, "cannot start: %s", status_text(status));
		}
		pipeline_destroy(pipeline);
		return status;
	}
	*out_pipeline = pipeline;
	return STATUS_OK;
}

enum status pipeline_submit(struct pipeline *pipeline, struct job_request *request,
	struct diag *diag, uint64_t *out_job_id)
{
	AUTO(job_unref) struct job *job = NULL;
	enum status status = STATUS_OK;

	if (!srs_manager_serves(pipeline->srs_manager, request->kind)) {
		return diag_set(diag, STATUS_NOT_FOUND,
			"jobs of kind '%s' are not served here: [jobs] kinds has '%s'",
			job_kind_name(request->kind), pipeline->config.jobs.kinds);
	}
	status = srs_manager_check_fit(pipeline->srs_manager, request, diag);
	if (status != STATUS_OK) {
		return status;
	}
	status = job_create(request, &job);
	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s", status_text(status));
	}
	idle_meter_job_submit(pipeline->meter);
	status = tracker_add(&pipeline->tracker, job);
	if (status == STATUS_OVER_LIMIT) {
		return diag_set(diag, status,
			"%" PRIu64 " jobs are queued or running already; try again later",
			pipeline->config.daemon.queue_max);
	}
	if (status == STATUS_STOPPED) {
		return diag_set(diag, status, "the daemon is shutting down");
	}
	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s", status_text(status));
	}
	*out_job_id = job->id;
	scheduler_submit(pipeline, job);
	return STATUS_OK;
}

struct pipeline_counters pipeline_counters(struct pipeline *pipeline)
{
	struct pipeline_counters counters = {.malloc_trims = atomic_load(&pipeline->trim_count)};

	counters.queue_pops = priority_queue_counts(&pipeline->scheduler).popped_count +
			      priority_queue_counts(&pipeline->synth_queue).popped_count +
			      priority_queue_counts(&pipeline->dispatch).popped_count;
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		counters.queue_pops += priority_queue_counts(&pipeline->gpu_queues[i]).popped_count;
	}
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		struct partition_gpu_counts gpu = partition_gpu_counts(pipeline->gpus[i]);

		counters.prove_starts += gpu.start_count;
		counters.prove_finishes += gpu.finish_count;
	}
	/* Last: the figures above took locks. */
	counters.lock_acquires = lock_registry_acquire_count();
	return counters;
}

void pipeline_cancel(struct pipeline *pipeline)
{
	/* New jobs first, then those that run, then whoever waits for time or memory. */
	tracker_drain(&pipeline->tracker);
	tracker_cancel_all(&pipeline->tracker);
	pacer_stop(&pipeline->pacer);
	memory_budget_stop(&pipeline->budget);
	model_sleep_cut(pipeline->sleep);
}

static void join_stage(struct pipeline *pipeline, enum stage stage)
{
	for (uint32_t i = 0; i < pipeline->thread_count; i++) {
		if (pipeline->threads[i].stage == stage) {
			(void)pthread_join(pipeline->threads[i].handle, NULL);
		}
	}
}

void pipeline_stop(struct pipeline *pipeline)
{
	if (!pipeline->threads) {
		return;
	}
	tracker_drain(&pipeline->tracker);
	while (!tracker_wait_idle(&pipeline->tracker, clock_now_ns() + PIPELINE_WAIT_NS)) {
	}
	/* All jobs are over: what is still freed for them takes no time of anybody's. */
	model_sleep_cut(pipeline->sleep);
	/* Each stage closes the queue behind it when its own is empty. */
	priority_queue_close(&pipeline->scheduler);
	join_stage(pipeline, STAGE_SCHEDULER);
	priority_queue_close(&pipeline->synth_queue);
	join_stage(pipeline, STAGE_DISPATCHER);
	priority_queue_close(&pipeline->dispatch);
	join_stage(pipeline, STAGE_SYNTHESIS);
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		priority_queue_close(&pipeline->gpu_queues[i]);
	}
	join_stage(pipeline, STAGE_GPU_WORKER);
	keyframe_stop(MOVE(pipeline->keyframe));
	free(pipeline->threads);
	pipeline->threads = NULL;
	pipeline->thread_count = 0;
	pipeline_devices_stop(pipeline);
}

void pipeline_destroy(struct pipeline *pipeline)
{
	if (!pipeline) {
		return;
	}
	pipeline_stop(pipeline);
	/* Keys lie on the devices, and give their memory back to the budget: before both. */
	srs_manager_destroy(pipeline->srs_manager);
	pipeline_devices_close(pipeline);
	hand_over_destroy(pipeline->hand_over);
	heap_chunks_destroy(pipeline->heap_chunks);
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		priority_queue_finish(&pipeline->gpu_queues[i]);
	}
	free(pipeline->gpu_queues);
	(void)close(pipeline->lost_fd);
	while (pipeline->init_count > 0) {
		pipeline->init_count--;
		finish_step(pipeline, pipeline->init_count);
	}
	free(pipeline);
}
