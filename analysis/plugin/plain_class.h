/* SPDX-License-Identifier: MIT */
/* How the fields of a plain stream's events follow one another, as steps over their bytes. */
#pragma once

#include "analysis/plugin/decode.h"

/* Fields of an event and of its context; more are left to babeltrace2. */
#define PLAIN_STEPS_MAX 32

enum plain_target {
	PLAIN_SKIP,
	PLAIN_FIELD, /* where `reader` says */
	PLAIN_PID,
	PLAIN_TID,
};

struct plain_step {
	enum plain_target target;
	uint8_t bytes; /* of an integer; 0: a string up to its NUL */
	bool is_signed;
	const struct decode_reader *reader; /* borrowed from the decoder's class */
};

struct plain_class {
	const struct decode_class *class;         /* NULL: the stream has no class of this number */
	struct plain_step steps[PLAIN_STEPS_MAX]; /* the context's and then the payload's */
	uint32_t step_count;
};

/* False when only babeltrace2 can read events of this class. */
bool plain_class_init(struct plain_class *plain, const struct decode_class *class,
	const bt_stream_class *stream_class);
