/* SPDX-License-Identifier: MIT */
/*
 * The output formats of a report, one file each. A writer reads a report that has ended and writes
 * to a stream; errors stay in the stream (ferror). The table names them.
 */
#pragma once

#include "analysis/core/report_data.h"
#include "trace/base/diag.h"

#include <stdio.h>

struct report_format {
	const char *name;
	void (*write)(const struct report_data *report, FILE *stream);
};

void report_write_text(const struct report_data *report, FILE *stream);
void report_write_json(const struct report_data *report, FILE *stream);

/* NULL when no format has that name. */
const struct report_format *report_format_find(const char *name);

/*
 * Writes the report to `path`, whole or not at all (a temporary file and a rename); to standard
 * output when `path` is NULL or "-".
 */
MUST_CHECK enum status report_write(const struct report_data *report,
	const struct report_format *format, const char *path, struct diag *diag);

/* The devices to be reported, by ordinal and UUID; gives how many there are. */
uint32_t report_device_order(
	const struct report_data *report, uint32_t out_order[DEVICE_COUNT_MAX]);
