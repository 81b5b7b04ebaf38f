/* SPDX-License-Identifier: MIT */
#include "tests/simulator/service_private.h"

/* Trims find something to give back in so many of 100 partitions. */
#define TRIMS_OF_100 80

#define COPIES 3

int service_prep_program(const struct service *service)
{
	struct builder builder = {.count = 0};

	service_add_phase(&builder, "prep_msm", service->plan->prep_us);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_PREP, .name = "prep_barrier");
	service_add_phase(&builder, "b_g2_msm", service->plan->b_g2_us);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_B_G2, .name = "b_g2");
	return service_add_program(service, &builder);
}

/* ---- prove_start ---- */

static void add_kernel(struct builder *builder, int stream, const char *name, uint64_t ns)
{
	ADD(builder, .code = OP_LAUNCH, .object = stream, .ns = 10 * US, .amount = ns,
		.name = name);
}

static void add_copies(const struct service_plan *plan, struct builder *builder)
{
	const int stream = plan->has_copy_stream ? SERVICE_COPY_STREAM : SERVICE_MAIN_STREAM;

	for (int copy = 0; copy < COPIES; copy++) {
		ADD(builder, .code = OP_COPY, .object = stream, .kind = (int)plan->is_pageable,
			.ns = 15 * US, .amount = plan->copy_us * US, .name = "HtoD");
	}
	if (plan->has_copy_stream) {
		ADD(builder, .code = OP_STREAM_WAIT, .object = SERVICE_MAIN_STREAM, .kind = stream,
			.ns = 5 * US);
	}
}

/* The batch additions and the tail: one kernel, or two in a graph with the host between them. */
static void add_tail(const struct service_plan *plan, struct builder *builder)
{
	const int stream = plan->has_tail_stream ? SERVICE_TAIL_STREAM : SERVICE_MAIN_STREAM;
	const uint64_t ns = plan->kernel_us * US / 10 * 2;

	if (plan->host_node_us > 0) {
		ADD(builder, .code = OP_GRAPH, .object = stream, .ns = 10 * US, .amount = ns / 2,
			.delay_ns = plan->host_node_us * US, .name = "batch_add");
	} else {
		ADD(builder, .code = OP_LAUNCH, .object = stream, .ns = 10 * US, .amount = ns,
			.delay_ns = plan->launch_us * US, .name = "batch_add");
	}
	ADD(builder, .code = OP_SYNC, .object = stream, .ns = 5 * US);
}

/* What happens with the GPU's mutex held. */
static void add_region(const struct service_plan *plan, struct builder *builder)
{
	const uint64_t kernel_ns = plan->kernel_us * US;

	add_copies(plan, builder);
	if (plan->module_us > 0) {
		ADD(builder, .code = OP_SYNC, .object = SERVICE_MAIN_STREAM, .ns = 5 * US);
		ADD(builder, .code = OP_CALL, .ns = plan->module_us * US,
			.name = "cuModuleLoadData");
	}
	add_kernel(builder, SERVICE_MAIN_STREAM, "ntt", kernel_ns / 10 * 3);
	add_kernel(builder, SERVICE_MAIN_STREAM, "msm_h", kernel_ns / 10 * 5);
	ADD(builder, .code = OP_SYNC, .object = SERVICE_MAIN_STREAM, .ns = 5 * US);
	ADD(builder, .code = OP_LATCH_WAIT, .object = LATCH_PREP, .kind = GAPTRACE_WAIT_BARRIER,
		.name = "prep_barrier");
	ADD(builder, .code = OP_CALL, .ns = plan->alloc_us * US, .name = "cudaMallocHost");
	add_tail(plan, builder);
}

