/* SPDX-License-Identifier: MIT */
/* One element of the list of events: what is of use of its keys and of those of its arguments. */
#pragma once

#include "analysis/import/kineto_json.h"
#include "trace/base/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* The longest word that says what a row is about: a category, a kind of wait or of copy. */
#define KINETO_WORD_BYTES_MAX 48

/* A number that may be missing; `text` of it may be a word instead ("stream 7"). */
struct kineto_value {
	bool is_there;
	bool is_text; /* no number: `value` stands for the text, or is the number in it */
	int64_t value;
};

struct kineto_row {
	/* Of the row. Everything up to the texts is zero when a row begins. */
	char phase;
	bool is_broken;
	bool is_in_arguments;
	uint32_t key; /* of the value that comes next */
	struct kineto_value start_ns;
	struct kineto_value duration_ns;
	struct kineto_value pid;
	struct kineto_value tid;
	struct kineto_value id;
	/* Of its arguments. */
	struct kineto_value device;
	struct kineto_value context;
	struct kineto_value stream;
	struct kineto_value correlation;
	struct kineto_value bytes;
	struct kineto_value graph;
	struct kineto_value graph_node;
	struct kineto_value wait_stream;
	struct kineto_value wait_event;
	/* Texts, "" when they are missing. */
	char category[KINETO_WORD_BYTES_MAX];
	char kind[KINETO_WORD_BYTES_MAX]; /* cuda_sync_kind */
	char name[NAME_BYTES_MAX];
	char label[NAME_BYTES_MAX]; /* the argument `name`: what metadata tells */
};

void kineto_row_begin(struct kineto_row *row);

/* Takes a token that lies `level` deep in the row: 1 is its own keys, 2 those of its arguments. */
void kineto_row_take(
	struct kineto_row *row, enum kineto_token token, uint32_t level, const char *text);
