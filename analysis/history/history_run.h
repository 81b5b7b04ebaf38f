/* SPDX-License-Identifier: MIT */
/*
 * One run as the store keeps it: whose it was, what kind, its key figures, and its report. Runs are
 * of one kind when they can be compared: same devices, same unit of work, same threshold, same
 * profile.
 */
#pragma once

#include "analysis/history/store_tables.h"

#include <stdint.h>

/* What the user says about a run; the report does not know it. */
struct history_label {
	const char *host;
	const char *build;
	const char *profile;
	uint64_t time_s; /* since 1970, UTC */
};

/* A report is text; past this it is something else (see RUN_FILE_BYTES_MAX). */
#define HISTORY_REPORT_BYTES_MAX (64u << 20)

struct history_run {
	char *values[STORE_COLUMN_COUNT]; /* owned, all set; of the report, its text */
	uint64_t figures;                 /* as history_run_figures() has them */
};

/* Reads the report at `path`, "-" for standard input, and gives the run that it tells of. */
MUST_CHECK enum status history_run_load(const char *path, const struct history_label *label,
	struct history_run **out_run, struct diag *diag);

/*
 * What the text of a report tells of causes and blocks, as one number. The fingerprint says which
 * recording a run is, and that has other figures when another version reads it. 0 of no report.
 */
uint64_t history_run_figures(const char *report);

/* Accepts NULL. */
void history_run_destroy(struct history_run *run);
DEFINE_AUTO(struct history_run, history_run_destroy)
