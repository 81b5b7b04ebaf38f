/* SPDX-License-Identifier: MIT */
#include "analysis/core/timeline.h"

#include "trace/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* (pid, ordinal) pairs: every process of a host may use every device. */
#define SOURCE_COUNT_MAX 4096

/*
 * A collector may only know what ended: then something that began long before a watermark may still
 * come. So what is called final stays behind the watermark by twice the longest operation seen, and
 * at least by this.
 */
#define HOLD_MIN_NS (20 * NS_PER_MS)

/* A process that said nothing of its device for this long is gone and no longer waited for. */
#define SOURCE_SILENT_NS (30 * NS_PER_S)

/* Pending operations (56 bytes each) beyond which waiting for watermarks or jobs ends. */
#define PENDING_COUNT_MAX (1u << 20)

/* How far back an open gap may ask for lanes: an hour-long gap is not worth an hour of events. */
#define OPEN_GAP_MAX_NS (600 * NS_PER_S)

/* Stamps this large are CUPTI's "no time", not times. */
#define STAMP_MAX_NS (1ULL << 63)

/* One device as one process numbers it. */
struct source {
	int32_t pid;
	int32_t ordinal;
	uint32_t device;
	bool has_watermark;
	uint64_t complete_until_ns;
	uint64_t last_event_ns;
};

struct timeline {
	struct timeline_listener listener;
	struct window window;
	struct timeline_device *devices[DEVICE_COUNT_MAX];
	uint32_t device_count;
	struct source *sources;
	uint32_t source_count;
	uint32_t source_capacity;
	struct timeline_counts counts;
	uint64_t window_end_ns; /* gaps are clipped to it; the maximum until the end is known */
};

/* What a sweep's listener needs to know: whose sweep it is. */
struct sweep_scope {
	struct timeline *timeline;
	uint32_t device;
};

enum status timeline_create(
	const struct timeline_listener *listener, struct timeline **out_timeline)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));

	if (!timeline) {
		return STATUS_NO_MEMORY;
	}
	timeline->listener = *listener;
	timeline->window_end_ns = UINT64_MAX;
	window_init(&timeline->window);
	*out_timeline = timeline;
	return STATUS_OK;
}

static enum status add_device(struct timeline *timeline, uint32_t *out_device)
{
	struct timeline_device *device;

	/* Nothing was told of a device that was merged away: its place is free. */
	for (uint32_t i = 0; i < timeline->device_count; i++) {
		if (timeline->devices[i]->is_merged) {
			*timeline->devices[i] = (struct timeline_device){0};
			sweep_init(&timeline->devices[i]->sweep);
			*out_device = i;
			return STATUS_OK;
		}
	}
	if (timeline->device_count == DEVICE_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	device = calloc(1, sizeof(*device));
	if (!device) {
		return STATUS_NO_MEMORY;
	}
	sweep_init(&device->sweep);
	timeline->devices[timeline->device_count] = device;
	*out_device = timeline->device_count++;
	return STATUS_OK;
}

/* Finds the source, or adds one on a device of its own that has no facts yet. */
static enum status source_of(
	struct timeline *timeline, const struct event *event, int32_t ordinal, struct source **out)
{
	struct source *source;
	enum status status;
	uint32_t device;

	for (uint32_t i = 0; i < timeline->source_count; i++) {
		source = &timeline->sources[i];
		if (source->pid == event->pid && source->ordinal == ordinal) {
			source->last_event_ns = event->time_ns;
			*out = source;
			return STATUS_OK;
		}
	}

	if (timeline->source_count == SOURCE_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	if (timeline->source_count == timeline->source_capacity) {
		const uint32_t capacity = timeline->source_capacity * 2 + 16;
		struct source *sources =
			reallocarray(timeline->sources, capacity, sizeof(*sources));

		if (!sources) {
			return STATUS_NO_MEMORY;
		}
		timeline->sources = sources;
		timeline->source_capacity = capacity;
	}
	status = add_device(timeline, &device);
	if (status != STATUS_OK) {
		return status;
	}
	timeline->devices[device]->ordinal = ordinal;
	(void)snprintf(
		timeline->devices[device]->uuid, NAME_BYTES_MAX, "%d:%d", event->pid, ordinal);

	source = &timeline->sources[timeline->source_count++];
	*source = (struct source){.pid = event->pid,
		.ordinal = ordinal,
		.device = device,
		.last_event_ns = event->time_ns};
	*out = source;
	return timeline->listener.device(timeline->listener.context, event->pid, ordinal, device);
}

static enum status on_sweep_gap(void *context, const struct sweep_gap *sweep_gap)
{
	const struct sweep_scope *scope = context;
	struct timeline *timeline = scope->timeline;
	const struct sweep *sweep = &timeline->devices[scope->device]->sweep;
	const struct operation *ender = sweep_gap->ender;
	struct gap gap = {
		.device = scope->device,
		.begin_ns = sweep_gap->begin_ns,
		.end_ns = sweep_gap->end_ns,
		.has_ender = ender != NULL,
	};

