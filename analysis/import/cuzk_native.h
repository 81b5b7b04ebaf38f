/* SPDX-License-Identifier: MIT */
/*
 * The lines of the daemon's native code (CUZK_TIMING, CUZK_NTT_H) name neither time, thread, GPU,
 * job nor partition, and those of two calls may be mixed. The ones written inside the GPU mutex are
 * taken for one call when each is there once and the sums hold (to rounding):
 *
 *   gpu_total = ntt_msm_h + barrier_wait + batch_add + tail_msm <= mutex_held
 *   total_start_fn = pre_lock_cpu + mutex_wait + mutex_held
 *
 * A call belongs to the next prove_start line of the same file when that line could be of no other
 * call, of those that could not be told apart either. All else is counted, and used for nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one call of prove_start told, in milliseconds. */
struct cuzk_call {
	uint64_t pre_lock_ms;
	uint64_t mutex_wait_ms;
	uint64_t ntt_msm_h_ms;
	uint64_t barrier_ms;
	uint64_t batch_add_ms;
	uint64_t tail_msm_ms;
	uint64_t gpu_total_ms;
	uint64_t mutex_held_ms;
	uint64_t total_ms;
};

/* Calls that returned and whose prove_start line has not come: one per worker. */
#define CUZK_CALLS_WAITING_MAX 64 /* two workers on each of 32 GPUs */

struct cuzk_native {
	struct cuzk_call open;
	uint32_t seen; /* bits of the open call's lines */
	bool is_mixed;
	struct cuzk_call waiting[CUZK_CALLS_WAITING_MAX];
	size_t waiting_count;
	size_t doubtful_count; /* returned as well, and any prove_start line may be theirs */
	uint64_t lines;
	uint64_t whole;    /* calls whose sums hold */
	uint64_t broken;   /* calls that were mixed with others, or whose sums do not hold */
	uint64_t joined;   /* to a partition */
	uint64_t unjoined; /* whole, but of nobody in particular */
};

/* False when the line is none of the native code's. */
bool cuzk_native_add(struct cuzk_native *native, const char *line);

/* A prove_start line of so many milliseconds: true when exactly one call can be its own. */
bool cuzk_native_join(
	struct cuzk_native *native, uint64_t prove_start_ms, struct cuzk_call *out_call);

/* A worker went on without its prove_start line: one call fewer waits for its own. */
void cuzk_native_lose(struct cuzk_native *native);

/* The next line is of another file, or there is none: nothing waits any more. */
void cuzk_native_cut(struct cuzk_native *native);
