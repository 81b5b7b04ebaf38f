/* SPDX-License-Identifier: MIT */
#include "tests/unit/history_rig.h"

#include "analysis/report/report.h"
#include "tests/unit/event_builder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ULL

void history_rig_make(char out_folder[64])
{
	(void)snprintf(out_folder, 64, "/tmp/gaptrace-test-history.XXXXXX");
	assert_non_null(mkdtemp(out_folder));
}

void history_rig_remove(const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	char path[512];

	assert_non_null(entries);
	while ((entry = readdir(entries)) != NULL) {
		if (entry->d_name[0] != '.') {
			(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
			assert_int_equal(unlink(path), 0);
		}
	}
	(void)closedir(entries);
	assert_int_equal(rmdir(folder), 0);
}

static void add(struct report_data *report, struct event event)
{
	assert_int_equal(analyzer_add(report->analyzer, &event), STATUS_OK);
}

static void add_device(
	struct report_data *report, const struct history_sample *sample, int32_t index)
{
	char uuid[32];
	struct event device;

	(void)snprintf(uuid, sizeof(uuid), "GPU-%d", index);
	device = event_device(sample->begin_ns + 1, 7, index, uuid);
	device.device.name = sample->device ? sample->device : "test device";
	add(report, device);
}

/* Two kernels of 10 ms on each device with a gap between them, and nothing before or after. */
static void fill(struct report_data *report, const struct history_sample *sample)
{
	const int32_t count = sample->device_count ? (int32_t)sample->device_count : 1;
	const uint64_t begin_ns = sample->begin_ns;
	const uint64_t second_ns = begin_ns + 10 * MS + sample->gap_ms * MS;
	struct event end = event_job(EVENT_JOB_END, second_ns + 10 * MS, 7, 1);

	end.job.status = GAPTRACE_JOB_DONE;
	add(report, event_job(EVENT_JOB_SUBMIT, begin_ns, 7, 1));
	for (int32_t i = 0; i < count; i++) {
		add_device(report, sample, i);
	}
	for (int32_t i = 0; i < count; i++) {
		add(report,
			event_operation_at(EVENT_GPU_KERNEL, 7, i, begin_ns, begin_ns + 10 * MS));
		add(report,
			event_operation_at(EVENT_GPU_KERNEL, 7, i, second_ns, second_ns + 10 * MS));
	}
	add(report, end);
}

void history_rig_write(const char *folder, const char *name, const struct history_sample *sample)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	struct work_unit unit;
	struct diag diag = {""};
	char path[512];

	assert_int_equal(
		report_data_create(sample->threshold_ns ? sample->threshold_ns : MS, &report),
		STATUS_OK);
	assert_int_equal(work_unit_parse(sample->work ? sample->work : "partition", &unit, &diag),
		STATUS_OK);
	report_data_set_work(report, &unit);
	fill(report, sample);
	if (sample->discard_note) {
		assert_int_equal(
			analyzer_add_unreadable(report->analyzer, sample->discard_note), STATUS_OK);
	}
	assert_int_equal(report_data_end(report), STATUS_OK);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(report_write(report, report_format_find("json"), path, &diag), STATUS_OK);
}
