/* SPDX-License-Identifier: MIT */
/*
 * Verdicts on suspects: how much idle time was charged to each, whether that confirms or refutes
 * it, or what is missing to tell. The rules are those of docs/causes.md, "Verdicts".
 */
#pragma once

#include "analysis/core/gap.h"
#include "analysis/core/walk.h"

/* A suspect that took so much of the idle time is confirmed; one that cannot have is refuted. */
#define VERDICT_SHARE_PERCENT 5

/* Causes by object kept apart: locks and pools of one program. The rest is one row per cause. */
#define VERDICT_TALLY_MAX 64

/* A line of the report, and a cause with a name cut to fit it. */
#define VERDICT_REASON_BYTES_MAX  160
#define VERDICT_SUSPECT_BYTES_MAX 96

/* The six of the hunt, and what a tally can hold beside them. */
#define VERDICT_SUSPECTS 6
#define VERDICT_ROWS_MAX (VERDICT_SUSPECTS + VERDICT_TALLY_MAX + CAUSE_COUNT)

enum verdict {
	VERDICT_CONFIRMED,
	VERDICT_REFUTED,
	VERDICT_CANNOT_TELL
};

/* The name in reports, valid for ever. */
const char *verdict_name(enum verdict verdict);

/* Idle time of one cause, or of one lock or pool. */
struct verdict_tally_row {
	enum cause cause;
	const char *object; /* NULL: whatever the object; else borrowed from the walk */
	uint64_t ns;
	uint64_t ceiling_ns; /* it was on the chain: no more than this can go with it */
};

/* All zero is empty. */
struct verdict_tally {
	uint64_t idle_ns;
	uint64_t unknown_ns;
	struct verdict_tally_row rows[VERDICT_TALLY_MAX + CAUSE_COUNT];
	uint32_t count;
	uint32_t object_count; /* rows that have an object */
};

void verdict_tally_add(struct verdict_tally *tally, const struct gap_part_list *parts);

struct verdict_row {
	char suspect[VERDICT_SUSPECT_BYTES_MAX];
	enum verdict verdict;
	uint64_t ns;
	uint64_t ceiling_ns;
	double share; /* of the idle time that was to be explained, 0 to 1 */
	char reason[VERDICT_REASON_BYTES_MAX];
};

struct verdict_list {
	struct verdict_row rows[VERDICT_ROWS_MAX];
	uint32_t count;
};

/* The six suspects in their order, then every other cause seen, the largest first. */
void verdict_conclude(const struct verdict_tally *tally, const struct walk_evidence *evidence,
	bool is_trusted, struct verdict_list *out_list);
