/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON to a stream as it is told, without a tree in memory. The caller keeps begin and end
 * paired and gives a key to every value inside an object. Errors stay in the stream (ferror).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Twice the depth of docs/report.schema.json. */
#define JSON_DEPTH_MAX 16

struct json_writer {
	FILE *stream;
	unsigned int depth;
	bool has_value[JSON_DEPTH_MAX]; /* whether a comma is due */
	bool is_inline[JSON_DEPTH_MAX]; /* no line breaks inside */
};

void json_writer_init(struct json_writer *writer, FILE *stream);

/* `key` NULL: an element of an array, or the document itself. */
void json_writer_object_begin(struct json_writer *writer, const char *key, bool is_inline);
void json_writer_object_end(struct json_writer *writer);
void json_writer_array_begin(struct json_writer *writer, const char *key, bool is_inline);
void json_writer_array_end(struct json_writer *writer);
/* Bytes that are no UTF-8 become U+FFFD. */
void json_writer_string(struct json_writer *writer, const char *key, const char *value);
void json_writer_unsigned(struct json_writer *writer, const char *key, uint64_t value);
void json_writer_signed(struct json_writer *writer, const char *key, int64_t value);
void json_writer_bool(struct json_writer *writer, const char *key, bool value);
/* Six decimals; what is not finite becomes null. */
void json_writer_real(struct json_writer *writer, const char *key, double value);
void json_writer_null(struct json_writer *writer, const char *key);
