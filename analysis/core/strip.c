/* SPDX-License-Identifier: MIT */
#include "analysis/core/strip.h"

#include <assert.h>
#include <string.h>

/* The first bin width: a power of two near 1 us. */
#define FIRST_BIN_NS 1024

void strip_init(struct strip *strip, uint64_t origin_ns)
{
	*strip = (struct strip){.origin_ns = origin_ns, .bin_ns = FIRST_BIN_NS};
}

/* So a run of any length fits the same memory: bins double until it does. */
static void widen(struct strip *strip)
{
	for (int layer = 0; layer < STRIP_LAYER_COUNT; layer++) {
		uint64_t *bins = strip->covered_ns[layer];

		for (int i = 0; i < STRIP_BIN_COUNT / 2; i++) {
			bins[i] = bins[2 * i] + bins[2 * i + 1];
		}
		memset(bins + STRIP_BIN_COUNT / 2, 0, STRIP_BIN_COUNT / 2 * sizeof(*bins));
	}
	strip->bin_ns *= 2;
}

/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the order of every interval here. */
void strip_add(struct strip *strip, enum strip_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t *bins = strip->covered_ns[layer];
	uint64_t from_ns;
	uint64_t to_ns;

	if (end_ns <= strip->origin_ns) {
		return;
	}
	from_ns = begin_ns > strip->origin_ns ? begin_ns - strip->origin_ns : 0;
	to_ns = end_ns - strip->origin_ns;

	while (to_ns / strip->bin_ns >= STRIP_BIN_COUNT) {
		widen(strip);
	}
	while (from_ns < to_ns) {
		const uint64_t bin = from_ns / strip->bin_ns;
		const uint64_t bin_end_ns = (bin + 1) * strip->bin_ns;
		const uint64_t stop_ns = bin_end_ns < to_ns ? bin_end_ns : to_ns;

		bins[bin] += stop_ns - from_ns;
		from_ns = stop_ns;
	}
}

double strip_share(
	const struct strip *strip, enum strip_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	double covered_ns = 0;
	uint64_t from_ns;
	uint64_t to_ns;

	assert(begin_ns < end_ns);
	if (strip->bin_ns == 0 || end_ns <= strip->origin_ns) {
		return 0;
	}
	from_ns = begin_ns > strip->origin_ns ? begin_ns - strip->origin_ns : 0;
	to_ns = end_ns - strip->origin_ns;

	/* A bin that is cut counts by its share, as if it were covered evenly. */
	for (uint64_t bin = from_ns / strip->bin_ns; bin < STRIP_BIN_COUNT; bin++) {
		const uint64_t bin_begin_ns = bin * strip->bin_ns;
		const uint64_t bin_end_ns = bin_begin_ns + strip->bin_ns;
		const uint64_t cut_begin_ns = bin_begin_ns > from_ns ? bin_begin_ns : from_ns;
		const uint64_t cut_end_ns = bin_end_ns < to_ns ? bin_end_ns : to_ns;

		if (bin_begin_ns >= to_ns) {
			break;
		}
		covered_ns += (double)strip->covered_ns[layer][bin] *
			      (double)(cut_end_ns - cut_begin_ns) / (double)strip->bin_ns;
	}
	return covered_ns / (double)(end_ns - begin_ns);
}
