/* SPDX-License-Identifier: MIT */
#include "tests/simulator/service.h"

#define US 1000ULL

/* Of a wake-up, on a host that has other things to do. */
#define LATENCY_NS_MAX 60000

/* Trims find something to give back in so many of 100 partitions. */
#define TRIMS_OF_100 80

enum latch {
	LATCH_START_DONE,
	LATCH_PREP,
	LATCH_B_G2
};

struct builder {
	struct op ops[WORLD_PROGRAM_MAX];
	size_t count;
};

struct service {
	const struct service_plan *plan;
	struct world *world;
	int tracker;
	int budget;
	int scheduler;
	int synth_queue;
	int blocking;
	int prep_pool;
	int prep;
	int gpu_queues[WORLD_DEVICES_MAX];
	int mutexes[WORLD_DEVICES_MAX];
};

struct service_plan service_healthy(void)
{
	return (struct service_plan){.jobs = 50,
		.partitions = 4,
		.devices = 2,
		.workers = 2,
		.synthesis_threads = 8,
		.blocking_threads = 8,
		.prep_threads = 4,
		.arrival_us = 900000,
		.synthesis_us = 1500000,
		.input_us = 1000,
		.prep_us = 150000,
		.b_g2_us = 150000,
		.copy_us = 8000,
		.alloc_us = 4000,
		.kernel_us = 500000,
		.release_us = 4000};
}

#define ADD(builder, ...)                                                                          \
	(builder)->ops[(builder)->count++] = (struct op)                                           \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static int finish(struct builder *builder, struct world *world)
{
	int program = world_add_program(world, builder->ops, builder->count);

	builder->count = 0;
	return program;
}

static void add_phase(struct builder *builder, const char *name, uint32_t us)
{
	if (us > 0) {
		ADD(builder, .code = OP_SPAN_BEGIN, .name = name);
		ADD(builder, .code = OP_RUN, .ns = us * US);
		ADD(builder, .code = OP_SPAN_END, .name = name);
	}
}

static void add_visit(struct service *service, struct builder *builder, uint32_t us)
{
	ADD(builder, .code = OP_LOCK, .object = service->tracker);
	ADD(builder, .code = OP_RUN, .ns = us * US);
	ADD(builder, .code = OP_UNLOCK, .object = service->tracker);
}

static void add_client(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	for (uint32_t job = 0; job < plan->jobs; job++) {
		for (int partition = -1; partition < (int)plan->partitions; partition++) {
			(void)world_add_item(service->world, job + 1ULL, partition);
		}
	}
	ADD(&builder, .code = OP_RUN, .name = WEATHER_ARRIVAL, .ns = plan->arrival_us * US);
	ADD(&builder, .code = OP_NEXT_ITEM, .kind = 2, .amount = plan->partitions + 1);
	ADD(&builder, .code = OP_JOB_SUBMIT, .amount = plan->partitions);
	ADD(&builder, .code = OP_PUSH, .object = service->scheduler);
	ADD(&builder, .code = OP_JUMP, .amount = 0);
	(void)world_add_thread(service->world, "client", finish(&builder, service->world), -1, 0);
}

static void add_dispatcher(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_POP, .object = service->scheduler);
	ADD(&builder, .code = OP_JOB_BEGIN);
	for (uint32_t partition = 0; partition < plan->partitions; partition++) {
		ADD(&builder, .code = OP_NEXT_ITEM, .kind = 1, .amount = partition);
		if (plan->pacer_us > 0) {
			ADD(&builder, .code = OP_SLEEP, .kind = GAPTRACE_WAIT_PACER,
				.name = "pacer", .ns = plan->pacer_us * US);
		}
		if (plan->budget_partitions > 0) {
			ADD(&builder, .code = OP_RESERVE, .object = service->budget, .amount = 10);
		}
		add_visit(service, &builder, 20);
		ADD(&builder, .code = OP_PUSH, .object = service->synth_queue);
	}
	ADD(&builder, .code = OP_JUMP, .amount = 0);
	(void)world_add_thread(
		service->world, "dispatcher", finish(&builder, service->world), -1, 0);
}