/* With the mutex over the whole call the pool prepares meanwhile, and the GPU waits for it. */
static int start_program(const struct service *service, int device)
{
	const struct service_plan *plan = service->plan;
	const int mutex = service->mutexes[device];
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_START_BEGIN);
	service_add_phase(&builder, "srs_load", plan->srs_us);
	if (plan->has_whole_mutex) {
		ADD(&builder, .code = OP_LOCK, .object = mutex);
	}
	ADD(&builder, .code = OP_SUBMIT, .object = service->prep_pool, .program = service->prep);
	service_add_phase(&builder, "read_inputs", plan->input_us);
	service_add_run(&builder, plan->between_us);
	if (!plan->has_whole_mutex) {
		ADD(&builder, .code = OP_LOCK, .object = mutex);
	}
	service_add_run(&builder, plan->between_us);
	add_region(plan, &builder);
	if (plan->has_whole_mutex) {
		ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_B_G2,
			.kind = GAPTRACE_WAIT_JOIN, .name = "b_g2");
		service_add_run(&builder, plan->between_us);
	}
	ADD(&builder, .code = OP_UNLOCK, .object = mutex);
	service_add_phase(&builder, "release_abc", plan->release_us);
	ADD(&builder, .code = OP_START_END);
	ADD(&builder, .code = OP_LATCH_SIGNAL, .object = LATCH_START_DONE, .name = "prove_start");
	return service_add_program(service, &builder);
}

/* ---- prove_finish ---- */

static void add_finish(const struct service *service, struct builder *builder)
{
	const struct service_plan *plan = service->plan;

	ADD(builder, .code = OP_FINISH_BEGIN);
	ADD(builder, .code = OP_LATCH_WAIT, .object = LATCH_B_G2, .kind = GAPTRACE_WAIT_JOIN,
		.name = "b_g2");
	/* Curve arithmetic of the epilogue. */
	ADD(builder, .code = OP_RUN, .ns = 200 * US);
	ADD(builder, .code = OP_FINISH_END);
	if (plan->budget_partitions > 0) {
		ADD(builder, .code = OP_RELEASE, .object = service->budget,
			.amount = SERVICE_PARTITION_BYTES);
	}
	ADD(builder, .code = OP_LOCK, .object = service->tracker);
	ADD(builder, .code = OP_RUN, .ns = 50 * US);
	if (plan->trim_us > 0) {
		ADD(builder, .code = OP_TRIM, .kind = TRIMS_OF_100, .ns = plan->trim_us * US);
	}
	service_add_phase(builder, "self_check", plan->self_check_us);
	ADD(builder, .code = OP_UNLOCK, .object = service->tracker);
	service_add_phase(builder, "write_proof", plan->write_us);
	ADD(builder, .code = OP_PARTITION_DONE);
}

void service_add_finisher(const struct service *service)
{
	struct builder builder = {.count = 0};

	ADD(&builder, .code = OP_POP, .object = service->finish_channel);
	add_finish(service, &builder);
	ADD(&builder, .code = OP_JUMP, .amount = 0);
	service_add_thread(service, &builder, "finisher", -1);
}

static int finish_program(const struct service *service)
{
	struct builder builder = {.count = 0};

	add_finish(service, &builder);
	return service_add_program(service, &builder);
}

/* ---- Workers ---- */

void service_add_workers(const struct service *service, int device)
{
	const struct service_plan *plan = service->plan;
	const int start = start_program(service, device);
	const int end = finish_program(service);
	struct builder builder = {.count = 0};

	for (uint32_t i = 0; i < plan->workers; i++) {
		ADD(&builder, .code = OP_POP, .object = service->gpu_queues[device]);
		service_add_visit(service, &builder);
		ADD(&builder, .code = OP_SUBMIT, .object = service->blocking, .program = start);
		ADD(&builder, .code = OP_LATCH_WAIT, .object = LATCH_START_DONE,
			.kind = GAPTRACE_WAIT_JOIN, .name = "prove_start");
		service_add_run(&builder, plan->between_us);
		if (plan->finish_capacity > 0) {
			ADD(&builder, .code = OP_PUSH, .object = service->finish_channel);
		} else {
			ADD(&builder, .code = OP_SUBMIT, .object = service->blocking,
				.program = end);
		}
		service_add_phase(&builder, "note_started", plan->note_us);
		ADD(&builder, .code = OP_JUMP, .amount = 0);
		service_add_thread(service, &builder, "gpu_worker", device);
	}
}
