/* SPDX-License-Identifier: MIT */
/*
 * Proves that tokens do not depend on how the text is cut into chunks, that what is too long or too
 * deep is passed over, and that an element that is no JSON hides no other.
 */
#include "analysis/import/kineto_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A line for each test's tokens, short enough to be read. */
#define HEARD_BYTES 8192

struct hearing {
	struct kineto_json json;
	uint32_t list_depth; /* the array at this depth is the list of events */
	char heard[HEARD_BYTES];
	size_t size;
};

/* Writes "{", "k:name", "s:text", "n:1", "l:true", "!" for what is broken. */
static enum status hear(void *context, enum kineto_token token, uint32_t depth, const char *text)
{
	static const char *const marks[] = {"{", "}", "[", "]", "k:", "s:", "n:", "l:", "!"};
	struct hearing *hearing = context;

	if (token == KINETO_BEGIN_ARRAY && depth == hearing->list_depth) {
		kineto_json_begin_elements(&hearing->json);
	}
	if (token == KINETO_END_OBJECT && depth == hearing->list_depth + 1) {
		kineto_json_trust_element(&hearing->json);
	}
	hearing->size += (size_t)snprintf(hearing->heard + hearing->size,
		sizeof(hearing->heard) - hearing->size, "%s%s ", marks[token], text);
	assert_true(hearing->size < sizeof(hearing->heard));
	return STATUS_OK;
}

static void begin(struct hearing *hearing, uint32_t list_depth)
{
	*hearing = (struct hearing){.list_depth = list_depth};
	kineto_json_init(&hearing->json, hear, hearing);
}

static void feed(struct hearing *hearing, const char *text, size_t size)
{
	assert_int_equal(
		kineto_json_feed(&hearing->json, (const unsigned char *)text, size), STATUS_OK);
}

/* The same, all at once and byte by byte. */
static void check(const char *text, uint32_t list_depth, const char *wanted)
{
	static struct hearing hearing;

	begin(&hearing, list_depth);
	feed(&hearing, text, strlen(text));
	assert_string_equal(hearing.heard, wanted);
	begin(&hearing, list_depth);
	for (size_t i = 0; text[i]; i++) {
		feed(&hearing, text + i, 1);
	}
	assert_string_equal(hearing.heard, wanted);
}

static void every_kind_of_value_is_told(void **state)
{
	(void)state;
	check("{\"a\": [1, -2.5e3, true, null, \"x\"], \"b\" : {} }", 0,
		"{ k:a [ n:1 n:-2.5e3 l:true l:null s:x ] k:b { } } ");
	check("[NaN, Infinity, -Infinity, inf]", 0, "[ l:NaN l:Infinity l:-Infinity l:inf ] ");
	check("[1, 2, ]", 0, "[ n:1 n:2 ] ");
	check("{\"a\": 1, }", 0, "{ k:a n:1 } ");
}

static void escapes_become_utf8(void **state)
{
	(void)state;
	check("[\"a\\\"b\\\\c\\/\\n\\u00e4\\u20ac\\ud83d\\ude00\"]", 0,
		"[ s:a\"b\\c/?\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 ] ");
	/* Halves of pairs, a zero, and bytes that are no UTF-8. */
	check("[\"\\ud83dx\", \"\\ude00\", \"\\u0000\", \"\xff\xc0\x80\xe2\x82\", "
	      "\"\xed\xa0\x80\"]",
		0, "[ s:\xef\xbf\xbdx s:\xef\xbf\xbd s:\xef\xbf\xbd s:????? s:??? ] ");
	/* Nothing that moves a cursor, however it was written. */
	check("[\"\\u001b[2J\", \"\\u009b2J\", \"\\u202e\", \"\x1b\", \"\\n\"]", 0,
		"[ s:?[2J s:??2J s:??? s:? s:? ] ");
	check("[\"C:\\Program\\x\", \"\\ud83d\"]", 0, "[ s:C:Programx s:\xef\xbf\xbd ] ");
}

static void long_texts_are_cut(void **state)
{
	static struct hearing hearing;
	const size_t size = 1000000;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', size);
	begin(&hearing, 0);
	feed(&hearing, "[\"", 2);
	feed(&hearing, text, size);
	feed(&hearing, "\", 12, 1", 8);
	memset(text, '2', size);
	feed(&hearing, text, size);
	feed(&hearing, "]", 1);
	assert_true(kineto_json_is_whole(&hearing.json));
	assert_int_equal(hearing.size, strlen("[ s: ") + NAME_BYTES_MAX - 1 + strlen("n:12 n: ") +
					       NAME_BYTES_MAX - 1 + strlen("] "));
	free(text);
}

