/* SPDX-License-Identifier: MIT */
#include "prover/status_page.h"

#include "prover/device_loss.h"
#include "prover/tracker_snapshot.h"
#include "prover/truth.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static double seconds(uint64_t duration_ns)
{
	/* Microseconds are all that a reader of seconds wants to see. */
	return round((double)duration_ns / NS_PER_US) / 1e6;
}

static double milliseconds(uint64_t duration_ns)
{
	return round((double)duration_ns / NS_PER_US) / 1e3;
}

static json_int_t integer(uint64_t value)
{
	return (json_int_t)value;
}

/* Takes `value`, gives its text. */
static enum status dump(json_t *value, char **out_text)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;

	json_decref(value);
	if (!text) {
		return STATUS_NO_MEMORY;
	}
	*out_text = text;
	return STATUS_OK;
}

static json_t *partition_json(const struct tracker_snapshot_partition *partition, uint32_t index)
{
	json_t *json = json_pack("{s:i, s:s, s:b}", "index", (int)index, "state",
		job_partition_state_name(partition->state), "has_proof", partition->has_proof);

	(void)json_object_set_new(json, "synthesis_ms",
		partition->synthesis_ns ? json_real(milliseconds(partition->synthesis_ns))
					: json_null());
	(void)json_object_set_new(json, "gpu_ms",
		partition->gpu_ns ? json_real(milliseconds(partition->gpu_ns)) : json_null());
	return json;
}

static json_t *job_json(const struct tracker_snapshot_job *job, uint64_t now_ns, bool is_simulated,
	bool has_partitions)
{
	/* Of a job under way, so far. */
	uint64_t end_ns = job->end_ns ? job->end_ns : now_ns;
	json_t *json = json_pack("{s:I, s:s, s:s, s:s, s:b, s:i, s:i, s:f}", "job_id",
		integer(job->id), "kind", job_kind_name(job->kind), "priority",
		job_priority_name(job->priority), "state", job_state_name(job->state), "simulated",
		is_simulated, "total_partitions", (int)job->partition_count, "partitions_done",
		(int)job->done_count, "duration_seconds", seconds(end_ns - job->submitted_ns));

	(void)json_object_set_new(json, "started_seconds_ago",
		job->begin_ns ? json_real(seconds(now_ns - job->begin_ns)) : json_null());
	if (job->error[0] != '\0') {
		(void)json_object_set_new(json, "error", json_string(job->error));
	}
	if (has_partitions) {
		json_t *list = json_array();

		for (uint32_t i = 0; i < job->partition_count; i++) {
			(void)json_array_append_new(list, partition_json(&job->partitions[i], i));
		}
		(void)json_object_set_new(json, "partitions", list);
	}
	return json;
}

static json_t *worker_json(const struct tracker_worker *worker, uint32_t index, uint64_t now_ns)
{
	bool is_busy = worker->job != 0;
	json_t *json = json_pack("{s:i, s:i, s:s}", "worker_id", (int)index, "device",
		(int)worker->device, "state", is_busy ? "proving" : "idle");

	(void)json_object_set_new(
		json, "current_job", is_busy ? json_integer(integer(worker->job)) : json_null());
	(void)json_object_set_new(json, "current_partition",
		is_busy ? json_integer((json_int_t)worker->partition) : json_null());
	/* A worker may have begun after `now_ns` was read. */
	(void)json_object_set_new(json, "since_seconds",
		json_real(seconds(now_ns > worker->since_ns ? now_ns - worker->since_ns : 0)));
	return json;
}

static json_t *memory_json(struct pipeline *pipeline)
{
	struct memory_budget_counts budget = memory_budget_counts(&pipeline->budget);
	struct srs_manager_counts keys = srs_manager_counts(pipeline->srs_manager);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:i}", "total_bytes",
		integer(budget.limit_bytes), "used_bytes", integer(budget.used_bytes),
		"available_bytes", integer(budget.limit_bytes - budget.used_bytes), "peak_bytes",
		integer(budget.peak_bytes), "key_bytes", integer(keys.loaded_bytes), "keys_loaded",
		(int)keys.loaded_count, "waiting", (int)budget.waiting_count);
}

static json_t *queues_json(struct pipeline *pipeline)
{
	json_t *gpu = json_array();

	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		(void)json_array_append_new(gpu,
			json_integer(
				(json_int_t)priority_queue_counts(&pipeline->gpu_queues[i]).depth));
	}
	return json_pack("{s:i, s:i, s:i, s:o}", "scheduler",
		(int)priority_queue_counts(&pipeline->scheduler).depth, "synth_queue",
		(int)priority_queue_counts(&pipeline->synth_queue).depth, "dispatch",
		(int)priority_queue_counts(&pipeline->dispatch).depth, "gpu_queue", gpu);
}

