/* SPDX-License-Identifier: MIT */
#include "analysis/core/gap.h"

#include <assert.h>
#include <string.h>

#define GAP_VIA_NAME(constant, name) [GAP_VIA_##constant] = (name),
static const char *const names[GAP_VIA_KIND_COUNT] = {GAP_VIA_TABLE(GAP_VIA_NAME)};
#undef GAP_VIA_NAME

const char *gap_via_kind_name(enum gap_via_kind kind)
{
	assert((unsigned int)kind < GAP_VIA_KIND_COUNT);
	return names[kind];
}

bool gap_part_reads_same(const struct gap_part *a, const struct gap_part *b)
{
	if (a->cause != b->cause || a->thread_tid != b->thread_tid ||
		a->holder_tid != b->holder_tid || a->via_count != b->via_count ||
		strcmp(a->object, b->object) != 0 || strcmp(a->phase, b->phase) != 0) {
		return false;
	}
	for (uint32_t i = 0; i < a->via_count; i++) {
		if (a->via[i].kind != b->via[i].kind ||
			strcmp(a->via[i].object, b->via[i].object) != 0) {
			return false;
		}
	}
	return true;
}
