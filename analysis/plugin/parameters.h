/* SPDX-License-Identifier: MIT */
/* The parameters that components of this plugin take: read, checked, and errors told in one line.
 */
#pragma once

#include "trace/base/diag.h"

#include <babeltrace2/babeltrace.h>

#include <stdbool.h>
#include <stdint.h>

struct parameter {
	const char *name;
	const char **string;   /* set when the parameter is given; one of the two is not NULL */
	uint64_t *duration_ns; /* given as a string such as "1ms" */
};

/* Refuses names that are not in the table. Strings are borrowed from `params`. */
MUST_CHECK enum status parameters_read(const bt_value *params, const struct parameter *table,
	uint32_t table_count, struct diag *diag);