static json_t *kinds_json(const uint64_t counts[JOB_KIND_COUNT])
{
	json_t *json = json_object();

	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		(void)json_object_set_new(
			json, job_kind_name((enum job_kind)i), json_integer(integer(counts[i])));
	}
	return json;
}

static json_t *counters_json(const struct tracker_counts *counts)
{
	uint64_t done = 0;
	uint64_t failed = 0;

	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		done += counts->done[i];
		failed += counts->failed[i];
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "submitted",
		integer(counts->submitted), "refused", integer(counts->refused), "completed",
		integer(done), "failed", integer(failed), "cancelled", integer(counts->cancelled),
		"partitions_completed", integer(counts->partitions_done), "partitions_failed",
		integer(counts->partitions_failed), "completed_by_kind", kinds_json(counts->done),
		"failed_by_kind", kinds_json(counts->failed));
}

static json_t *devices_json(struct pipeline *pipeline)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		json_t *json = json_pack("{s:i, s:s, s:b, s:b}", "index", (int)i, "backend",
			pipeline->ops->name, "simulated", pipeline_is_simulated(pipeline), "lost",
			device_loss_has(pipeline, i));

		(void)json_object_update_new(json, truth_device(pipeline, i));
		(void)json_array_append_new(list, json);
	}
	return list;
}

static json_t *buffers_json(struct pipeline *pipeline)
{
	struct pinned_pool_counts pinned = pinned_pool_counts(pipeline->pinned_pool);

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "in_use", integer(pinned.live_count),
		"in_use_bytes", integer(pinned.live_bytes), "kept_bytes",
		integer(pinned.kept_bytes), "allocated", integer(pinned.allocated_count), "reused",
		integer(pinned.reused_count), "pageable", integer(pinned.pageable_count));
}

enum status status_page_status(struct pipeline *pipeline, char **out_text)
{
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *snapshot = NULL;
	/* Jobs, workers and counters are of one moment; budget, queues and buffers of one each. */
	enum status status =
		tracker_snapshot_create(&pipeline->tracker, TRACKER_SNAPSHOT_ACTIVE, 0, &snapshot);
	uint64_t now_ns = clock_now_ns();
	bool is_simulated = pipeline_is_simulated(pipeline);
	json_t *jobs = NULL;
	json_t *workers = NULL;

	if (status != STATUS_OK) {
		return status;
	}
	jobs = json_array();
	for (uint32_t i = 0; i < snapshot->job_count; i++) {
		(void)json_array_append_new(
			jobs, job_json(&snapshot->jobs[i], now_ns, is_simulated, true));
	}
	workers = json_array();
	for (uint32_t i = 0; i < snapshot->worker_count; i++) {
		(void)json_array_append_new(workers, worker_json(&snapshot->workers[i], i, now_ns));
	}
	return dump(
		json_pack("{s:f, s:b, s:b, s:o, s:{s:I, s:I}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			"uptime_seconds", seconds(now_ns - pipeline->begin_ns), "simulated",
			is_simulated, "draining", snapshot->is_draining, "memory",
			memory_json(pipeline), "synthesis", "max_concurrent",
			integer(pipeline->config.synthesis.workers), "active",
			integer(atomic_load(&pipeline->synthesizing)), "pipelines", jobs,
			"gpu_workers", workers, "devices", devices_json(pipeline), "queues",
			queues_json(pipeline), "buffers", buffers_json(pipeline), "counters",
			counters_json(&snapshot->counts), "clocks", truth_pipeline(pipeline)),
		out_text);
}

enum status status_page_jobs(struct pipeline *pipeline, char **out_text)
{
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *snapshot = NULL;
	enum status status =
		tracker_snapshot_create(&pipeline->tracker, TRACKER_SNAPSHOT_ALL, 0, &snapshot);
	json_t *list = NULL;

	if (status != STATUS_OK) {
		return status;
	}
	list = json_array();
	for (uint32_t i = 0; i < snapshot->job_count; i++) {
		(void)json_array_append_new(list, job_json(&snapshot->jobs[i], clock_now_ns(),
							  pipeline_is_simulated(pipeline), false));
	}
	return dump(json_pack("{s:o}", "jobs", list), out_text);
}

enum status status_page_job(
	struct pipeline *pipeline, uint64_t id, char **out_text, enum job_state *out_state)
{
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *snapshot = NULL;
	enum status status =
		tracker_snapshot_create(&pipeline->tracker, TRACKER_SNAPSHOT_ONE, id, &snapshot);

	if (status != STATUS_OK) {
		return status;
	}
	if (snapshot->job_count == 0) {
		return STATUS_NOT_FOUND;
	}
	*out_state = snapshot->jobs[0].state;
	return dump(
		job_json(&snapshot->jobs[0], clock_now_ns(), pipeline_is_simulated(pipeline), true),
		out_text);
}
