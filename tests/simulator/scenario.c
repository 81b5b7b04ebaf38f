/* SPDX-License-Identifier: MIT */
#include "tests/simulator/scenario.h"

#include <stddef.h>

#define US 1000ULL
#define MS 1000000ULL

enum latch {
	LATCH_START_DONE,
	LATCH_PREP,
	LATCH_B_G2
};

struct field {
	const char *name;
	size_t offset;
	int least;
};

#define FIELD(name, least)                                                                         \
	{                                                                                          \
#name, offsetof(struct scenario, name), least                                      \
	}
static const struct field fields[SCENARIO_FIELDS] = {FIELD(jobs, 1), FIELD(partitions, 1),
	FIELD(devices, 1), FIELD(synthesis_threads, 1), FIELD(workers_per_device, 1),
	FIELD(blocking_threads, 1), FIELD(prep_threads, 1), FIELD(noise_threads, 0),
	FIELD(noise_rounds, 0), FIELD(budget_partitions, 0), FIELD(is_pageable, 0),
	FIELD(has_pacer, 0), FIELD(has_trim_under_tracker, 0), FIELD(has_status_lock, 0),
	FIELD(has_device_queues, 0), FIELD(has_whole_mutex, 0), FIELD(latency_ns_max, 1)};

int *scenario_field(struct scenario *scenario, int index)
{
	return (int *)((char *)scenario + fields[index].offset);
}

int scenario_field_least(int index)
{
	return fields[index].least;
}

const char *scenario_field_name(int index)
{
	return fields[index].name;
}

static int draw(uint64_t *state, int least, int most)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return least + (int)((*state >> 33) % (uint64_t)(most - least + 1));
}

struct scenario scenario_draw(uint64_t seed)
{
	uint64_t state = seed * 2 + 1;
	struct scenario scenario = {.seed = seed};

	(void)draw(&state, 0, 1);
	scenario.jobs = draw(&state, 1, 4);
	scenario.partitions = draw(&state, 1, 4);
	scenario.devices = draw(&state, 1, 2);
	scenario.synthesis_threads = draw(&state, 1, 3);
	scenario.workers_per_device = draw(&state, 1, 2);
	scenario.blocking_threads = draw(&state, 1, 4);
	scenario.prep_threads = draw(&state, 1, 2);
	scenario.noise_threads = draw(&state, 0, 3);
	scenario.noise_rounds = draw(&state, 1, 20);
	scenario.budget_partitions = draw(&state, 0, 3);
	scenario.is_pageable = draw(&state, 0, 1);
	scenario.has_pacer = draw(&state, 0, 1);
	scenario.has_trim_under_tracker = draw(&state, 0, 1);
	scenario.has_status_lock = draw(&state, 0, 1);
	scenario.has_device_queues = draw(&state, 0, 1);
	scenario.has_whole_mutex = draw(&state, 0, 1);
	scenario.latency_ns_max = draw(&state, 1, 50000);
	return scenario;
}

/* ---- Programs ---- */

struct builder {
	struct op ops[WORLD_PROGRAM_MAX];
	size_t count;
};

static void add(struct builder *builder, struct op op)
{
	builder->ops[builder->count++] = op;
}

#define ADD(builder, ...) add(builder, (struct op){__VA_ARGS__})

static int finish(struct builder *builder, struct world *world)
{
	int program = world_add_program(world, builder->ops, builder->count);

	builder->count = 0;
	return program;
}

struct service {
	const struct scenario *scenario;
	struct world *world;
	int tracker;
	int status;
	int budget;
	int scheduler;
	int synth_queue;
	int blocking;
	int prep_pool;
	int prep;
	int gpu_queues[WORLD_DEVICES_MAX];
	int mutexes[WORLD_DEVICES_MAX];
};

static uint64_t near(struct service *service, uint64_t ns)
{
	return ns / 4 + world_random(service->world, ns);
}

/* Takes tracker, and sometimes status inside it, as every stage does to look or to note. */
static void add_visit(struct service *service, struct builder *builder, uint64_t ns)
{
	ADD(builder, .code = OP_LOCK, .object = service->tracker);
	ADD(builder, .code = OP_RUN, .ns = near(service, ns), .amount = ns);
	if (service->scenario->has_status_lock) {
		ADD(builder, .code = OP_LOCK, .object = service->status);
		ADD(builder, .code = OP_RUN, .ns = near(service, ns), .amount = ns);
		ADD(builder, .code = OP_UNLOCK, .object = service->status);
	}
	ADD(builder, .code = OP_UNLOCK, .object = service->tracker);
}

static void add_phase(
	struct service *service, struct builder *builder, const char *name, uint64_t ns)
{
	ADD(builder, .code = OP_SPAN_BEGIN, .name = name);
	ADD(builder, .code = OP_RUN, .ns = near(service, ns), .amount = ns);
	ADD(builder, .code = OP_SPAN_END, .name = name);
}

