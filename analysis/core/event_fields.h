/* SPDX-License-Identifier: MIT */
/*
 * Which field of a recorded event goes where in struct event: one table, a row for each kind. What
 * reads events, writes them, or shifts their times and renumbers their threads goes by it.
 */
#pragma once

#include "analysis/core/event.h"

#include <stddef.h>

/* How a field is stored; a field that is missing keeps what is said here. */
enum field_storage {
	FIELD_U64,      /* 0 */
	FIELD_DURATION, /* u64, GAPTRACE_UNKNOWN */
	FIELD_TIME,     /* u64 on the recording's clock, 0 */
	FIELD_U32,      /* also enumerations; 0 */
	FIELD_I32,      /* 0 */
	FIELD_TID,      /* i32, 0: no thread */
	FIELD_WORK,     /* i32, GAPTRACE_NONE */
	FIELD_BOOL,     /* false */
	FIELD_STATE,    /* u64 of a kernel's task state, without what the kernel adds to it; 0 */
	FIELD_STRING,   /* "" */
};

struct event_field {
	const char *name;
	enum field_storage storage;
	bool is_required; /* without it events of this class are of no use */
	size_t offset;
};

/* The widest event has eleven. */
#define EVENT_FIELD_COUNT_MAX 12

struct event_fields {
	const char *name;      /* "gaptrace:lock_wait" */
	const char *span_name; /* of kinds whose name says it, else NULL */
	struct event_field fields[EVENT_FIELD_COUNT_MAX]; /* up to a NULL name */
};

/* The row of `kind`, valid for ever. */
const struct event_fields *event_fields_of(enum event_kind kind);
