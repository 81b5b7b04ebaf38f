/* SPDX-License-Identifier: MIT */
#include "analysis/core/duration.h"

#include "trace/base/clock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{"ns", 1},
	{"us", NS_PER_US},
	{"ms", NS_PER_MS},
	{"s", NS_PER_S},
	{"min", 60 * NS_PER_S},
};

enum status duration_parse(const char *text, uint64_t *out_ns)
{
	uint64_t value = 0;
	uint64_t scale = 1; /* a power of ten: how many digits follow the point */
	const char *at = text;
	bool has_point = false;
	uint64_t product;

	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !has_point && at > text); at++) {
		if (*at == '.') {
			has_point = true;
			continue;
		}
		/* "1.5ms" is 15 with a scale of 10: integers all the way, so that 0.1 is exact. */
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value) ||
			(has_point && __builtin_mul_overflow(scale, 10, &scale))) {
			return STATUS_TOO_LARGE;
		}
	}
	if (at == text || at[-1] == '.') {
		return STATUS_BAD_INPUT;
	}
	/* Of nothing any unit will do, and so will none. */
	if (*at == '\0' && value == 0) {
		*out_ns = 0;
		return STATUS_OK;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(at, units[i].name) != 0) {
			continue;
		}
		if (__builtin_mul_overflow(value, units[i].ns, &product)) {
			return STATUS_TOO_LARGE;
		}
		*out_ns = product / scale;
		return STATUS_OK;
	}
	return STATUS_BAD_INPUT;
}

const char *duration_format(uint64_t duration_ns, char out_text[DURATION_TEXT_BYTES])
{
	const struct unit *unit = &units[0];
	double value;
	int decimals;

	/* Not in minutes: 61.20 s reads better than 1.020 min. */
	for (size_t i = 0; i < 4 && duration_ns >= units[i].ns; i++) {
		unit = &units[i];
	}
	if (unit->ns == 1) {
		(void)snprintf(out_text, DURATION_TEXT_BYTES, "%" PRIu64 " ns", duration_ns);
		return out_text;
	}
	value = (double)duration_ns / (double)unit->ns;
	/* Four digits, whatever the size. */
	decimals = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
	(void)snprintf(out_text, DURATION_TEXT_BYTES, "%.*f %s", decimals, value, unit->name);
	return out_text;
}
