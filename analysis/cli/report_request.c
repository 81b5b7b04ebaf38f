/* SPDX-License-Identifier: MIT */
#include "analysis/cli/report_request.h"

#include "analysis/plugin/feed.h"
#include "analysis/plugin/input_read.h"

#include <inttypes.h>

/* A trace that holds nothing of ours cannot be reported on, and the user wants to know why. */
static enum status check_content(
	const struct feed *feed, const struct report_request *request, struct diag *diag)
{
	const bool is_damaged = analyzer_trust(feed->analyzer)->unreadable > 0;

	if (feed->own_events > 0) {
		return STATUS_OK;
	}
	if (feed->foreign_events > 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: %" PRIu64 " events, but none of gaptrace: record with gaptrace "
			"record, or enable the events "
			"gaptrace:* and gaptrace_gpu:*",
			request->inputs[0], feed->foreign_events);
	}
	if (is_damaged) {
		return STATUS_OK; /* the report says what was lost, and that it is all */
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: no events: the program that was recorded is not built with libgaptrace, or "
		"did nothing while recording ran",
		request->inputs[0]);
}

enum status report_request_run(
	const struct report_request *request, struct report_data **out_data, struct diag *diag)
{
	AUTO(report_data_destroy) struct report_data *data = NULL;
	struct feed feed = {0};
	enum status status = report_data_create(request->threshold_ns, &data);

	if (status == STATUS_OK) {
		report_data_set_work(data, &request->work);
		status = feed_init(&feed, data->analyzer);
	}
	if (status == STATUS_OK) {
		status = input_read((const char *const *)request->inputs,
			(size_t)request->input_count, &feed, diag);
	}
	if (status == STATUS_OK) {
		status = check_content(&feed, request, diag);
	}
	if (status == STATUS_OK) {
		/* What cannot be explained is refused first: an empty report would look like an
		 * idle host. */
		status = report_data_end(data);
	}
	feed_finish(&feed);
	if (status == STATUS_OK) {
		*out_data = MOVE(data);
	}
	return status;
}
