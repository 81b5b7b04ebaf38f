/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_row.h"

#include "analysis/import/kineto_number.h"
#include "trace/base/hash.h"

#include <stddef.h>
#include <string.h>

enum key_type {
	KEY_NONE,
	KEY_PHASE,
	KEY_TIME,
	KEY_NUMBER,
	KEY_WORD,
	KEY_TEXT,
	KEY_ARGUMENTS,
};

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
};

#define KEY(name, type, member)                                                                    \
	{                                                                                          \
		name, KEY_##type, offsetof(struct kineto_row, member)                              \
	}

/* The first one of each list stands for every key that is of no use. */
static const struct key row_keys[] = {
	KEY("", NONE, phase),
	KEY("ph", PHASE, phase),
	KEY("cat", WORD, category),
	KEY("name", TEXT, name),
	KEY("ts", TIME, start_ns),
	KEY("dur", TIME, duration_ns),
	KEY("pid", NUMBER, pid),
	KEY("tid", NUMBER, tid),
	KEY("id", NUMBER, id),
	KEY("args", ARGUMENTS, phase),
};

static const struct key argument_keys[] = {
	KEY("", NONE, phase),
	KEY("name", TEXT, label),
	KEY("device", NUMBER, device),
	KEY("context", NUMBER, context),
	KEY("stream", NUMBER, stream),
	KEY("correlation", NUMBER, correlation),
	KEY("bytes", NUMBER, bytes),
	KEY("graph id", NUMBER, graph),
	KEY("graph node id", NUMBER, graph_node),
	KEY("cuda_sync_kind", WORD, kind),
	KEY("wait_on_stream", NUMBER, wait_stream),
	KEY("wait_on_cuda_event_id", NUMBER, wait_event),
};

static const struct key *key_of(const struct kineto_row *row)
{
	return row->is_in_arguments ? &argument_keys[row->key] : &row_keys[row->key];
}

static uint32_t find_key(const struct kineto_row *row, const char *name)
{
	const struct key *keys = row->is_in_arguments ? argument_keys : row_keys;
	const size_t count = row->is_in_arguments ? sizeof(argument_keys) / sizeof(argument_keys[0])
						  : sizeof(row_keys) / sizeof(row_keys[0]);

	for (uint32_t i = 1; i < count; i++) {
		if (keys[i].name[0] == name[0] && strcmp(keys[i].name, name) == 0) {
			return i;
		}
	}
	return 0;
}

void kineto_row_begin(struct kineto_row *row)
{
	memset(row, 0, offsetof(struct kineto_row, category));
	row->category[0] = '\0';
	row->kind[0] = '\0';
	row->name[0] = '\0';
	row->label[0] = '\0';
}

static void copy_text(char *target, size_t size, const char *text)
{
	const size_t length = strnlen(text, size - 1);

	memcpy(target, text, length);
	target[length] = '\0';
}

/* A word in place of a number: "12", "stream 7", or a name, for which a number is made. */
static struct kineto_value value_of_word(const char *text)
{
	const char *digits = strncmp(text, "stream ", 7) == 0 ? text + 7 : text;
	struct kineto_value value = {.is_there = true};
	uint64_t number = 0;

	if (kineto_number_unsigned(digits, &number)) {
		value.value = (int64_t)number;
		return value;
	}
	value.is_text = true;
	/* Far above the numbers that exporters hand out. */
	value.value = (int64_t)(hash_bytes(HASH_START, text, strlen(text)) & INT32_MAX) | 1 << 30;
	return value;
}

static struct kineto_value value_of(enum key_type type, enum kineto_token token, const char *text)
{
	struct kineto_value value = {0};
	uint64_t number;

	if (type == KEY_TIME) {
		value.is_there = token != KINETO_LITERAL && kineto_number_time(text, &value.value);
	} else if (token == KINETO_STRING) {
		value = value_of_word(text);
	} else if (token == KINETO_NUMBER && kineto_number_unsigned(text, &number)) {
		value.is_there = true;
		value.value = (int64_t)number;
	}
	return value;
}

static void take_value(struct kineto_row *row, enum kineto_token token, const char *text)
{
	const struct key *key = key_of(row);
	void *field = (char *)row + key->offset;

	switch (key->type) {
	case KEY_PHASE:
		row->phase = text[0];
		break;
	case KEY_TIME:
	case KEY_NUMBER:
		*(struct kineto_value *)field = value_of(key->type, token, text);
		break;
	case KEY_WORD:
		copy_text(field, KINETO_WORD_BYTES_MAX, token == KINETO_STRING ? text : "");
		break;
	case KEY_TEXT:
		copy_text(field, NAME_BYTES_MAX, token == KINETO_STRING ? text : "");
		break;
	case KEY_NONE:
	case KEY_ARGUMENTS:
		break;
	}
}

void kineto_row_take(
	struct kineto_row *row, enum kineto_token token, uint32_t level, const char *text)
{
	switch (token) {
	case KINETO_BEGIN_OBJECT:
		row->is_in_arguments = level == 2 && key_of(row)->type == KEY_ARGUMENTS;
		row->key = 0;
		break;
	case KINETO_END_OBJECT:
	case KINETO_END_ARRAY:
	case KINETO_BEGIN_ARRAY:
		row->is_in_arguments = row->is_in_arguments && token != KINETO_END_OBJECT;
		row->key = 0;
		break;
	case KINETO_KEY:
		row->key = level == 1 || row->is_in_arguments ? find_key(row, text) : 0;
		break;
	case KINETO_STRING:
	case KINETO_NUMBER:
	case KINETO_LITERAL:
		if (level == 1 || row->is_in_arguments) {
			take_value(row, token, text);
		}
		row->key = 0;
		break;
	case KINETO_BROKEN:
		row->is_broken = true;
		break;
	}
}
