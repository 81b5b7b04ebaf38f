/* SPDX-License-Identifier: MIT */
#include "analysis/core/gap.h"

#include <assert.h>

#define GAP_VIA_NAME(constant, name) [GAP_VIA_##constant] = (name),
static const char *const names[GAP_VIA_KIND_COUNT] = {GAP_VIA_TABLE(GAP_VIA_NAME)};
#undef GAP_VIA_NAME

const char *gap_via_kind_name(enum gap_via_kind kind)
{
	assert((unsigned int)kind < GAP_VIA_KIND_COUNT);
	return names[kind];
}
