/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_engine.h"

#include "analysis/core/walk_doubt.h"

/*
 * A launch takes 3 to 10 us from the return of its call to its start; with twice that, something
 * was in its way.
 */
#define LAUNCH_MAX_NS 20000

static void set_copy(struct walk_charge *charge, const struct walk_operation *copy)
{
	charge->cause = copy->is_pageable ? CAUSE_COPY_PAGEABLE : CAUSE_COPY_PINNED;
	charge->name = copy->label;
	charge->bytes = copy->bytes;
	charge->copy_ns = copy->end_ns - copy->start_ns;
}

/* The stream that a synchronising call waited for, by its record; else *out_name is of whatever its
 * process has on the device that it named, or on the gap's. */
static bool names_stream(const struct walk_explanation *explanation, const struct walk_call *call,
	struct walk_stream_name *out_name)
{
	*out_name = (struct walk_stream_name){.pid = call->pid,
		.device = explanation->gap->device,
		.context = call->sync_context,
		.stream = call->sync_stream};
	if (!call->has_sync || !walk_devices_index(&explanation->walk->devices, call->pid,
				       call->sync_device, &out_name->device)) {
		return false;
	}
	return call->sync_kind == GAPTRACE_SYNC_STREAM ||
	       (call->sync_kind == GAPTRACE_SYNC_EVENT && call->sync_stream != 0);
}

static void charge_sync(struct walk_explanation *explanation, const struct walk_call *call,
	struct walk_stretch stretch, struct walk_charge *charge)
{
	const struct walk_devices *devices = &explanation->walk->devices;
	struct walk_stream_name name;
	const bool is_stream = names_stream(explanation, call, &name);
	const bool is_elsewhere = name.device != explanation->gap->device;

	while (stretch.from_ns < stretch.to_ns && explanation->status == STATUS_OK) {
		uint64_t from_ns = stretch.from_ns;
		const struct walk_operation *operation =
			is_stream ? walk_devices_at(devices, &name, stretch.to_ns, &from_ns)
				  : walk_devices_any_at(devices, &name, stretch.to_ns, &from_ns);

		charge->cause = CAUSE_DRIVER;
		charge->name = call->name;
		charge->bytes = 0;
		if (operation && operation->label && (is_stream || !is_elsewhere)) {
			set_copy(charge, operation);
		} else if (operation && is_elsewhere) {
			charge->cause = CAUSE_DEVICE_DEPENDENCY;
		}
		walk_charge(explanation, from_ns, stretch.to_ns, charge);
		stretch.to_ns = from_ns;
	}
}

/*
 * Other tools record the runtime's call and the driver's inside it under one number: the outer one
 * is what the program called, and has the records of what it issued.
 */
static const struct walk_call *issuing_call(
	const struct walk_explanation *explanation, const struct walk_call *call)
{
	const struct walk *walk = explanation->walk;
	const struct walk_call *outer = NULL;

	if (walk->imports.is_on && call->correlation != 0) {
		outer = walk_calls_find(&walk->calls, call->pid, call->correlation);
	}
	return outer ? outer : call;
}

/* Why what the call copied may have been recorded, had nothing been lost. */
static const char *doubt_copy(const struct walk *walk, const struct walk_call *call)
{
	/* Its copy ended before there was a recording. */
	if (!walk->imports.is_on && call->start_ns < walk->first_ns) {
		return "before the capture";
	}
	return walk_doubt_record(walk, call->start_ns);
}

