/* SPDX-License-Identifier: MIT */
/*
 * Inside of the walk: what lost events make doubtful beyond the time in which they were lost. What
 * was open may have ended, what begins afterwards may lie in something that nobody saw begin. Each
 * function gives the reason, NULL when there is no doubt.
 */
#pragma once

#include "analysis/core/walk_charge.h"
#include "analysis/core/walk_piece.h"

/* Before each event: losses that began by now put in doubt what is open. */
MUST_CHECK enum status walk_doubt_begin(struct walk *walk, uint64_t now_ns);

/* Records of a process were dropped since it last said up to where it had told all. */
MUST_CHECK enum status walk_doubt_records(struct walk *walk, const struct event *dropped);

/* Whether the lane was in that piece at y; raises *from_ns to where the answer begins. */
const char *walk_doubt_piece(const struct walk *walk, const struct walk_lane *lane,
	const struct walk_piece *piece, uint64_t y_ns, uint64_t *from_ns);

/* Whether it was that act that ended the wait. */
const char *walk_doubt_ender(const struct walk *walk, const struct walk_activity *wait);

/* Whether a thread that seems to be in no task at y is in none; *out_from_ns: after that it is. */
const char *walk_doubt_no_task(const struct walk *walk, const struct walk_lane *lane, uint64_t y_ns,
	uint64_t *out_from_ns);

/* Whether the GPU mutex was held, or not, as it seems. */
const char *walk_doubt_gpu_hold(
	const struct walk *walk, const struct walk_lane *lane, uint64_t y_ns);

/* Whether it is known that jobs were, or were not, outstanding at y. */
const char *walk_doubt_jobs(const struct walk *walk, uint64_t y_ns);

/* Whether it is known of all queues of devices if they held work at y. */
const char *walk_doubt_queues(const struct walk *walk, uint64_t y_ns);

/* Whether the thread had a CPU, or lacked one, as the scheduler's events say; raises *from_ns. */
const char *walk_doubt_sched(
	const struct walk *walk, int32_t tid, uint64_t y_ns, uint64_t *from_ns);

/* Whether the record of something that a call began at `since_ns` may be among what was lost. */
const char *walk_doubt_record(const struct walk *walk, uint64_t since_ns);
