/* SPDX-License-Identifier: MIT */
/* An event as bytes: the fields that its kind has, one after another. Names are kept addresses. */
#pragma once

#include "analysis/core/event.h"
#include "analysis/core/event_fields.h"
#include "analysis/core/walk_names.h"
#include "trace/base/status.h"

#include <stddef.h>

struct event_record {
	uint64_t time_ns;
	uint64_t order;
	int32_t pid;
	int32_t tid;
	uint32_t kind;
	uint32_t size; /* with this header */
};

/* The header, and every field of the widest event with its eight bytes. */
#define EVENT_RECORD_BYTES_MAX (sizeof(struct event_record) + EVENT_FIELD_COUNT_MAX * 8)

/* Writes at most EVENT_RECORD_BYTES_MAX to `bytes`; the names are kept in `names`. */
MUST_CHECK enum status event_record_pack(const struct event *event, uint64_t order,
	struct walk_names *names, unsigned char *bytes, size_t *out_size);

/* Reads what event_record_pack wrote. */
void event_record_unpack(const unsigned char *bytes, struct event *out_event, uint64_t *out_order);
