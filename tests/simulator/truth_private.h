/* SPDX-License-Identifier: MIT */
/*
 * How the truth is worked out at one instant y: truth_chain.c follows threads from wait to wait,
 * truth_end.c charges what the chain of waits ended at. An interval covers y as docs/causes.md has
 * it: y is its end, or lies inside.
 */
#pragma once

#include "tests/simulator/truth.h"

/* A wait on the chain, as rule 6 and its table have it. */
struct link {
	enum gap_via_kind kind;
	const char *object;
	bool has_cause;
	enum cause cause;
	int queue; /* of a pop, -1 otherwise */
	int item;
};

struct chain {
	const struct world *world;
	uint64_t y_ns;
	int feeder; /* thread */
	struct link links[GAP_VIA_MAX + 1];
	int count;
	int threads[GAP_VIA_MAX + 1]; /* who waits on the chain */
	struct truth_charge *out;
};

/* What ran where the chain ended. */
struct end {
	enum cause cause;
	const char *name;
	int holder; /* thread, -1 nobody */
	bool is_untraced;
	bool is_starved;
};

bool truth_covers(uint64_t from_ns, uint64_t to_ns, uint64_t y_ns);
bool truth_is_outstanding(const struct world *world, uint64_t y_ns);
/* Whether the queue held anything. */
bool truth_has_item(const struct world *world, int queue, uint64_t y_ns);
/* NULL for none. */
const struct world_operation *truth_running_copy(
	const struct world *world, int device, int stream, uint64_t y_ns);
enum cause truth_copy_cause(bool is_pageable);

/* No object, no phase, no via. */
void truth_charge_plain(struct truth_charge *out, enum cause cause);

/* Charges the chain to what ran at its end (rules 6 and 8). */
void truth_end_charge(struct chain *chain, struct end end);
/* The same, to a call (rule 3), and to what a thread ran, NULL for nothing recorded (rule 5). */
void truth_end_call(struct chain *chain, int thread, const struct activity *call);
void truth_end_run(struct chain *chain, int thread, const struct activity *run);

/* Goes on in the thread at y, on its way to what it did at anchor_ns (rules 4, 6 and 7). */
void truth_chain_follow(struct chain *chain, int thread, uint64_t anchor_ns);
