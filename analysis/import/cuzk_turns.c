/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_turns.h"

/* A process's number comes back by chance once in thousands of restarts. */
#define RETURNS_MAX 2

void cuzk_turns_add(struct cuzk_turns *turns, uint64_t process)
{
	size_t i = 0;

	if (process == 0 || process == turns->last) {
		return;
	}
	while (i < turns->count && turns->processes[i] != process) {
		i++;
	}
	if (i < turns->count) {
		turns->returns++;
	} else if (turns->count < CUZK_PROCESS_COUNT) {
		turns->processes[turns->count++] = process;
	}
	turns->before = turns->last;
	turns->last = process;
}

bool cuzk_turns_are_mixed(const struct cuzk_turns *turns)
{
	return turns->returns > RETURNS_MAX;
}