void walk_engine_charge_call(struct walk_explanation *explanation, const struct walk_lane *lane,
	const struct walk_call *call, struct walk_stretch stretch, struct walk_charge *charge)
{
	const char *doubt;

	(void)lane;
	call = issuing_call(explanation, call);
	charge->is_untraced = false;
	charge->cause = CAUSE_DRIVER;
	charge->name = call->name;
	switch (call->category) {
	case WALK_CALL_SYNC:
		charge_sync(explanation, call, stretch, charge);
		return;
	case WALK_CALL_COPY:
		doubt = call->has_copy ? NULL : doubt_copy(explanation->walk, call);
		if (doubt) {
			walk_charge_unknown(explanation, stretch.from_ns, stretch.to_ns, doubt);
			return;
		}
		if (call->has_copy) {
			set_copy(charge, &(struct walk_operation){.start_ns = call->start_ns,
						 .end_ns = call->end_ns,
						 .bytes = call->copy.bytes,
						 .label = call->copy.label,
						 .is_pageable = call->copy.is_pageable});
		}
		break;
	case WALK_CALL_ALLOC:
		charge->cause = CAUSE_ALLOC;
		break;
	case WALK_CALL_FREE:
		charge->cause = CAUSE_FREE;
		break;
	case WALK_CALL_LAUNCH:
	case WALK_CALL_OVERHEAD:
	case WALK_CALL_OTHER:
		break;
	}
	walk_charge(explanation, stretch.from_ns, stretch.to_ns, charge);
}

/* True when the wait stands in front of the kernel that ended the gap, on its stream. */
static bool is_in_front(const struct gap *gap, const struct walk_stream_wait *wait)
{
	const struct gap_ender *ender = &gap->ender;

	return wait->pid == ender->pid && wait->context == ender->context &&
	       wait->stream == ender->stream && wait->start_ns < ender->start_ns &&
	       (wait->device == WALK_DEVICE_UNKNOWN || wait->device == gap->device) &&
	       /* Numbers of calls grow: what came before the wait was told does not wait. */
	       (wait->correlation == 0 || wait->correlation < ender->correlation);
}

/* What was issued after the stream was told to wait is not what the event stands for. */
static bool is_awaited(const struct walk *walk, const struct walk_stream_wait *wait,
	const struct walk_operation *operation)
{
	const struct walk_call *call;

	if (wait->correlation != 0 && operation->correlation != 0) {
		return operation->correlation < wait->correlation;
	}
	call = walk_calls_find(&walk->calls, wait->pid, operation->correlation);
	return !call || call->start_ns < wait->end_ns;
}

/* True when the operation stood behind the wait in its stream, and so came after it. */
static bool has_passed(const struct walk_operation *operation, const struct walk_stream_wait *wait)
{
	return wait->correlation != 0 && operation->correlation != 0
		       ? operation->correlation > wait->correlation
		       : operation->start_ns >= wait->end_ns;
}

/* True when the gap's stream was told to wait for work that was not done at y. */
static bool waits_for_stream(
	const struct walk_explanation *explanation, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk *walk = explanation->walk;
	bool is_waiting = false;

	for (size_t i = 0; i < walk->devices.waits.count; i++) {
		const struct walk_stream_wait *wait = walk_ring_at(&walk->devices.waits, i);
		const struct walk_stream_name name = {.pid = wait->pid,
			.device = wait->device,
			.context = wait->context,
			.stream = wait->event_stream};
		const struct walk_operation *operation;

		if (!is_in_front(explanation->gap, wait)) {
			continue;
		}
		if (wait->start_ns < y_ns && y_ns <= wait->end_ns) {
			*from_ns = wait->start_ns > *from_ns ? wait->start_ns : *from_ns;
			is_waiting = true;
			continue;
		}
		if (wait->end_ns < y_ns && wait->end_ns > *from_ns) {
			*from_ns = wait->end_ns;
		}
		operation = walk_devices_anywhere_at(&walk->devices, &name, y_ns, from_ns);
		if (operation && wait->event_stream != wait->stream &&
			is_awaited(walk, wait, operation)) {
			is_waiting = true;
		}
	}
	return is_waiting;
}

static bool is_longer_than_launch(const struct gap *gap, const struct walk_call *call)
{
	const uint64_t since_ns = call->end_ns > gap->begin_ns ? call->end_ns : gap->begin_ns;

	return gap->end_ns > since_ns && gap->end_ns - since_ns > LAUNCH_MAX_NS;
}

