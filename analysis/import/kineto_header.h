/* SPDX-License-Identifier: MIT */
/* What a Kineto file says about itself, around its list of events and in the list's metadata. */
#pragma once

#include "analysis/import/kineto_json.h"
#include "analysis/import/kineto_row.h"
#include "analysis/import/kineto_trace.h"

#include <stdbool.h>
#include <stdint.h>

/* Keys that are looked at. */
enum kineto_header_key {
	KINETO_HEADER_OTHER,
	KINETO_HEADER_EVENTS,
	KINETO_HEADER_BASE,
	KINETO_HEADER_DEVICES,
	KINETO_HEADER_DISTRIBUTED,
};

/* Where in the text around the list the reading is. All zero before its begin. */
struct kineto_header {
	bool is_object;      /* the outermost value is */
	bool has_named_list; /* "traceEvents": a trace even if it is empty */
	enum kineto_header_key key;
	char inner[32]; /* the key inside the value of `key` */
	int64_t device; /* that the present object is about; -1: not known yet */
	char device_name[NAME_BYTES_MAX];
};

/* Whether an array that begins at `depth` is the list of events. */
bool kineto_header_is_list(struct kineto_header *header, uint32_t depth);

void kineto_header_take(struct kineto_header *header, struct kineto_trace *trace,
	enum kineto_token token, uint32_t depth, const char *text);

/* The text of baseTimeNanoseconds. */
void kineto_header_take_base(struct kineto_trace *trace, const char *text);

/* A row with phase M: names of processes and threads. */
MUST_CHECK enum status kineto_header_take_metadata(
	struct kineto_trace *trace, const struct kineto_row *row);

/* Something ran on the device. */
void kineto_header_use_device(struct kineto_trace *trace, int32_t ordinal);
