/* SPDX-License-Identifier: MIT */
/*
 * Where in a log the daemon began anew: TIMELINE counts from its engine's beginning, so its times
 * go back there. One line whose time stands out alone is a damaged line, and no beginning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Damaged lines that are remembered; a log with more is no such log any more. */
#define CUZK_ODD_LINE_COUNT 64

struct cuzk_starts {
	uint64_t count; /* beginnings after the first; the last one's line is `line` */
	uint64_t line;
	uint64_t time_ms; /* of that line */
	uint64_t seen;
	uint64_t before_ms[2];                   /* the last two times, the older one first */
	uint64_t before_line;                    /* of the last one */
	uint64_t odd_lines[CUZK_ODD_LINE_COUNT]; /* whose time stands out alone, in order */
	size_t odd_count;
	bool is_doubtful; /* the last line's time went back, and no other line has agreed yet */
	uint64_t doubtful_line;
	uint64_t doubtful_ms;
};

/* The time of a TIMELINE line: true when a new beginning is certain, at starts->line. */
bool cuzk_starts_add(struct cuzk_starts *starts, uint64_t line, uint64_t time_ms);

/* Whether the line's time is none. To be asked when all lines were added. */
bool cuzk_starts_is_odd(const struct cuzk_starts *starts, uint64_t line);
