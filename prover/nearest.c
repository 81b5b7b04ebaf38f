/* SPDX-License-Identifier: MIT */
#include "prover/nearest.h"

#include <string.h>

/* The number of single-letter edits between two short words. */
static uint32_t edit_distance(const char *left, const char *right)
{
	uint32_t row[65];
	size_t right_length = strnlen(right, 64);

	for (uint32_t j = 0; j <= right_length; j++) {
		row[j] = j;
	}
	for (uint32_t i = 1; left[i - 1] != '\0'; i++) {
		uint32_t diagonal = row[0];

		row[0] = i;
		for (uint32_t j = 1; j <= right_length; j++) {
			uint32_t above = row[j];
			uint32_t best = diagonal + (left[i - 1] != right[j - 1]);

			best = above + 1 < best ? above + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			row[j] = best;
			diagonal = above;
		}
	}
	return row[right_length];
}

void nearest_offer(struct nearest *nearest, const char *given, const char *candidate)
{
	uint32_t distance = edit_distance(given, candidate);

	if (distance < nearest->distance && distance <= 1 + strlen(candidate) / 3) {
		*nearest = (struct nearest){.word = candidate, .distance = distance};
	}
}
