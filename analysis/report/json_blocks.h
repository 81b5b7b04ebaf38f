/* SPDX-License-Identifier: MIT */
/* The work of a JSON report, and the blocks that it cuts the window into. */
#pragma once

#include "analysis/core/report_data.h"
#include "analysis/report/json_writer.h"

void json_write_work(struct json_writer *writer, const struct report_data *report);
void json_write_blocks(struct json_writer *writer, const struct report_data *report);