static void add_client(struct service *service)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	for (int job = 0; job < scenario->jobs; job++) {
		int item = world_add_item(service->world, (uint64_t)job + 1, -1);

		for (int partition = 0; partition < scenario->partitions; partition++) {
			(void)world_add_item(service->world, (uint64_t)job + 1, partition);
		}
		ADD(&builder, .code = OP_RUN, .ns = near(service, 2 * MS), .amount = 8 * MS);
		ADD(&builder, .code = OP_NEXT_ITEM, .amount = (uint64_t)item);
		ADD(&builder, .code = OP_JOB_SUBMIT, .amount = (uint64_t)scenario->partitions);
		ADD(&builder, .code = OP_PUSH, .object = service->scheduler);
	}
	ADD(&builder, .code = OP_EXIT);
	(void)world_add_thread(service->world, "client", finish(&builder, service->world), -1, 0);
}

static void add_dispatcher(struct service *service)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_POP, .object = service->scheduler);
	ADD(&builder, .code = OP_JOB_BEGIN);
	add_visit(service, &builder, 20 * US);
	for (int partition = 0; partition < scenario->partitions; partition++) {
		ADD(&builder, .code = OP_NEXT_ITEM, .kind = 1, .amount = (uint64_t)partition);
		if (scenario->has_pacer) {
			ADD(&builder, .code = OP_SLEEP, .kind = GAPTRACE_WAIT_PACER,
				.name = "pacer", .ns = near(service, 2 * MS));
		}
		if (scenario->budget_partitions > 0) {
			ADD(&builder, .code = OP_RESERVE, .object = service->budget, .amount = 10);
		}
		add_visit(service, &builder, 20 * US);
		ADD(&builder, .code = OP_PUSH, .object = service->synth_queue);
	}
	ADD(&builder, .code = OP_JUMP, .amount = 0);
	(void)world_add_thread(
		service->world, "dispatcher", finish(&builder, service->world), -1, 0);
}

static void add_synthesis(struct service *service)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	for (int i = 0; i < scenario->synthesis_threads; i++) {
		/* With a queue per device, each thread feeds one: the partition goes where it does.
		 */
		int queue = scenario->has_device_queues ? i % scenario->devices : 0;

		ADD(&builder, .code = OP_POP, .object = service->synth_queue);
		add_phase(service, &builder, "synthesize", 5 * MS);
		ADD(&builder, .code = OP_RUN, .ns = near(service, 10 * US));
		ADD(&builder, .code = OP_PUSH, .object = service->gpu_queues[queue]);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		(void)world_add_thread(
			service->world, "synthesis", finish(&builder, service->world), -1, 0);
	}
}

static int prep_program(struct service *service)
{
	struct builder builder = {.count = 0};

	add_phase(service, &builder, "prep_msm", 1 * MS);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_PREP, .name = "prep_barrier");
	add_phase(service, &builder, "b_g2_msm", 1 * MS);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_B_G2, .name = "b_g2");
	return finish(&builder, service->world);
}

static int start_program(struct service *service, int device)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_START_BEGIN);
	if (scenario->has_whole_mutex) {
		ADD(&builder, .code = OP_LOCK, .object = service->mutexes[device]);
	}
	ADD(&builder, .code = OP_SUBMIT, .object = service->prep_pool, .program = service->prep);
	ADD(&builder, .code = OP_RUN, .ns = near(service, 50 * US));
	if (!scenario->has_whole_mutex) {
		ADD(&builder, .code = OP_LOCK, .object = service->mutexes[device]);
	}
	ADD(&builder, .code = OP_RUN, .ns = near(service, 30 * US));
	for (int copy = 0; copy < 3; copy++) {
		ADD(&builder, .code = OP_COPY, .object = 0, .kind = scenario->is_pageable,
			.ns = near(service, 10 * US), .amount = near(service, 400 * US),
			.name = "HtoD");
	}
	ADD(&builder, .code = OP_LAUNCH, .object = 0, .ns = near(service, 8 * US),
		.amount = near(service, 1 * MS), .name = "ntt");
	ADD(&builder, .code = OP_LAUNCH, .object = 0, .ns = near(service, 8 * US),
		.amount = near(service, 1 * MS), .name = "msm_h");
	ADD(&builder, .code = OP_SYNC, .object = 0, .ns = near(service, 5 * US));
	ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_PREP, .kind = GAPTRACE_WAIT_BARRIER,
		.name = "prep_barrier");
	ADD(&builder, .code = OP_LAUNCH, .object = 1, .ns = near(service, 8 * US),
		.amount = near(service, 600 * US), .name = "batch_add");
	ADD(&builder, .code = OP_CALL, .ns = near(service, 100 * US), .name = "cudaMallocHost");
	ADD(&builder, .code = OP_LAUNCH, .object = 1, .ns = near(service, 8 * US),
		.amount = near(service, 100 * US), .name = "tail_msm");
	ADD(&builder, .code = OP_SYNC, .object = 1, .ns = near(service, 5 * US));
	ADD(&builder, .code = OP_UNLOCK, .object = service->mutexes[device]);
	add_phase(service, &builder, "release_abc", 200 * US);
	ADD(&builder, .code = OP_START_END);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_START_DONE, .name = "prove_start");
	return finish(&builder, service->world);
}

