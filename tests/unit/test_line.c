/* SPDX-License-Identifier: MIT */
/* Proves that a line is one clean line of UTF-8, and that one that is cut says so. */
#include "trace/base/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

__attribute__((format(printf, 3, 4))) static void format(
	char *line, size_t line_bytes, const char *text, ...)
{
	va_list arguments;

	va_start(arguments, text);
	line_format(line, line_bytes, text, arguments);
	va_end(arguments);
}

static void control_characters_become_question_marks(void **state)
{
	char line[16];

	(void)state;
	format(line, sizeof(line), "a\nb\x1b[31m%s", "\x7f");
	assert_string_equal(line, "a?b?[31m?");
	/* Letters of other languages are bytes above 0x7f. */
	format(line, sizeof(line), "%s", "\xc3\xa9");
	assert_string_equal(line, "\xc3\xa9");
	/* But U+009B begins a sequence as ESC does; U+00A0 is only a space. */
	format(line, sizeof(line), "%s", "a\xc2\x9b\x31m\xc2\xa0");
	assert_string_equal(line, "a??1m\xc2\xa0");
	format(line, sizeof(line), "%s",
		"a\xe2\x80\xa8"
		"b");
	assert_string_equal(line, "a???b");
}

static void marks_of_direction_become_question_marks(void **state)
{
	static const char *const marks[] = {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\xaa",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"};
	static const char *const letters[] = {"\xd8\xa7", "\xe2\x80\x94", "\xe2\x81\xaa"};
	char line[16];

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		format(line, sizeof(line), "%s", marks[i]);
		assert_int_equal(strspn(line, "?"), strlen(marks[i]));
	}
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		format(line, sizeof(line), "%s", letters[i]);
		assert_string_equal(line, letters[i]);
	}
}

/* Eight bytes are looked at at once: each byte must stop that, wherever it stands. */
static void every_byte_is_judged_wherever_it_stands(void **state)
{
	char text[21];

	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++) {
		for (size_t i = 0; i < sizeof(text) - 1; i++) {
			memset(text, 'x', sizeof(text) - 1);
			text[sizeof(text) - 1] = '\0';
			text[i] = (char)byte;
			line_clean(text, sizeof(text) - 1);
			assert_int_equal(text[i], byte >= ' ' && byte < 0x7f ? (char)byte : '?');
			assert_int_equal(text[i > 0 ? i - 1 : 1], 'x');
		}
	}
}

/* A reason becomes a JSON string, which cannot be made of anything else. */
static void what_is_no_utf8_becomes_question_marks(void **state)
{
	static const char *const none[] = {"\xff", "\x9b", "\xc2", "\xc0\xaf", "\xe0\x80\xaf",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"};
	char line[16];

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		format(line, sizeof(line), "%s", none[i]);
		assert_int_equal(strspn(line, "?"), strlen(none[i]));
	}
	format(line, sizeof(line), "a%sb", "\xe2\x82");
	assert_string_equal(line, "a??b");
	format(line, sizeof(line), "%s", "\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_string_equal(line, "\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void a_character_that_is_cut_is_none(void **state)
{
	char line[8];

	(void)state;
	format(line, sizeof(line), "%s", "123\xc3\xa9\xc3\xa9\xc3\xa9");
	assert_string_equal(line, "123?...");
}

static void only_a_line_that_does_not_fit_ends_in_dots(void **state)
{
	char line[8];

	(void)state;
	format(line, sizeof(line), "%s", "1234567");
	assert_string_equal(line, "1234567");
	format(line, sizeof(line), "%s", "12345678");
	assert_string_equal(line, "1234...");
	format(line, 4, "%s", "12345678");
	assert_string_equal(line, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_become_question_marks),
		cmocka_unit_test(marks_of_direction_become_question_marks),
		cmocka_unit_test(every_byte_is_judged_wherever_it_stands),
		cmocka_unit_test(what_is_no_utf8_becomes_question_marks),
		cmocka_unit_test(a_character_that_is_cut_is_none),
		cmocka_unit_test(only_a_line_that_does_not_fit_ends_in_dots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
