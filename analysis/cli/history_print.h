/* SPDX-License-Identifier: MIT */
/* Runs of a history as a table, CSV and JSON, and their trend. */
#pragma once

#include "analysis/cli/history_options.h"
#include "analysis/report/json_writer.h"

struct history_printer {
	enum history_format format;
	FILE *stream;
	struct json_writer writer;
	uint64_t count;
};

/* Before the first run, for each run, and after the last. */
void history_print_begin(struct history_printer *printer, enum history_format format, FILE *stream);
void history_print_run(struct history_printer *printer, const struct history_found *found);
void history_print_end(struct history_printer *printer);

/* The oldest first; `unit` as trend_unit says. */
void history_print_trend(enum history_format format, const struct trend_point *points,
	uint32_t count, const char *unit, FILE *stream);
