/* SPDX-License-Identifier: MIT */
#include "prover/metrics.h"

#include "prover/device_loss.h"
#include "prover/tracker_snapshot.h"
#include "prover/truth.h"
#include "trace/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define METRIC_PREFIX "proverd_"

/* The text format of Prometheus, version 0.0.4: each family once, with its help and type before
 * it. */
static void family(FILE *stream, const char *name, const char *type, const char *help)
{
	(void)fprintf(stream, "# HELP " METRIC_PREFIX "%s %s\n# TYPE " METRIC_PREFIX "%s %s\n",
		name, help, name, type);
}

static void counter(FILE *stream, const char *name, const char *help, uint64_t value)
{
	family(stream, name, "counter", help);
	(void)fprintf(stream, METRIC_PREFIX "%s %" PRIu64 "\n", name, value);
}

static void gauge(FILE *stream, const char *name, const char *help, uint64_t value)
{
	family(stream, name, "gauge", help);
	(void)fprintf(stream, METRIC_PREFIX "%s %" PRIu64 "\n", name, value);
}

static void seconds_counter(FILE *stream, const char *name, const char *help, uint64_t value_ns)
{
	family(stream, name, "counter", help);
	/* As digits and not as a double, which loses nanoseconds after a hundred days. */
	(void)fprintf(stream, METRIC_PREFIX "%s %" PRIu64 ".%09" PRIu64 "\n", name,
		(uint64_t)(value_ns / NS_PER_S), (uint64_t)(value_ns % NS_PER_S));
}

static void by_kind(
	FILE *stream, const char *name, const char *help, const uint64_t counts[JOB_KIND_COUNT])
{
	family(stream, name, "counter", help);
	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		(void)fprintf(stream, METRIC_PREFIX "%s{kind=\"%s\"} %" PRIu64 "\n", name,
			job_kind_name((enum job_kind)i), counts[i]);
	}
}

static void print_jobs(const struct tracker_snapshot *snapshot, FILE *stream)
{
	const struct tracker_counts *counts = &snapshot->counts;
	uint64_t busy = 0;

	/* Of one moment with the counts: the snapshot was made under the tracker's locks. */
	for (uint32_t i = 0; i < snapshot->worker_count; i++) {
		busy += snapshot->workers[i].job != 0;
	}
	counter(stream, "jobs_submitted_total", "Jobs accepted.", counts->submitted);
	counter(stream, "jobs_refused_total", "Jobs refused: over the limit, or while draining.",
		counts->refused);
	by_kind(stream, "jobs_completed_total", "Jobs proved.", counts->done);
	by_kind(stream, "jobs_failed_total", "Jobs that failed.", counts->failed);
	counter(stream, "jobs_cancelled_total", "Jobs cancelled by a shutdown.", counts->cancelled);
	gauge(stream, "jobs_active", "Jobs queued or running.", counts->active);
	counter(stream, "partitions_completed_total", "Partitions proved.",
		counts->partitions_done);
	counter(stream, "partitions_failed_total", "Partitions that failed or were dropped.",
		counts->partitions_failed);
	seconds_counter(stream, "job_duration_seconds_total",
		"From submit to end, of all completed jobs.", counts->duration_ns);
	gauge(stream, "gpu_workers", "GPU workers.", snapshot->worker_count);
	gauge(stream, "gpu_workers_busy", "GPU workers that prove now.", busy);
}

/* Each queue's depth is of its own moment: no lock spans them. */
static void print_queues(struct pipeline *pipeline, FILE *stream)
{
	family(stream, "queue_depth", "gauge", "Items in each queue.");
	(void)fprintf(stream, METRIC_PREFIX "queue_depth{queue=\"scheduler\"} %u\n",
		priority_queue_counts(&pipeline->scheduler).depth);
	(void)fprintf(stream, METRIC_PREFIX "queue_depth{queue=\"synth_queue\"} %u\n",
		priority_queue_counts(&pipeline->synth_queue).depth);
	(void)fprintf(stream, METRIC_PREFIX "queue_depth{queue=\"dispatch\"} %u\n",
		priority_queue_counts(&pipeline->dispatch).depth);
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		(void)fprintf(stream,
			METRIC_PREFIX "queue_depth{queue=\"gpu_queue\",index=\"%u\"} %u\n", i,
			priority_queue_counts(&pipeline->gpu_queues[i]).depth);
	}
}

