/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_json_text.h"

#include "trace/base/line.h"

#include <string.h>

/* Stands for what is no character. */
#define REPLACEMENT 0xfffd

/* The bytes that end a run of plain letters in a string: quote, backslash, line end, and the zeros
 * that a host without power leaves. */
static const bool stops_string[256] = {['"'] = true, ['\\'] = true, ['\n'] = true, ['\0'] = true};

/* The bytes that end a number or word. */
static const bool stops_word[256] = {[' '] = true,
	['\t'] = true,
	['\n'] = true,
	['\r'] = true,
	[','] = true,
	[':'] = true,
	['"'] = true,
	['{'] = true,
	['}'] = true,
	['['] = true,
	[']'] = true};

static bool is_number(const char *word)
{
	word += *word == '-' || *word == '+';
	return *word != '\0' && *word != 'e' && *word != 'E' &&
	       word[strspn(word, "0123456789.eE+-")] == '\0';
}

enum kineto_word kineto_json_text_word(const char *word)
{
	static const char *const literals[] = {"true", "false", "null", "NaN", "nan", "-nan",
		"Infinity", "-Infinity", "inf", "-inf", "None", "True", "False"};

	if (is_number(word)) {
		return KINETO_WORD_NUMBER;
	}
	for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		if (strcmp(word, literals[i]) == 0) {
			return KINETO_WORD_LITERAL;
		}
	}
	return KINETO_WORD_NONE;
}

static void keep(struct kineto_json *json, const unsigned char *text, size_t size)
{
	const size_t room = sizeof(json->text) - 1 - json->size;

	size = size < room ? size : room;
	memcpy(json->text + json->size, text, size);
	json->size += size;
}

const unsigned char *kineto_json_text_take_word(struct kineto_json *json, const unsigned char *text,
	const unsigned char *end, bool *out_is_end)
{
	const unsigned char *begin = text;

	while (text < end && !stops_word[*text]) {
		text++;
	}
	keep(json, begin, (size_t)(text - begin));
	json->text[json->size] = '\0';
	*out_is_end = text < end;
	return text;
}

/* A character as UTF-8. */
static void keep_character(struct kineto_json *json, uint32_t code)
{
	unsigned char bytes[4];
	size_t size = 1;

	if (code < 0x80) {
		bytes[0] = (unsigned char)code;
	} else if (code < 0x800) {
		bytes[0] = (unsigned char)(0xc0 | code >> 6);
		bytes[1] = (unsigned char)(0x80 | (code & 0x3f));
		size = 2;
	} else if (code < 0x10000) {
		bytes[0] = (unsigned char)(0xe0 | code >> 12);
		bytes[1] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (unsigned char)(0x80 | (code & 0x3f));
		size = 3;
	} else {
		bytes[0] = (unsigned char)(0xf0 | code >> 18);
		bytes[1] = (unsigned char)(0x80 | (code >> 12 & 0x3f));
		bytes[2] = (unsigned char)(0x80 | (code >> 6 & 0x3f));
		bytes[3] = (unsigned char)(0x80 | (code & 0x3f));
		size = 4;
	}
	keep(json, bytes, size);
}

/* The first half of a pair whose second never came. */
static void end_surrogate(struct kineto_json *json)
{
	if (json->surrogate) {
		json->surrogate = 0;
		keep_character(json, REPLACEMENT);
	}
}

const unsigned char *kineto_json_text_take_string(struct kineto_json *json,
	const unsigned char *text, const unsigned char *end, bool is_kept, bool *out_is_end)
{
	const unsigned char *begin = text;

	while (text < end && !stops_string[*text]) {
		text++;
	}
	if (is_kept && text > begin) {
		end_surrogate(json);
		keep(json, begin, (size_t)(text - begin));
	}
	if (text == end) {
		return text;
	}
	if (*text == '\\') {
		json->lex = KINETO_LEX_ESCAPE;
	} else {
		*out_is_end = true;
		end_surrogate(json);
	}
	return text + 1;
}

static void take_code(struct kineto_json *json, uint32_t code)
{
	const bool is_first = code >= 0xd800 && code < 0xdc00;
	const bool is_second = code >= 0xdc00 && code < 0xe000;

	if (is_second && json->surrogate) {
		code = 0x10000 + ((json->surrogate - 0xd800) << 10) + (code - 0xdc00);
		json->surrogate = 0;
	} else {
		end_surrogate(json);
	}
	if (is_first) {
		json->surrogate = code;
		return;
	}
	keep_character(json, code == 0 || (code >= 0xdc00 && code < 0xe000) ? REPLACEMENT : code);
}

static void take_digit(struct kineto_json *json, unsigned char digit)
{
	const unsigned char letter = digit | 0x20;
	uint32_t value = 0;

	if (digit >= '0' && digit <= '9') {
		value = (uint32_t)(digit - '0');
	} else if (letter >= 'a' && letter <= 'f') {
		value = (uint32_t)(letter - 'a' + 10);
	}
	json->escape = json->escape << 4 | value;
	json->escape_digits++;
	if (json->escape_digits == 4) {
		json->lex = KINETO_LEX_STRING;
		take_code(json, json->escape);
	}
}

void kineto_json_text_take_escape(struct kineto_json *json, unsigned char letter)
{
	static const unsigned char plain[256] = {
		['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};

	if (json->lex == KINETO_LEX_UNICODE) {
		take_digit(json, letter);
		return;
	}
	if (letter == 'u') {
		json->lex = KINETO_LEX_UNICODE;
		json->escape = 0;
		json->escape_digits = 0;
		return;
	}
	/* Of an escape that there is not, as in a path of Windows, the letter remains. */
	json->lex = KINETO_LEX_STRING;
	end_surrogate(json);
	keep(json, plain[letter] ? &plain[letter] : &letter, 1);
}

void kineto_json_text_finish(struct kineto_json *json)
{
	json->text[json->size] = '\0';
	line_clean(json->text, json->size);
}
