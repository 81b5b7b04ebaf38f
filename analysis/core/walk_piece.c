/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_piece.h"

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* A boundary before y that the piece does not reach over. */
static uint64_t raise_to(uint64_t from_ns, uint64_t boundary_ns, uint64_t y_ns)
{
	return boundary_ns < y_ns ? later(from_ns, boundary_ns) : from_ns;
}

/* True while the wait is what keeps its thread: up to the act that ends it. */
static bool keeps_waiting(
	const struct walk_lane *lane, const struct walk_activity *wait, uint64_t y_ns)
{
	const bool is_own = wait->ender.index == lane->self.index &&
			    wait->ender.generation == lane->self.generation;

	if (wait->kind == WALK_LOCK_WAIT || !wait->has_ender) {
		return true;
	}
	return !is_own && y_ns <= wait->ender_ns;
}

/* Of waits around one another the outermost counts until its act, then the one further in. */
static void find_wait(const struct walk_lane *lane, uint64_t y_ns, struct walk_piece *piece)
{
	const struct walk_activity *around = piece->activity;

	for (; around; around = walk_activity_outer(around, y_ns)) {
		if (!walk_activity_is_wait(around)) {
			continue;
		}
		if (keeps_waiting(lane, around, y_ns)) {
			piece->wait = around;
		} else if (around->ender_ns < y_ns) {
			piece->from_ns = later(piece->from_ns, around->ender_ns);
		}
	}
	if (piece->wait) {
		piece->from_ns = piece->wait->begin_ns;
		piece->call = NULL;
	} else if (piece->activity && !piece->call && walk_activity_is_wait(piece->activity)) {
		piece->wait = piece->activity;
		piece->is_handover = true;
	}
}

/* A call of the system is part of the device's call that it is made in. */
static void find_os_call(const struct walk_lane *lane, uint64_t y_ns, struct walk_piece *piece)
{
	const struct walk_os_call *os = walk_os_at(lane, y_ns);

	piece->from_ns = later(piece->from_ns, walk_os_end_before(lane, y_ns));
	if (!os) {
		return;
	}
	piece->from_ns = later(piece->from_ns, os->start_ns);
	if (!piece->call && (!piece->activity || os->start_ns >= piece->activity->begin_ns)) {
		piece->os = os;
	}
}

struct walk_piece walk_piece_at(
	const struct walk_explanation *explanation, const struct walk_lane *lane, uint64_t y_ns)
{
	struct walk_piece piece = {.activity = walk_lane_at(lane, y_ns)};
	const struct walk_call *call = walk_calls_at(lane, y_ns);
	uint64_t wait_from_ns;

	piece.from_ns = later(walk_lane_end_before(lane, y_ns), walk_calls_end_before(lane, y_ns));
	if (piece.activity) {
		piece.from_ns = later(piece.from_ns, piece.activity->begin_ns);
	}
	if (call) {
		const struct walk_activity *activity = piece.activity;

		piece.from_ns = later(piece.from_ns, call->start_ns);
		if (!activity || call->start_ns > activity->begin_ns ||
			(call->start_ns == activity->begin_ns &&
				call->end_ns <= activity->end_ns)) {
			piece.call = call;
		}
	}
	wait_from_ns = piece.from_ns;
	find_wait(lane, y_ns, &piece);
	if (piece.wait && !piece.is_handover) {
		return piece;
	}
	piece.from_ns = later(piece.from_ns, wait_from_ns);
	if (lane->os_calls.count > 0) {
		find_os_call(lane, y_ns, &piece);
	}
	if (explanation->walk->imports.is_on && !piece.activity && !piece.call && !piece.os) {
		piece.from_ns = raise_to(piece.from_ns,
			walk_imports_begin_ns(&explanation->walk->imports, lane->pid), y_ns);
	}
	if (walk_explanation_is_own(explanation)) {
		piece.from_ns = later(piece.from_ns, walk_lane_gpu_change_before(lane, y_ns));
	}
	return piece;
}
