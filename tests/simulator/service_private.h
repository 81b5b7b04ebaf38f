/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the simulated service share: service.c has the threads that hand partitions
 * on, service_prove.c what is done with one on its GPU and after.
 */
#pragma once

#include "tests/simulator/service.h"

#define US 1000ULL

/* Reservations of the budget are all of one size, in whatever unit. */
#define SERVICE_PARTITION_BYTES 10

#define SERVICE_MAIN_STREAM 0
#define SERVICE_TAIL_STREAM 1
#define SERVICE_COPY_STREAM 2
#define SERVICE_STREAMS     3

/* Latches of each item. */
enum latch {
	LATCH_START_DONE,
	LATCH_PREP,
	LATCH_B_G2
};

struct service {
	const struct service_plan *plan;
	struct world *world;
	int tracker;
	int status;
	int budget;
	int scheduler;
	int synth_queue;
	int finish_channel;
	int blocking;
	int prep_pool;
	int prep; /* program */
	int gpu_queues[WORLD_DEVICES_MAX];
	int mutexes[WORLD_DEVICES_MAX];
};

/* A program in the making. */
struct builder {
	struct op ops[WORLD_PROGRAM_MAX];
	size_t count;
};

void service_add(struct builder *builder, struct op op);
#define ADD(builder, ...) service_add(builder, (struct op){__VA_ARGS__})

/* A span that runs so long; none of no time. */
void service_add_phase(struct builder *builder, const char *name, uint32_t us);
/* Runs so long in whatever span is open. */
void service_add_run(struct builder *builder, uint32_t us);
/* Takes tracker, and where there is one the status lock inside it, to look or to note. */
void service_add_visit(const struct service *service, struct builder *builder);

/* Gives the number of the program, and empties the builder. */
int service_add_program(const struct service *service, struct builder *builder);
/* The same, as the program of a new thread. */
void service_add_thread(
	const struct service *service, struct builder *builder, const char *name, int device);

/* The pools' programs; before any worker. */
int service_prep_program(const struct service *service);
/* The workers of a device, and what they have the blocking pool do. */
void service_add_workers(const struct service *service, int device);
/* The one thread that finishes what comes through the channel. */
void service_add_finisher(const struct service *service);
