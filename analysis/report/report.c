/* SPDX-License-Identifier: MIT */
#include "analysis/report/report.h"

#include "analysis/report/output.h"

#include <string.h>

static const struct report_format formats[] = {
	{"text", report_write_text},
	{"json", report_write_json},
};

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			return &formats[i];
		}
	}
	return NULL;
}

static bool is_before(const struct timeline_device *a, const struct timeline_device *b)
{
	return a->ordinal != b->ordinal ? a->ordinal < b->ordinal : strcmp(a->uuid, b->uuid) < 0;
}

/* By ordinal and UUID, so that two reports of one host have the same order whoever was seen
 * first. */
uint32_t report_device_order(const struct report_data *report, uint32_t out_order[DEVICE_COUNT_MAX])
{
	const struct timeline *timeline = analyzer_timeline(report->analyzer);
	uint32_t count = 0;

	for (uint32_t i = 0; i < report_data_device_count(report); i++) {
		uint32_t place = count;

		if (!report->devices[i] || !report->devices[i]->is_used) {
			continue;
		}
		while (place > 0 && is_before(timeline_device(timeline, i),
					    timeline_device(timeline, out_order[place - 1]))) {
			out_order[place] = out_order[place - 1];
			place--;
		}
		out_order[place] = i;
		count++;
	}
	return count;
}

struct writing {
	const struct report_data *report;
	const struct report_format *format;
};

static void write_report(const void *content, FILE *stream)
{
	const struct writing *writing = content;

	writing->format->write(writing->report, stream);
}

enum status report_write(const struct report_data *report, const struct report_format *format,
	const char *path, struct diag *diag)
{
	const struct writing writing = {.report = report, .format = format};

	return output_write(write_report, &writing, path, diag);
}
