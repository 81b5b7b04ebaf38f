/* SPDX-License-Identifier: MIT */
#include "prover/device_loss.h"
#include "prover/hand_over.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

#include <stdio.h>

/* What the hop to the blocking pool runs. */
struct start {
	struct pipeline *pipeline;
	struct partition *partition;
	uint32_t device;
	uint64_t submitted_ns;
	enum status status;
};

static void start_task(void *argument)
{
	struct start *start = argument;
	struct partition *partition = start->partition;

	/* The first act on the pool's thread: what came before was the wait for it. */
	partition->gpu_begin_ns = clock_now_ns();
	idle_meter_stage(start->pipeline->meter, partition->worker, IDLE_STAGE_START);
	(void)atomic_fetch_add(&start->pipeline->clocks.hop_wait_ns,
		partition->gpu_begin_ns - start->submitted_ns);
	start->status = partition_proof_start(start->pipeline->gpus[start->device],
		&partition->job->srs->key, (int32_t)partition->worker, &partition->synthesized,
		&partition->proof);
	(void)atomic_fetch_add(
		&start->pipeline->clocks.prove_start_ns, clock_now_ns() - partition->gpu_begin_ns);
}

/* The worker waits meanwhile: a join, as the daemon's workers await their blocking call. */
static enum status start_on_pool(
	struct pipeline *pipeline, struct partition *partition, uint32_t device)
{
	struct start start = {.pipeline = pipeline, .partition = partition, .device = device};
	struct thread_pool_task task = {.run = start_task,
		.argument = &start,
		.kind = "prove_start",
		.work = partition_work(partition, (int32_t)device)};
	enum status status = STATUS_OK;

	partition->synthesized->work.device = (int32_t)device;
	start.submitted_ns = clock_now_ns();
	idle_meter_stage(pipeline->meter, partition->worker, IDLE_STAGE_POOL);
	status = thread_pool_submit(pipeline->blocking_pool, &task);
	if (status != STATUS_OK) {
		return status;
	}
	thread_pool_join(pipeline->blocking_pool, &task);
	return start.status;
}

/* The finalizer takes the partition: on the pool, or here when the proof is made whole. */
static void finalize(struct pipeline *pipeline, struct partition *partition, uint32_t device)
{
	enum status status = STATUS_OVER_LIMIT;

	if (pipeline->config.gpu.prove == CONFIG_PROVE_SPLIT) {
		status = thread_pool_post(pipeline->blocking_pool, finalizer_run, partition,
			"finalize", partition_work(partition, (int32_t)device));
	}
	/* A proof made whole, or a pool without room. */
	if (status != STATUS_OK) {
		finalizer_run(partition);
	}
}

static void prove(struct pipeline *pipeline, struct partition *partition, uint32_t worker)
{
	uint32_t device = worker / (uint32_t)pipeline->config.gpu.workers_per_device;
	uint64_t abc_bytes = partition->job->srs->abc_bytes;
	char reason[DIAG_LINE_BYTES_MAX + 128];
	uint64_t wait_ns = 0;
	bool is_wanted = false;
	enum status status = STATUS_OK;

	partition->worker = worker;
	tracker_partition(&pipeline->tracker, partition->job, partition->index, JOB_PARTITION_GPU);
	/* The look under `tracker` before each proof, where a lock held for long idles the GPU. */
	is_wanted = tracker_worker_begin(
		&pipeline->tracker, worker, partition->job, partition->index, &wait_ns);
	(void)atomic_fetch_add(&pipeline->clocks.tracker_wait_ns, wait_ns);
	if (!is_wanted) {
		partition_fail(&partition, NULL);
		return;
	}
	status = start_on_pool(pipeline, partition, device);
	idle_meter_stage(pipeline->meter, worker, IDLE_STAGE_TRACKER);
	tracker_worker_end(&pipeline->tracker, worker);
	idle_meter_stage(pipeline->meter, worker, IDLE_STAGE_FINISH);
	if (status != STATUS_OK) {
		struct diag words = {""};

		if (pipeline->ops->failure) {
			pipeline->ops->failure(pipeline->devices[device], &words);
		}
		(void)snprintf(reason, sizeof(reason), "prove_start on device %u: %s%s%s", device,
			status_text(status), words.line[0] ? ": " : "", words.line);
		device_loss_tell(pipeline);
		partition_fail(&partition, reason);
		return;
	}
	/* How long the GPU's part took, not how far apart they come: that would measure the
	 * pacer's own pauses. */
	pacer_measure(&pipeline->pacer, clock_now_ns() - partition->gpu_begin_ns);
	if (pipeline->config.memory.release == CONFIG_RELEASE_TWO_PHASE) {
		/* a, b and c are on the GPU; the next partition may be dispatched. */
		partition_release(partition, abc_bytes);
	}
	tracker_partition(
		&pipeline->tracker, partition->job, partition->index, JOB_PARTITION_FINISHING);
	finalize(pipeline, partition, device);
}

/* What a worker whose device is lost was given. */
static void pass_on(struct pipeline *pipeline, struct partition *partition)
{
	device_loss_tell(pipeline);
	if (device_loss_has_all(pipeline)) {
		partition_fail(&partition, "no device is left: all are lost");
	} else {
		hand_over_again(pipeline, partition);
	}
}

/* A worker whose device is lost leaves the queue that all share to the others. Of the last device
 * it stays, to fail what comes, as at a queue of its own, to pass it on. */
static bool may_end(const struct pipeline *pipeline, uint32_t device)
{
	return pipeline->gpu_queue_count == 1 && device_loss_has(pipeline, device) &&
	       !device_loss_has_all(pipeline);
}

void gpu_worker_run(struct pipeline *pipeline, uint32_t worker)
{
	uint32_t device = worker / (uint32_t)pipeline->config.gpu.workers_per_device;
	struct priority_queue *queue =
		&pipeline->gpu_queues[pipeline->gpu_queue_count > 1 ? device : 0];
	struct priority_queue_entry *entry = NULL;
	uint64_t begin_ns = clock_now_ns();

	idle_meter_stage(pipeline->meter, worker, IDLE_STAGE_POP);
	while (!may_end(pipeline, device) && (entry = priority_queue_pop(queue))) {
		idle_meter_popped(pipeline->meter, worker, &partition_of_entry(entry)->upstream,
			clock_now_ns());
		(void)atomic_fetch_add(
			&pipeline->clocks.gpu_queue_wait_ns, clock_now_ns() - begin_ns);
		if (device_loss_has(pipeline, device)) {
			pass_on(pipeline, partition_of_entry(entry));
		} else {
			prove(pipeline, partition_of_entry(entry), worker);
		}
		begin_ns = clock_now_ns();
		idle_meter_stage(pipeline->meter, worker, IDLE_STAGE_POP);
	}
}
