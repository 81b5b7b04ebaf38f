/* SPDX-License-Identifier: MIT */
#include "tests/simulator/scenario.h"

#include <stddef.h>

/* What is drawn: a number from low to high in so many of 100 services, and in the others none. */
struct field {
	const char *name;
	size_t offset;
	uint32_t least; /* without which there is no service */
	uint32_t low;
	uint32_t high;
	uint32_t of_100;
};

/* clang-format off */
#define FIELD(name) #name, offsetof(struct service_plan, name)
static const struct field fields[] = {
	{FIELD(jobs),              1, 1, 4, 100},
	{FIELD(partitions),        1, 1, 4, 100},
	{FIELD(devices),           1, 1, 2, 100},
	{FIELD(workers),           1, 1, 2, 100},
	{FIELD(synthesis_threads), 1, 1, 3, 100}, /* one of two devices may have none: it is silent */
	{FIELD(blocking_threads),  1, 1, 4, 100},
	{FIELD(prep_threads),      1, 1, 2, 100},
	{FIELD(askers),            0, 1, 3, 75},
	{FIELD(asker_rounds),      0, 1, 14, 100},
	{FIELD(budget_partitions), 0, 1, 3, 75},
	{FIELD(finish_capacity),   0, 1, 2, 33},
	{FIELD(latency_ns_max),    1, 1, 50000, 100},
	{FIELD(is_pageable),       0, 1, 1, 50},
	{FIELD(has_status_lock),   0, 1, 1, 50},
	{FIELD(has_whole_mutex),   0, 1, 1, 50},
	{FIELD(has_device_queues), 0, 1, 1, 50},
	{FIELD(has_tail_stream),   0, 1, 1, 75},
	{FIELD(has_copy_stream),   0, 1, 1, 33},
	{FIELD(arrival_us),        1, 1000, 8000, 100},
	{FIELD(pacer_us),          0, 500, 3000, 50},
	{FIELD(visit_us),          0, 5, 40, 100},
	{FIELD(note_us),           0, 5, 100, 33},
	{FIELD(between_us),        0, 5, 60, 75},
	{FIELD(answer_us),         1, 100, 400, 100},
	{FIELD(synthesis_us),      1, 2000, 6000, 100},
	{FIELD(srs_us),            0, 100, 1500, 25},
	{FIELD(input_us),          0, 10, 200, 50},
	{FIELD(prep_us),           1, 300, 2000, 100},
	{FIELD(b_g2_us),           1, 300, 2000, 100},
	{FIELD(copy_us),           1, 100, 600, 100},
	{FIELD(alloc_us),          0, 20, 200, 100},
	{FIELD(module_us),         0, 50, 500, 25},
	{FIELD(launch_us),         0, 10, 200, 25},
	{FIELD(kernel_us),        10, 1000, 4000, 100},
	{FIELD(host_node_us),      0, 50, 800, 33},
	{FIELD(release_us),        0, 50, 400, 100},
	{FIELD(trim_us),           0, 500, 3000, 50},
	{FIELD(self_check_us),     0, 100, 1000, 25},
	{FIELD(write_us),          0, 500, 9000, 50},
};
/* clang-format on */

uint32_t scenario_field_count(void)
{
	return sizeof(fields) / sizeof(fields[0]);
}

uint32_t *scenario_field(struct service_plan *plan, uint32_t index)
{
	return (uint32_t *)(void *)((char *)plan + fields[index].offset);
}

uint32_t scenario_field_least(uint32_t index)
{
	return fields[index].least;
}

const char *scenario_field_name(uint32_t index)
{
	return fields[index].name;
}

static uint32_t draw(uint64_t *state, uint32_t least, uint32_t most)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return least + (uint32_t)((*state >> 33) % (most - least + 1ULL));
}

struct service_plan scenario_draw(uint64_t seed)
{
	uint64_t state = seed * 2 + 1;
	struct service_plan plan = {0};

	(void)draw(&state, 0, 1);
	for (uint32_t i = 0; i < scenario_field_count(); i++) {
		const struct field *field = &fields[i];
		const bool is_there = draw(&state, 1, 100) <= field->of_100;
		const uint32_t value = draw(&state, field->low, field->high);

		*scenario_field(&plan, i) = is_there ? value : 0;
	}
	return plan;
}

struct world *scenario_run(const struct service_plan *plan, uint64_t seed)
{
	const struct weather_plan weather = {.seed = seed, .host_noise = 0.7, .device_noise = 0.4};

	return service_run(plan, &weather, seed);
}
