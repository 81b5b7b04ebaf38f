/* SPDX-License-Identifier: MIT */
/* A figure of runs along time: what it is of one run, and its plot for a terminal. */
#pragma once

#include "analysis/core/causes.h"
#include "analysis/history/history.h"
#include "trace/base/limits.h"

#include <stdio.h>

enum trend_kind {
	TREND_GAP,         /* time without a kernel in gaps of at least the threshold, per unit */
	TREND_GAPS,        /* such gaps, per unit */
	TREND_MAX_GAP,     /* the longest of them */
	TREND_UTILISATION, /* share of the window in which kernels ran */
	TREND_THROUGHPUT,  /* units per second */
	TREND_CAUSE        /* that time of one cause, per unit */
};

struct trend_metric {
	enum trend_kind kind;
	enum cause cause;
	char object[NAME_BYTES_MAX]; /* "": whatever the object */
};

/* Reads gap, gaps, max, utilisation, throughput, cause:NAME or cause:NAME/OBJECT. */
MUST_CHECK enum status trend_metric_parse(
	const char *text, struct trend_metric *out_metric, struct diag *diag);

/* "ms per partition", "%" and so on, into `text`; the unit of work is that of the run. */
#define TREND_UNIT_BYTES 64
void trend_unit(
	const struct trend_metric *metric, const char *work_unit, char text[TREND_UNIT_BYTES]);

/* Whether the report itself has to be read for it. */
bool trend_needs_report(const struct trend_metric *metric);

/* The figure of one run; NAN when there is none: no work ended. */
MUST_CHECK enum status trend_value(const struct trend_metric *metric,
	const struct history_found *found, double *out_value, struct diag *diag);

struct trend_point {
	int64_t id;
	uint64_t time_s;
	double value; /* NAN: none */
	bool is_bad;
};

/* The oldest first; one column for each run while they fit in a terminal of `columns`, else the
 * last ones. */
void trend_plot(const struct trend_point *points, uint32_t count, const char *unit,
	uint32_t columns, FILE *stream);
