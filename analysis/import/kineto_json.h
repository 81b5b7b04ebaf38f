/* SPDX-License-Identifier: MIT */
/*
 * JSON text of any size into tokens, chunk by chunk, in a few hundred bytes of memory: long strings
 * are cut, what is nested too deep is passed over. It takes what writers of traces get wrong (NaN,
 * commas too many, bytes that are no UTF-8), and finds the next element of the list of events when
 * one of them is broken, so that one bad event does not hide the rest.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kineto_token {
	KINETO_BEGIN_OBJECT, /* `depth` of what begins or ends is that of the keys or values in it
			      */
	KINETO_END_OBJECT,
	KINETO_BEGIN_ARRAY,
	KINETO_END_ARRAY,
	KINETO_KEY,
	KINETO_STRING,
	KINETO_NUMBER,
	KINETO_LITERAL, /* true, false, null, NaN, Infinity */
	KINETO_BROKEN,  /* the element that has begun is no JSON: nothing of it holds */
};

/* `text` is "" where a token has none; it ends with a zero byte. */
typedef enum status (*kineto_json_listener)(
	void *context, enum kineto_token token, uint32_t depth, const char *text);

enum kineto_json_lex {
	KINETO_LEX_NONE,
	KINETO_LEX_STRING,
	KINETO_LEX_ESCAPE,
	KINETO_LEX_UNICODE,
	KINETO_LEX_WORD,
};

enum kineto_json_expect {
	KINETO_EXPECT_VALUE,
	KINETO_EXPECT_KEY,
	KINETO_EXPECT_COLON,
	KINETO_EXPECT_COMMA,
};

struct kineto_json {
	kineto_json_listener listener;
	void *context;
	uint64_t offset; /* of the text: what was fed before */
	enum kineto_json_lex lex;
	enum kineto_json_expect expect;
	uint32_t depth;
	uint64_t is_object; /* a bit for each of the first levels, the outermost lowest */
	uint32_t
		element_depth; /* of the list of events' elements; 0: it has not begun or is over */
	bool is_broken;        /* the element is */
	bool is_lost;          /* brackets do not tell where in the list we are */
	bool has_ended;        /* the outermost value is complete */
	bool is_bad;           /* no JSON, outside of the list */
	bool has_trailing;     /* something follows the outermost value */
	uint8_t matched;       /* of how an element begins */
	uint8_t escape_digits;
	uint32_t escape;
	uint32_t surrogate; /* the first half of a pair, or 0 */
	size_t size;
	char text[NAME_BYTES_MAX];
};

void kineto_json_init(struct kineto_json *json, kineto_json_listener listener, void *context);

/* Any number of times. What the listener gives back ends it, unless it is OK. */
MUST_CHECK enum status kineto_json_feed(
	struct kineto_json *json, const unsigned char *text, size_t size);

/* From within the listener, at the begin of an array: its elements are the events. */
void kineto_json_begin_elements(struct kineto_json *json);

/* From within the listener, at the end of an element that is surely one. */
void kineto_json_trust_element(struct kineto_json *json);

/* Whether the text, at its end, is whole. */
bool kineto_json_is_whole(const struct kineto_json *json);
