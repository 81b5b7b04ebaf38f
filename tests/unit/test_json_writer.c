/* SPDX-License-Identifier: MIT */
/* What the writer writes, another library reads back: values, nesting, and any bytes in strings. */
#include "analysis/report/json_writer.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *document = json_loads(text, 0, &error);

	if (!document) {
		fail_msg("%s in: %s", error.text, text);
	}
	return document;
}

static void documents_read_back(void **state)
{
	struct json_writer writer;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *document;
	json_t *list;

	(void)state;
	json_writer_init(&writer, stream);
	json_writer_object_begin(&writer, NULL, false);
	json_writer_unsigned(&writer, "large", 9223372036854775807ULL);
	json_writer_signed(&writer, "small", -5);
	json_writer_real(&writer, "real", 0.25);
	json_writer_real(&writer, "none", 1.0 / 0.0);
	json_writer_bool(&writer, "yes", true);
	json_writer_array_begin(&writer, "list", true);
	json_writer_array_begin(&writer, NULL, false);
	json_writer_array_end(&writer);
	json_writer_object_begin(&writer, NULL, false);
	json_writer_object_end(&writer);
	json_writer_null(&writer, NULL);
	json_writer_string(&writer, NULL, "x");
	json_writer_array_end(&writer);
	json_writer_object_end(&writer);
	fclose(stream);

	document = parse(text);
	assert_int_equal(json_integer_value(json_object_get(document, "large")), INT64_MAX);
	assert_int_equal(json_integer_value(json_object_get(document, "small")), -5);
	assert_true(json_real_value(json_object_get(document, "real")) == 0.25);
	assert_true(json_is_null(json_object_get(document, "none")));
	assert_true(json_is_true(json_object_get(document, "yes")));
	list = json_object_get(document, "list");
	assert_int_equal(json_array_size(list), 4);
	assert_string_equal(json_string_value(json_array_get(list, 3)), "x");
	json_decref(document);
	free(text);
}

static void expect_read_back(const char *written, const char *read)
{
	struct json_writer writer;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	json_t *document;

	json_writer_init(&writer, stream);
	json_writer_array_begin(&writer, NULL, false);
	json_writer_string(&writer, NULL, written);
	json_writer_array_end(&writer);
	fclose(stream);
	document = parse(text);
	assert_string_equal(json_string_value(json_array_get(document, 0)), read);
	json_decref(document);
	free(text);
}

static void strings_hold_any_bytes(void **state)
{
	(void)state;
	expect_read_back("quote \" backslash \\ tab \t escape \033 delete \177",
		"quote \" backslash \\ tab \t escape \033 delete \177");
	expect_read_back("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
		"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	/* Not UTF-8: a stray byte, an overlong form, a surrogate, a cut sequence, past the end. */
	expect_read_back("\xff", "\xef\xbf\xbd");
	expect_read_back("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
	expect_read_back("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_read_back("a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd");
	expect_read_back("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

/* 8-bit controls begin escape sequences on some terminals, and others turn the text around. */
static void what_a_terminal_would_act_on_is_escaped(void **state)
{
	const char *const acting = "\xc2\x9b"
				   "2J \xe2\x80\xae \xe2\x80\x8b \xe2\x81\xa6 \xef\xbb\xbf "
				   "\xd8\x9c \xc2\xad \xf3\xa0\x81\x81";
	struct json_writer writer;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	(void)state;
	json_writer_init(&writer, stream);
	json_writer_string(&writer, NULL, acting);
	fclose(stream);
	assert_non_null(strstr(text, "\"\\u009b2J \\u202e \\u200b \\u2066 \\ufeff \\u061c "
				     "\\u00ad \\udb40\\udc41\""));
	for (size_t i = 0; i < size; i++) {
		assert_true((unsigned char)text[i] < 0x80);
	}
	free(text);
	expect_read_back(acting, acting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_read_back),
		cmocka_unit_test(strings_hold_any_bytes),
		cmocka_unit_test(what_a_terminal_would_act_on_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
