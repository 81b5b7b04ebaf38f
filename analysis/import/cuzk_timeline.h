/* SPDX-License-Identifier: MIT */
/*
 * TIMELINE lines: `TIMELINE,<ms since the engine began>,<EVENT>,<job>,<detail>`. The job is the
 * caller's text and may hold blanks, brackets and commas; the detail's form depends on the event,
 * and is what tells where the job ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* X(constant, word in the line) */
#define CUZK_TIMELINE_TABLE(X)                                                                     \
	X(SYNTH_START, "SYNTH_START")                                                              \
	X(SYNTH_END, "SYNTH_END")                                                                  \
	X(GPU_QUEUE, "GPU_QUEUE")                                                                  \
	X(GPU_PICKUP, "GPU_PICKUP")                                                                \
	X(GPU_START, "GPU_START")                                                                  \
	X(GPU_END, "GPU_END")

#define CUZK_TIMELINE_ENUM(constant, word) CUZK_##constant,
enum cuzk_timeline_event {
	CUZK_TIMELINE_TABLE(CUZK_TIMELINE_ENUM) CUZK_TIMELINE_EVENT_COUNT
};
#undef CUZK_TIMELINE_ENUM

/* No partition: the job is proved in one piece. Also: no worker. */
#define CUZK_NONE (-1)

struct cuzk_timeline {
	uint64_t time_ms;
	enum cuzk_timeline_event event;
	const char *job;  /* in the line that was parsed */
	const char *kind; /* of SYNTH_START of a job in one piece; "" else */
	int32_t partition;
	int32_t worker;
	uint64_t duration_ms; /* synth_ms or gpu_ms; GAPTRACE_UNKNOWN when not told */
};

enum cuzk_timeline_result {
	CUZK_TIMELINE_OK,
	CUZK_TIMELINE_OTHER, /* no line of this kind, or CHAN_SEND of old builds */
	CUZK_TIMELINE_BAD,   /* it should be one, and does not parse */
};

/* Parses a line in place: ends its job with a zero. */
enum cuzk_timeline_result cuzk_timeline_parse(char *line, struct cuzk_timeline *out_timeline);
