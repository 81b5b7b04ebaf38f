/* SPDX-License-Identifier: MIT */
#include "tests/simulator/service_report.h"

#include "analysis/report/report.h"

#include <stdio.h>
#include <stdlib.h>

/* A collector says so often, of each device, how far its records are complete. */
#define WATERMARK_EVERY_NS 100000000ULL
#define WATERMARK_LAG_NS   1000000ULL

static void must(bool is_right, const char *what)
{
	if (!is_right) {
		(void)fprintf(stderr, "simulator: %s\n", what);
		abort();
	}
}

static void add_watermarks(struct report_data *report, const struct world *world, uint64_t now_ns)
{
	for (int device = 0; device < world_device_count(world); device++) {
		const struct event event = {.kind = EVENT_GPU_WATERMARK,
			.time_ns = now_ns,
			.pid = world_pid(),
			.tid = world_tid(0),
			.watermark = {
				.device = device, .complete_until_ns = now_ns - WATERMARK_LAG_NS}};

		must(analyzer_add(report->analyzer, &event) == STATUS_OK, "no memory");
	}
}

static void analyse(struct report_data *report, const struct world *world)
{
	uint64_t told_ns = WATERMARK_EVERY_NS;

	for (size_t i = 0; i < world_event_count(world); i++) {
		const struct event *event = &world_events(world)[i];

		must(analyzer_add(report->analyzer, event) == STATUS_OK, "an event is refused");
		if (event->time_ns >= told_ns) {
			add_watermarks(report, world, event->time_ns);
			told_ns = event->time_ns + WATERMARK_EVERY_NS;
		}
	}
	must(report_data_end(report) == STATUS_OK, "the report does not end");
}

char *service_report(const struct service_plan *plan, const struct weather_plan *weather,
	uint64_t seed, size_t *out_length)
{
	AUTO(report_data_destroy) struct report_data *report = NULL;
	struct world *world = service_run(plan, weather, seed);
	char *text = NULL;
	FILE *stream = open_memstream(&text, out_length);

	must(world && stream, "the service is stuck, or there is no memory");
	must(report_data_create(ANALYZER_THRESHOLD_DEFAULT_NS, &report) == STATUS_OK, "memory");
	analyse(report, world);
	report_write_json(report, stream);
	must(fclose(stream) == 0, "the report cannot be written");
	world_destroy(world);
	return text;
}

struct run *service_report_run(const struct service_plan *plan, const struct weather_plan *weather,
	uint64_t seed, const char *name)
{
	struct diag diag = {""};
	struct run *run = NULL;
	size_t length;
	char *text = service_report(plan, weather, seed, &length);

	must(run_parse(name, text, length, &run, &diag) == STATUS_OK, diag.line);
	free(text);
	return run;
}
