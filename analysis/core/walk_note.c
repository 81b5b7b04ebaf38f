/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_note.h"

/* Begin and end are not measured where their events are: docs/events.md. With ample time to emit.
 */
#define EMIT_NS_MAX 100000

struct walk_lane *walk_note_lane(struct walk *walk, const struct event *event)
{
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, event->tid);

	if (lane) {
		lane->last_ns = event->time_ns;
	}
	return lane;
}

uint64_t walk_note_begin_ns(const struct event *event, uint64_t duration_ns)
{
	/* Else it has lasted since before anything was recorded. */
	return duration_ns != GAPTRACE_UNKNOWN && duration_ns < event->time_ns
		       ? event->time_ns - duration_ns
		       : 0;
}

static bool is_match(const struct walk_activity *open, const struct walk_activity *wanted)
{
	if (open->kind != wanted->kind) {
		return false;
	}
	/* Names are kept once, so equal ones are equal pointers. */
	if (open->kind == WALK_SPAN || open->kind == WALK_PROVE_START) {
		return open->name == wanted->name && open->work.job == wanted->work.job &&
		       open->work.partition == wanted->work.partition;
	}
	return open->object == wanted->object;
}

struct walk_activity *walk_note_find(
	const struct walk_lane *lane, const struct walk_activity *wanted)
{
	/* Innermost first: of two alike the one that was begun last ends first. */
	struct walk_activity *open = walk_lane_open(lane, NULL);

	while (open && !is_match(open, wanted)) {
		open = walk_lane_open(lane, open);
	}
	return open;
}

enum status walk_note_stale_waits(struct walk *walk, struct walk_lane *lane,
	const struct walk_activity *outer, uint64_t now_ns)
{
	struct walk_activity *open = walk_lane_open(lane, NULL);
	enum status status = STATUS_OK;

	while (open && open != outer && walk_activity_is_wait(open) && status == STATUS_OK) {
		walk->lanes.stale_count++;
		status = walk_lane_end(&walk->lanes, lane, open, now_ns);
		open = walk_lane_open(lane, NULL);
	}
	return status;
}

enum status walk_note_begin(struct walk *walk, struct walk_lane *lane,
	struct walk_activity *activity, const struct event *event)
{
	const struct walk_activity *open = walk_lane_open(lane, NULL);
	enum status status = STATUS_OK;

	/* One that is blocked on a lock begins nothing: it got the lock, and the event was lost. */
	while (open && open->kind == WALK_LOCK_WAIT && status == STATUS_OK) {
		status = walk_note_stale_waits(walk, lane, open->parent, event->time_ns);
		open = walk_lane_open(lane, NULL);
	}
	if (status != STATUS_OK) {
		return status;
	}
	activity->begin_ns = event->time_ns;
	activity->run_delay_ns = GAPTRACE_UNKNOWN;
	return walk_lane_begin(&walk->lanes, lane, activity) ? STATUS_OK : STATUS_NO_MEMORY;
}

/* What is open inside of something that ends has ended before: those ends were lost. */
static enum status end_lost(struct walk *walk, struct walk_lane *lane,
	const struct walk_activity *outer, uint64_t now_ns)
{
	struct walk_activity *open = walk_lane_open(lane, NULL);
	enum status status = STATUS_OK;

	while (open && open != outer && open->doubt && status == STATUS_OK) {
		walk->lanes.stale_count++;
		status = walk_lane_end(&walk->lanes, lane, open, now_ns);
		open = walk_lane_open(lane, NULL);
	}
	return status;
}

/*
 * It ends something of the same name that began later: the end of the first and that begin were
 * both lost.
 */
static bool is_another(
	const struct walk_activity *open, const struct event *event, uint64_t duration_ns)
{
	return open->doubt && duration_ns != GAPTRACE_UNKNOWN &&
	       walk_note_begin_ns(event, duration_ns) > open->begin_ns + EMIT_NS_MAX;
}

enum status walk_note_end(struct walk *walk, struct walk_lane *lane, struct walk_activity *ended,
	const struct event *event, uint64_t duration_ns)
{
	struct walk_activity *open = walk_note_find(lane, ended);
	enum status status = STATUS_OK;

	/* The begin was lost, or was before the recording: an end carries its duration for this. */
	if (!open) {
		ended->begin_ns = walk_note_begin_ns(event, duration_ns);
		ended->end_ns = event->time_ns;
		return walk_lane_insert(&walk->lanes, lane, ended);
	}
	if (is_another(open, event, duration_ns)) {
		ended->begin_ns = walk_note_begin_ns(event, duration_ns);
		ended->end_ns = event->time_ns;
		status = walk_lane_insert(&walk->lanes, lane, ended);
		return status == STATUS_OK ? walk_lane_end(&walk->lanes, lane, open, event->time_ns)
					   : status;
	}
	/* A span that ends on another thread says nothing about what its first one does now. */
	if (lane->tid == event->tid) {
		status = walk_note_stale_waits(walk, lane, open, event->time_ns);
		status = status == STATUS_OK ? end_lost(walk, lane, open, event->time_ns) : status;
	}
	if (status != STATUS_OK) {
		return status;
	}
	open->doubt = NULL;
	open->run_delay_ns = ended->run_delay_ns;
	open->ender = ended->ender;
	open->ender_ns = ended->ender_ns;
	open->has_ender = ended->has_ender;
	/* A pop learns its work only at its end. */
	if (ended->work.job != 0) {
		open->work = ended->work;
	}
	return walk_lane_end(&walk->lanes, lane, open, event->time_ns);
}
