/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_json.h"

#include "analysis/import/kineto_json_text.h"

#include <string.h>

/* Levels whose brackets are held against one another: a trace has six. */
#define KIND_COUNT 64

/* Deeper than any writer nests: what opens more brackets is no trace. */
#define DEPTH_MAX 1000000

/* Below an element's own keys and those of its arguments nothing is told. */
#define TOLD_LEVELS 2

void kineto_json_init(struct kineto_json *json, kineto_json_listener listener, void *context)
{
	*json = (struct kineto_json){.listener = listener, .context = context};
}

void kineto_json_begin_elements(struct kineto_json *json)
{
	json->element_depth = json->depth;
	json->is_lost = false;
}

void kineto_json_trust_element(struct kineto_json *json)
{
	json->is_lost = false;
}

bool kineto_json_is_whole(const struct kineto_json *json)
{
	return json->has_ended && !json->is_bad;
}

static bool is_told(const struct kineto_json *json)
{
	return json->element_depth == 0 || json->depth <= json->element_depth + TOLD_LEVELS;
}

static enum status tell(struct kineto_json *json, enum kineto_token token, const char *text)
{
	return is_told(json) ? json->listener(json->context, token, json->depth, text) : STATUS_OK;
}

static bool is_in_object(const struct kineto_json *json)
{
	return json->depth > 0 && json->depth <= KIND_COUNT &&
	       (json->is_object >> (json->depth - 1) & 1);
}

/*
 * The text is not as it should be. Inside an element only that one is lost, between elements the
 * way in the list, and anywhere else it is no trace.
 */
static enum status complain(struct kineto_json *json)
{
	if (json->element_depth == 0) {
		json->is_bad = true;
	} else if (json->depth <= json->element_depth) {
		json->is_lost = true;
	} else if (!json->is_broken) {
		json->is_broken = true;
		json->matched = 0;
		return json->listener(json->context, KINETO_BROKEN, json->depth, "");
	}
	return STATUS_OK;
}

/* Back to between two elements: where the present one ends cannot be told. */
static void leave_element(struct kineto_json *json)
{
	json->depth = json->element_depth;
	json->lex = KINETO_LEX_NONE;
	json->expect = KINETO_EXPECT_VALUE;
	json->is_broken = false;
	json->is_lost = true;
}

/* Down there nobody remembers what is an object. */
static bool is_deep(const struct kineto_json *json)
{
	return json->depth > KIND_COUNT;
}

static enum status expect_value(struct kineto_json *json)
{
	return json->expect == KINETO_EXPECT_VALUE || is_deep(json) ? STATUS_OK : complain(json);
}

static void end_value(struct kineto_json *json)
{
	json->expect = KINETO_EXPECT_COMMA;
	json->has_ended = json->has_ended || json->depth == 0;
}

static enum status open_bracket(struct kineto_json *json, bool is_object)
{
	enum status status = expect_value(json);

	if (status != STATUS_OK || json->is_bad) {
		return status;
	}
	if (json->is_broken && is_object) {
		json->matched = 1; /* it may be this one that begins the next element */
	}
	if (json->depth >= DEPTH_MAX) {
		json->is_bad = true;
		return STATUS_OK;
	}
	if (json->depth < KIND_COUNT) {
		json->is_object &= ~(1ULL << json->depth);
		json->is_object |= (uint64_t)is_object << json->depth;
	}
	json->depth++;
	json->expect = is_object ? KINETO_EXPECT_KEY : KINETO_EXPECT_VALUE;
	return tell(json, is_object ? KINETO_BEGIN_OBJECT : KINETO_BEGIN_ARRAY, "");
}

static enum status close_bracket(struct kineto_json *json, bool is_object)
{
	const bool is_between = json->element_depth > 0 && json->depth == json->element_depth;
	const bool is_element = json->element_depth > 0 && json->depth == json->element_depth + 1;
	enum status status = STATUS_OK;

	if (json->depth == 0) {
		return complain(json);
	}
	if (is_between && (json->is_lost || is_object)) {
		return complain(json);
	}
	if (!is_deep(json) && is_in_object(json) != is_object) {
		status = complain(json);
		if (json->is_broken) {
			leave_element(json);
		}
		return status;
	}
	/* A comma too many in front of a closing bracket is common, and harmless. */
	if (!is_deep(json) && (json->expect == KINETO_EXPECT_COLON ||
				      (is_object && json->expect == KINETO_EXPECT_VALUE))) {
		status = complain(json);
	}
	if (status == STATUS_OK) {
		status = tell(json, is_object ? KINETO_END_OBJECT : KINETO_END_ARRAY, "");
	}
	json->element_depth = is_between ? 0 : json->element_depth;
	json->is_broken = json->is_broken && !is_element;
	json->depth--;
	end_value(json);
	return status;
}

static enum status take_comma(struct kineto_json *json)
{
	enum status status = STATUS_OK;

	if (json->depth == 0) {
		return complain(json);
	}
	if (json->expect != KINETO_EXPECT_COMMA && !is_deep(json)) {
		status = complain(json);
	}
	json->expect = is_in_object(json) ? KINETO_EXPECT_KEY : KINETO_EXPECT_VALUE;
	return status;
}

static enum status take_colon(struct kineto_json *json)
{
	enum status status = STATUS_OK;

	if (json->expect != KINETO_EXPECT_COLON && !is_deep(json)) {
		status = complain(json);
	}
	json->expect = KINETO_EXPECT_VALUE;
	return status;
}

