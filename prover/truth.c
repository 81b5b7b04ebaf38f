/* SPDX-License-Identifier: MIT */
#include "prover/truth.h"

#include <inttypes.h>
#include <stddef.h>

struct figure {
	const char *name;
	size_t offset; /* of a uint64_t */
	const char *meaning;
};

#define CLOCK(name, meaning)                                                                       \
	{                                                                                          \
#name, offsetof(struct pipeline_clocks, name), meaning                             \
	}
#define GPU(name, meaning)                                                                         \
	{                                                                                          \
#name, offsetof(struct partition_gpu_counts, name), meaning                        \
	}
#define DEVICE(name, meaning)                                                                      \
	{                                                                                          \
#name, offsetof(struct partition_gpu_counts, device.name), meaning                 \
	}

/* clang-format off */
static const struct figure clocks[] = {
	CLOCK(malloc_trim_ns, "Inside malloc_trim."),
	CLOCK(self_check_ns, "Verifying proofs before they leave."),
	CLOCK(synthesis_ns, "Synthesis workers at work."),
	CLOCK(gpu_queue_wait_ns, "GPU workers had nothing to pop."),
	CLOCK(tracker_wait_ns, "GPU workers waited for the tracker lock before prove_start."),
	CLOCK(hop_wait_ns, "prove_start waited for a thread of the blocking pool."),
	CLOCK(prove_start_ns, "Inside prove_start."),
	CLOCK(finalizer_wait_ns, "Finalizers waited for the tracker lock."),
};

static const struct figure figures[] = {
	GPU(start_count, "Calls of prove_start."),
	GPU(finish_count, "Calls of prove_finish."),
	GPU(proved_count, "Partitions proved."),
	GPU(failed_count, "Partitions that failed on the device."),
	GPU(mutex_wait_ns, "Prove calls waited for the device's mutex."),
	GPU(mutex_held_ns, "The device's mutex was held."),
	GPU(mutex_without_kernel_ns, "It was held and no kernel ran."),
	GPU(barrier_wait_ns, "Prove calls waited for prep."),
	GPU(barrier_in_mutex_ns, "They did so under the mutex."),
	GPU(upload_pageable_ns, "Inside uploads that were staged."),
	GPU(workspace_ns, "Making and freeing device memory under the mutex."),
	GPU(device_sync_ns, "Inside device-wide synchronisations."),
	GPU(prep_ns, "Prep on the CPU."),
	GPU(b_g2_ns, "b_g2 on the CPU."),
	GPU(b_g2_join_ns, "Waiting for b_g2 in prove_finish."),
	GPU(epilogue_ns, "Assembling proofs."),
	GPU(release_abc_ns, "Giving a, b and c back."),
	GPU(dealloc_ns, "Unmapping the vectors of a partition."),
	DEVICE(lane_busy_ns, "A kernel ran."),
	DEVICE(copy_busy_ns, "A copy ran."),
	DEVICE(kernel_count, "Kernels run."),
	DEVICE(copy_count, "Copies made."),
	DEVICE(upload_pinned_bytes, "Bytes uploaded from pinned memory."),
	DEVICE(upload_pageable_bytes, "Bytes uploaded from pageable memory."),
	DEVICE(pageable_call_ns, "Callers blocked in staged copies."),
	DEVICE(alloc_ns, "Callers in pinned and device allocations."),
	DEVICE(free_ns, "Callers freeing them."),
	DEVICE(synchronize_ns, "Callers waiting for streams or the device."),
	DEVICE(failed_count, "Operations that failed."),
};
/* clang-format on */

#define CLOCK_COUNT  (sizeof(clocks) / sizeof(clocks[0]))
#define FIGURE_COUNT (sizeof(figures) / sizeof(figures[0]))

static uint64_t clock_value(struct pipeline *pipeline, const struct figure *figure)
{
	char *field = (char *)&pipeline->clocks + figure->offset;

	return atomic_load((_Atomic uint64_t *)field);
}

static uint64_t gpu_value(const struct partition_gpu_counts *counts, const struct figure *figure)
{
	return *(const uint64_t *)((const char *)counts + figure->offset);
}

/* Two figures of a device have one name: those of the device itself say so. */
static void figure_name(const struct figure *figure, char *name, size_t size)
{
	bool is_of_device = figure->offset >= offsetof(struct partition_gpu_counts, device);

	(void)snprintf(name, size, "%s%s", is_of_device ? "device_" : "gpu_", figure->name);
}

json_t *truth_pipeline(struct pipeline *pipeline)
{
	json_t *json = json_object();

	for (size_t i = 0; i < CLOCK_COUNT; i++) {
		(void)json_object_set_new(json, clocks[i].name,
			json_integer((json_int_t)clock_value(pipeline, &clocks[i])));
	}
	return json;
}

/* Why the device had no kernel: every reason that was met. */
static json_t *idle_json(struct pipeline *pipeline, uint32_t device_index)
{
	const struct idle_counts counts = idle_meter_counts(pipeline->meter, device_index);
	json_t *reasons = json_object();

	for (int i = 0; i < IDLE_REASON_COUNT; i++) {
		if (counts.reason_ns[i] > 0) {
			(void)json_object_set_new(reasons, idle_reason_name((enum idle_reason)i),
				json_integer((json_int_t)counts.reason_ns[i]));
		}
	}
	return json_pack("{s:I, s:I, s:o}", "total_ns", (json_int_t)counts.idle_ns, "short_ns",
		(json_int_t)counts.short_ns, "reasons_ns", reasons);
}

json_t *truth_device(struct pipeline *pipeline, uint32_t device_index)
{
	struct partition_gpu_counts counts = partition_gpu_counts(pipeline->gpus[device_index]);
	json_t *json = json_object();
	char name[64];

	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		figure_name(&figures[i], name, sizeof(name));
		(void)json_object_set_new(
			json, name, json_integer((json_int_t)gpu_value(&counts, &figures[i])));
	}
	(void)json_object_set_new(json, "idle", idle_json(pipeline, device_index));
	return json;
}

static void print_figure(
	struct pipeline *pipeline, const char *prefix, const struct figure *figure, FILE *stream)
{
	char name[64];

	figure_name(figure, name, sizeof(name));
	(void)fprintf(stream, "# HELP %s%s_total %s\n# TYPE %s%s_total counter\n", prefix, name,
		figure->meaning, prefix, name);
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		struct partition_gpu_counts counts = partition_gpu_counts(pipeline->gpus[i]);

		(void)fprintf(stream, "%s%s_total{device=\"%u\",backend=\"%s\"} %" PRIu64 "\n",
			prefix, name, i, pipeline->ops->name, gpu_value(&counts, figure));
	}
}

void truth_metrics(struct pipeline *pipeline, const char *prefix, FILE *stream)
{
	for (size_t i = 0; i < CLOCK_COUNT; i++) {
		(void)fprintf(stream, "# HELP %s%s_total %s\n# TYPE %s%s_total counter\n", prefix,
			clocks[i].name, clocks[i].meaning, prefix, clocks[i].name);
		(void)fprintf(stream, "%s%s_total %" PRIu64 "\n", prefix, clocks[i].name,
			clock_value(pipeline, &clocks[i]));
	}
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		print_figure(pipeline, prefix, &figures[i], stream);
	}
}
