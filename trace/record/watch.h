/* SPDX-License-Identifier: MIT */
/*
 * Looks after a recording while it runs: disk space and the session daemon. Ask it a few times a
 * second; each finding is told once.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A full disk costs the metadata, so recording ends while there is still room for the last data. */
#define WATCH_FREE_BYTES_MIN (16ULL << 20)
/* Time enough for somebody to make room. */
#define WATCH_WARN_S 600

enum watch_finding {
	WATCH_NOTHING,
	WATCH_DISK_SOON_FULL, /* at this rate in less than WATCH_WARN_S */
	WATCH_DISK_FULL,      /* stop the session now */
	WATCH_DAEMON_GONE,    /* the recording has ended by itself */
};

struct watch {
	const char *output; /* borrowed from the caller */
	uint64_t begin_ns;
	uint64_t begin_free_bytes;
	uint64_t last_free_bytes;
	uint64_t left_s; /* of WATCH_DISK_SOON_FULL */
	bool has_warned;
};

MUST_CHECK enum status watch_init(struct watch *watch, const char *output, struct diag *diag);
enum watch_finding watch_look(struct watch *watch);

/* The decision alone, for the state `free_bytes` at `now_ns`. */
enum watch_finding watch_judge(struct watch *watch, uint64_t now_ns, uint64_t free_bytes);
