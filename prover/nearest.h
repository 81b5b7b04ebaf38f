/* SPDX-License-Identifier: MIT */
/* "did you mean": of the words that could stand here, the one most like the word that does. */
#pragma once

#include <stdint.h>

struct nearest {
	const char *word; /* NULL while none is near */
	uint32_t distance;
};

#define NEAREST_NONE ((struct nearest){.distance = UINT32_MAX})

/* Keeps `candidate` when it is near `given` and nearer than what was offered before. */
void nearest_offer(struct nearest *nearest, const char *given, const char *candidate);
