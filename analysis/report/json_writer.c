/* SPDX-License-Identifier: MIT */
#include "analysis/report/json_writer.h"

#include "trace/base/utf8.h"

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

/*
 * Code points that a terminal would act on, or not show at all: 8-bit controls, which begin escape
 * sequences, what turns the direction of text, and what is there without being seen.
 */
static const struct {
	unsigned int first;
	unsigned int last;
} acting[] = {
	{0x00, 0x1f},
	{0x7f, 0x9f},
	{0xad, 0xad},
	{0x61c, 0x61c},
	{0x180e, 0x180e},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0xfeff, 0xfeff},
	{0xfff9, 0xfffb},
	{0xe0000, 0xe007f},
};

/* The code point of one character's bytes. */
static unsigned int code_point_of(const unsigned char *bytes, unsigned int length)
{
	unsigned int code = length == 1   ? bytes[0]
			    : length == 2 ? bytes[0] & 0x1fu
			    : length == 3 ? bytes[0] & 0x0fu
					  : bytes[0] & 0x07u;

	for (unsigned int i = 1; i < length; i++) {
		code = code << 6 | (bytes[i] & 0x3fu);
	}
	return code;
}

static bool is_acting(unsigned int code)
{
	for (size_t i = 0; i < sizeof(acting) / sizeof(acting[0]); i++) {
		if (code >= acting[i].first && code <= acting[i].last) {
			return true;
		}
	}
	return false;
}

/* Beyond 16 bits JSON writes a code point as a pair. */
static void write_escaped(FILE *stream, unsigned int code)
{
	if (code > 0xffff) {
		(void)fprintf(stream, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
		code = 0xdc00 + ((code - 0x10000) & 0x3ff);
	}
	(void)fprintf(stream, "\\u%04x", code);
}

static void write_string(FILE *stream, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;

	(void)fputc('"', stream);
	while (*at) {
		const unsigned int length = utf8_length((const char *)at);

		/* No UTF-8: names come from the traced program, and a reader must still get
		 * JSON. */
		if (length == 0) {
			(void)fputs("\\ufffd", stream);
			at++;
			continue;
		}
		if (*at == '"' || *at == '\\') {
			(void)fprintf(stream, "\\%c", *at);
		} else if (is_acting(code_point_of(at, length))) {
			write_escaped(stream, code_point_of(at, length));
		} else {
			(void)fwrite(at, 1, length, stream);
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
	/* What is inside one line stays on it. */
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
	/* The document is over: text files end in a line break. */
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
