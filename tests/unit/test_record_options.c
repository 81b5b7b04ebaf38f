/* SPDX-License-Identifier: MIT */
/* Proves that `gaptrace record` takes what its manual says and names what it does not take. */
#include "analysis/cli/record_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ARGUMENT_COUNT_MAX 12

/* Parses "record" and the words given, NULL-terminated, as main() would hand them over. */
static enum status parse(
	const char *const *words, struct record_options *options, struct diag *diag)
{
	static char copies[ARGUMENT_COUNT_MAX][256];
	static char *argv[ARGUMENT_COUNT_MAX + 1];
	int argc = 1;

	strcpy(copies[0], "record");
	argv[0] = copies[0];
	for (; words[argc - 1]; argc++) {
		assert_true(argc < ARGUMENT_COUNT_MAX);
		strcpy(copies[argc], words[argc - 1]);
		argv[argc] = copies[argc];
	}
	argv[argc] = NULL;
	return record_options_parse(argc, argv, options, diag);
}

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void a_command_keeps_its_own_options(void **state)
{
	struct record_options options;

	(void)state;
	assert_int_equal(
		parse(WORDS("-o", "out", "--", "prog", "-o", "x", "--", "y"), &options, NULL),
		STATUS_OK);
	assert_int_equal(options.mode, RECORD_COMMAND);
	assert_string_equal(options.output, "out");
	assert_string_equal(options.profile, RECORD_PROFILE_DEFAULT);
	assert_string_equal(options.command[0], "prog");
	assert_string_equal(options.command[1], "-o");
	assert_string_equal(options.command[3], "--");
	assert_string_equal(options.command[4], "y");
	assert_null(options.command[5]);
}

static void the_first_word_that_is_no_option_is_the_command(void **state)
{
	struct record_options options;

	(void)state;
	assert_int_equal(
		parse(WORDS("--profile", "minimal", "prog", "--gpu"), &options, NULL), STATUS_OK);
	assert_string_equal(options.profile, "minimal");
	assert_false(options.wants_gpu);
	assert_string_equal(options.command[1], "--gpu");
}

static void start_and_stop_take_a_name(void **state)
{
	struct record_options options;

	(void)state;
	assert_int_equal(parse(WORDS("--start", "run.1", "-o", "d"), &options, NULL), STATUS_OK);
	assert_int_equal(options.mode, RECORD_START);
	assert_string_equal(options.session, "run.1");
	assert_int_equal(parse(WORDS("--stop", "run-1"), &options, NULL), STATUS_OK);
	assert_int_equal(options.mode, RECORD_STOP);
}

static void help_asks_for_nothing_else(void **state)
{
	struct record_options options;

	(void)state;
	assert_int_equal(parse(WORDS("--help"), &options, NULL), STATUS_OK);
	assert_int_equal(options.mode, RECORD_HELP);
}

static void bad_use_is_named(void **state)
{
	static const struct {
		const char *words[ARGUMENT_COUNT_MAX];
		const char *line;
	} wrongs[] = {
		{{"-o", "x"}, "no command to record"},
		{{"--"}, "no command to record"},
		{{"-x", "--", "prog"}, "no option -x"},
		{{"--frob", "--", "prog"}, "no option --frob"},
		{{"--gpu=yes", "--", "prog"}, "no option --gpu=yes"},
		{{"-o"}, "option -o needs a value"},
		{{"--profile"}, "option --profile needs a value"},
		{{"-o", "", "--", "prog"}, "-o needs a folder"},
		{{"--profile", "", "--", "prog"}, "--profile needs a name"},
		{{"--start", ""}, "cannot be a session's name"},
		{{"--start", "a/b"}, "cannot be a session's name"},
		{{"--start", ".a"}, "cannot be a session's name"},
		{{"--start", "a b"}, "cannot be a session's name"},
		{{"--start", "a", "prog"}, "--start takes no command"},
		{{"--stop", "a", "--", "prog"}, "--stop takes no command"},
		{{"--start", "a", "--start", "b"}, "one --start or --stop"},
		{{"--stop", "a", "-o", "d"}, "neither -o nor --profile"},
		{{"--stop", "a", "--profile", "full"}, "neither -o nor --profile"},
		{{"--start", "a", "--gpu"}, "--gpu works only"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct record_options options;
		struct diag diag = {.line = ""};

		assert_int_equal(parse(wrongs[i].words, &options, &diag), STATUS_BAD_USE);
		if (!strstr(diag.line, wrongs[i].line)) {
			fail_msg("'%s' does not say '%s'", diag.line, wrongs[i].line);
		}
	}
}

static void names_past_the_limit_are_refused(void **state)
{
	char name[200];
	struct record_options options;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[127] = '\0';
	assert_int_equal(parse(WORDS("--start", name), &options, NULL), STATUS_OK);
	name[127] = 'n';
	name[128] = '\0';
	assert_int_equal(parse(WORDS("--start", name), &options, NULL), STATUS_BAD_USE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_keeps_its_own_options),
		cmocka_unit_test(the_first_word_that_is_no_option_is_the_command),
		cmocka_unit_test(start_and_stop_take_a_name),
		cmocka_unit_test(help_asks_for_nothing_else),
		cmocka_unit_test(bad_use_is_named),
		cmocka_unit_test(names_past_the_limit_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
