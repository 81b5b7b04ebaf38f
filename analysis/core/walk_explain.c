/* SPDX-License-Identifier: MIT */
/* Explains one gap, and checks that its parts add up. */
#include "analysis/core/walk_edge.h"
#include "analysis/core/walk_feed.h"

#include <assert.h>

/* The contract of docs/causes.md, checked for every gap of every report. */
static bool adds_up(const struct gap *gap, const struct gap_part_list *list)
{
	uint64_t at_ns = gap->begin_ns;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct gap_part *part = &list->parts[i];

		if (part->from_ns != at_ns || part->to_ns <= part->from_ns) {
			return false;
		}
		at_ns = part->to_ns;
	}
	return at_ns == gap->end_ns;
}

enum status walk_explain(struct walk *walk, const struct gap *gap, struct gap_part_list *list)
{
	struct walk_explanation explanation = {.walk = walk, .gap = gap, .list = list};

	assert(walk && gap && list);

	list->count = 0;
	if (gap->begin_ns >= gap->end_ns) {
		return STATUS_OK;
	}
	if (gap->has_ender) {
		walk_feed_charge(&explanation, gap->begin_ns, gap->end_ns);
	} else {
		walk_edge_charge(&explanation);
	}
	walk_charge_conclude(&explanation);
	if (explanation.status == STATUS_OK && !adds_up(gap, list)) {
		/* A bug of ours: said as it is, instead of a wrong answer or an abort. */
		walk->counts.internal_errors++;
		list->count = 0;
		explanation.link_count = 0;
		explanation.has_pending = false;
		walk_charge_unknown(&explanation, gap->begin_ns, gap->end_ns, "internal");
		walk_charge_conclude(&explanation);
	}
	return explanation.status;
}
