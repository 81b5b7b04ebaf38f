/* SPDX-License-Identifier: MIT */
/* A row of the list of events as an event of the engine. */
#pragma once

#include "analysis/core/event.h"
#include "analysis/import/kineto_names.h"
#include "analysis/import/kineto_row.h"

/*
 * How events of one time are sorted: arrows before what they lead to, outer ranges before inner
 * ones and both before the calls in them, calls before what they issued. A range's duration is in
 * its order: KINETO_ORDER_RANGE + KINETO_DURATION_MAX_NS - duration.
 */
#define KINETO_ORDER_FLOW      0ULL
#define KINETO_ORDER_PAIR      1ULL
#define KINETO_ORDER_RANGE     2ULL
#define KINETO_ORDER_CALL      (1ULL << 63)
#define KINETO_ORDER_OPERATION (KINETO_ORDER_CALL + 1)

/* Longer than any recording: 146 years. */
#define KINETO_DURATION_MAX_NS ((int64_t)1 << 62)

/* Why a row makes no event. */
enum kineto_verdict {
	KINETO_VERDICT_EVENT,
	KINETO_VERDICT_NOTHING,   /* it tells nothing that the engine wants */
	KINETO_VERDICT_MALFORMED, /* it lacks what a row of its kind must have */
	KINETO_VERDICT_BAD_TIME,  /* a range without a length, or with a negative one */
};

/*
 * Makes the event of a row with phase X, B or E, or that of a flow, whose texts are borrowed from
 * the row. Times are those of the file, negative ones 0. Of what ran on a device the process is not
 * set: the row names the device instead. Without a duration it ends at 0, before it began.
 */
enum kineto_verdict kineto_event_make(const struct kineto_row *row, enum kineto_category category,
	struct event *out_event, uint64_t *out_order);
