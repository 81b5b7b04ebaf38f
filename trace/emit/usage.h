/* SPDX-License-Identifier: MIT */
/*
 * What a span or task cost its thread: CPU time, and time runnable without a CPU. A reading costs
 * about 1.3 us of system calls, so it is taken only while something records, at most every
 * USAGE_STALE_NS, and not for spans shorter than USAGE_SPAN_NS_MIN.
 */
#pragma once

#include "trace/lttng/samples.h"

#include <stdint.h>

/* A begin may use a reading this old: the error it brings into a span is at most this. */
#define USAGE_STALE_NS 25000

/* Shorter spans are not measured: reading would be a noticeable part of them. */
#define USAGE_SPAN_NS_MIN 100000

/*
 * Each thread keeps a file open. A host that is out of descriptors cannot accept a connection, so
 * the threads that come after have no run delay: at most a quarter of what the host may open.
 */
#define USAGE_FILE_COUNT_MAX 1024
#define USAGE_FILE_SHARE     4

/* How things stood at a begin. */
struct usage_mark {
	uint64_t begin_ns; /* 0: nothing recorded then */
	uint64_t cpu_ns;
	uint64_t run_delay_ns;
	int32_t tid; /* of the thread that began */
};

/* The values at a begin at `now_ns`, to be kept for usage_end. */
void usage_begin(uint64_t now_ns, uint64_t *out_cpu_ns, uint64_t *out_run_delay_ns);

struct sample_usage usage_end(const struct usage_mark *mark);

/* Closes the calling thread's file, if that is still what its number stands for. */
void usage_close(void);
