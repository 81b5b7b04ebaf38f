/* SPDX-License-Identifier: MIT */
#include "analysis/core/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Pending operations (56 bytes each) beyond which waiting for watermarks or jobs ends. */
#define PENDING_COUNT_MAX (1u << 20)

struct timeline {
	struct timeline_listener listener;
	struct window window;
	struct device_table table;
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

/* Finds the source, and tells the listener of a new one. */
static enum status source_of(struct timeline *timeline, const struct event *event, int32_t ordinal,
	struct device_source **out_source)
{
	const struct timeline_listener *listener = &timeline->listener;
	bool is_new = false;
	const enum status status =
		device_table_source(&timeline->table, event, ordinal, &is_new, out_source);

	if (status != STATUS_OK || !is_new) {
		return status;
	}
	return listener->device(listener->context, event->pid, ordinal, (*out_source)->device);
}

static enum status on_sweep_gap(void *context, const struct sweep_gap *sweep_gap)
{
	const struct sweep_scope *scope = context;
	struct timeline *timeline = scope->timeline;
	const struct sweep *sweep = &timeline->table.devices[scope->device]->sweep;
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
	/* docs/events.md, "Gaps": each is clipped to the window. */
	if (gap.begin_ns < timeline->window.begin_ns) {
		gap.begin_ns = timeline->window.begin_ns;
	}
	if (gap.end_ns > timeline->window_end_ns) {
		gap.end_ns = timeline->window_end_ns;
		/* What ended it did so after the window. */
		gap.has_ender = false;
		gap.edge = gap.edge == GAP_SILENT ? GAP_SILENT : GAP_AFTER_LAST;
	}
	if (gap.begin_ns >= gap.end_ns) {
		return STATUS_OK;
	}
	/* From here on the window's begin must not move any more. */
	timeline->window.is_begin_told = true;
	return timeline->listener.gap(timeline->listener.context, sweep_gap->layer, &gap);
}

static enum status on_sweep_covered(
	void *context, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	const struct sweep_scope *scope = context;
	const struct timeline_listener *listener = &scope->timeline->listener;

	return listener->covered(listener->context, scope->device, layer, begin_ns, end_ns);
}

static enum status advance(struct timeline *timeline, uint32_t device, uint64_t now_ns)
{
	struct sweep_scope scope = {timeline, device};
	const struct sweep_listener listener = {&scope, on_sweep_gap, on_sweep_covered};
	struct sweep *sweep = &timeline->table.devices[device]->sweep;
	uint64_t until_ns;
	uint64_t known_ns;

	/* No watermark for a million operations: the older half is taken as final, and counted
	 * as late if it was not. */
	if (sweep_pending_count(sweep) > PENDING_COUNT_MAX) {
		const uint64_t first_ns = sweep_pending_start_ns(sweep);

		window_force_begin(&timeline->window);
		return sweep_advance(sweep,
			now_ns > first_ns ? first_ns + (now_ns - first_ns) / 2 : first_ns + 1,
			&listener);
	}
	/* Before its UUID is known it may turn out to be a device that another process reports,
	 * too. */
	if (!timeline->table.devices[device]->has_facts) {
		return STATUS_OK;
	}
	until_ns = device_table_complete_until(&timeline->table, device, now_ns);
	known_ns = window_known_until(&timeline->window);
	/* Beyond what is known of the window a gap might still be clipped. */
	return sweep_advance(sweep, until_ns < known_ns ? until_ns : known_ns, &listener);
}

static bool has_valid_stamps(const struct event_operation *operation)
{
	return operation->start_ns <= operation->end_ns &&
	       operation->end_ns < WINDOW_STAMP_MAX_NS &&
	       (operation->start_ns != 0 || operation->end_ns != 0);
}

bool timeline_accepts(const struct event *event)
{
	const struct event_operation *operation = event_operation(event);

	return !operation || has_valid_stamps(operation);
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
	struct device_source *source = NULL;
	struct sweep *sweep;
	enum status status = source_of(timeline, event, operation->device, &source);

	if (status != STATUS_OK) {
		return status;
	}
	timeline->counts.operations++;
	/* Counted above, used for nothing: docs/events.md, "Operations". */
	if (!has_valid_stamps(operation)) {
		timeline->counts.bad_stamps++;
		return STATUS_OK;
	}

	sweep = &timeline->table.devices[source->device]->sweep;
	status = sweep_add(sweep, &kept);
	if (status == STATUS_OK && sweep_pending_count(sweep) > PENDING_COUNT_MAX) {
		status = advance(timeline, source->device, event->time_ns);
	}
	return status;
}

/* The facts of a device: from now on its source is known by UUID. */
static enum status add_facts(struct timeline *timeline, const struct event *event)
{
	const struct timeline_listener *listener = &timeline->listener;
	struct device_source *source = NULL;
	bool is_merged = false;
	enum status status = source_of(timeline, event, event->device.device, &source);

