/* SPDX-License-Identifier: MIT */
/* The letters of strings, numbers and words in kineto_json. */
#pragma once

#include "analysis/import/kineto_json.h"

enum kineto_word {
	KINETO_WORD_NONE,
	KINETO_WORD_NUMBER,
	KINETO_WORD_LITERAL,
};

static inline bool kineto_json_text_is_space(unsigned char letter)
{
	return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/* What the word is that was taken. */
enum kineto_word kineto_json_text_word(const char *word);

/* Gives where the word ends, or `end`; *out_is_end when it does. */
const unsigned char *kineto_json_text_take_word(struct kineto_json *json, const unsigned char *text,
	const unsigned char *end, bool *out_is_end);

/*
 * Gives where it stopped: behind the quote, line end or zero that ended it, then *out_is_end, or
 * behind a backslash, or `end`. Letters past the room, or not `is_kept`, are passed over.
 */
const unsigned char *kineto_json_text_take_string(struct kineto_json *json,
	const unsigned char *text, const unsigned char *end, bool is_kept, bool *out_is_end);

/* One character behind a backslash, or a digit of \uXXXX. */
void kineto_json_text_take_escape(struct kineto_json *json, unsigned char letter);

/* Ends the text that was taken as one clean line: what is none of it becomes '?'. */
void kineto_json_text_finish(struct kineto_json *json);