static void deep_nesting_takes_no_memory_and_hides_nothing(void **state)
{
	static struct hearing hearing;

	(void)state;
	begin(&hearing, 1);
	feed(&hearing, "[{\"a\": ", 7);
	for (size_t i = 0; i < 5000; i++) {
		feed(&hearing, "[{\"b\":1,\"c\":[null,", 18);
	}
	for (size_t i = 0; i < 5000; i++) {
		feed(&hearing, ",\"x\"],\"d\":{}}]", 14);
	}
	feed(&hearing, ", \"e\": 1}, {\"f\": 2}]", 20);
	assert_true(kineto_json_is_whole(&hearing.json));
	assert_string_equal(hearing.heard, "[ { k:a [ ] k:e n:1 } { k:f n:2 } ] ");
}

static void only_an_elements_own_values_and_arguments_are_told(void **state)
{
	(void)state;
	check("[{\"args\": {\"Input Dims\": [[1], [2]], \"x\": 3}}]", 1,
		"[ { k:args { k:Input Dims k:x n:3 } } ] ");
}

static void a_broken_element_hides_no_other(void **state)
{
	(void)state;
	/* Its brackets are right: it ends where it ends. */
	check("[{\"a\":, \"b\": 1}, {\"c\": 2}]", 1, "[ { k:a ! k:b n:1 } { k:c n:2 } ] ");
	check("[{\"a\": word}, {\"c\": 2}]", 1, "[ { k:a ! l:word } { k:c n:2 } ] ");
	check("[{\"a\" 1}, {\"c\": 2}]", 1, "[ { k:a ! n:1 } { k:c n:2 } ] ");
	/* A bracket is missing, and one too many. */
	check("[{\"a\": {\"b\": 1, {\"ph\": \"X\"}]", 1, "[ { k:a { k:b n:1 ! { k:ph s:X } ] ");
	check("[{\"a\": [1}, {\"c\": 2}]", 1, "[ { k:a [ n:1 ! { k:c n:2 } ] ");
	check("[{\"a\": 1}}, {\"c\": 2}]", 1, "[ { k:a n:1 } { k:c n:2 } ] ");
}

static void a_missing_quote_is_over_with_the_line(void **state)
{
	(void)state;
	check("[{\"ph\": \"X, \"a\": 1,\n \"args\": {\"b\": [1]}\n},\n{\"c\": 2}]", 1,
		"[ { k:ph s:X,  ! l:a s:args { k:b [ n:1 ] } { k:c n:2 } ] ");
}

static void a_missing_quote_on_one_line_is_over_with_the_next_element(void **state)
{
	(void)state;
	check("[{\"ph\": \"X\", \"name\": \"a\"b\"}, { \"ph\": \"X\", \"name\": \"c\"}]", 1,
		"[ { k:ph s:X k:name s:a ! l:b s:}, {  { k:ph s:X k:name s:c } ] ");
}

static void what_is_no_json_is_said_to_be_none(void **state)
{
	static const char *const texts[] = {
		"hello", "{]", "[}", "}", "{\"a\" \"b\"}", "{1: 2}", "[1 2]", ":", ",", "{\"a\":}"};
	static struct hearing hearing;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		begin(&hearing, 0);
		feed(&hearing, texts[i], strlen(texts[i]));
		feed(&hearing, " ", 1);
		assert_true(hearing.json.is_bad);
		assert_false(kineto_json_is_whole(&hearing.json));
	}
}

static void a_text_is_whole_only_at_its_end(void **state)
{
	static const char text[] =
		"{\"e\": [{\"a\": \"b\\u0020\"}, {\"c\": {\"d\": 12}}], \"f\": 1}";
	static struct hearing hearing;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++) {
		begin(&hearing, 2);
		feed(&hearing, text, i);
		assert_false(hearing.json.is_bad);
		assert_int_equal(kineto_json_is_whole(&hearing.json), i == sizeof(text) - 1);
		assert_int_equal(hearing.json.offset, i);
	}
	feed(&hearing, " \n", 2);
	assert_false(hearing.json.has_trailing);
	feed(&hearing, "\0\0", 2);
	assert_false(hearing.json.has_trailing);
	feed(&hearing, "x", 1);
	assert_true(hearing.json.has_trailing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_is_told),
		cmocka_unit_test(escapes_become_utf8),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(deep_nesting_takes_no_memory_and_hides_nothing),
		cmocka_unit_test(only_an_elements_own_values_and_arguments_are_told),
		cmocka_unit_test(a_broken_element_hides_no_other),
		cmocka_unit_test(a_missing_quote_is_over_with_the_line),
		cmocka_unit_test(a_missing_quote_on_one_line_is_over_with_the_next_element),
		cmocka_unit_test(what_is_no_json_is_said_to_be_none),
		cmocka_unit_test(a_text_is_whole_only_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