	if (status == STATUS_OK) {
		status = device_table_describe(&timeline->table, source, event, &is_merged);
	}
	if (status != STATUS_OK || !is_merged) {
		return status;
	}
	return listener->device(listener->context, source->pid, source->ordinal, source->device);
}

static enum status add_watermark(struct timeline *timeline, const struct event *event)
{
	struct device_source *source =
		device_table_find(&timeline->table, event, event->watermark.device);

	/* It promises something of a device, and is none: who neither described one nor ran
	 * anything, as a daemon that ends while a recording begins, has no GPU that idles. */
	if (!source) {
		return STATUS_OK;
	}
	source->last_event_ns = event->time_ns;
	source->has_watermark = true;
	/* A promise is not taken back by a later, smaller one. */
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

/* What the recorder of device records says of its clock, again and again. */
static void add_clock_path(struct timeline *timeline, const struct event *event)
{
	static const struct {
		const char *name;
		enum trust_clock clock;
	} paths[] = {{GAPTRACE_STATE_CUPTI_OFF, TRUST_CLOCK_OFF},
		{GAPTRACE_STATE_CUPTI_CALLBACK, TRUST_CLOCK_CALLBACK},
		{GAPTRACE_STATE_CUPTI_DEFAULT, TRUST_CLOCK_DEFAULT}};
	struct timeline_counts *counts = &timeline->counts;

	if (event->state.subject != GAPTRACE_STATE_PROCESS) {
		return;
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		/* Of several processes the way that is worst for the stamps, in the order of the
		 * enumeration. */
		if (paths[i].clock > counts->clock &&
			strcmp(paths[i].name, event->state.name) == 0) {
			counts->clock = paths[i].clock;
		}
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
	case EVENT_STATE:
		add_clock_path(timeline, event);
		return STATUS_OK;
	case EVENT_GPU_DROPPED:
		timeline->counts.dropped_records += event->dropped.count;
		return STATUS_OK;
	default:
		return STATUS_OK;
	}
}

void timeline_set_imported(struct timeline *timeline)
{
	window_set_imported(&timeline->window);
	/* Readers sort by start, so every event is its own watermark. */
	timeline->table.is_in_order = true;
}

enum status timeline_end(struct timeline *timeline)
{
	enum status status = STATUS_OK;

	window_force_begin(&timeline->window);
	timeline->window_end_ns = window_end_ns(&timeline->window);
	for (uint32_t i = 0; i < timeline->table.device_count && status == STATUS_OK; i++) {
		struct sweep_scope scope = {timeline, i};
		const struct sweep_listener listener = {&scope, on_sweep_gap, on_sweep_covered};

		if (!timeline->table.devices[i]->is_merged) {
			status = sweep_end(&timeline->table.devices[i]->sweep, &listener);
		}
	}
	return status;
}

uint64_t timeline_open_since(const struct timeline *timeline)
{
	const uint64_t begin_ns = timeline->window.begin_ns;
	uint64_t since_ns = timeline->window.last_event_ns;

	/* The first gap of a device that is still to come begins with the window. */
	if (timeline->table.device_count == 0) {
		return begin_ns < since_ns ? begin_ns : since_ns;
	}
	for (uint32_t i = 0; i < timeline->table.device_count; i++) {
		const struct sweep *sweep = &timeline->table.devices[i]->sweep;
		const struct sweep_track *track = &sweep->tracks[SWEEP_KERNEL];
		/* The first gap of this device that was not told: its history is still needed,
		 * however long ago that was. The walk has a limit of its own. */
		const uint64_t open_ns = track->has_begun ? track->cover_end_ns : begin_ns;

		if (!timeline->table.devices[i]->is_merged && open_ns < since_ns) {
			since_ns = open_ns;
		}
	}
	return since_ns;
}

void timeline_force_begin(struct timeline *timeline)
{
	window_force_begin(&timeline->window);
}

uint32_t timeline_device_count(const struct timeline *timeline)
{
	return timeline->table.device_count;
}

const struct timeline_device *timeline_device(const struct timeline *timeline, uint32_t device)
{
	assert(device < timeline->table.device_count);
	return timeline->table.devices[device];
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

	for (uint32_t i = 0; i < timeline->table.device_count; i++) {
		counts.late_records += timeline->table.devices[i]->sweep.late_count;
		counts.late_ns += timeline->table.devices[i]->sweep.late_ns;
	}
	counts.without_watermark = device_table_without_watermark(&timeline->table);
	return counts;
}

void timeline_destroy(struct timeline *timeline)
{
	if (!timeline) {
		return;
	}
	device_table_finish(&timeline->table);
	window_finish(&timeline->window);
	free(timeline);
}