static enum status end_string(struct kineto_json *json)
{
	const bool is_key = is_in_object(json) && json->expect == KINETO_EXPECT_KEY;
	enum status status = STATUS_OK;

	json->lex = KINETO_LEX_NONE;
	if (!is_key) {
		status = expect_value(json);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (is_told(json)) {
		kineto_json_text_finish(json);
		status = tell(json, is_key ? KINETO_KEY : KINETO_STRING, json->text);
	}
	if (is_key) {
		json->expect = KINETO_EXPECT_COLON;
	} else {
		end_value(json);
	}
	return status;
}

/* No string goes over lines: in an element a quote is missing somewhere before, or all is lost
 * between two zeros. */
static enum status break_string(struct kineto_json *json)
{
	enum status status;

	if (json->element_depth == 0) {
		return STATUS_OK; /* free text about the trace, written without care */
	}
	status = complain(json);
	if (json->is_broken) {
		leave_element(json);
	}
	json->lex = KINETO_LEX_NONE;
	return status;
}

static enum status end_word(struct kineto_json *json)
{
	const enum kineto_word word = kineto_json_text_word(json->text);
	enum status status;

	json->lex = KINETO_LEX_NONE;
	status = expect_value(json);
	if (status == STATUS_OK && word == KINETO_WORD_NONE) {
		status = complain(json);
	}
	if (status == STATUS_OK) {
		status = tell(json, word == KINETO_WORD_NUMBER ? KINETO_NUMBER : KINETO_LITERAL,
			json->text);
	}
	end_value(json);
	return status;
}

/* One character outside of strings and words; *out_is_taken is false when it begins a word. */
static enum status take_mark(struct kineto_json *json, unsigned char mark, bool *out_is_taken)
{
	*out_is_taken = true;
	if (json->has_ended) {
		/* Some writers fill a file up with zeros. */
		json->has_trailing = mark != '\0';
		return STATUS_OK;
	}
	switch (mark) {
	case '{':
	case '[':
		return open_bracket(json, mark == '{');
	case '}':
	case ']':
		return close_bracket(json, mark == '}');
	case ',':
		return take_comma(json);
	case ':':
		return take_colon(json);
	case '"':
		json->lex = KINETO_LEX_STRING;
		json->size = 0;
		return STATUS_OK;
	default:
		*out_is_taken = false;
		json->lex = KINETO_LEX_WORD;
		json->size = 0;
		return STATUS_OK;
	}
}

/* Takes what it can at `text`, at least one byte, and gives where it stopped. */
static enum status lex(
	struct kineto_json *json, const unsigned char **text, const unsigned char *end)
{
	bool is_end = false;
	bool is_taken;

	switch (json->lex) {
	case KINETO_LEX_NONE:
		while (*text < end && kineto_json_text_is_space(**text)) {
			(*text)++;
		}
		if (*text < end) {
			const enum status status = take_mark(json, **text, &is_taken);

			*text += is_taken;
			return status;
		}
		return STATUS_OK;
	case KINETO_LEX_WORD:
		*text = kineto_json_text_take_word(json, *text, end, &is_end);
		return is_end ? end_word(json) : STATUS_OK;
	case KINETO_LEX_STRING:
		*text = kineto_json_text_take_string(json, *text, end, is_told(json), &is_end);
		if (!is_end) {
			return STATUS_OK;
		}
		return (*text)[-1] == '"' ? end_string(json) : break_string(json);
	case KINETO_LEX_ESCAPE:
	case KINETO_LEX_UNICODE:
		kineto_json_text_take_escape(json, **text);
		(*text)++;
		return STATUS_OK;
	}
	return STATUS_INTERNAL;
}

/*
 * In a broken element nothing is sure, not even what is a string. But elements begin alike, so that
 * {"ph" is the next one wherever it stands.
 */
static enum status look_for_element(
	struct kineto_json *json, unsigned char letter, bool *out_is_new)
{
	static const unsigned char begin[] = {'{', '"', 'p', 'h', '"'};
	enum status status;

	*out_is_new = false;
	if (json->matched == 1 && kineto_json_text_is_space(letter)) {
		return STATUS_OK;
	}
	if (letter != begin[json->matched]) {
		json->matched = letter == begin[0];
		return STATUS_OK;
	}
	json->matched++;
	if (json->matched < sizeof(begin)) {
		return STATUS_OK;
	}
	*out_is_new = true;
	leave_element(json);
	status = open_bracket(json, true);
	if (status == STATUS_OK) {
		status = tell(json, KINETO_KEY, "ph");
	}
	json->expect = KINETO_EXPECT_COLON;
	return status;
}

static enum status feed_broken(struct kineto_json *json, const unsigned char **text)
{
	bool is_new = false;
	enum status status = look_for_element(json, **text, &is_new);
	const unsigned char *next = *text;

	/* A word does not take the character that ends it. */
	while (status == STATUS_OK && !is_new && next == *text) {
		status = lex(json, &next, *text + 1);
	}
	(*text)++;
	return status;
}

enum status kineto_json_feed(struct kineto_json *json, const unsigned char *text, size_t size)
{
	const unsigned char *end = text + size;
	enum status status = STATUS_OK;
	const unsigned char *begin = text;

	while (text < end && status == STATUS_OK && !json->is_bad && !json->has_trailing) {
		status = json->is_broken ? feed_broken(json, &text) : lex(json, &text, end);
	}
	json->offset += (uint64_t)(text - begin);
	return status;
}
