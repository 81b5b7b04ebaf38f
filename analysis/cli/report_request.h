/* SPDX-License-Identifier: MIT */
/* What a user asks to have reported on, read and analysed: for every command that needs a report.
 */
#pragma once

#include "analysis/core/report_data.h"
#include "trace/base/diag.h"

struct report_request {
	uint64_t threshold_ns;
	struct work_unit work;
	char *const *inputs; /* of recordings, or other tools' files; read as one */
	int input_count;
};

/* Gives a report that has ended; a failure has a line unless it is one of memory. */
MUST_CHECK enum status report_request_run(
	const struct report_request *request, struct report_data **out_data, struct diag *diag);