static int finish_program(struct service *service)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_FINISH_BEGIN);
	ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_B_G2, .kind = GAPTRACE_WAIT_JOIN,
		.name = "b_g2");
	ADD(&builder, .code = OP_RUN, .ns = near(service, 100 * US));
	ADD(&builder, .code = OP_FINISH_END);
	if (scenario->budget_partitions > 0) {
		ADD(&builder, .code = OP_RELEASE, .object = service->budget, .amount = 10);
	}
	ADD(&builder, .code = OP_LOCK, .object = service->tracker);
	ADD(&builder, .code = OP_RUN, .ns = near(service, 50 * US));
	if (scenario->has_trim_under_tracker) {
		ADD(&builder, .code = OP_TRIM, .ns = near(service, 2 * MS), .amount = 1 * MS);
	}
	ADD(&builder, .code = OP_UNLOCK, .object = service->tracker);
	ADD(&builder, .code = OP_PARTITION_DONE);
	return finish(&builder, service->world);
}

static void add_workers(struct service *service, int device)
{
	const struct scenario *scenario = service->scenario;
	int start = start_program(service, device);
	int end = finish_program(service);
	struct builder builder = {.count = 0};

	for (int i = 0; i < scenario->workers_per_device; i++) {
		ADD(&builder, .code = OP_POP,
			.object = service->gpu_queues[scenario->has_device_queues ? device : 0]);
		add_visit(service, &builder, 10 * US);
		ADD(&builder, .code = OP_SUBMIT, .object = service->blocking, .program = start);
		ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_START_DONE,
			.kind = GAPTRACE_WAIT_JOIN, .name = "prove_start");
		ADD(&builder, .code = OP_RUN, .ns = near(service, 10 * US));
		ADD(&builder, .code = OP_SUBMIT, .object = service->blocking, .program = end);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		(void)world_add_thread(
			service->world, "gpu_worker", finish(&builder, service->world), device, 0);
	}
}

static void add_noise(struct service *service)
{
	const struct scenario *scenario = service->scenario;
	struct builder builder = {.count = 0};

	for (int i = 0; i < scenario->noise_threads; i++) {
		int rounds = scenario->noise_rounds < 20 ? scenario->noise_rounds : 20;

		for (int round = 0; round < rounds && builder.count + 8 < WORLD_PROGRAM_MAX;
			round++) {
			bool is_reader = scenario->has_status_lock && round % 2;
			int lock = is_reader ? service->status : service->tracker;

			ADD(&builder, .code = OP_RUN, .ns = near(service, 1 * MS),
				.amount = 2 * MS);
			ADD(&builder, .code = is_reader ? OP_LOCK_SHARED : OP_LOCK, .object = lock);
			add_phase(service, &builder, "answer_status", 200 * US);
			ADD(&builder, .code = OP_UNLOCK, .object = lock);
		}
		ADD(&builder, .code = OP_EXIT);
		(void)world_add_thread(
			service->world, "http", finish(&builder, service->world), -1, 0);
	}
}

struct world *scenario_run(const struct scenario *scenario)
{
	struct world *world = world_create((struct world_options){
		.seed = scenario->seed, .latency_ns_max = (uint32_t)scenario->latency_ns_max});
	struct service service = {.scenario = scenario, .world = world};

	service.tracker = world_add_lock(world, "tracker");
	service.status = world_add_lock(world, "status");
	service.budget = world_add_budget(world, (uint64_t)scenario->budget_partitions * 10);
	service.scheduler = world_add_queue(world, "scheduler", -1);
	service.synth_queue = world_add_queue(world, "synth_queue", -1);
	for (int device = 0; device < scenario->devices; device++) {
		(void)world_add_device(world, 2);
		service.mutexes[device] = world_add_lock(world, "gpu_mutex");
		service.gpu_queues[device] = world_add_queue(
			world, "gpu_queue", scenario->has_device_queues ? device : -1);
	}
	add_client(&service);
	add_dispatcher(&service);
	service.blocking = world_add_pool(world, "blocking", scenario->blocking_threads);
	service.prep_pool = world_add_pool(world, "groth16_pool", scenario->prep_threads);
	service.prep = prep_program(&service);
	add_synthesis(&service);
	for (int device = 0; device < scenario->devices; device++) {
		add_workers(&service, device);
	}
	add_noise(&service);
	if (!world_run(world)) {
		world_destroy(world);
		return NULL;
	}
	return world;
}
