/* SPDX-License-Identifier: MIT */
#include "analysis/report/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

void json_writer_init(struct json_writer *writer, FILE *stream)
{
	*writer = (struct json_writer){.stream = stream};
}

static void line_break(const struct json_writer *writer)
{
	if (writer->is_inline[writer->depth]) {
		return;
	}
	(void)fputc('\n', writer->stream);
	for (unsigned int i = 0; i < writer->depth; i++) {
		(void)fputc(' ', writer->stream);
	}
}

/* How many bytes of valid UTF-8 begin at `bytes`; 0 when it is none. */
static int utf8_length(const unsigned char *bytes)
{
	const unsigned char first = bytes[0];
	const int length = first < 0x80                     ? 1
			   : first >= 0xc2 && first <= 0xdf ? 2
			   : first >= 0xe0 && first <= 0xef ? 3
			   : first >= 0xf0 && first <= 0xf4 ? 4
							    : 0;

	for (int i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	/* Overlong forms, surrogates, and beyond the last code point. */
	if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
		(first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f)) {
		return 0;
	}
	return length;
}

/*
 * The code point of up to three bytes of UTF-8 when a terminal would act on it instead of showing
 * it: 8-bit controls, which begin escape sequences, and what turns the direction of text; else 0.
 */
static unsigned int acting_code_point(const unsigned char *bytes, int length)
{
	unsigned int code = 0;

	if (length == 1) {
		code = bytes[0];
	} else if (length == 2) {
		code = (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu);
	} else if (length == 3) {
		code = (bytes[0] & 0x0fu) << 12 | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
	}
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) ||
			       (code >= 0x200b && code <= 0x200f) ||
			       (code >= 0x2028 && code <= 0x202e) ||
			       (code >= 0x2066 && code <= 0x2069) || code == 0xfeff
		       ? code
		       : 0;
}

static void write_string(FILE *stream, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	(void)fputc('"', stream);
	while (*at) {
		const int length = utf8_length(at);
		const unsigned int acting = acting_code_point(at, length);

		if (length == 0) {
			(void)fputs("\\ufffd", stream);
			at++;
			continue;
		}
		if (*at == '"' || *at == '\\') {
			(void)fprintf(stream, "\\%c", *at);
		} else if (acting) {
			(void)fprintf(stream, "\\u%04x", acting);
		} else {
			(void)fwrite(at, 1, (size_t)length, stream);
		}
		at += length;
	}
	(void)fputc('"', stream);
}

static void before_value(struct json_writer *writer, const char *key)
{
	if (writer->has_value[writer->depth]) {
		(void)fputs(writer->is_inline[writer->depth] ? ", " : ",", writer->stream);
	}
	writer->has_value[writer->depth] = true;
	if (writer->depth > 0) {
		line_break(writer);
	}
	if (key) {
		write_string(writer->stream, key);
		(void)fputs(": ", writer->stream);
	}
}

static void open_scope(struct json_writer *writer, const char *key, bool is_inline, char bracket)
{
	assert(writer->depth + 1 < JSON_DEPTH_MAX);
	before_value(writer, key);
	(void)fputc(bracket, writer->stream);
	is_inline |= writer->is_inline[writer->depth];
	writer->depth++;
	writer->has_value[writer->depth] = false;
	writer->is_inline[writer->depth] = is_inline;
}

static void close_scope(struct json_writer *writer, char bracket)
{
	const bool was_empty = !writer->has_value[writer->depth];
	const bool was_inline = writer->is_inline[writer->depth];

	assert(writer->depth > 0);
	writer->depth--;
	if (!was_empty && !was_inline) {
		line_break(writer);
	}
	(void)fputc(bracket, writer->stream);
	if (writer->depth == 0) {
		(void)fputc('\n', writer->stream);
	}
}

void json_writer_object_begin(struct json_writer *writer, const char *key, bool is_inline)
{
	open_scope(writer, key, is_inline, '{');
}

void json_writer_object_end(struct json_writer *writer)
{
	close_scope(writer, '}');
}

void json_writer_array_begin(struct json_writer *writer, const char *key, bool is_inline)
{
	open_scope(writer, key, is_inline, '[');
}

void json_writer_array_end(struct json_writer *writer)
{
	close_scope(writer, ']');
}

void json_writer_string(struct json_writer *writer, const char *key, const char *value)
{
	before_value(writer, key);
	write_string(writer->stream, value);
}

void json_writer_unsigned(struct json_writer *writer, const char *key, uint64_t value)
{
	before_value(writer, key);
	(void)fprintf(writer->stream, "%" PRIu64, value);
}

void json_writer_signed(struct json_writer *writer, const char *key, int64_t value)
{
	before_value(writer, key);
	(void)fprintf(writer->stream, "%" PRId64, value);
}

void json_writer_bool(struct json_writer *writer, const char *key, bool value)
{
	before_value(writer, key);
	(void)fputs(value ? "true" : "false", writer->stream);
}

void json_writer_real(struct json_writer *writer, const char *key, double value)
{
	if (!isfinite(value)) {
		json_writer_null(writer, key);
		return;
	}
	before_value(writer, key);
	(void)fprintf(writer->stream, "%.6f", value);
}

void json_writer_null(struct json_writer *writer, const char *key)
{
	before_value(writer, key);
	(void)fputs("null", writer->stream);
}
