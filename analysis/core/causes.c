/* SPDX-License-Identifier: MIT */
#include "analysis/core/causes.h"

#include <assert.h>

struct cause_row {
	const char *name;
	const char *meaning;
	const char *remedy;
};

#define CAUSE_ROW(constant, name, meaning, remedy) [CAUSE_##constant] = {name, meaning, remedy},
static const struct cause_row rows[CAUSE_COUNT] = {CAUSE_TABLE(CAUSE_ROW)};
#undef CAUSE_ROW

const char *cause_name(enum cause cause)
{
	assert((unsigned int)cause < CAUSE_COUNT);
	return rows[cause].name;
}

const char *cause_meaning(enum cause cause)
{
	assert((unsigned int)cause < CAUSE_COUNT);
	return rows[cause].meaning;
}

const char *cause_remedy(enum cause cause)
{
	assert((unsigned int)cause < CAUSE_COUNT);
	return rows[cause].remedy;
}