static void add_synthesis(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	for (uint32_t i = 0; i < plan->synthesis_threads; i++) {
		const uint32_t device = plan->has_device_queues ? i % plan->devices : 0;
		const bool is_other = device > 0 && plan->other_synthesis_us > 0;

		ADD(&builder, .code = OP_POP, .object = service->synth_queue);
		ADD(&builder, .code = OP_SPAN_BEGIN, .name = "synthesize");
		ADD(&builder, .code = OP_RUN,
			.ns = (is_other ? plan->other_synthesis_us : plan->synthesis_us) * US);
		if (plan->starve_us > 0) {
			ADD(&builder, .code = OP_STARVE, .ns = plan->starve_us * US);
		}
		ADD(&builder, .code = OP_SPAN_END, .name = "synthesize");
		ADD(&builder, .code = OP_PUSH, .object = service->gpu_queues[device]);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		(void)world_add_thread(
			service->world, "synthesis", finish(&builder, service->world), -1, 0);
	}
}

static int prep_program(struct service *service)
{
	struct builder builder = {.count = 0};

	add_phase(&builder, "prep_msm", service->plan->prep_us);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_PREP, .name = "prep_barrier");
	add_phase(&builder, "b_g2_msm", service->plan->b_g2_us);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_B_G2, .name = "b_g2");
	return finish(&builder, service->world);
}

static void add_kernel(struct builder *builder, const char *name, uint64_t ns, uint64_t delay_ns)
{
	ADD(builder, .code = OP_LAUNCH, .object = 0, .ns = 10 * US, .amount = ns, .name = name,
		.delay_ns = delay_ns);
}

/* What happens with the GPU's mutex held. */
static void add_region(struct service *service, struct builder *builder)
{
	const struct service_plan *plan = service->plan;
	const uint64_t kernel_ns = plan->kernel_us * US;

	for (int copy = 0; copy < 3; copy++) {
		ADD(builder, .code = OP_COPY, .object = 0, .kind = (int)plan->is_pageable,
			.ns = 15 * US, .amount = plan->copy_us * US, .name = "HtoD");
	}
	if (plan->module_us > 0) {
		ADD(builder, .code = OP_SYNC, .object = 0, .ns = 5 * US);
		ADD(builder, .code = OP_CALL, .ns = plan->module_us * US,
			.name = "cuModuleLoadData");
	}
	add_kernel(builder, "ntt", kernel_ns / 10 * 3, 0);
	add_kernel(builder, "msm_h", kernel_ns / 10 * 5, 0);
	ADD(builder, .code = OP_SYNC, .object = 0, .ns = 5 * US);
	ADD(builder, .code = OP_LATCH_WAIT, .object = LATCH_PREP, .kind = GAPTRACE_WAIT_BARRIER,
		.name = "prep_barrier");
	ADD(builder, .code = OP_CALL, .ns = plan->alloc_us * US, .name = "cudaMallocHost");
	add_kernel(builder, "batch_add", kernel_ns / 10 * 2, plan->launch_us * US);
	ADD(builder, .code = OP_SYNC, .object = 0, .ns = 5 * US);
}

static int start_program(struct service *service, int device)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_START_BEGIN);
	add_phase(&builder, "srs_load", plan->srs_us);
	ADD(&builder, .code = OP_SUBMIT, .object = service->prep_pool, .program = service->prep);
	add_phase(&builder, "read_inputs", plan->input_us);
	ADD(&builder, .code = OP_LOCK, .object = service->mutexes[device]);
	add_region(service, &builder);
	ADD(&builder, .code = OP_UNLOCK, .object = service->mutexes[device]);
	add_phase(&builder, "release_abc", plan->release_us);
	ADD(&builder, .code = OP_START_END);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_START_DONE, .name = "prove_start");
	return finish(&builder, service->world);
}

