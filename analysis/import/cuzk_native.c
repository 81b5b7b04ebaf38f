/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_native.h"

#include "analysis/import/cuzk_text.h"

#include <string.h>

/* Each of a sum's terms is rounded to a millisecond by itself. */
#define ROUNDING_MS 5

/* The lines of one call, in the order in which they are written. */
enum call_line {
	LINE_LOCKED = 1 << 0, /* pre_lock_cpu_ms, mutex_wait_ms */
	LINE_NTT = 1 << 1,
	LINE_BARRIER = 1 << 2,
	LINE_BATCH = 1 << 3,
	LINE_TAIL = 1 << 4,
	LINE_HELD = 1 << 5, /* mutex_held_ms, total_start_fn_ms: the last */
	LINE_ALL = (1 << 6) - 1,
};

/* Which line it is, with its values put where they belong; 0 for those outside the mutex. */
static uint32_t take_line(const char *line, struct cuzk_call *call)
{
	if (cuzk_text_unsigned(line, "pre_lock_cpu_ms", &call->pre_lock_ms)) {
		return cuzk_text_unsigned(line, "mutex_wait_ms", &call->mutex_wait_ms) ? LINE_LOCKED
										       : 0;
	}
	if (cuzk_text_unsigned(line, "ntt_msm_h_ms", &call->ntt_msm_h_ms)) {
		return LINE_NTT;
	}
	if (cuzk_text_unsigned(line, "barrier_wait_ms", &call->barrier_ms)) {
		return LINE_BARRIER;
	}
	if (cuzk_text_unsigned(line, "batch_add_ms", &call->batch_add_ms)) {
		return LINE_BATCH;
	}
	if (cuzk_text_unsigned(line, "tail_msm_ms", &call->tail_msm_ms)) {
		return cuzk_text_unsigned(line, "gpu_total_ms", &call->gpu_total_ms) ? LINE_TAIL
										     : 0;
	}
	if (cuzk_text_unsigned(line, "mutex_held_ms", &call->mutex_held_ms)) {
		return cuzk_text_unsigned(line, "total_start_fn_ms", &call->total_ms) ? LINE_HELD
										      : 0;
	}
	return 0;
}

static bool is_near(uint64_t left_ms, uint64_t right_ms)
{
	return left_ms > right_ms ? left_ms - right_ms <= ROUNDING_MS
				  : right_ms - left_ms <= ROUNDING_MS;
}

static bool adds_up(const struct cuzk_call *call)
{
	const uint64_t gpu_ms =
		call->ntt_msm_h_ms + call->barrier_ms + call->batch_add_ms + call->tail_msm_ms;
	const uint64_t total_ms = call->pre_lock_ms + call->mutex_wait_ms + call->mutex_held_ms;

	return is_near(gpu_ms, call->gpu_total_ms) && is_near(total_ms, call->total_ms) &&
	       call->gpu_total_ms <= call->mutex_held_ms + ROUNDING_MS;
}

/* None of the calls that wait can be told from the others any more. */
static void doubt(struct cuzk_native *native)
{
	native->unjoined += native->waiting_count;
	native->doubtful_count += native->waiting_count;
	native->waiting_count = 0;
}

static void close_call(struct cuzk_native *native)
{
	if (native->seen == LINE_ALL && !native->is_mixed && adds_up(&native->open)) {
		native->whole++;
		if (native->waiting_count == CUZK_CALLS_WAITING_MAX) {
			doubt(native);
		}
		native->waiting[native->waiting_count++] = native->open;
	} else {
		native->broken++;
		native->doubtful_count++;
	}
	native->seen = 0;
	native->is_mixed = false;
	native->open = (struct cuzk_call){0};
}

bool cuzk_native_add(struct cuzk_native *native, const char *line)
{
	uint32_t bit;

	if (strncmp(line, "CUZK_TIMING: ", strlen("CUZK_TIMING: ")) != 0 &&
		strncmp(line, "CUZK_NTT_H: ", strlen("CUZK_NTT_H: ")) != 0) {
		return false;
	}
	native->lines++;
	bit = take_line(line, &native->open);
	if (bit == 0) {
		return true;
	}
	/* In order, each once, or the lines of two calls lie between one another. */
	if (native->seen != bit - 1) {
		native->is_mixed = true;
	}
	native->seen |= bit;
	if (bit == LINE_HELD) {
		close_call(native);
	}
	return true;
}

bool cuzk_native_join(
	struct cuzk_native *native, uint64_t prove_start_ms, struct cuzk_call *out_call)
{
	size_t found = native->waiting_count;
	size_t fitting_count = 0;

	for (size_t i = 0; i < native->waiting_count; i++) {
		if (native->waiting[i].total_ms <= prove_start_ms + ROUNDING_MS) {
			fitting_count++;
			found = i;
		}
	}
	if (fitting_count != 1 || native->doubtful_count > 0) {
		/* Whichever it was, the others cannot be told apart from here on either. */
		doubt(native);
		cuzk_native_lose(native);
		return false;
	}
	*out_call = native->waiting[found];
	native->waiting[found] = native->waiting[--native->waiting_count];
	native->joined++;
	return true;
}

void cuzk_native_lose(struct cuzk_native *native)
{
	if (native->doubtful_count > 0) {
		native->doubtful_count--;
	} else {
		doubt(native);
		native->doubtful_count -= native->doubtful_count > 0;
	}
}

void cuzk_native_cut(struct cuzk_native *native)
{
	native->unjoined += native->waiting_count;
	native->waiting_count = 0;
	native->doubtful_count = 0;
	native->broken += native->seen != 0;
	native->seen = 0;
	native->is_mixed = false;
}
