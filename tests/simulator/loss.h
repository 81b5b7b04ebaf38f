/* SPDX-License-Identifier: MIT */
/*
 * What is left of a world's events when a recording loses some, as LTTng and the collector of
 * device records lose them, with what the recording then tells of the loss. Events keep their
 * order; a loss stands where a reader is told of it.
 */
#pragma once

#include "analysis/core/analyzer.h"
#include "tests/simulator/world.h"

enum loss_kind {
	LOSS_NONE,      /* all is there */
	LOSS_DISCARDED, /* one CPU's buffers were full: a run of its events is missing, told */
	LOSS_BURSTS,    /* the same, three times, of any CPU */
	LOSS_STORM,     /* all the time: of all there is about a third is missing, told */
	LOSS_PACKETS,   /* whole packets of one CPU are missing, told */
	LOSS_CUT,       /* one CPU's file was cut short, told */
	LOSS_LATE,      /* the recording began in the middle, with a keyframe */
	LOSS_BLIND,     /* the same, and the keyframe is missing */
	LOSS_RECORDS,   /* the collector dropped records of operations, and told it */
	LOSS_CLOCK,     /* nothing, but device stamps are off by up to LOSS_CLOCK_NS */
	LOSS_KIND_COUNT
};

#define LOSS_CLOCK_NS 2000

const char *loss_kind_name(enum loss_kind kind);

struct loss_item {
	bool is_loss;
	struct event event;
	struct analyzer_loss loss;
};

struct loss_trace {
	struct loss_item *items;
	size_t count;
	uint64_t begin_ns; /* nothing before it is recorded */
};

/* The caller frees the items. A seed always loses the same. */
struct loss_trace loss_apply(const struct world *world, enum loss_kind kind, uint64_t seed);
