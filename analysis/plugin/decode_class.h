/* SPDX-License-Identifier: MIT */
/*
 * What is known of one event class of a recording: the kind of event it is, and which of its fields
 * goes where in struct event. Made once for each class.
 */
#pragma once

#include "analysis/core/event_fields.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>
#include <string.h>

#define DECODE_NO_INDEX UINT64_MAX

/*
 * The states a thread can be in when it gives up the processor. Above them the kernel says that it
 * was preempted, in a bit that changes from version to version.
 */
#define DECODE_TASK_STATES 0xff

enum decode_result {
	DECODE_EVENT,   /* the event is filled in; its strings belong to the recording */
	DECODE_FOREIGN, /* not of our providers */
	DECODE_DERIVED, /* made by filter.gaptrace.gaps: no input of a report */
	DECODE_UNKNOWN, /* of ours, but of no kind this version knows */
};

/* One field of a class that the recording has. */
struct decode_reader {
	uint64_t index;
	enum field_storage storage;
	bool is_signed;
	size_t offset;
};

struct decode_class {
	const bt_event_class *event_class; /* a reference, so that the address stays its own */
	enum decode_result result;
	enum event_kind kind;
	struct event empty; /* what an event is before its fields are read */
	struct decode_reader readers[EVENT_FIELD_COUNT_MAX];
	uint32_t reader_count;
	uint64_t pid_index; /* in the common context */
	uint64_t tid_index;
	bool is_tid_signed;
	bool is_pid_signed;
	int32_t pid; /* of the trace's environment, 0 when it has none */
	bool has_clock;
	size_t clock_index; /* of the decoder */
	int64_t delta_ns;   /* for fields that are times */
};

/* Gives a class without a clock to the caller, who destroys it. */
MUST_CHECK enum status decode_class_create(const bt_event_class *event_class,
	const bt_stream *stream, struct decode_class **out_class);

/* Puts the value of a field where it belongs: an integer as 64 bits, whatever its sign. */
static inline void decode_class_put(const struct decode_class *class,
	const struct decode_reader *reader, uint64_t value, struct event *event)
{
	char *target = (char *)event + reader->offset;
	const uint32_t narrow = (uint32_t)value;

	switch (reader->storage) {
	case FIELD_TIME:
		value += (uint64_t) class->delta_ns;
		memcpy(target, &value, sizeof(value));
		return;
	case FIELD_U64:
	case FIELD_DURATION:
		memcpy(target, &value, sizeof(value));
		return;
	case FIELD_STATE:
		value &= DECODE_TASK_STATES;
		memcpy(target, &value, sizeof(value));
		return;
	case FIELD_BOOL:
		*(bool *)(void *)target = value != 0;
		return;
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_TID:
	case FIELD_WORK:
	case FIELD_STRING:
		memcpy(target, &narrow, sizeof(narrow));
		return;
	}
}

/* The string is borrowed by the event. */
static inline void decode_class_put_string(
	const struct decode_reader *reader, const char *string, struct event *event)
{
	/* What LTTng writes for a null pointer. */
	if (string[0] == '(' && strcmp(string, "(null)") == 0) {
		string = "";
	}
	*(const char **)(void *)((char *)event + reader->offset) = string;
}

/* Accepts NULL. */
void decode_class_destroy(struct decode_class *class);