/*
 * Called long before, and nothing recorded could tell what it waited for: the trace has none of the
 * records that a wait for another stream leaves.
 */
static bool is_queued(const struct walk_explanation *explanation, const struct walk_call *call)
{
	const struct walk_imports *imports = &explanation->walk->imports;
	const struct walk_process *process =
		walk_imports_find(imports, explanation->gap->ender.pid);

	return imports->is_on && !(process && process->has_syncs) &&
	       is_longer_than_launch(explanation->gap, call);
}

/* True when the kernel stood behind a wait of which nobody knows which stream it is for. */
static bool has_untold_wait(
	const struct walk_explanation *explanation, const struct walk_stream_name *own)
{
	const struct gap *gap = explanation->gap;
	const struct walk_devices *devices = &explanation->walk->devices;
	const struct walk_operation *before =
		walk_devices_before(devices, own, gap->ender.start_ns);

	for (size_t i = 0; i < devices->waits.count; i++) {
		const struct walk_stream_wait *wait = walk_ring_at(&devices->waits, i);
		const struct walk_stream_name awaited = {.pid = wait->pid,
			.device = wait->device,
			.context = wait->context,
			.stream = wait->event_stream};

		if ((wait->event_stream == 0 || wait->event_stream == UINT32_MAX) &&
			is_in_front(gap, wait) && !(before && has_passed(before, wait)) &&
			/* Some number their streams from 0. */
			!walk_devices_before(devices, &awaited, UINT64_MAX)) {
			return true;
		}
	}
	return false;
}

/*
 * Why the stream may have waited without our knowing what for: told so between what it ran before
 * and the call that issued what it waits with.
 */
static const char *doubt_stream_wait(const struct walk_explanation *explanation,
	const struct walk_stream_name *name, const struct walk_call *call)
{
	const struct walk *walk = explanation->walk;
	uint64_t from_ns = walk_lanes_process_ns(&walk->lanes, name->pid);

	if (is_longer_than_launch(explanation->gap, call) && has_untold_wait(explanation, name)) {
		return "event not told";
	}
	if (walk->losses.all_until_ns == 0) {
		return NULL;
	}
	(void)walk_devices_at(&walk->devices, name, call->start_ns, &from_ns);
	return walk_losses_any_within(&walk->losses, from_ns, call->end_ns);
}

void walk_engine_charge_after(struct walk_explanation *explanation, const struct walk_call *call,
	uint64_t from_ns, uint64_t to_ns)
{
	const struct gap *gap = explanation->gap;
	const struct walk_stream_name name = {
		.pid = gap->ender.pid,
		.device = gap->device,
		.context = gap->ender.context,
		.stream = gap->ender.stream,
	};
	const bool is_unclear = is_queued(explanation, call);
	const char *doubt = doubt_stream_wait(explanation, &name, call);

	while (from_ns < to_ns && explanation->status == STATUS_OK) {
		struct walk_charge charge = {.cause = CAUSE_LAUNCH, .name = call->name};
		uint64_t tail_ns = from_ns;
		const struct walk_operation *operation =
			walk_devices_at(&explanation->walk->devices, &name, to_ns, &tail_ns);

		if (operation && operation->label) {
			set_copy(&charge, operation);
		} else if (waits_for_stream(explanation, to_ns, &tail_ns)) {
			charge.cause = CAUSE_DEVICE_DEPENDENCY;
			charge.name = "stream_wait_event";
		} else if (is_unclear) {
			charge.is_unknown = true;
			charge.object = call->name;
			charge.name = "queued, not started";
		} else if (doubt) {
			charge.is_unknown = true;
			charge.name = doubt;
		}
		walk_charge(explanation, tail_ns, to_ns, &charge);
		to_ns = tail_ns;
	}
}
