/* SPDX-License-Identifier: MIT */
/*
 * Whether a log is of several daemons: where a collector of logs told which process wrote a line,
 * processes that write by turns lived beside one another. Where it did not, nobody can tell.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Daemons of one log, one after the other; of more only the first are looked at. */
#define CUZK_PROCESS_COUNT 16

struct cuzk_turns {
	uint64_t processes[CUZK_PROCESS_COUNT];
	size_t count;
	uint64_t last; /* who told the last line, and who told before that one */
	uint64_t before;
	uint64_t returns;
};

/* The process of a TIMELINE line, 0 when it is not told. */
void cuzk_turns_add(struct cuzk_turns *turns, uint64_t process);

/* Whether that was no chance, such as a number that was used again. */
bool cuzk_turns_are_mixed(const struct cuzk_turns *turns);
