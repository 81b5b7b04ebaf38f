/* SPDX-License-Identifier: MIT */
/* Figures of a trend are worked out by hand; the plot shows them in their order and to scale. */
#include "analysis/history/trend.h"

#include "analysis/history/time_text.h"
#include "tests/unit/history_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double value_of(const char *metric_text, const struct history_found *found)
{
	struct trend_metric metric;
	struct diag diag = {""};
	double value = 0;

	assert_int_equal(trend_metric_parse(metric_text, &metric, &diag), STATUS_OK);
	if (trend_value(&metric, found, &value, &diag) != STATUS_OK) {
		fail_msg("%s", diag.line);
	}
	return value;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

static struct history_found found_of(const struct history_run *run)
{
	struct history_found found = {.id = "1"};

	for (int i = 0; i < STORE_COLUMN_COUNT; i++) {
		found.values[i] = run->values[i];
	}
	return found;
}

/* Two devices, each 10 ms kernel, 30 ms gap, 10 ms kernel; two partitions. */
static void figures_are_per_unit_of_work(void **state)
{
	const struct history_sample sample = {.begin_ns = 5, .gap_ms = 30, .device_count = 2};
	const struct history_label label = {"h", "b", "p", 1000};
	AUTO(history_run_destroy) struct history_run *run = NULL;
	struct history_found found;
	struct diag diag = {""};
	char folder[64];
	char path[128];

	(void)state;
	history_rig_make(folder);
	history_rig_write(folder, "report.json", &sample);
	(void)snprintf(path, sizeof(path), "%s/report.json", folder);
	assert_int_equal(history_run_load(path, &label, &run, &diag), STATUS_OK);
	history_rig_remove(folder);
	found = found_of(run);
	assert_near(value_of("gap", &found), 30);
	assert_near(value_of("gaps", &found), 1);
	assert_near(value_of("max", &found), 30);
	assert_near(value_of("utilisation", &found), 40);
	assert_near(value_of("throughput", &found), 2 / 0.050);
	/* The recording has no host events, so nobody can be blamed. */
	assert_near(value_of("cause:unknown", &found), 30);
	assert_true(value_of("cause:lock", &found) == 0);
	assert_true(value_of("cause:unknown/tracker", &found) == 0);
	found.values[STORE_COLUMN_WORK_COUNT] = "0";
	assert_true(isnan(value_of("gap", &found)));
}

static void metrics_are_read_and_others_refused(void **state)
{
	static const char *const bad[] = {
		"", "idle", "cause", "cause:", "cause:nothing", "cause:loc", "cause:lockx"};
	struct trend_metric metric;
	struct diag diag = {""};
	char unit[TREND_UNIT_BYTES];
	char text[NAME_BYTES_MAX + 32] = "cause:lock/";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(trend_metric_parse(bad[i], &metric, &diag), STATUS_BAD_USE);
	}
	assert_int_equal(trend_metric_parse("cause:lock/tracker", &metric, &diag), STATUS_OK);
	assert_int_equal(metric.cause, CAUSE_LOCK);
	assert_string_equal(metric.object, "tracker");
	trend_unit(&metric, "partition", unit);
	assert_string_equal(unit, "ms per partition");
	memset(text + strlen(text), 'a', NAME_BYTES_MAX);
	assert_int_equal(trend_metric_parse(text, &metric, &diag), STATUS_BAD_USE);
}

static char *plot(const struct trend_point *points, uint32_t count, uint32_t columns)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	trend_plot(points, count, "ms", columns, stream);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void the_plot_is_to_scale(void **state)
{
	const struct trend_point points[] = {{1, 0, 11, false}, {2, 60, 0, false},
		{3, 120, 5, true}, {4, 180, (double)NAN, false}};
	static const char expected[] = "ms\n"
				       "         11 |*   \n"
				       "         10 |    \n"
				       "          9 |    \n"
				       "          8 |    \n"
				       "          7 |    \n"
				       "          6 |    \n"
				       "          5 |  x \n"
				       "          4 |    \n"
				       "          3 |    \n"
				       "          2 |    \n"
				       "          1 |    \n"
				       "          0 | * ?\n"
				       "            +----\n";
	char *text = plot(points, 4, 80);

	(void)state;
	assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
	assert_non_null(strstr(text, "run 1 of 1970-01-01T00:00:00Z to run 4 of 1970-01-01T00:03"));
	free(text);
}

static void many_runs_keep_the_newest_and_none_is_no_crash(void **state)
{
	static struct trend_point points[200];
	char *text;

	(void)state;
	for (int i = 0; i < 200; i++) {
		points[i] = (struct trend_point){.id = i + 1, .value = i};
	}
	text = plot(points, 200, 80);
	assert_non_null(strstr(text, "134 older runs"));
	assert_non_null(strstr(text, "to run 200 "));
	free(text);
	text = plot(points, 200, 40);
	assert_non_null(strstr(text, "174 older runs"));
	free(text);
	text = plot(points, 200, 300);
	assert_null(strstr(text, "older runs"));
	free(text);
	text = plot(points, 200, 3);
	assert_non_null(strstr(text, "199 older runs"));
	free(text);
	text = plot(points, 0, 80);
	assert_string_equal(text, "no runs\n");
	free(text);
	points[0].value = 0;
	text = plot(points, 1, 80);
	assert_non_null(strstr(text, "0 |*\n"));
	free(text);
}

static void times_are_utc_and_whole(void **state)
{
	static const struct {
		const char *text;
		uint64_t time_s;
	} good[] = {{"1970-01-02", 86400}, {"2026-11-30T14:05", 1796047500},
		{"2026-11-30 14:05:09", 1796047509}, {"2026-11-30T14:05:09Z", 1796047509},
		{"@1796047509", 1796047509}, {"2024-02-29", 1709164800}};
	static const char *const bad[] = {"", "now", "2026", "2026-13-01", "2026-02-30",
		"2025-02-29", "@", "@-1", "@1x", "2026-11-30T25:00", "2026-11-30Z", "1969-12-31",
		"@99999999999999999999"};
	char text[TIME_TEXT_BYTES];
	uint64_t time_s;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(time_text_parse(good[i].text, &time_s), STATUS_OK);
		assert_int_equal(time_s, good[i].time_s);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(time_text_parse(bad[i], &time_s), STATUS_BAD_INPUT);
	}
	assert_string_equal(time_text_format(1796047509, text), "2026-11-30T14:05:09Z");
	assert_string_equal(time_text_format(UINT64_MAX, text), "9999-12-31T23:59:59Z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_per_unit_of_work),
		cmocka_unit_test(metrics_are_read_and_others_refused),
		cmocka_unit_test(the_plot_is_to_scale),
		cmocka_unit_test(many_runs_keep_the_newest_and_none_is_no_crash),
		cmocka_unit_test(times_are_utc_and_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
