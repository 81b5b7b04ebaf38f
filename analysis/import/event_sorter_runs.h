/* SPDX-License-Identifier: MIT */
/*
 * Sorted runs of records (event_sorter_record.h) in one unlinked file, and their merge. Begin,
 * write, end for each run; then start, and next until there is none.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

struct event_sorter_runs;

MUST_CHECK enum status event_sorter_runs_create(
	struct event_sorter_runs **out_runs, struct diag *diag);

MUST_CHECK enum status event_sorter_runs_begin(struct event_sorter_runs *runs);

MUST_CHECK enum status event_sorter_runs_write(struct event_sorter_runs *runs,
	const unsigned char *record, size_t size, struct diag *diag);

MUST_CHECK enum status event_sorter_runs_end(struct event_sorter_runs *runs, struct diag *diag);

/* The merge shares `memory_bytes` among the runs. */
MUST_CHECK enum status event_sorter_runs_start(
	struct event_sorter_runs *runs, size_t memory_bytes, struct diag *diag);

/* Gives the first record of all runs, valid until the next call, or NULL at the end. */
MUST_CHECK enum status event_sorter_runs_next(
	struct event_sorter_runs *runs, const unsigned char **out_record, struct diag *diag);

size_t event_sorter_runs_count(const struct event_sorter_runs *runs);

/* Accepts NULL. */
void event_sorter_runs_destroy(struct event_sorter_runs *runs);
DEFINE_AUTO(struct event_sorter_runs, event_sorter_runs_destroy)
