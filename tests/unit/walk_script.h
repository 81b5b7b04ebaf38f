/* SPDX-License-Identifier: MIT */
/*
 * Timelines drawn by hand for tests of the walk: a script has one event a line, and the answer is
 * text too, so that a test reads as a picture.
 *
 *     100 2 lock_wait tracker            time, thread, event, what it is about
 *     180 1 lock_release tracker hold=95 further fields by name
 *
 * Names stand for identities. Fields left out are 0; durations left out are not known. Events of
 * devices carry their own start= and end=; a call of the system (os) begins at its time and has an
 * end=. A line "0 0 source" makes the trace another tool's. One that begins with '#' says nothing.
 */
#pragma once

#include "analysis/core/walk.h"

#include <stddef.h>

#define WALK_SCRIPT_PID       7
#define WALK_SCRIPT_OTHER_PID 8 /* of lines with pid=8 */
#define WALK_SCRIPT_BYTES     8192

/* A walk that was given the script; device numbers are the timeline's indices. Aborts on a typo. */
struct walk *walk_script_run(const char *script);

/* Adds more lines to it. */
void walk_script_add(struct walk *walk, const char *script);

/*
 * Explains "[begin, end) of device `device`", ended by the kernel of `correlation`; by nothing when
 * that is 0. One line a part: "from-to cause object phase thread>holder via kind:object ...", with
 * "_" for a space in a name, "-" for an empty one, and "~" before what is apportioned.
 */
struct walk_script_gap {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t device;
	uint64_t correlation;
	uint32_t stream; /* 0 counts as 1 */
	uint32_t graph;
};

void walk_script_explain(
	struct walk *walk, struct walk_script_gap gap, char out_text[WALK_SCRIPT_BYTES]);

/* Runs the script, explains the gap and compares: fails the test with both texts. */
void walk_script_expect(const char *script, struct walk_script_gap gap, const char *expected);
