/* SPDX-License-Identifier: MIT */
#include "analysis/core/interval_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void interval_set_init(struct interval_set *set)
{
	*set = (struct interval_set){0};
}

/* The first interval that ends at or after `time_ns`: the first that [time_ns, ...) can merge with.
 */
static size_t first_touching(const struct interval_set *set, uint64_t time_ns)
{
	size_t low = 0;
	size_t high = set->count;

	/* Mostly appended: losses come in order of time. */
	if (high > 0 && set->intervals[high - 1].end_ns < time_ns) {
		return high;
	}
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (set->intervals[middle].end_ns < time_ns) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static enum status grow(struct interval_set *set)
{
	const size_t capacity = set->capacity ? set->capacity * 2 : 16;
	struct interval *intervals;

	if (set->count < set->capacity) {
		return STATUS_OK;
	}
	intervals = reallocarray(set->intervals, capacity, sizeof(*intervals));
	if (!intervals) {
		return STATUS_NO_MEMORY;
	}
	set->intervals = intervals;
	set->capacity = capacity;
	return STATUS_OK;
}

enum status interval_set_add(struct interval_set *set, uint64_t begin_ns, uint64_t end_ns)
{
	enum status status;
	size_t first;
	size_t last;

	assert(begin_ns <= end_ns);
	if (begin_ns == end_ns) {
		return STATUS_OK;
	}

	first = first_touching(set, begin_ns);
	last = first;
	while (last < set->count && set->intervals[last].begin_ns <= end_ns) {
		const struct interval *merged = &set->intervals[last];

		begin_ns = merged->begin_ns < begin_ns ? merged->begin_ns : begin_ns;
		end_ns = merged->end_ns > end_ns ? merged->end_ns : end_ns;
		last++;
	}
	/* It touches none, so there is one more; else those it touches become one. */
	if (first == last) {
		status = grow(set);
		if (status != STATUS_OK) {
			return status;
		}
	}
	memmove(set->intervals + first + 1, set->intervals + last,
		(set->count - last) * sizeof(*set->intervals));
	set->count = set->count - (last - first) + 1;
	set->intervals[first] = (struct interval){begin_ns, end_ns};
	return STATUS_OK;
}

uint64_t interval_set_total_ns(const struct interval_set *set)
{
	uint64_t total_ns = 0;

	for (size_t i = 0; i < set->count; i++) {
		total_ns += set->intervals[i].end_ns - set->intervals[i].begin_ns;
	}
	return total_ns;
}

void interval_set_finish(struct interval_set *set)
{
	free(set->intervals);
	*set = (struct interval_set){0};
}
