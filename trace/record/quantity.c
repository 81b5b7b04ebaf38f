/* SPDX-License-Identifier: MIT */
#include "trace/record/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *suffix;
	uint64_t factor;
};

static bool number_parse(
	const char *text, const struct unit *units, size_t unit_count, uint64_t *out_value)
{
	unsigned long long number;
	char *end;

	/* strtoull takes a sign and spaces, which nobody means here. */
	if (!isdigit((unsigned char)*text)) {
		return false;
	}
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno) {
		return false;
	}
	for (size_t i = 0; i < unit_count; i++) {
		if (strcmp(end, units[i].suffix) == 0) {
			return !__builtin_mul_overflow(
				(uint64_t)number, units[i].factor, out_value);
		}
	}
	return false;
}

bool quantity_parse_bytes(const char *text, uint64_t *out_bytes)
{
	static const struct unit units[] = {
		{"", 1}, {"K", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}};

	return number_parse(text, units, sizeof(units) / sizeof(units[0]), out_bytes);
}

bool quantity_parse_us(const char *text, uint64_t *out_us)
{
	static const struct unit units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};

	return number_parse(text, units, sizeof(units) / sizeof(units[0]), out_us);
}

bool quantity_parse_count(const char *text, uint64_t *out_count)
{
	static const struct unit units[] = {{"", 1}};

	return number_parse(text, units, 1, out_count);
}

void quantity_print_bytes(uint64_t bytes, char *text, size_t capacity)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024) {
		(void)snprintf(text, capacity, "%llu B", (unsigned long long)bytes);
		return;
	}
	while (value >= 1024 && i + 1 < sizeof(names) / sizeof(names[0])) {
		value /= 1024;
		i++;
	}
	(void)snprintf(text, capacity, "%.1f %s", value, names[i]);
}
