/* SPDX-License-Identifier: MIT */
/*
 * The comparison of runs: what differs, whether that is more than noise and more than anybody
 * minds, and the one outcome of it all. The rules are those of docs/regression.md.
 */
#pragma once

#include "analysis/diff/budget.h"
#include "analysis/diff/lines.h"
#include "analysis/diff/table.h"

/* Changes below these are no news. Both an absolute and a relative one must be passed. */
#define DIFF_ABSOLUTE_SHARE_DEFAULT 0.005 /* of the time per unit of work */
#define DIFF_RELATIVE_DEFAULT       0.10
#define DIFF_THROUGHPUT_DEFAULT     0.05

/* Of comparisons between equals, no more than this share calls anything a regression. */
#define DIFF_FALSE_ALARMS_DEFAULT 0.01

struct diff_settings {
	bool has_absolute_ns; /* else absolute_share counts */
	uint64_t absolute_ns; /* per unit of work */
	double absolute_share;
	double relative;
	double throughput; /* relative, of the time per unit of work */
	double false_alarms;
};

/* clang-format off */
/* X(constant, name in JSON, what it says) */
#define DIFF_VERDICTS(X)                                                          \
	X(SAME,      "same",      "no change worth a word")                       \
	X(NOISE,     "noise",     "a change that chance can make")                \
	X(REGRESSED, "regressed", "worse")                                        \
	X(IMPROVED,  "improved",  "better")                                       \
	X(MOVED,     "moved",     "more, but less elsewhere: no worse in all")    \
	X(ROSE,      "rose",      "more, which is neither good nor bad")          \
	X(FELL,      "fell",      "less, which is neither good nor bad")          \
	X(SHOWN,     "shown",     "for the reader to see")
/* clang-format on */

#define DIFF_ENUM(constant, name, meaning) DIFF_##constant,
enum diff_verdict {
	DIFF_VERDICTS(DIFF_ENUM) DIFF_VERDICT_COUNT
};
#undef DIFF_ENUM

/* The values are the exit codes. */
enum diff_outcome {
	DIFF_PASSED = 0,
	DIFF_WORSE = 1,
	DIFF_NOT_COMPARABLE = 3,
	DIFF_UNTRUSTED = 4
};

struct diff_row {
	const struct table_row *figures;
	enum diff_verdict verdict;
	double p; /* of a change as large by chance; 1: not tested */
};

struct diff {
	const struct run *const *runs; /* borrowed; those of the base first */
	uint32_t run_count;
	uint32_t base_count;
	struct diff_settings settings;
	enum diff_outcome outcome;
	struct lines reasons; /* why it is not comparable or not to be trusted */
	struct lines notes;
	struct table *table;   /* NULL when nothing could be compared */
	struct diff_row *rows; /* as many as the table has; none when there is no base */
	uint32_t row_count;
	uint32_t *order;    /* of the rows, what a reader wants to know first coming first */
	double absolute_ns; /* per unit of work and GPU */
	double run_noise;   /* of whole runs and causes, as a share, that was allowed for; 0: not
			       needed */
	struct budget_result *limits;
	uint32_t limit_count;
};

/* The defaults. */
extern const struct diff_settings diff_settings_default;

/* What is to be compared; all of it is borrowed for as long as the comparison lives. */
struct diff_request {
	const struct run *const *runs; /* those of the base first */
	uint32_t run_count;
	uint32_t base_count; /* 0: there is only a budget */
	const struct diff_settings *settings;
	const struct budget *budget; /* NULL: none */
};

/* Gives the comparison. BAD_USE with a line when a run is there twice, or the budget does not fit.
 */
MUST_CHECK enum status diff_create(
	const struct diff_request *request, struct diff **out_diff, struct diag *diag);

/* Names in JSON, valid for ever. */
const char *diff_verdict_name(enum diff_verdict verdict);
const char *diff_outcome_name(enum diff_outcome outcome);

/* Whether a change of this row decides about the outcome. */
bool diff_row_is_gate(const struct table_row *figures);

/* Accepts NULL. */
void diff_destroy(struct diff *diff);
DEFINE_AUTO(struct diff, diff_destroy)
