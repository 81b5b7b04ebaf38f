/* SPDX-License-Identifier: MIT */
/* The parts of the text report that name causes: what to do first, one device's table, and what
 * each cause means. */
#pragma once

#include "analysis/core/report_data.h"

#include <stdio.h>

/* How idle all GPUs were together, the row that takes the most of it, and what helps. */
void text_write_first(const struct report_data *report, FILE *stream);

void text_write_causes(const struct report_device *device, FILE *stream);

/* One line for each cause that the report names. */
void text_write_meanings(const struct report_data *report, FILE *stream);
