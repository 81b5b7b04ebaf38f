/* SPDX-License-Identifier: MIT */
#include "analysis/core/analyzer.h"

#include <stdlib.h>

/* How often, in events, the walk may forget. Rare enough to cost nothing. */
#define FORGET_EVERY 1024

/* LTTng 2.13 sometimes sets the top bit of a count of discarded events. */
#define LOSS_COUNT_MASK 0x7fffffffffffffffULL

struct analyzer {
	struct analyzer_listener listener;
	uint64_t threshold_ns;
	struct timeline *timeline;
	struct walk *walk;
	struct gap_part_list parts;
	struct trust trust;
	uint64_t last_ns;
};

static enum status on_gap(void *context, enum sweep_layer layer, const struct gap *gap)
{
	struct analyzer *analyzer = context;
	struct gap_part_list *parts = NULL;

	/* Gaps in which nothing at all ran are counted, not explained: they lie inside these. */
	if (layer == SWEEP_KERNEL && gap->end_ns - gap->begin_ns >= analyzer->threshold_ns) {
		const enum status status = walk_explain(analyzer->walk, gap, &analyzer->parts);

		if (status != STATUS_OK) {
			return status;
		}
		parts = &analyzer->parts;
	}
	return analyzer->listener.gap(analyzer->listener.context, layer, gap, parts);
}

static enum status on_device(void *context, int32_t pid, int32_t ordinal, uint32_t device)
{
	struct analyzer *analyzer = context;

	return walk_add_device(analyzer->walk, pid, ordinal, device);
}

static enum status on_covered(
	void *context, uint32_t device, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	const struct analyzer *analyzer = context;

	if (!analyzer->listener.covered) {
		return STATUS_OK;
	}
	return analyzer->listener.covered(
		analyzer->listener.context, device, layer, begin_ns, end_ns);
}

enum status analyzer_create(uint64_t threshold_ns, const struct analyzer_listener *listener,
	struct analyzer **out_analyzer)
{
	AUTO(analyzer_destroy) struct analyzer *analyzer = calloc(1, sizeof(*analyzer));
	struct timeline_listener timeline_listener = {
		.device = on_device, .gap = on_gap, .covered = on_covered};
	enum status status;

	if (!analyzer) {
		return STATUS_NO_MEMORY;
	}
	trust_init(&analyzer->trust);
	analyzer->listener = *listener;
	analyzer->threshold_ns = threshold_ns;
	timeline_listener.context = analyzer;
	status = timeline_create(&timeline_listener, &analyzer->timeline);
	if (status == STATUS_OK) {
		status = walk_create(&analyzer->walk);
	}
	if (status == STATUS_OK) {
		*out_analyzer = MOVE(analyzer);
	}
	return status;
}

/* Reasons are literals, since the walk's parts point to them. */
static enum status add_note(struct analyzer *analyzer, const struct event *event)
{
	const bool has_range = event->note.begin_ns < event->note.end_ns;
	const struct analyzer_loss loss = {
		.kind = ANALYZER_LOST_EVENTS,
		.count = event->note.count,
		.has_range = has_range,
		.begin_ns = event->note.begin_ns,
		.end_ns = event->note.end_ns,
	};
	const char *text = event->note.text ? event->note.text : "";
	enum status status;

	switch (event->note.kind) {
	case EVENT_NOTE_SOURCE:
		timeline_set_imported(analyzer->timeline);
		status = trust_add_source(&analyzer->trust, text);
		return status == STATUS_OK ? walk_add(analyzer->walk, event) : status;
	case EVENT_NOTE_FACT:
		return trust_fact(&analyzer->trust, text);
	case EVENT_NOTE_LOST:
		status = trust_note(&analyzer->trust, "%s", text);
		return status == STATUS_OK ? analyzer_add_loss(analyzer, &loss) : status;
	case EVENT_NOTE_UNREADABLE:
		break;
	}
	return analyzer_add_unreadable(analyzer, text);
}

enum status analyzer_add(struct analyzer *analyzer, const struct event *event)
{
	struct event later;
	enum status status;

	if (event->kind == EVENT_IMPORT_NOTE) {
		return add_note(analyzer, event);
	}
	/* Clocks of two sessions on one host may differ by nanoseconds in their offsets. Time
	 * must not run backwards: every ring of the walk counts on it. */
	if (event->time_ns < analyzer->last_ns) {
		later = *event;
		later.time_ns = analyzer->last_ns;
		event = &later;
	}
	analyzer->last_ns = event->time_ns;
	analyzer->trust.events++;

	/* The timeline names a device to the walk before the walk sees its operation. */
	status = timeline_add(analyzer->timeline, event);
	if (status == STATUS_OK && timeline_accepts(event)) {
		status = walk_add(analyzer->walk, event);
	}
	if (status == STATUS_OK && analyzer->listener.event) {
		status = analyzer->listener.event(analyzer->listener.context, event);
	}
	/* What no open gap can ask for any more. A recording that tells of no job has gaps, too,
	 * and to wait for its end is to forget what they need. */
	if (analyzer->trust.events % FORGET_EVERY == 0) {
		if (walk_is_filling(analyzer->walk)) {
			timeline_force_begin(analyzer->timeline);
		}
		walk_forget_before(analyzer->walk, timeline_open_since(analyzer->timeline));
	}
	return status;
}

