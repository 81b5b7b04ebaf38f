/* SPDX-License-Identifier: MIT */
/* Explains one gap: finds its feeder, cuts it into late, in call and after, and checks the sum. */
#include "analysis/core/walk_chain.h"
#include "analysis/core/walk_engine.h"

#include <assert.h>

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

/* Between two nodes of one graph launch, which the host issued as one. */
static bool is_inside_graph(const struct gap *gap, const struct walk_call *call)
{
	return gap->ender.graph != 0 && call->operation_count > 1 &&
	       call->first_start_ns < gap->begin_ns;
}

static void explain_called(struct walk_explanation *explanation, const struct walk_call *call)
{
	const struct gap *gap = explanation->gap;
	const struct walk_charge graph = {.cause = CAUSE_GRAPH_INTERNAL, .name = call->name};
	const uint64_t issued_ns = call->end_ns < gap->end_ns ? call->end_ns : gap->end_ns;
	struct walk_stretch stretch = {
		.from_ns = gap->begin_ns, .to_ns = issued_ns, .act_ns = issued_ns};

	explanation->feeder = walk_lanes_of(&explanation->walk->lanes, call->lane);
	if (is_inside_graph(gap, call)) {
		walk_charge(explanation, gap->begin_ns, gap->end_ns, &graph);
	} else if (call->start_ns > gap->end_ns) {
		walk_charge_unknown(explanation, gap->begin_ns, gap->end_ns, "before launch");
	} else {
		walk_engine_charge_after(explanation, call,
			issued_ns > gap->begin_ns ? issued_ns : gap->begin_ns, gap->end_ns);
		if (explanation->feeder) {
			walk_chain_follow(explanation, explanation->feeder, stretch);
		} else {
			walk_charge_unknown(
				explanation, stretch.from_ns, stretch.to_ns, "no feeder");
		}
	}
}

static void explain(struct walk_explanation *explanation)
{
	const struct gap *gap = explanation->gap;
	const struct walk_stretch whole = {
		.from_ns = gap->begin_ns, .to_ns = gap->end_ns, .act_ns = gap->end_ns};
	const struct walk_call *call = NULL;

	if (!gap->has_ender) {
		walk_engine_charge_edge(explanation);
		return;
	}
	if (gap->ender.correlation != 0) {
		call = walk_calls_find(
			&explanation->walk->calls, gap->ender.pid, gap->ender.correlation);
	}
	if (call) {
		explain_called(explanation, call);
		return;
	}
	explanation->feeder = find_prover(explanation);
	if (explanation->feeder) {
		walk_chain_follow(explanation, explanation->feeder, whole);
	} else {
		walk_charge_unknown(explanation, gap->begin_ns, gap->end_ns, "no feeder");
	}
}

static bool adds_up(const struct gap *gap, const struct gap_part_list *list)
{
	uint64_t at_ns = gap->begin_ns;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct gap_part *part = &list->parts[i];

		if (part->from_ns != at_ns || part->to_ns <= part->from_ns) {
			return false;
		}
		at_ns = part->to_ns;
	}
	return at_ns == gap->end_ns;
}

enum status walk_explain(struct walk *walk, const struct gap *gap, struct gap_part_list *list)
{
	struct walk_explanation explanation = {.walk = walk, .gap = gap, .list = list};

	assert(walk && gap && list);

	list->count = 0;
	if (gap->begin_ns >= gap->end_ns) {
		return STATUS_OK;
	}
	explain(&explanation);
	walk_charge_conclude(&explanation);
	if (explanation.status == STATUS_OK && !adds_up(gap, list)) {
		/* A bug of ours: said as it is, instead of a wrong answer or an abort. */
		walk->counts.internal_errors++;
		list->count = 0;
		explanation.link_count = 0;
		explanation.has_pending = false;
		walk_charge_unknown(&explanation, gap->begin_ns, gap->end_ns, "internal");
		walk_charge_conclude(&explanation);
	}
	return explanation.status;
}