	if (!ender) {
		gap.edge = sweep->operation_count > 0 ? GAP_AFTER_LAST : GAP_SILENT;
	} else {
		gap.edge = sweep_gap->begin_ns == 0 ? GAP_BEFORE_FIRST : GAP_INNER;
		gap.ender = (struct gap_ender){
			.pid = ender->pid,
			.context = ender->context,
			.stream = ender->stream,
			.correlation = ender->correlation,
			.start_ns = ender->start_ns,
			.graph = ender->graph,
		};
	}
	if (gap.begin_ns < timeline->window.begin_ns) {
		gap.begin_ns = timeline->window.begin_ns;
	}
	if (gap.end_ns > timeline->window_end_ns) {
		gap.end_ns = timeline->window_end_ns;
		gap.has_ender = false;
		gap.edge = gap.edge == GAP_SILENT ? GAP_SILENT : GAP_AFTER_LAST;
	}
	if (gap.begin_ns >= gap.end_ns) {
		return STATUS_OK;
	}
	return timeline->listener.gap(timeline->listener.context, sweep_gap->layer, &gap);
}

static enum status on_sweep_covered(
	void *context, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	const struct sweep_scope *scope = context;
	const struct timeline_listener *listener = &scope->timeline->listener;

	return listener->covered(listener->context, scope->device, layer, begin_ns, end_ns);
}

/* Up to where every process has told all there is to tell about a device. */
static uint64_t complete_until(const struct timeline *timeline, uint32_t device, uint64_t now_ns)
{
	const struct sweep *sweep = &timeline->devices[device]->sweep;
	const uint64_t hold_ns =
		sweep->longest_ns * 2 > HOLD_MIN_NS ? sweep->longest_ns * 2 : HOLD_MIN_NS;
	uint64_t until_ns = UINT64_MAX;

	for (uint32_t i = 0; i < timeline->source_count; i++) {
		const struct source *source = &timeline->sources[i];

		if (source->device != device || now_ns - source->last_event_ns > SOURCE_SILENT_NS) {
			continue;
		}
		if (source->complete_until_ns < until_ns) {
			until_ns = source->complete_until_ns;
		}
	}
	if (until_ns > now_ns) {
		until_ns = now_ns;
	}
	return until_ns > hold_ns ? until_ns - hold_ns : 0;
}

static enum status advance(struct timeline *timeline, uint32_t device, uint64_t now_ns)
{
	struct sweep_scope scope = {timeline, device};
	const struct sweep_listener listener = {&scope, on_sweep_gap, on_sweep_covered};
	struct sweep *sweep = &timeline->devices[device]->sweep;
	uint64_t until_ns;
	uint64_t known_ns;

