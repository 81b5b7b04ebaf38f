/* SPDX-License-Identifier: MIT */
/*
 * NVTX ranges as spans of threads. The file has a range in one row; its end is told in its turn,
 * which a heap keeps. Start/end ranges count only where they nest in their thread's others.
 */
#pragma once

#include "analysis/import/nsys_reader.h"

/* Ranges open at once, in all threads: more are left out. Their names are kept until they end. */
#define NSYS_OPEN_RANGE_COUNT_MAX 65536

MUST_CHECK enum status nsys_ranges_create(struct nsys_ranges **out_ranges);
/* Accepts NULL. */
void nsys_ranges_destroy(struct nsys_ranges *ranges);

/* Reads the names of domains. */
MUST_CHECK enum status nsys_ranges_read_domains(struct nsys_reader *reader, struct diag *diag);

/* When the range that ends first does so; false when none is open. */
bool nsys_ranges_next_end(const struct nsys_ranges *ranges, uint64_t *out_end_ns);
/* Gives the end of that one; its name is valid until the next. */
void nsys_ranges_end(struct nsys_ranges *ranges, struct event *out_event);

struct nsys_range_counts {
	uint64_t marks;
	uint64_t across_threads; /* start/end ranges that end on another thread */
	uint64_t overlapping;    /* start/end ranges that nest in nothing */
	uint64_t crossing; /* push/pop ranges that end after one they are in; told none the less */
	uint64_t unended;  /* told without an end */
	uint64_t too_many;
};

struct nsys_range_counts nsys_ranges_counts(const struct nsys_ranges *ranges);
