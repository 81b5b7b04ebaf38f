/* SPDX-License-Identifier: MIT */
/* What can be done with a store of runs: add, look for, mark, and take reports out again. */
#pragma once

#include "analysis/history/history_run.h"
#include "analysis/history/store.h"

#define HISTORY_GOOD "good"
#define HISTORY_BAD  "bad"

struct history_added {
	int64_t id;
	bool is_known; /* it was there already, with the same labels */
	bool is_other; /* but by a report with other figures, which stays */
};

/* Adds all runs or none; OK for one that is there already. `out_added` has as many entries. */
MUST_CHECK enum status history_add(struct store *store, struct history_run *const *runs,
	uint32_t count, struct history_added *out_added, struct diag *diag);

/* What runs are looked for; a text that is NULL does not matter. */
struct history_filter {
	const char *host;
	const char *build;
	const char *profile;
	const char *devices;
	const char *work_unit;
	const char *work_name;
	const char *mark;
	const char *threshold_ns;
	const char *simulated; /* "0" or "1" */
	const char *since_s;
	const char *until_s;
	const char *id;
	const char *not_fingerprint;
	bool is_trusted; /* only those */
	bool is_not_bad; /* only those */
	bool has_work;   /* only those: without any, nothing can be compared per unit of it */
	uint32_t limit;  /* the newest so many; 0: all */
	bool wants_report;
};

/* A run that was found; of the report "" unless it was wanted. Borrowed for the call. */
struct history_found {
	const char *id;
	const char *values[STORE_COLUMN_COUNT];
};

typedef enum status history_visitor(void *context, const struct history_found *found);

/* The newest first. */
MUST_CHECK enum status history_find(struct store *store, const struct history_filter *filter,
	history_visitor *visit, void *context, struct diag *diag);

/* `mark` is HISTORY_GOOD, HISTORY_BAD or "". NOT_FOUND, and nothing is marked, if one is not there.
 */
MUST_CHECK enum status history_mark(struct store *store, const char *const *ids, uint32_t count,
	const char *mark, struct diag *diag);
