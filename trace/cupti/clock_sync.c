/* SPDX-License-Identifier: MIT */
#include "trace/cupti/clock_sync.h"

#include "trace/base/clock.h"

#include <string.h>

#define BRACKET_COUNT 8

/* A stamp may be a little older than our start, and a device's clock a little ahead. */
#define PAST_SLACK_NS   (60 * NS_PER_S)
#define FUTURE_SLACK_NS NS_PER_S

/* Device and host stamps closer than this are in no known order. */
#define LAUNCH_SLACK_NS (10 * NS_PER_US)

/* Pairs closer than this say nothing of drift: their brackets are too wide. */
#define DRIFT_BASE_NS_MIN (100 * NS_PER_MS)

/* A verdict needs some operations, and a tenth of them. */
#define VERDICT_COUNT_MIN 16
#define VERDICT_SHARE     10

void clock_sync_init(struct clock_sync *clock, enum clock_path path, uint64_t begin_ns)
{
	memset(clock, 0, sizeof(*clock));
	clock->path = path;
	clock->begin_ns = begin_ns;
}

struct clock_reading clock_sync_read(uint64_t (*read)(const void *context), const void *context)
{
	struct clock_reading best = {0, 0, 0};

	for (int i = 0; i < BRACKET_COUNT; i++) {
		struct clock_reading reading = {.before_ns = clock_now_ns()};

		reading.other_ns = read(context);
		reading.after_ns = clock_now_ns();
		if (reading.other_ns == 0) {
			return reading;
		}
		if (i == 0 ||
			reading.after_ns - reading.before_ns < best.after_ns - best.before_ns) {
			best = reading;
		}
	}
	return best;
}

/* Both are below 2^63 where they are told apart from garbage. */
static int64_t difference(uint64_t left, uint64_t right)
{
	return (int64_t)(left - right);
}

static int64_t offset_between(
	const struct clock_pair *from, const struct clock_pair *to, uint64_t other_ns)
{
	const double base_ns = (double)difference(to->other_ns, from->other_ns);
	const double drift_ns = (double)(to->offset_ns - from->offset_ns);

	return from->offset_ns +
	       (int64_t)(drift_ns * ((double)difference(other_ns, from->other_ns) / base_ns));
}

uint64_t clock_sync_predict(const struct clock_sync *clock, uint64_t other_ns)
{
	const struct clock_pair *pairs = clock->pairs;
	uint32_t next = 0;
	int64_t offset_ns;

	if (clock->pair_count == 0) {
		return other_ns;
	}
	while (next < clock->pair_count && pairs[next].other_ns <= other_ns) {
		next++;
	}
	if (next == 0) {
		offset_ns = pairs[0].offset_ns;
	} else if (next < clock->pair_count) {
		offset_ns = offset_between(&pairs[next - 1], &pairs[next], other_ns);
	} else if (next >= 2 &&
		   pairs[next - 1].other_ns - pairs[next - 2].other_ns >= DRIFT_BASE_NS_MIN) {
		offset_ns = offset_between(&pairs[next - 2], &pairs[next - 1], other_ns);
	} else {
		offset_ns = pairs[next - 1].offset_ns;
	}
	return other_ns + (uint64_t)offset_ns;
}

void clock_sync_add(struct clock_sync *clock, const struct clock_reading *reading)
{
	const uint64_t middle_ns =
		reading->before_ns + (reading->after_ns - reading->before_ns) / 2;

	if (clock->pair_count > 0 &&
		reading->other_ns <= clock->pairs[clock->pair_count - 1].other_ns) {
		clock->pair_count = 0;
	}
	if (reading->other_ns == 0) {
		return;
	}
	if (clock->pair_count == CLOCK_PAIR_COUNT_MAX) {
		clock->pair_count--;
		memmove(clock->pairs, clock->pairs + 1,
			clock->pair_count * sizeof(clock->pairs[0]));
	}
	clock->pairs[clock->pair_count] = (struct clock_pair){
		.other_ns = reading->other_ns,
		.offset_ns = difference(middle_ns, reading->other_ns),
	};
	clock->pair_count++;
}

static bool is_plausible(const struct clock_sync *clock, uint64_t time_ns, uint64_t now_ns)
{
	return time_ns + PAST_SLACK_NS >= clock->begin_ns && time_ns <= now_ns + FUTURE_SLACK_NS;
}

/* One stamp; 0 when it fits neither clock. */
static uint64_t convert(const struct clock_sync *clock, uint64_t stamp_ns, uint64_t now_ns)
{
	uint64_t time_ns;

	if (clock->path == CLOCK_PATH_CALLBACK && is_plausible(clock, stamp_ns, now_ns)) {
		return stamp_ns;
	}
	time_ns = clock->pair_count > 0 ? clock_sync_predict(clock, stamp_ns) : 0;
	return time_ns != 0 && is_plausible(clock, time_ns, now_ns) ? time_ns : 0;
}

enum stamp_fault {
	STAMP_GOOD,
	STAMP_ZERO,
	STAMP_INVERTED,
	STAMP_IMPLAUSIBLE,
};

static enum stamp_fault convert_both(const struct clock_sync *clock, struct clock_interval stamps,
	uint64_t now_ns, struct clock_interval *out_interval)
{
	struct clock_interval interval;

	*out_interval = (struct clock_interval){0, 0};
	if (stamps.start_ns == 0 || stamps.end_ns == 0) {
		return STAMP_ZERO;
	}
	interval.start_ns = convert(clock, stamps.start_ns, now_ns);
	interval.end_ns = convert(clock, stamps.end_ns, now_ns);
	if (interval.start_ns == 0 || interval.end_ns == 0) {
		return STAMP_IMPLAUSIBLE;
	}
	if (interval.end_ns < interval.start_ns) {
		return STAMP_INVERTED;
	}
	*out_interval = interval;
	return STAMP_GOOD;
}

bool clock_sync_convert(const struct clock_sync *clock, struct clock_interval stamps,
	uint64_t now_ns, struct clock_interval *out_interval)
{
	return convert_both(clock, stamps, now_ns, out_interval) == STAMP_GOOD;
}

bool clock_sync_operation(struct clock_sync *clock, struct clock_interval stamps, uint64_t now_ns,
	struct clock_interval *out_interval)
{
	const enum stamp_fault fault = convert_both(clock, stamps, now_ns, out_interval);
	struct clock_counts *counts = &clock->counts;

	counts->operation_count++;
	counts->zero_count += fault == STAMP_ZERO;
	counts->inverted_count += fault == STAMP_INVERTED;
	counts->implausible_count += fault == STAMP_IMPLAUSIBLE;
	counts->converted_count += fault == STAMP_GOOD && clock->path == CLOCK_PATH_CALLBACK &&
				   out_interval->start_ns != stamps.start_ns;
	return fault == STAMP_GOOD;
}

void clock_sync_launch(struct clock_sync *clock, uint64_t launch_ns, uint64_t start_ns)
{
	clock->counts.before_launch_count += start_ns + LAUNCH_SLACK_NS < launch_ns;
}

uint64_t clock_sync_bad_count(const struct clock_sync *clock)
{
	const struct clock_counts *counts = &clock->counts;

	return counts->zero_count + counts->inverted_count + counts->implausible_count;
}

bool clock_sync_is_spoilt(const struct clock_sync *clock)
{
	const struct clock_counts *counts = &clock->counts;
	const uint64_t suspect_count = clock_sync_bad_count(clock) + counts->before_launch_count;

	return counts->operation_count >= VERDICT_COUNT_MIN &&
	       suspect_count * VERDICT_SHARE > counts->operation_count;
}
