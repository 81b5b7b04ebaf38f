/* SPDX-License-Identifier: MIT */
/* Every variable has its default and its values; anything else is refused by name and ignored. */
#include "trace/base/clock.h"
#include "trace/cupti/collector_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const names[] = {"GAPTRACE_CUPTI_API", "GAPTRACE_CUPTI_GRAPH",
	"GAPTRACE_CUPTI_CLOCK", "GAPTRACE_CUPTI_FLUSH_MS", "GAPTRACE_CUPTI_BUFFERS",
	"GAPTRACE_CUPTI_FINALIZE", "GAPTRACE_CUPTI_LIBRARY"};

static char refused[128];

static void refuse(const char *name, const char *value)
{
	(void)snprintf(refused, sizeof(refused), "%s=%s", name, value);
}

/* The options with that one variable set. */
static struct collector_options read_with(const char *name, const char *value)
{
	struct collector_options options;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)unsetenv(names[i]);
	}
	if (name) {
		(void)setenv(name, value, 1);
	}
	refused[0] = '\0';
	collector_options_read(refuse, &options);
	return options;
}

static void require_defaults(const struct collector_options *options)
{
	assert_null(options->library);
	assert_true(options->records_runtime && options->records_driver);
	assert_false(options->records_whole_graphs);
	assert_false(options->finalizes);
	assert_int_equal(options->clock, CLOCK_CHOICE_AUTO);
	assert_int_equal(options->flush_interval_ns, 100 * NS_PER_MS);
	assert_int_equal(options->buffer_count_max, 64);
}

static void without_variables_there_are_the_documented_defaults(void **state)
{
	const struct collector_options none = read_with(NULL, NULL);
	const struct collector_options empty = read_with("GAPTRACE_CUPTI_LIBRARY", "");

	(void)state;
	require_defaults(&none);
	require_defaults(&empty);
	assert_string_equal(refused, "");
}

static void every_value_is_understood(void **state)
{
	struct collector_options options = read_with("GAPTRACE_CUPTI_API", "runtime");

	(void)state;
	assert_true(options.records_runtime && !options.records_driver);
	options = read_with("GAPTRACE_CUPTI_API", "driver");
	assert_true(!options.records_runtime && options.records_driver);
	options = read_with("GAPTRACE_CUPTI_API", "none");
	assert_true(!options.records_runtime && !options.records_driver);
	options = read_with("GAPTRACE_CUPTI_GRAPH", "graph");
	assert_true(options.records_whole_graphs);
	options = read_with("GAPTRACE_CUPTI_CLOCK", "callback");
	assert_int_equal(options.clock, CLOCK_CHOICE_CALLBACK);
	options = read_with("GAPTRACE_CUPTI_CLOCK", "default");
	assert_int_equal(options.clock, CLOCK_CHOICE_DEFAULT);
	options = read_with("GAPTRACE_CUPTI_FLUSH_MS", "10000");
	assert_int_equal(options.flush_interval_ns, 10 * NS_PER_S);
	options = read_with("GAPTRACE_CUPTI_BUFFERS", "4");
	assert_int_equal(options.buffer_count_max, 4);
	options = read_with("GAPTRACE_CUPTI_FINALIZE", "1");
	assert_true(options.finalizes);
	options = read_with("GAPTRACE_CUPTI_LIBRARY", "/x/libcupti.so");
	assert_string_equal(options.library, "/x/libcupti.so");
	assert_string_equal(refused, "");
}

static void what_does_not_parse_is_refused_and_changes_nothing(void **state)
{
	static const char *const bad[][2] = {
		{"GAPTRACE_CUPTI_API", "all"},
		{"GAPTRACE_CUPTI_API", "Runtime"},
		{"GAPTRACE_CUPTI_GRAPH", "1"},
		{"GAPTRACE_CUPTI_CLOCK", "tsc"},
		{"GAPTRACE_CUPTI_FLUSH_MS", "9"},
		{"GAPTRACE_CUPTI_FLUSH_MS", "10001"},
		{"GAPTRACE_CUPTI_FLUSH_MS", "100ms"},
		{"GAPTRACE_CUPTI_FLUSH_MS", "-100"},
		{"GAPTRACE_CUPTI_FLUSH_MS", "99999999999999999999999"},
		{"GAPTRACE_CUPTI_BUFFERS", "3"},
		{"GAPTRACE_CUPTI_BUFFERS", "4097"},
		{"GAPTRACE_CUPTI_FINALIZE", "yes"},
	};
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct collector_options options = read_with(bad[i][0], bad[i][1]);

		require_defaults(&options);
		(void)snprintf(want, sizeof(want), "%s=%s", bad[i][0], bad[i][1]);
		assert_string_equal(refused, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_variables_there_are_the_documented_defaults),
		cmocka_unit_test(every_value_is_understood),
		cmocka_unit_test(what_does_not_parse_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