	if (sweep->pending_count > PENDING_COUNT_MAX) {
		window_force_begin(&timeline->window);
		return sweep_advance(sweep,
			sweep->pending[0].start_ns +
				(now_ns > sweep->pending[0].start_ns
						? (now_ns - sweep->pending[0].start_ns) / 2
						: 0),
			&listener);
	}
	if (!timeline->devices[device]->has_facts) {
		return STATUS_OK;
	}
	until_ns = complete_until(timeline, device, now_ns);
	known_ns = window_known_until(&timeline->window);
	return sweep_advance(sweep, until_ns < known_ns ? until_ns : known_ns, &listener);
}

static bool has_valid_stamps(const struct event_operation *operation)
{
	return operation->start_ns <= operation->end_ns && operation->end_ns < STAMP_MAX_NS &&
	       (operation->start_ns != 0 || operation->end_ns != 0);
}

bool timeline_accepts(const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_GPU_KERNEL:
		return has_valid_stamps(&event->kernel.operation);
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		return has_valid_stamps(&event->copy.operation);
	default:
		return true;
	}
}

static enum status add_operation(struct timeline *timeline, const struct event *event,
	const struct event_operation *operation, bool is_kernel, uint32_t graph)
{
	const struct operation kept = {
		.start_ns = operation->start_ns,
		.end_ns = operation->end_ns,
		.correlation = operation->correlation,
		.pid = event->pid,
		.context = operation->context,
		.stream = operation->stream,
		.graph = graph,
		.is_kernel = is_kernel,
	};
	struct source *source = NULL;
	struct sweep *sweep;
	enum status status = source_of(timeline, event, operation->device, &source);

	if (status != STATUS_OK) {
		return status;
	}
	timeline->counts.operations++;
	if (!has_valid_stamps(operation)) {
		timeline->counts.bad_stamps++;
		return STATUS_OK;
	}

	sweep = &timeline->devices[source->device]->sweep;
	status = sweep_add(sweep, &kept);
	if (status == STATUS_OK && sweep->pending_count > PENDING_COUNT_MAX) {
		status = advance(timeline, source->device, event->time_ns);
	}
	return status;
}

static uint32_t find_uuid(const struct timeline *timeline, const char *uuid)
{
	for (uint32_t i = 0; i < timeline->device_count; i++) {
		const struct timeline_device *device = timeline->devices[i];

		if (device->has_facts && strcmp(device->uuid, uuid) == 0) {
			return i;
		}
	}
	return DEVICE_COUNT_MAX;
}

static void copy_name(char target[NAME_BYTES_MAX], const char *name)
{
	(void)snprintf(target, NAME_BYTES_MAX, "%s", name);
}

/* The facts of a device: from now on its source is known by UUID. */
static enum status add_facts(struct timeline *timeline, const struct event *event)
{
	struct source *source = NULL;
	struct timeline_device *device;
	enum status status = source_of(timeline, event, event->device.device, &source);
	uint32_t known;

	if (status != STATUS_OK || timeline->devices[source->device]->has_facts) {
		return status;
	}
	device = timeline->devices[source->device];
	known = event->device.uuid[0] ? find_uuid(timeline, event->device.uuid) : DEVICE_COUNT_MAX;
	if (known != DEVICE_COUNT_MAX && !device->sweep.tracks[SWEEP_ANYTHING].has_begun) {
		device->is_merged = true;
		source->device = known;
		status = sweep_merge(&timeline->devices[known]->sweep, &device->sweep);
		return status != STATUS_OK ? status
					   : timeline->listener.device(timeline->listener.context,
						     source->pid, source->ordinal, known);
	}

	device->has_facts = true;
	device->backend = event->device.backend;
	copy_name(device->name, event->device.name);
	copy_name(device->link, event->device.link);
	if (event->device.uuid[0]) {
		copy_name(device->uuid, event->device.uuid);
	}
	return STATUS_OK;
}

static enum status add_watermark(struct timeline *timeline, const struct event *event)
{
	struct source *source = NULL;
	enum status status = source_of(timeline, event, event->watermark.device, &source);

	if (status != STATUS_OK) {
		return status;
	}
	source->has_watermark = true;
	if (event->watermark.complete_until_ns > source->complete_until_ns) {
		source->complete_until_ns = event->watermark.complete_until_ns;
	}
	return advance(timeline, source->device, event->time_ns);
}

/* How far the device's stamp may be from the true host time, as far as this bracket can tell. */
static void add_clock_pair(struct timeline *timeline, const struct event *event)
{
	const uint64_t device_ns = event->clock_pair.device_ns;
	const uint64_t before_ns = event->clock_pair.host_before_ns;
	const uint64_t after_ns = event->clock_pair.host_after_ns;
	const uint64_t late_ns =
		device_ns > before_ns ? device_ns - before_ns : before_ns - device_ns;
	const uint64_t early_ns =
		after_ns > device_ns ? after_ns - device_ns : device_ns - after_ns;
	const uint64_t bound_ns = late_ns > early_ns ? late_ns : early_ns;

	timeline->counts.has_clock_pairs = true;
	if (bound_ns > timeline->counts.clock_bound_ns) {
		timeline->counts.clock_bound_ns = bound_ns;
	}
}

enum status timeline_add(struct timeline *timeline, const struct event *event)
{
	const enum status status = window_add(&timeline->window, event);