static void print_memory(struct pipeline *pipeline, FILE *stream)
{
	struct memory_budget_counts budget = memory_budget_counts(&pipeline->budget);
	struct srs_manager_counts keys = srs_manager_counts(pipeline->srs_manager);
	struct pinned_pool_counts pinned = pinned_pool_counts(pipeline->pinned_pool);

	gauge(stream, "memory_budget_bytes", "What may be reserved.", budget.limit_bytes);
	gauge(stream, "memory_used_bytes", "What is reserved.", budget.used_bytes);
	gauge(stream, "memory_peak_bytes", "The most that was reserved.", budget.peak_bytes);
	gauge(stream, "memory_waiting", "Reservations that wait.", budget.waiting_count);
	seconds_counter(
		stream, "memory_wait_seconds_total", "Waits for the budget.", budget.wait_ns);
	seconds_counter(stream, "pacer_wait_seconds_total", "Waits for the pacer.",
		pacer_counts(&pipeline->pacer).wait_ns);
	gauge(stream, "keys_loaded", "Proving keys in memory.", keys.loaded_count);
	gauge(stream, "keys_loaded_bytes", "Their size.", keys.loaded_bytes);
	counter(stream, "key_loads_total", "Proving keys loaded.", keys.load_count);
	seconds_counter(stream, "key_load_seconds_total", "Loading proving keys.", keys.load_ns);
	gauge(stream, "buffers_in_use", "Staging buffers checked out.", pinned.live_count);
	gauge(stream, "buffers_in_use_bytes", "Their size.", pinned.live_bytes);
	counter(stream, "buffers_allocated_total", "Pinned allocations.", pinned.allocated_count);
	counter(stream, "buffers_reused_total", "Pinned buffers used again.", pinned.reused_count);
	counter(stream, "buffers_pageable_total", "Buffers that were pageable.",
		pinned.pageable_count);
}

static void print_devices(struct pipeline *pipeline, FILE *stream)
{
	family(stream, "device_lost", "gauge", "1 when the driver refuses the device for good.");
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		(void)fprintf(stream,
			METRIC_PREFIX "device_lost{device=\"%u\",backend=\"%s\"} %d\n", i,
			pipeline->ops->name, device_loss_has(pipeline, i));
	}
}

static void print_events(struct pipeline *pipeline, FILE *stream)
{
	struct pipeline_counters counters = pipeline_counters(pipeline);

	counter(stream, "lock_acquires_total", "Lock acquisitions.", counters.lock_acquires);
	counter(stream, "queue_pops_total", "Items popped off queues.", counters.queue_pops);
	counter(stream, "prove_starts_total", "Calls of prove_start.", counters.prove_starts);
	counter(stream, "prove_finishes_total", "Calls of prove_finish.", counters.prove_finishes);
	counter(stream, "malloc_trims_total", "Calls of malloc_trim.", counters.malloc_trims);
}

enum status metrics_format(struct pipeline *pipeline, char **out_text)
{
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *snapshot = NULL;
	/* Printing is slow beside a lock's hold time, so the tracker is copied first. */
	enum status status =
		tracker_snapshot_create(&pipeline->tracker, TRACKER_SNAPSHOT_ACTIVE, 0, &snapshot);
	char *text = NULL;
	size_t size = 0;
	FILE *stream = NULL;

	if (status != STATUS_OK) {
		return status;
	}
	stream = open_memstream(&text, &size);
	if (!stream) {
		return STATUS_NO_MEMORY;
	}
	gauge(stream, "simulated", "1 when the devices only model time and make no proofs.",
		pipeline_is_simulated(pipeline));
	gauge(stream, "uptime_seconds", "Since the daemon started.",
		(clock_now_ns() - pipeline->begin_ns) / NS_PER_S);
	print_jobs(snapshot, stream);
	print_queues(pipeline, stream);
	print_memory(pipeline, stream);
	print_devices(pipeline, stream);
	truth_metrics(pipeline, METRIC_PREFIX, stream);
	/* Last, so that the acquisitions of this page are in it as far as they can be. */
	print_events(pipeline, stream);
	if (fclose(stream) != 0) {
		free(text);
		return STATUS_NO_MEMORY;
	}
	*out_text = text;
	return STATUS_OK;
}
