/* SPDX-License-Identifier: MIT */
#include "prover/groth16/verify.h"
#include "prover/simulate.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdlib.h>

static void trim(struct pipeline *pipeline)
{
	uint64_t begin_ns = clock_now_ns();

	(void)gaptrace_malloc_trim(0);
	(void)atomic_fetch_add(&pipeline->clocks.malloc_trim_ns, clock_now_ns() - begin_ns);
	(void)atomic_fetch_add(&pipeline->trim_count, 1);
}

static void trim_task(void *pipeline)
{
	trim(pipeline);
}

/* One verification, as often as configured. NULL proof: simulated. */
static enum status verify(struct pipeline *pipeline, const struct job *job,
	const struct proof *proof, const blst_scalar *publics, uint32_t public_count)
{
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < pipeline->config.check.self_check_repeat; i++) {
		if (!proof) {
			simulate_work(&pipeline->config.sim, pipeline->sleep,
				pipeline->config.sim.self_check_ms);
			continue;
		}
		status = groth16_verify(
			job->srs->verification_key, publics, public_count, proof, NULL);
	}
	return status;
}

/* A witness that somebody brought is the likeliest to be wrong; ours satisfy their circuits. */
static enum status refuse(const struct job *job, uint32_t index, struct diag *diag)
{
	if (!job->request.witness_paths) {
		return diag_set(diag, STATUS_INVALID_PROOF, "partition %u: %s", index,
			status_text(STATUS_INVALID_PROOF));
	}
	return diag_set(diag, STATUS_INVALID_PROOF,
		"%s: partition %u: the proof does not verify: the witness does not satisfy the "
		"circuit of %s; make it with that circuit, and if it was, the key is damaged",
		job->request.witness_paths[index], index, job->request.key_path);
}

/* Verifies every partition of a job whose results are all stored. */
static enum status self_check_job(
	struct pipeline *pipeline, const struct job *job, struct diag *diag)
{
	uint64_t begin_ns = clock_now_ns();
	struct gaptrace_span span = gaptrace_span_begin(
		"self_check", (struct gaptrace_work){job->id, GAPTRACE_NONE, GAPTRACE_NONE});
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < job->request.partition_count && status == STATUS_OK; i++) {
		const struct job_partition *entry = &job->partitions[i];

		status = verify(pipeline, job, entry->has_proof ? &entry->proof : NULL,
			entry->publics, entry->public_count);
		if (status != STATUS_OK) {
			status = refuse(job, i, diag);
		}
	}
	gaptrace_span_end(&span);
	(void)atomic_fetch_add(&pipeline->clocks.self_check_ns, clock_now_ns() - begin_ns);
	return status;
}

static enum status self_check_partition(struct pipeline *pipeline,
	const struct partition *partition, const struct tracker_result *result, struct diag *diag)
{
	uint64_t begin_ns = clock_now_ns();
	struct gaptrace_span span =
		gaptrace_span_begin("self_check", partition_work(partition, GAPTRACE_NONE));
	enum status status = verify(
		pipeline, partition->job, result->proof, result->publics, result->public_count);

	gaptrace_span_end(&span);
	(void)atomic_fetch_add(&pipeline->clocks.self_check_ns, clock_now_ns() - begin_ns);
	return status == STATUS_OK ? STATUS_OK : refuse(partition->job, partition->index, diag);
}

/* The job's last partition gives its key back. */
static void release_key(struct pipeline *pipeline, struct job *job)
{
	if (job->srs) {
		srs_release(pipeline->srs_manager, MOVE(job->srs));
	}
}

/* What is done under `tracker`, which the caller holds. True when the job is over. */
static bool end_locked(
	struct pipeline *pipeline, struct partition *partition, struct tracker_result *result)
{
	struct job *job = partition->job;
	struct diag diag = {.line = ""};
	uint64_t begin_ns = 0;
	uint64_t cpu_ns = 0;
	/* A span under the lock: the report of a thread that waits for it says so. */
	struct gaptrace_span span =
		gaptrace_span_begin("assemble", partition_work(partition, GAPTRACE_NONE));
	bool is_last =
		tracker_partition_end_locked(&pipeline->tracker, job, partition->index, result);