	if (status != STATUS_OK) {
		return status;
	}
	switch ((int)event->kind) {
	case EVENT_GPU_DEVICE:
		return add_facts(timeline, event);
	case EVENT_GPU_KERNEL:
		return add_operation(
			timeline, event, &event->kernel.operation, true, event->kernel.graph);
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		return add_operation(timeline, event, &event->copy.operation, false, 0);
	case EVENT_GPU_WATERMARK:
		return add_watermark(timeline, event);
	case EVENT_GPU_CLOCK_PAIR:
		add_clock_pair(timeline, event);
		return STATUS_OK;
	case EVENT_GPU_DROPPED:
		timeline->counts.dropped_records += event->dropped.count;
		return STATUS_OK;
	default:
		return STATUS_OK;
	}
}

enum status timeline_end(struct timeline *timeline)
{
	enum status status = STATUS_OK;

	window_force_begin(&timeline->window);
	timeline->window_end_ns = window_end_ns(&timeline->window);
	for (uint32_t i = 0; i < timeline->device_count && status == STATUS_OK; i++) {
		struct sweep_scope scope = {timeline, i};
		const struct sweep_listener listener = {&scope, on_sweep_gap, on_sweep_covered};

		if (!timeline->devices[i]->is_merged) {
			status = sweep_end(&timeline->devices[i]->sweep, &listener);
		}
	}
	return status;
}

uint64_t timeline_open_since(const struct timeline *timeline)
{
	const uint64_t now_ns = timeline->window.last_event_ns;
	const uint64_t oldest_ns = now_ns > OPEN_GAP_MAX_NS ? now_ns - OPEN_GAP_MAX_NS : 0;
	uint64_t since_ns = now_ns > HOLD_MIN_NS ? now_ns - HOLD_MIN_NS : 0;

	for (uint32_t i = 0; i < timeline->device_count; i++) {
		const struct sweep *sweep = &timeline->devices[i]->sweep;
		const struct sweep_track *track = &sweep->tracks[SWEEP_KERNEL];
		const uint64_t begin_ns =
			track->has_begun ? track->cover_end_ns : timeline->window.begin_ns;

		/* On a device that never ran anything there is no feeder to ask about. */
		if (sweep->operation_count > 0 && begin_ns < since_ns) {
			since_ns = begin_ns;
		}
	}
	return since_ns > oldest_ns ? since_ns : oldest_ns;
}

uint32_t timeline_device_count(const struct timeline *timeline)
{
	return timeline->device_count;
}

const struct timeline_device *timeline_device(const struct timeline *timeline, uint32_t device)
{
	assert(device < timeline->device_count);
	return timeline->devices[device];
}

struct timeline_usage timeline_usage(const struct timeline_device *device)
{
	const struct sweep *sweep = &device->sweep;
	struct timeline_usage usage = {0};

	if (sweep->operation_count == 0) {
		return usage;
	}
	usage.span_ns = sweep->last_end_ns - sweep->first_start_ns;
	usage.busy_ns = sweep->tracks[SWEEP_KERNEL].covered_ns;
	usage.copying_ns = sweep->tracks[SWEEP_ANYTHING].covered_ns - usage.busy_ns;
	usage.idle_ns = usage.span_ns - usage.busy_ns - usage.copying_ns;
	return usage;
}

const struct window *timeline_window(const struct timeline *timeline)
{
	return &timeline->window;
}

struct timeline_counts timeline_counts(const struct timeline *timeline)
{
	struct timeline_counts counts = timeline->counts;

	for (uint32_t i = 0; i < timeline->device_count; i++) {
		counts.late_records += timeline->devices[i]->sweep.late_count;
		counts.late_ns += timeline->devices[i]->sweep.late_ns;
	}
	for (uint32_t i = 0; i < timeline->source_count; i++) {
		const struct source *source = &timeline->sources[i];

		if (!source->has_watermark &&
			timeline->devices[source->device]->sweep.operation_count > 0) {
			counts.without_watermark++;
		}
	}
	return counts;
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline) {
		return;
	}
	for (uint32_t i = 0; i < timeline->device_count; i++) {
		sweep_finish(&timeline->devices[i]->sweep);
		free(timeline->devices[i]);
	}
	window_finish(&timeline->window);
	free(timeline->sources);
	free(timeline);
}
