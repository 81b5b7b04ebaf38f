/* SPDX-License-Identifier: MIT */
#include "tests/simulator/truth_private.h"

/* The kernel of another GPU that starts first at y or later, within the gap; -1 none. */
static int next_kernel(const struct world *world, const struct truth_gap *gap, uint64_t y_ns)
{
	const struct world_operation *all = world_operations(world);
	int found = -1;

	for (size_t i = 0; i < world_operation_count(world); i++) {
		if (all[i].is_kernel && all[i].device != (int)gap->gap.device &&
			all[i].start_ns >= y_ns && all[i].start_ns < gap->gap.end_ns &&
			(found < 0 || all[i].start_ns < all[found].start_ns)) {
			found = (int)i;
		}
	}
	return found;
}

/* The gap that the kernel ended, of its own GPU. */
static struct truth_gap gap_before(const struct world *world, int kernel)
{
	const struct world_operation *all = world_operations(world);
	struct truth_gap gap = {
		.gap = {.device = (uint32_t)all[kernel].device, .end_ns = all[kernel].start_ns},
		.ender = kernel};

	for (size_t i = 0; i < world_operation_count(world); i++) {
		if (all[i].is_kernel && all[i].device == all[kernel].device &&
			all[i].start_ns < gap.gap.end_ns && all[i].end_ns > gap.gap.begin_ns) {
			gap.gap.begin_ns = all[i].end_ns;
		}
	}
	return gap;
}

/* Rule 9: nothing ended the gap. */
static void charge_edge(const struct world *world, const struct truth_gap *gap, uint64_t y_ns,
	struct truth_charge *out)
{
	int own = (int)gap->gap.device;
	int next = next_kernel(world, gap, y_ns);
	struct truth_gap like_next;
	bool is_elsewhere = false;

	for (size_t i = 0; i < world_operation_count(world); i++) {
		const struct world_operation *operation = &world_operations(world)[i];

		is_elsewhere = is_elsewhere ||
			       (operation->device != own &&
				       truth_covers(operation->start_ns, operation->end_ns, y_ns));
	}
	for (int queue = 0; queue < world_object_count(world); queue++) {
		int device = world_queue_device(world, queue);

		is_elsewhere = is_elsewhere ||
			       (device >= 0 && device != own && truth_has_item(world, queue, y_ns));
	}
	if (!truth_is_outstanding(world, y_ns)) {
		truth_charge_plain(out, CAUSE_NO_WORK);
	} else if (is_elsewhere) {
		truth_charge_plain(out, CAUSE_IMBALANCE);
	} else if (next >= 0) {
		/* What kept that kernel kept this GPU too. */
		like_next = gap_before(world, next);
		truth_charge_at(world, &like_next, y_ns, out);
	} else if (!truth_is_outstanding(world, gap->gap.end_ns + 1)) {
		truth_charge_plain(out, CAUSE_NO_WORK);
	} else {
		truth_charge_plain(out, CAUSE_UNKNOWN);
		out->phase = "edge";
	}
}

/* What is named by one thing that happens, and has nobody who could have hurried. */
static void charge_named(struct truth_charge *out, enum cause cause, const char *name)
{
	truth_charge_plain(out, cause);
	out->object = name;
	out->phase = name;
}

/* Whether the other stream that the kernel waits for was still at what it is to end before. */
static bool awaits_stream(
	const struct world *world, const struct world_operation *ender, uint64_t y_ns)
{
	const struct world_operation *all = world_operations(world);

	for (int i = 0; i <= ender->awaited; i++) {
		if (all[i].device == all[ender->awaited].device &&
			all[i].stream == all[ender->awaited].stream &&
			truth_covers(all[i].start_ns, all[i].end_ns, y_ns)) {
			return true;
		}
	}
	return false;
}

/* Rule 2. */
static void charge_issued(const struct world *world, const struct world_operation *ender,
	uint64_t y_ns, struct truth_charge *out)
{
	const struct world_operation *copy =
		truth_running_copy(world, ender->device, ender->stream, y_ns);

	if (copy) {
		charge_named(out, truth_copy_cause(copy->is_pageable), "htod");
	} else if (awaits_stream(world, ender, y_ns)) {
		charge_named(out, CAUSE_DEVICE_DEPENDENCY, "stream_wait_event");
	} else {
		charge_named(out, CAUSE_LAUNCH,
			ender->graph > 0 ? "cudaGraphLaunch" : "cudaLaunchKernel");
	}
}

void truth_charge_at(const struct world *world, const struct truth_gap *gap, uint64_t y_ns,
	struct truth_charge *out_charge)
{
	const struct world_operation *ender;
	struct chain chain = {.world = world, .y_ns = y_ns, .out = out_charge};

	if (gap->ender < 0) {
		charge_edge(world, gap, y_ns, out_charge);
		return;
	}
	ender = &world_operations(world)[gap->ender];
	if (ender->node > 0 && (ender - 1)->start_ns < gap->gap.begin_ns) {
		charge_named(out_charge, CAUSE_GRAPH_INTERNAL, "cudaGraphLaunch");
	} else if (y_ns > ender->call_end_ns) {
		charge_issued(world, ender, y_ns, out_charge);
	} else {
		chain.feeder = ender->issuer;
		truth_chain_follow(&chain, ender->issuer,
			ender->call_end_ns < gap->gap.end_ns ? ender->call_end_ns
							     : gap->gap.end_ns);
	}
}