enum status analyzer_add_loss(struct analyzer *analyzer, const struct analyzer_loss *loss)
{
	const uint64_t count = loss->count & LOSS_COUNT_MASK;
	enum status status;
	uint64_t end_ns;

	if (loss->kind == ANALYZER_LOST_EVENTS) {
		/* A loss whose size is not told is one at least. */
		analyzer->trust.discarded_events += count ? count : 1;
		analyzer->trust.has_uncounted |= count == 0;
	} else {
		analyzer->trust.discarded_packets += count ? count : 1;
	}
	/* Counted above; without a range no gap is touched by it. */
	if (!loss->has_range || loss->begin_ns > loss->end_ns) {
		return STATUS_OK;
	}
	/* Packets that meet in one nanosecond still lack what was lost there. */
	end_ns = loss->begin_ns < loss->end_ns ? loss->end_ns : loss->end_ns + 1;
	status = interval_set_add(&analyzer->trust.untrusted, loss->begin_ns, end_ns);
	if (status != STATUS_OK) {
		return status;
	}
	return walk_add_untrusted(analyzer->walk, loss->begin_ns, end_ns,
		loss->kind == ANALYZER_LOST_EVENTS ? "lost events" : "lost packets");
}

enum status analyzer_add_pause(struct analyzer *analyzer, uint64_t begin_ns, uint64_t end_ns)
{
	const enum status status = interval_set_add(&analyzer->trust.uncovered, begin_ns, end_ns);

	return status == STATUS_OK
		       ? walk_add_untrusted(analyzer->walk, begin_ns, end_ns, "between recordings")
		       : status;
}

enum status analyzer_add_unreadable(struct analyzer *analyzer, const char *line)
{
	analyzer->trust.unreadable++;
	return trust_note(&analyzer->trust, "%s", line);
}

void analyzer_count_unknown_event(struct analyzer *analyzer)
{
	analyzer->trust.unknown_events++;
}

void analyzer_count_event_without_thread(struct analyzer *analyzer)
{
	analyzer->trust.without_thread++;
}

/* Devices that are no GPUs have the host's clock. */
static enum trust_clock clock_of(
	const struct timeline *timeline, const struct timeline_counts *counts)
{
	const uint32_t count = timeline_device_count(timeline);

	if (counts->clock != TRUST_CLOCK_UNKNOWN || count == 0) {
		return counts->clock;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct timeline_device *device = timeline_device(timeline, i);

		if (!device->has_facts || device->backend == GAPTRACE_BACKEND_CUDA) {
			return TRUST_CLOCK_UNKNOWN;
		}
	}
	return TRUST_CLOCK_HOST;
}

enum status analyzer_end(struct analyzer *analyzer)
{
	struct trust *trust = &analyzer->trust;
	const enum status status = timeline_end(analyzer->timeline);
	const struct timeline_counts counts = timeline_counts(analyzer->timeline);
	const struct walk_counts walk = walk_counts(analyzer->walk);
	const struct window *window = timeline_window(analyzer->timeline);

	if (status != STATUS_OK) {
		return status;
	}
	trust->operations = counts.operations;
	trust->bad_stamps = counts.bad_stamps;
	trust->dropped_records = counts.dropped_records;
	trust->late_records = counts.late_records;
	trust->late_ns = counts.late_ns;
	trust->clock = clock_of(analyzer->timeline, &counts);
	trust->has_clock_bound = counts.has_clock_pairs;
	trust->clock_bound_ns = counts.clock_bound_ns;
	trust->without_watermark = counts.without_watermark;
	trust->joined = walk.joined_operations;
	trust->unjoined = walk.unjoined_operations;
	trust->outside = walk.outside_operations;
	trust->before_launch = walk.before_launch;
	trust->internal_errors = walk.internal_errors;
	trust->told_twice = window->told_twice;
	trust->unrecorded = walk_dropped(analyzer->walk);
	if (window_end_ns(window) > window->begin_ns) {
		trust->window_begin_ns = window->begin_ns;
		trust->window_ns = window_end_ns(window) - window->begin_ns;
	}
	return trust_conclude(trust);
}

uint64_t analyzer_threshold_ns(const struct analyzer *analyzer)
{
	return analyzer->threshold_ns;
}

const struct timeline *analyzer_timeline(const struct analyzer *analyzer)
{
	return analyzer->timeline;
}

const struct walk *analyzer_walk(const struct analyzer *analyzer)
{
	return analyzer->walk;
}

const struct trust *analyzer_trust(const struct analyzer *analyzer)
{
	return &analyzer->trust;
}

void analyzer_destroy(struct analyzer *analyzer)
{
	if (!analyzer) {
		return;
	}
	timeline_destroy(analyzer->timeline);
	walk_destroy(analyzer->walk);
	gap_part_list_finish(&analyzer->parts);
	trust_finish(&analyzer->trust);
	free(analyzer);
}
