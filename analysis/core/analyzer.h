/* SPDX-License-Identifier: MIT */
/*
 * The whole engine behind one interface: events in, final gaps with their parts out. Wires the
 * timeline to the walk, checks that parts add up, and keeps the counts that trust rests on.
 */
#pragma once

#include "analysis/core/event.h"
#include "analysis/core/gap.h"
#include "analysis/core/sweep.h"
#include "analysis/core/timeline.h"
#include "analysis/core/trust.h"
#include "analysis/core/walk.h"
#include "trace/base/cleanup.h"
#include "trace/base/clock.h"
#include "trace/base/status.h"

/* A gap shorter than this is counted but not explained, unless the user says otherwise. */
#define ANALYZER_THRESHOLD_DEFAULT_NS NS_PER_MS

struct analyzer;

struct analyzer_listener {
	void *context;
	/* A final gap. `parts` is NULL unless it is a kernel gap of at least the threshold. */
	enum status (*gap)(void *context, enum sweep_layer layer, const struct gap *gap,
		const struct gap_part_list *parts);
	/* What ran: each instant once for each layer. May be NULL. */
	enum status (*covered)(void *context, uint32_t device, enum sweep_layer layer,
		uint64_t begin_ns, uint64_t end_ns);
	/* Every event, when the timeline has taken it. May be NULL. */
	enum status (*event)(void *context, const struct event *event);
};

enum analyzer_loss_kind {
	ANALYZER_LOST_EVENTS,
	ANALYZER_LOST_PACKETS
};

struct analyzer_loss {
	enum analyzer_loss_kind kind;
	uint64_t count; /* 0: some, but nobody knows how many */
	bool has_range;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* Gives a new analyzer to the caller, who destroys it; copies `listener`. */
MUST_CHECK enum status analyzer_create(uint64_t threshold_ns,
	const struct analyzer_listener *listener, struct analyzer **out_analyzer);

/* Events in order of time; one that is earlier than its predecessor is taken as simultaneous. */
MUST_CHECK enum status analyzer_add(struct analyzer *analyzer, const struct event *event);

MUST_CHECK enum status analyzer_add_loss(
	struct analyzer *analyzer, const struct analyzer_loss *loss);

/* No input covers [begin, end), which lies between events: what happened there is not known. */
MUST_CHECK enum status analyzer_add_pause(
	struct analyzer *analyzer, uint64_t begin_ns, uint64_t end_ns);

/* Something of the input could not be read: what and why, in one line. */
MUST_CHECK enum status analyzer_add_unreadable(struct analyzer *analyzer, const char *line);

/* Events that carry less than they should. */
void analyzer_count_unknown_event(struct analyzer *analyzer);
void analyzer_count_event_without_thread(struct analyzer *analyzer);

/* The input ended: tells all that is left and concludes what to trust. */
MUST_CHECK enum status analyzer_end(struct analyzer *analyzer);

uint64_t analyzer_threshold_ns(const struct analyzer *analyzer);
/* Borrowed from the analyzer. */
const struct timeline *analyzer_timeline(const struct analyzer *analyzer);
const struct walk *analyzer_walk(const struct analyzer *analyzer);
const struct trust *analyzer_trust(const struct analyzer *analyzer);

/* Accepts NULL. */
void analyzer_destroy(struct analyzer *analyzer);
DEFINE_AUTO(struct analyzer, analyzer_destroy)
