/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk.h"

#include "analysis/core/walk_add.h"
#include "analysis/core/walk_doubt.h"
#include "analysis/core/walk_state.h"

#include <assert.h>
#include <stdlib.h>

enum status walk_create(struct walk **out_walk)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	assert(out_walk);

	if (!walk) {
		return STATUS_NO_MEMORY;
	}
	walk_lanes_init(&walk->lanes);
	walk_calls_init(&walk->calls);
	walk_locks_init(&walk->locks);
	walk_queues_init(&walk->queues);
	walk_objects_init(&walk->objects);
	walk_jobs_init(&walk->jobs);
	walk_scheds_init(&walk->scheds);
	walk_devices_init(&walk->devices);
	walk_imports_init(&walk->imports);
	walk_losses_init(&walk->losses);
	*out_walk = walk;
	return STATUS_OK;
}

void walk_destroy(struct walk *walk)
{
	if (!walk) {
		return;
	}
	walk_lanes_finish(&walk->lanes);
	walk_calls_finish(&walk->calls);
	walk_locks_finish(&walk->locks);
	walk_queues_finish(&walk->queues);
	walk_objects_finish(&walk->objects);
	walk_jobs_finish(&walk->jobs);
	walk_scheds_finish(&walk->scheds);
	walk_devices_finish(&walk->devices);
	walk_imports_finish(&walk->imports);
	walk_losses_finish(&walk->losses);
	walk_map_finish(&walk->thread_names);
	walk_names_finish(&walk->names);
	free(walk);
}

static void sweep(struct walk *walk)
{
	const uint64_t forget_ns = walk->lanes.forget_ns;

	walk->swept_count = walk->event_count;
	for (uint32_t i = 0; i < walk->lanes.count; i++) {
		walk_calls_prune_lane(&walk->calls, walk->lanes.lanes[i], forget_ns);
		walk_os_prune(&walk->imports, walk->lanes.lanes[i], forget_ns);
	}
	walk_calls_prune(&walk->calls, forget_ns, SIZE_MAX);
	/* With many threads an idle one is given up at once, with few after a while. */
	walk_lanes_sweep(
		&walk->lanes, walk->lanes.count > WALK_LANE_COUNT_IDLE ? 0 : WALK_LANE_IDLE_NS);
	walk_locks_sweep(&walk->locks, forget_ns);
	walk_queues_sweep(&walk->queues, forget_ns);
	walk_objects_sweep(&walk->objects, forget_ns);
	walk_jobs_sweep(&walk->jobs, forget_ns);
	walk_scheds_sweep(&walk->scheds, forget_ns);
	walk_devices_sweep(&walk->devices, forget_ns);
	walk_losses_sweep(&walk->losses, forget_ns);
}

/* A gap has been open for so long that its history fills the memory: lets the older half go. */
static enum status forget_by_force(struct walk *walk)
{
	const uint64_t begin_ns =
		walk->lanes.forget_ns > walk->first_ns ? walk->lanes.forget_ns : walk->first_ns;
	const uint64_t end_ns = begin_ns + (walk->now_ns - begin_ns) / 2;
	const struct walk_loss loss = {.begin_ns = begin_ns,
		.end_ns = end_ns,
		.reason = "history limit",
		.kind = WALK_LOSS_HISTORY};
	const enum status status = walk_losses_add(&walk->losses, &loss);

	/* What the older half would have told is then `unknown: history limit`. */
	walk->lanes.forget_ns = end_ns;
	sweep(walk);
	return status;
}

/* What is much smaller than an activity counts for less. */
static size_t record_count(const struct walk *walk)
{
	return walk->lanes.activities.taken_count + walk->calls.slab.taken_count +
	       walk->locks.hold_count + walk->devices.operation_count +
	       (walk->imports.os_call_count + walk->devices.waits.count) / 4 +
	       walk->scheds.stretch_count / 10;
}

bool walk_is_filling(const struct walk *walk)
{
	return record_count(walk) > WALK_RECORD_COUNT_MAX / 2;
}

enum status walk_add(struct walk *walk, const struct event *event)
{
	enum status status;

	assert(walk && event);

	if (event->time_ns > walk->now_ns) {
		walk->now_ns = event->time_ns;
	}
	if (walk->event_count == 0) {
		walk->first_ns = event->time_ns;
	}
	walk->event_count++;
	walk->lanes.now_ns = event->time_ns;
	status = walk_doubt_begin(walk, event->time_ns);
	if (status != STATUS_OK) {
		return status;
	}
	/* Before anything can refuse the event: evidence is what was recorded, not what was
	 * used. */
	walk_witness_add(&walk->witness, event);
	if (walk->imports.is_on) {
		status = walk_imports_note(&walk->imports, event);
		if (status != STATUS_OK) {
			return status;
		}
	}
	if (event->kind < EVENT_GPU_DEVICE || event->kind >= EVENT_SCHED_SWITCH) {
		status = walk_add_host(walk, event);
	} else {
		status = walk_add_gpu(walk, event);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (record_count(walk) > WALK_RECORD_COUNT_MAX &&
		walk->event_count - walk->swept_count >= WALK_SWEEP_EVENTS) {
		return forget_by_force(walk);
	}
	return STATUS_OK;
}

void walk_forget_before(struct walk *walk, uint64_t time_ns)
{
	assert(walk);

	if (time_ns > walk->lanes.forget_ns) {
		walk->lanes.forget_ns = time_ns;
	}
	if (walk->event_count - walk->swept_count >= WALK_SWEEP_EVENTS) {
		sweep(walk);
	}
}

enum status walk_add_untrusted(
	struct walk *walk, uint64_t begin_ns, uint64_t end_ns, const char *reason)
{
	struct walk_loss loss;
	const char *kept;

	assert(walk && reason);

	/* Parts point to their reasons after the caller's text is gone. */
	kept = walk_names_keep(&walk->names, reason);
	if (!kept) {
		return STATUS_NO_MEMORY;
	}
	loss = (struct walk_loss){.begin_ns = begin_ns, .end_ns = end_ns, .reason = kept};
	return begin_ns < end_ns ? walk_losses_add(&walk->losses, &loss) : STATUS_OK;
}

enum status walk_add_device(struct walk *walk, int32_t pid, int32_t ordinal, uint32_t device)
{
	assert(walk);

	return walk_devices_map(&walk->devices, pid, ordinal, device);
}

struct walk_counts walk_counts(const struct walk *walk)
{
	struct walk_counts counts = walk->counts;

	counts.outside_operations = walk_imports_outside_count(&walk->imports);
	/* Launched before the capture is not the same as not joined: no reason for distrust. */
	counts.unjoined_operations -= counts.outside_operations;
	return counts;
}

const struct interval_set *walk_dropped(const struct walk *walk)
{
	return &walk->losses.dropped;
}

const char *walk_family(const struct walk *walk, const char *name)
{
	return walk_range_family(&walk->imports, name);
}

const struct walk_evidence *walk_evidence(const struct walk *walk)
{
	return &walk->witness.evidence;
}

const char *walk_thread_name(const struct walk *walk, int32_t tid)
{
	const char *name = walk_map_find(&walk->thread_names, (uint32_t)tid, 0);

	return name ? name : "";
}
