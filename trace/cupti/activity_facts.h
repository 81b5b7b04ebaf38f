/* SPDX-License-Identifier: MIT */
/*
 * What earlier records said and later ones leave out: the device of a context, the stream of an
 * event, the call that issued an operation. Tables of fixed size; one that overflows forgets the
 * oldest or says that it does not know. One thread uses it.
 */
#pragma once

#include "trace/base/limits.h"

#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_COUNT_MAX 256  /* contexts a process ever makes; a device has one or a few */
#define EVENT_SLOT_COUNT  1024 /* events waited for; a slot is shared by ids that collide */
#define LAUNCH_SLOT_COUNT 8192 /* calls whose operation is still to come, and the reverse */

struct activity_facts {
	uint32_t context_count;
	struct {
		uint32_t context;
		int32_t device;
	} contexts[CONTEXT_COUNT_MAX];
	struct {
		uint32_t context;
		uint32_t event;
		uint32_t stream;
		bool is_used;
	} events[EVENT_SLOT_COUNT];
	struct {
		uint32_t correlation;
		uint64_t launch_ns; /* 0: not known yet */
		uint64_t start_ns;  /* of the first operation; 0: not known yet */
	} launches[LAUNCH_SLOT_COUNT];
	bool has_device[DEVICE_COUNT_MAX];
};

void activity_facts_init(struct activity_facts *facts);

void activity_facts_context(struct activity_facts *facts, uint32_t context, uint32_t device);
/* -1 when not known. */
int32_t activity_facts_device(const struct activity_facts *facts, uint32_t context);

void activity_facts_event(
	struct activity_facts *facts, uint32_t context, uint32_t event, uint32_t stream);
/* 0 when not known. */
uint32_t activity_facts_event_stream(
	const struct activity_facts *facts, uint32_t context, uint32_t event);

/* A call began, or an operation that it issued started; either may be told first. True once, when
 * both are known. */
bool activity_facts_launch(struct activity_facts *facts, uint32_t correlation, uint64_t launch_ns,
	uint64_t *out_start_ns);
bool activity_facts_start(struct activity_facts *facts, uint32_t correlation, uint64_t start_ns,
	uint64_t *out_launch_ns);
