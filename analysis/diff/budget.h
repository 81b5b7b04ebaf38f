/* SPDX-License-Identifier: MIT */
/*
 * A budget file: limits that hold without a base to compare with, and the thresholds of a
 * comparison. Its form is that of docs/regression.md, "Budgets".
 */
#pragma once

#include "analysis/diff/table.h"
#include "trace/base/diag.h"

struct diff_settings;

/* Limits of one file: more than a person keeps in view. */
#define BUDGET_LIMIT_COUNT_MAX 128

/* libinih reads lines of at most 199 bytes. */
#define BUDGET_TEXT_BYTES_MAX 200

enum budget_scope {
	BUDGET_ALL,
	BUDGET_EACH,
	BUDGET_ONE
};

/* What a limit is about: a figure of the table, or a share made of two. */
enum budget_kind {
	BUDGET_PER_UNIT_NS,
	BUDGET_PER_UNIT_COUNT,
	BUDGET_LENGTH_NS,
	BUDGET_SHARE,
	BUDGET_RATE
};

struct budget_limit {
	char name[BUDGET_TEXT_BYTES_MAX];
	bool has_what;
	bool has_gpu;
	enum metric metric;
	bool is_share; /* of the time: idle_share */
	bool has_cause;
	enum cause cause;
	char object[BUDGET_TEXT_BYTES_MAX]; /* a pattern of fnmatch(3); "": any */
	char phase[BUDGET_TEXT_BYTES_MAX];
	char unit[BUDGET_TEXT_BYTES_MAX]; /* "": any */
	enum budget_scope scope;
	int64_t device_index;
	bool has_at_most;
	bool has_at_least;
	double at_most;
	double at_least;
	int line;
};

struct budget {
	char *path;
	struct budget_limit limits[BUDGET_LIMIT_COUNT_MAX];
	uint32_t limit_count;
};

struct budget_result {
	const struct budget_limit *limit;
	int32_t device; /* a slot of the table, or TABLE_ALL */
	double value;
	bool has_row; /* false: nothing of the runs is what it is about */
	bool is_kept;
};

/* Gives the limits of the file and changes the settings that it names. */
MUST_CHECK enum status budget_load(const char *path, struct diff_settings *settings,
	struct budget **out_budget, struct diag *diag);

/*
 * Holds the new runs of the table against the limits. BAD_USE with a line when one is about a unit
 * of work or a GPU that is not there. The results are the caller's to free and borrow the budget.
 */
MUST_CHECK enum status budget_check(const struct budget *budget, const struct table *table,
	struct budget_result **out_results, uint32_t *out_count, struct diag *diag);

enum budget_kind budget_limit_kind(const struct budget_limit *limit);

/* Reads 12 or 0.5, without a sign; false when it is none. */
bool budget_parse_number(const char *text, double *out_value);

/* Reads 10 %, 0.5%; false when it is none, or over 1000 %. */
bool budget_parse_percent(const char *text, double *out_share);

/* The same of a rate of false alarms, which is from 0.1 % to 50 %. */
bool budget_parse_false_alarms(const char *text, double *out_share);

/* Reads 1ms or 0.5% into the settings' absolute threshold; false when it is neither. */
bool budget_parse_absolute(const char *text, struct diff_settings *settings);

/* Accepts NULL. */
void budget_destroy(struct budget *budget);
DEFINE_AUTO(struct budget, budget_destroy)
