/* SPDX-License-Identifier: MIT */
#include "tests/simulator/service.h"

#include "tests/simulator/service_private.h"

#include <assert.h>

struct service_plan service_healthy(void)
{
	return (struct service_plan){.jobs = 50,
		.partitions = 4,
		.devices = 2,
		.workers = 2,
		.synthesis_threads = 8,
		.blocking_threads = 8,
		.prep_threads = 4,
		.latency_ns_max = 60000, /* of a host that has other things to do */
		.arrival_us = 900000,
		.visit_us = 20,
		.note_us = 1000,
		.synthesis_us = 1500000,
		.input_us = 1000,
		.prep_us = 150000,
		.b_g2_us = 150000,
		.copy_us = 8000,
		.alloc_us = 4000,
		.kernel_us = 500000,
		.release_us = 4000};
}

/* ---- Programs ---- */

void service_add(struct builder *builder, struct op op)
{
	assert(builder->count < WORLD_PROGRAM_MAX);
	builder->ops[builder->count++] = op;
}

void service_add_phase(struct builder *builder, const char *name, uint32_t us)
{
	if (us > 0) {
		ADD(builder, .code = OP_SPAN_BEGIN, .name = name);
		ADD(builder, .code = OP_RUN, .ns = us * US);
		ADD(builder, .code = OP_SPAN_END, .name = name);
	}
}

void service_add_run(struct builder *builder, uint32_t us)
{
	if (us > 0) {
		ADD(builder, .code = OP_RUN, .ns = us * US);
	}
}

void service_add_visit(const struct service *service, struct builder *builder)
{
	const uint32_t us = service->plan->visit_us;

	ADD(builder, .code = OP_LOCK, .object = service->tracker);
	service_add_run(builder, us);
	if (service->plan->has_status_lock) {
		ADD(builder, .code = OP_LOCK, .object = service->status);
		service_add_run(builder, us);
		ADD(builder, .code = OP_UNLOCK, .object = service->status);
	}
	ADD(builder, .code = OP_UNLOCK, .object = service->tracker);
}

int service_add_program(const struct service *service, struct builder *builder)
{
	const int program = world_add_program(service->world, builder->ops, builder->count);

	builder->count = 0;
	return program;
}

void service_add_thread(
	const struct service *service, struct builder *builder, const char *name, int device)
{
	const int program = service_add_program(service, builder);

	(void)world_add_thread(service->world, name, program, device, 0);
}

/* ---- Threads ---- */

/* The way in. It needs no queue of requests: when they come is all that matters. */
static void add_client(const struct service *service)
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
	service_add_thread(service, &builder, "client", -1);
}

/* Job by job, partition by partition; what holds it back comes before the reservation. */
static void add_dispatcher(const struct service *service)
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
			ADD(&builder, .code = OP_RESERVE, .object = service->budget,
				.amount = SERVICE_PARTITION_BYTES);
		}
		service_add_visit(service, &builder);
		ADD(&builder, .code = OP_PUSH, .object = service->synth_queue);
	}
	ADD(&builder, .code = OP_JUMP, .amount = 0);
	service_add_thread(service, &builder, "dispatcher", -1);
}

static void add_synthesis(const struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	for (uint32_t i = 0; i < plan->synthesis_threads; i++) {
		/* Of queues per device each thread feeds one: the partition goes where it does. */
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
		service_add_run(&builder, plan->between_us);
		ADD(&builder, .code = OP_PUSH, .object = service->gpu_queues[device]);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		service_add_thread(service, &builder, "synthesis", -1);
	}
}

/* They ask now and then, at no fixed times; with a status lock every other one takes that alone. */
static void add_askers(const struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct builder builder = {.count = 0};

	for (uint32_t i = 0; i < plan->askers; i++) {
		for (uint32_t round = 0; round < plan->asker_rounds; round++) {
			const bool is_reader = plan->has_status_lock && round % 2 == 1;
			const int lock = is_reader ? service->status : service->tracker;

			ADD(&builder, .code = OP_RUN, .ns = plan->answer_us * US,
				.amount = 10 * plan->answer_us * US);
			ADD(&builder, .code = is_reader ? OP_LOCK_SHARED : OP_LOCK, .object = lock);
			service_add_phase(&builder, "answer_status", plan->answer_us);
			ADD(&builder, .code = OP_UNLOCK, .object = lock);
		}
		ADD(&builder, .code = OP_EXIT);
		service_add_thread(service, &builder, "http", -1);
	}
}

/* ---- The whole ---- */

static void add_objects(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct world *world = service->world;

	service->tracker = world_add_lock(world, "tracker");
	service->status = world_add_lock(world, "status");
	service->budget = world_add_budget(
		world, (uint64_t)plan->budget_partitions * SERVICE_PARTITION_BYTES);
	service->scheduler = world_add_queue(world, "scheduler", -1);
	service->synth_queue = world_add_queue(world, "synth_queue", -1);
	service->finish_channel = world_add_channel(world, "finish_channel", plan->finish_capacity);
	for (uint32_t device = 0; device < plan->devices; device++) {
		(void)world_add_device(world, SERVICE_STREAMS);
		service->mutexes[device] = world_add_lock(world, "gpu_mutex");
		service->gpu_queues[device] = service->gpu_queues[0];
		if (device == 0 || plan->has_device_queues) {
			service->gpu_queues[device] = world_add_queue(
				world, "gpu_queue", plan->has_device_queues ? (int)device : -1);
		}
	}
}

/*
 * In this order: a thread's number is the remainder of its times, so another order makes other runs
 * of the same seeds, and the rates of docs/regression.md would have to be measured again.
 */
static void add_threads(struct service *service)
{
	const struct service_plan *plan = service->plan;
	struct world *world = service->world;

	add_client(service);
	add_dispatcher(service);
	service->blocking = world_add_pool(world, "blocking", (int)plan->blocking_threads);
	service->prep_pool = world_add_pool(world, "groth16_pool", (int)plan->prep_threads);
	service->prep = service_prep_program(service);
	add_synthesis(service);
	for (uint32_t device = 0; device < plan->devices; device++) {
		service_add_workers(service, (int)device);
	}
	add_askers(service);
	if (plan->finish_capacity > 0) {
		service_add_finisher(service);
	}
}

struct world *service_run(
	const struct service_plan *plan, const struct weather_plan *weather_plan, uint64_t seed)
{
	struct weather weather;
	struct world *world = world_create((struct world_options){.seed = seed,
		.latency_ns_max = plan->latency_ns_max,
		.has_run_delay = plan->starve_us > 0 && !plan->has_scheduler,
		.has_scheduler = plan->has_scheduler,
		.duration = weather_duration,
		.context = &weather});
	struct service service = {.plan = plan, .world = world};

	weather_init(&weather, weather_plan);
	add_objects(&service);
	add_threads(&service);
	if (!world_run(world)) {
		world_destroy(world);
		return NULL;
	}
	return world;
}
