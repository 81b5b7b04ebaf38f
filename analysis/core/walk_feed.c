/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_feed.h"

#include "analysis/core/walk_chain.h"
#include "analysis/core/walk_doubt.h"
#include "analysis/core/walk_engine.h"

#include <string.h>

/* The thread that was in a prove_start of the gap's device, or held its mutex, when it ended. */
static const struct walk_lane *find_prover(const struct walk_explanation *explanation)
{
	const struct walk *walk = explanation->walk;
	const struct gap *gap = explanation->gap;
	const struct walk_lane *found = NULL;
	uint64_t found_ns = 0;

	for (uint32_t i = 0; i < walk->lanes.count; i++) {
		const struct walk_lane *lane = walk->lanes.lanes[i];
		const struct walk_activity *activity;
		const struct walk_gpu_hold *hold;
		uint32_t device;

		if (lane->is_unused || lane->pid != gap->ender.pid) {
			continue;
		}
		activity = walk_lane_at(lane, gap->end_ns);
		while (activity && activity->kind != WALK_PROVE_START) {
			activity = walk_activity_outer(activity, gap->end_ns);
		}
		if (!activity ||
			!walk_devices_index(
				&walk->devices, lane->pid, activity->work.device, &device) ||
			device != gap->device) {
			continue;
		}
		/* Of two workers of a device, the one that has its mutex; else the later one. */
		hold = walk_lane_gpu_hold(lane, gap->end_ns);
		if (!found || hold || activity->begin_ns > found_ns) {
			found = lane;
			found_ns = hold ? UINT64_MAX : activity->begin_ns;
		}
	}
	return found;
}

/*
 * Between two nodes of one graph launch, which the host issued as one. Other tools may not tell
 * the graph of a node, but the call of several operations.
 */
static bool is_inside_graph(
	const struct walk *walk, const struct gap *gap, const struct walk_call *call)
{
	return call->operation_count > 1 && call->first_kernel_ns < gap->begin_ns &&
	       (gap->ender.graph != 0 ||
		       (walk->imports.is_on && strstr(call->name, "GraphLaunch")));
}

/* Why nobody is known to have fed the operation. */
static const char *feederless(const struct walk *walk, const struct gap_ender *ender)
{
	const struct walk_process *process = walk_imports_find(&walk->imports, ender->pid);

	if (!walk->imports.is_on) {
		return "no feeder";
	}
	if (!process || !process->has_host) {
		return "no host trace";
	}
	return walk_process_began_before(process, ender->start_ns, ender->correlation)
		       ? "launched before the capture"
		       : "no feeder";
}

static void charge_called(struct walk_explanation *explanation, const struct walk_call *call,
	uint64_t from_ns, uint64_t to_ns)
{
	const struct gap *gap = explanation->gap;
	const struct walk_charge graph = {.cause = CAUSE_GRAPH_INTERNAL, .name = call->name};
	const uint64_t issued_ns = call->end_ns < gap->end_ns ? call->end_ns : gap->end_ns;
	const uint64_t cut_ns = issued_ns < to_ns ? issued_ns : to_ns;
	const struct walk_stretch late = {.from_ns = from_ns, .to_ns = cut_ns, .act_ns = issued_ns};

	/* docs/causes.md, rule 1. No lane when its thread was forgotten: then there is nobody to
	 * follow. */
	explanation->feeder = walk_lanes_of(&explanation->walk->lanes, call->lane);
	if (is_inside_graph(explanation->walk, gap, call)) {
		walk_charge(explanation, from_ns, to_ns, &graph);
	} else if (call->start_ns > gap->end_ns) {
		walk_charge_unknown(explanation, from_ns, to_ns, "before launch");
	} else {
		walk_engine_charge_after(
			explanation, call, cut_ns > from_ns ? cut_ns : from_ns, to_ns);
		if (explanation->feeder) {
			walk_chain_follow(explanation, explanation->feeder, late);
		} else {
			walk_charge_unknown(explanation, from_ns, cut_ns, "no feeder");
		}
	}
}

/* Why the call may have been recorded, had nothing been lost since it can have been made. */
static const char *doubt_call(const struct walk *walk, const struct gap *gap)
{
	return walk_doubt_record(
		walk, gap->begin_ns > WALK_CALL_KEEP_NS ? gap->begin_ns - WALK_CALL_KEEP_NS : 0);
}

void walk_feed_charge(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns)
{
	const struct gap *gap = explanation->gap;
	const struct walk_stretch late = {
		.from_ns = from_ns, .to_ns = to_ns, .act_ns = gap->end_ns};
	const struct walk *walk = explanation->walk;
	const struct walk_call *call = NULL;
	const char *doubt;

	if (gap->ender.correlation != 0) {
		call = walk_calls_find(&walk->calls, gap->ender.pid, gap->ender.correlation);
	}
	if (call) {
		charge_called(explanation, call, from_ns, to_ns);
		return;
	}
	doubt = walk->witness.has_calls ? doubt_call(walk, gap) : NULL;
	if (doubt) {
		walk_charge_unknown(explanation, from_ns, to_ns, doubt);
		return;
	}
	if (!walk->imports.is_on &&
		walk_calls_began_after(&walk->calls, gap->ender.pid, gap->ender.correlation)) {
		walk_charge_unknown(explanation, from_ns, to_ns, "launched before the capture");
		return;
	}
	explanation->feeder = find_prover(explanation);
	if (explanation->feeder) {
		walk_chain_follow(explanation, explanation->feeder, late);
	} else {
		walk_charge_unknown(
			explanation, from_ns, to_ns, feederless(explanation->walk, &gap->ender));
	}
}

/* A call may begin before the gap or return after it: then that part is empty. */
static uint64_t clip(uint64_t time_ns, const struct gap *gap)
{
	if (time_ns < gap->begin_ns) {
		return gap->begin_ns;
	}
	return time_ns < gap->end_ns ? time_ns : gap->end_ns;
}

struct gap_split walk_split(const struct walk *walk, const struct gap *gap)
{
	const uint64_t length_ns = gap->end_ns - gap->begin_ns;
	const struct walk_call *call = NULL;
	struct gap_split split = {0};
	uint64_t called_ns;
	uint64_t issued_ns;

	if (gap->has_ender && gap->ender.correlation != 0) {
		call = walk_calls_find(&walk->calls, gap->ender.pid, gap->ender.correlation);
	}
	if (!call) {
		split.unjoined_ns = length_ns;
		return split;
	}
	called_ns = clip(call->start_ns, gap);
	issued_ns = clip(call->end_ns, gap);
	split.host_late_ns = called_ns - gap->begin_ns;
	split.in_call_ns = issued_ns - called_ns;
	split.after_call_ns = gap->end_ns - issued_ns;
	return split;
}