	gaptrace_span_end(&span);
	if (result->is_done && pipeline->config.memory.trim == CONFIG_TRIM_TRACKER) {
		cpu_ns = clock_thread_cpu_ns();
		begin_ns = clock_now_ns();
		/* Planted: a trim under the lock is what the daemon did. */
		trim(pipeline);
		idle_meter_work(
			pipeline->meter, IDLE_CLOCK_TRIM, begin_ns, clock_thread_cpu_ns() - cpu_ns);
	}
	if (!is_last) {
		return false;
	}
	begin_ns = clock_now_ns();
	if (!job->is_failing && pipeline->config.check.self_check == CONFIG_CHECK_TRACKER &&
		self_check_job(pipeline, job, &diag) != STATUS_OK) {
		tracker_fail_locked(job, JOB_FAILED, diag.line);
	}
	idle_meter_interval(pipeline->meter, IDLE_CLOCK_CHECK, 0, begin_ns);
	tracker_job_end_locked(&pipeline->tracker, job);
	idle_meter_job_end(pipeline->meter);
	return true;
}

void finalizer_end_partition(
	struct pipeline *pipeline, struct partition *partition, struct tracker_result *result)
{
	bool is_over = false;
	uint64_t begin_ns = 0;

	/* The pacer counts what is between dispatch and end; what never got that far is not in
	 * it. */
	if (partition->is_dispatched) {
		pacer_end(&pipeline->pacer);
		partition->is_dispatched = false;
	}
	begin_ns = clock_now_ns();
	gaptrace_mutex_lock(&pipeline->tracker.mutex);
	(void)atomic_fetch_add(&pipeline->clocks.finalizer_wait_ns, clock_now_ns() - begin_ns);
	is_over = end_locked(pipeline, partition, result);
	gaptrace_mutex_unlock(&pipeline->tracker.mutex);
	if (is_over) {
		release_key(pipeline, partition->job);
	}
}

void finalizer_run(void *argument)
{
	struct partition *partition = argument;
	struct pipeline *pipeline = partition->pipeline;
	struct partition_output output = {.has_proof = false};
	struct tracker_result result = {.is_done = true};
	struct diag diag = {.line = ""};
	enum status status = partition_proof_finish(&partition->proof, &output);

	partition->gpu_ns = clock_now_ns() - partition->gpu_begin_ns;
	/* What is left of the reservation; on failure all of it. */
	partition_release(partition, partition->reserved_bytes);
	if (status != STATUS_OK) {
		partition_fail(&partition, status_text(status));
		return;
	}
	result.proof = output.has_proof ? &output.proof : NULL;
	result.publics = MOVE(partition->publics);
	result.public_count = partition->public_count;
	result.gpu_ns = partition->gpu_ns;
	if (pipeline->config.check.self_check == CONFIG_CHECK_OUTSIDE &&
		self_check_partition(pipeline, partition, &result, &diag) != STATUS_OK) {
		free(result.publics);
		partition_fail(&partition, diag.line);
		return;
	}
	partition_churn_release(partition->churn);
	if (pipeline->config.memory.trim == CONFIG_TRIM_OUTSIDE) {
		trim(pipeline);
	}
	finalizer_end_partition(pipeline, partition, &result);
	free(result.publics);
	if (pipeline->config.memory.trim == CONFIG_TRIM_BACKGROUND &&
		thread_pool_post(pipeline->trim_pool, trim_task, pipeline, "malloc_trim",
			partition_work(partition, GAPTRACE_NONE)) != STATUS_OK) {
		trim(pipeline);
	}
	partition_destroy(partition);
}
