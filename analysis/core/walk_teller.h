/* SPDX-License-Identifier: MIT */
/*
 * How late each process tells of what its devices did: by its watermarks, or by the latest record
 * so far. It says how far back a lost event may have been about.
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/limits.h"

/* Of more than these nobody waits for: a process has a few devices, a recording a few processes. */
#define WALK_TELLER_COUNT_MAX DEVICE_COUNT_MAX

/* One that said nothing for this long has ended; a collector tells every 10 s at the least. */
#define WALK_TELLER_SILENT_NS 30000000000ULL

struct walk_teller {
	int32_t pid;
	int32_t device;
	bool has_watermark;
	uint64_t complete_until_ns;
	uint64_t last_ns;
	uint64_t longest_ns; /* of its operations */
	uint64_t lag_ns;     /* from the start of one to its record, at most */
	uint64_t dropped_ns; /* when records were last said to have been dropped */
};

/* All zero is none. */
struct walk_tellers {
	struct walk_teller tellers[WALK_TELLER_COUNT_MAX];
	uint32_t count;
};

/* Takes note of an operation or a watermark. */
void walk_tellers_add(struct walk_tellers *tellers, const struct event *event);

/* What started before has been told at `now_ns`. */
uint64_t walk_tellers_complete_until(const struct walk_tellers *tellers, uint64_t now_ns);

/* The process dropped records: none of what had started before the time that is given. */
uint64_t walk_tellers_drop(struct walk_tellers *tellers, int32_t pid, uint64_t now_ns);
