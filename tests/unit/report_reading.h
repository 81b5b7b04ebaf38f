/* SPDX-License-Identifier: MIT */
/* A report as its writers leave it. What comes back is the caller's. */
#pragma once

#include "analysis/core/report_data.h"

#include <jansson.h>

char *report_reading_text(const struct report_data *report, const char *format);

/* The JSON, read back; a test fails on what does not parse. */
json_t *report_reading_json(const struct report_data *report);
