/* SPDX-License-Identifier: MIT */
#include "tests/simulator/planted.h"

#include <stddef.h>
#include <string.h>

#define SETTINGS_MAX 5

/* A field of the plan, as all of them are of one type. */
struct setting {
	size_t offset;
	uint32_t value;
};

struct row {
	struct planted planted;
	size_t knob; /* the field that the level goes to */
	struct setting settings[SETTINGS_MAX];
};

const uint32_t planted_more[PLANTED_MORE_COUNT] = {10, 25, 100};

#define FIELD(name) offsetof(struct service_plan, name)
#define SET(name, to)                                                                              \
	{                                                                                          \
		FIELD(name), to                                                                    \
	}
/* A GPU with one worker waits for all that the worker does between two regions. */
#define ONE_WORKER SET(workers, 1)
/* The walk says what ran in a gap: a synthesis longer than the gap would be all there is. */
#define FAST_SYNTHESIS SET(synthesis_us, 5000)

/* clang-format off */
static const struct row rows[] = {
	{{"trim_tracker", CAUSE_LOCK, "tracker", "malloc_trim", 60, 72020, {80148, 89419, 142273}},
		FIELD(trim_us), {ONE_WORKER}},
	{{"self_check_tracker", CAUSE_LOCK, "tracker", "self_check", 60, 59023, {65118, 73441, 116685}},
		FIELD(self_check_us), {ONE_WORKER}},
	{{"one_synthesis", CAUSE_SYNTHESIS, "gpu_queue", "synthesize", 600, 1179962, {1242185, 1315933, 1783770}},
		FIELD(synthesis_us), {SET(synthesis_threads, 2)}},
	{{"slow_pacer", CAUSE_PACING, "pacer", "pacer", 600, 592921, {622900, 668000, 893000}},
		FIELD(pacer_us), {FAST_SYNTHESIS}},
	{{"small_budget", CAUSE_BUDGET, "budget", "", 600, 1045712, {1117195, 1194807, 1633925}},
		FIELD(b_g2_us), {SET(budget_partitions, 2), FAST_SYNTHESIS}},
	{{"blocking_pool_full", CAUSE_POOL, "blocking", "", 600, 1345945, {1498414, 1690317, 2444781}},
		FIELD(b_g2_us), {SET(blocking_threads, 2), ONE_WORKER}},
	{{"prep_queued", CAUSE_POOL, "groth16_pool", "", 600, 497725, {538553, 582298, 820467}},
		FIELD(b_g2_us), {SET(prep_threads, 1)}},
	{{"prep_not_ready", CAUSE_GPU_MUTEX, "gpu_mutex", "prep_msm", 600, 1057916, {1130233, 1227347, 1690185}},
		FIELD(prep_us), {ONE_WORKER}},
	{{"pageable_staging", CAUSE_COPY_PAGEABLE, "", "htod", 60, 17700, {19600, 22300, 36326}},
		FIELD(copy_us), {SET(is_pageable, 1)}},
	{{"pinned_copies", CAUSE_COPY_PINNED, "", "htod", 60, 17929, {19777, 22400, 35998}},
		FIELD(copy_us), {{0}}},
	{{"pinned_storm", CAUSE_ALLOC, "", "cudaMallocHost", 60, 59023, {65500, 74500, 119011}},
		FIELD(alloc_us), {{0}}},
	{{"unmapping_in_call", CAUSE_FREE, "", "release_abc", 60, 59389, {65700, 75000, 119745}},
		FIELD(release_us), {ONE_WORKER}},
	{{"module_load", CAUSE_DRIVER, "", "cuModuleLoadData", 60, 59573, {65960, 74952, 120349}},
		FIELD(module_us), {{0}}},
	{{"cpu_starved", CAUSE_CPU_STARVED, "", "synthesize", 600, 1045712, {1129450, 1223400, 1707451}},
		FIELD(starve_us), {SET(synthesis_threads, 2), SET(synthesis_us, 300000)}},
	{{"srs_reload", CAUSE_SRS_LOAD, "", "srs_load", 60, 59573, {65500, 75200, 120818}},
		FIELD(srs_us), {ONE_WORKER}},
	{{"inputs_read", CAUSE_CPU_PHASE, "", "read_inputs", 60, 60396, {67000, 75600, 123432}},
		FIELD(input_us), {ONE_WORKER}},
	{{"all_on_device_0", CAUSE_IMBALANCE, "", "", 120, 1487517, {1574675, 1685077, 2521805}},
		FIELD(other_synthesis_us), {SET(has_device_queues, 1), SET(synthesis_threads, 4),
		SET(synthesis_us, 900000), SET(budget_partitions, 10)}},
	{{"late_start", CAUSE_LAUNCH, "", "", 60, 60030, {66108, 75167, 120087}},
		FIELD(launch_us), {{0}}},
	{{"slow_finisher", CAUSE_BACKPRESSURE, "finish_channel", "write_proof", 600, 597803, {628159, 676030, 894368}},
		FIELD(write_us), {SET(finish_capacity, 2), ONE_WORKER}},
	{{"copies_awaited", CAUSE_DEVICE_DEPENDENCY, "", "stream_wait_event", 60, 17818, {19661, 22341, 35636}},
		FIELD(copy_us), {SET(has_copy_stream, 1)}},
	{{"graph_host_node", CAUSE_GRAPH_INTERNAL, "", "cudaGraphLaunch", 60, 58588, {65567, 74836, 119463}},
		FIELD(host_node_us), {{0}}},
};
/* clang-format on */

uint32_t planted_count(void)
{
	return sizeof(rows) / sizeof(rows[0]);
}

const struct planted *planted_at(uint32_t index)
{
	return &rows[index].planted;
}

const struct planted *planted_find(const char *name)
{
	for (uint32_t i = 0; i < planted_count(); i++) {
		if (strcmp(rows[i].planted.name, name) == 0) {
			return &rows[i].planted;
		}
	}
	return NULL;
}

static void set(struct service_plan *plan, size_t offset, uint32_t value)
{
	*(uint32_t *)(void *)((char *)plan + offset) = value;
}

struct service_plan planted_plan(const struct planted *planted, uint32_t level)
{
	const struct row *row = (const struct row *)(const void *)planted;
	struct service_plan plan = service_healthy();

	for (size_t i = 0; i < SETTINGS_MAX && row->settings[i].value > 0; i++) {
		set(&plan, row->settings[i].offset, row->settings[i].value);
	}
	set(&plan, row->knob, level);
	return plan;
}