static int finish_program(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_FINISH_BEGIN);
	ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_B_G2, .kind = GAPTRACE_WAIT_JOIN,
		.name = "b_g2");
	ADD(&builder, .code = OP_RUN, .ns = 200 * US);
	ADD(&builder, .code = OP_FINISH_END);
	if (plan->budget_partitions > 0) {
		ADD(&builder, .code = OP_RELEASE, .object = service->budget, .amount = 10);
	}
	ADD(&builder, .code = OP_LOCK, .object = service->tracker);
	ADD(&builder, .code = OP_RUN, .ns = 50 * US);
	if (plan->trim_us > 0) {
		ADD(&builder, .code = OP_TRIM, .kind = TRIMS_OF_100, .ns = plan->trim_us * US);
	}
	add_phase(&builder, "self_check", plan->self_check_us);
	ADD(&builder, .code = OP_UNLOCK, .object = service->tracker);
	ADD(&builder, .code = OP_PARTITION_DONE);
	return finish(&builder, service->world);
}

static void add_workers(struct service *service, int device)
{
	const int start = start_program(service, device);
	const int end = finish_program(service);
	struct builder builder = {.count = 0};

	for (uint32_t i = 0; i < service->plan->workers; i++) {
		ADD(&builder, .code = OP_POP, .object = service->gpu_queues[device]);
		add_visit(service, &builder, 20);
		ADD(&builder, .code = OP_SUBMIT, .object = service->blocking, .program = start);
		ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_START_DONE,
			.kind = GAPTRACE_WAIT_JOIN, .name = "prove_start");
		ADD(&builder, .code = OP_SUBMIT, .object = service->blocking, .program = end);
		/* Long enough that the finalizer mostly has tracker first. */
		add_phase(&builder, "note_started", 1000);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		(void)world_add_thread(
			service->world, "gpu_worker", finish(&builder, service->world), device, 0);
	}
}

static void add_devices(struct service *service)
{
	const struct service_plan *plan = service->plan;

	for (uint32_t device = 0; device < plan->devices; device++) {
		(void)world_add_device(service->world, 1);
		service->mutexes[device] = world_add_lock(service->world, "gpu_mutex");
		service->gpu_queues[device] = service->gpu_queues[0];
		if (device == 0 || plan->has_device_queues) {
			service->gpu_queues[device] = world_add_queue(service->world, "gpu_queue",
				plan->has_device_queues ? (int)device : -1);
		}
	}
}

struct world *service_run(
	const struct service_plan *plan, const struct weather_plan *weather_plan, uint64_t seed)
{
	struct weather weather;
	struct world *world = world_create((struct world_options){.seed = seed,
		.latency_ns_max = LATENCY_NS_MAX,
		.has_run_delay = plan->starve_us > 0,
		.duration = weather_duration,
		.context = &weather});
	struct service service = {.plan = plan, .world = world};

	weather_init(&weather, weather_plan);
	service.tracker = world_add_lock(world, "tracker");
	service.budget = world_add_budget(world, (uint64_t)plan->budget_partitions * 10);
	service.scheduler = world_add_queue(world, "scheduler", -1);
	service.synth_queue = world_add_queue(world, "synth_queue", -1);
	add_devices(&service);
	add_client(&service);
	add_dispatcher(&service);
	service.blocking = world_add_pool(world, "blocking", (int)plan->blocking_threads);
	service.prep_pool = world_add_pool(world, "groth16_pool", (int)plan->prep_threads);
	service.prep = prep_program(&service);
	add_synthesis(&service);
	for (uint32_t device = 0; device < plan->devices; device++) {
		add_workers(&service, (int)device);
	}
	if (!world_run(world)) {
		world_destroy(world);
		return NULL;
	}
	return world;
}
