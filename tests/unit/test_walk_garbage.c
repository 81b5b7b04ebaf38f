/* SPDX-License-Identifier: MIT */
/* Proves that no order of events, however wrong, upsets the walk: parts always sum (rule 10). */
#include "analysis/core/event.h"
#include "tests/fuzz/walk_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEED_COUNT 1000
#define STEP_COUNT 400

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void fill_random(uint8_t *bytes, size_t size, uint64_t seed)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < size; i++) {
		bytes[i] = (uint8_t)(next_random(&state) >> 32);
	}
}

/* walk_events_replay aborts when a claim does not hold, with what it was. */
static void random_events_always_sum(void **state)
{
	const size_t size = (size_t)STEP_COUNT * WALK_EVENTS_BYTES;
	uint8_t *bytes = malloc(size);

	(void)state;
	assert_non_null(bytes);
	for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
		fill_random(bytes, size, seed);
		walk_events_replay(bytes, size);
	}
	free(bytes);
}

/* Host events only, so that lanes nest deep and ends are often missing. */
static void random_host_events_always_sum(void **state)
{
	const size_t size = (size_t)STEP_COUNT * WALK_EVENTS_BYTES;
	uint8_t *bytes = malloc(size);

	(void)state;
	assert_non_null(bytes);
	for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
		fill_random(bytes, size, seed + SEED_COUNT);
		for (size_t i = 0; i < size; i += WALK_EVENTS_BYTES) {
			bytes[i] = (uint8_t)(bytes[i] % 20);
			bytes[i + 1] %= 3;
		}
		walk_events_replay(bytes, size);
	}
	free(bytes);
}

/* What a trace of another tool has, in any order: the source first, and often a question. */
static void random_imported_events_always_sum(void **state)
{
	static const uint8_t kinds[] = {EVENT_SPAN_BEGIN, EVENT_SPAN_END, EVENT_GPU_API,
		EVENT_GPU_KERNEL, EVENT_GPU_MEMCPY, EVENT_GPU_SYNC, EVENT_GPU_OVERHEAD,
		EVENT_SCHED_SWITCH, EVENT_SCHED_WAKING, EVENT_IMPORT_OS_CALL, EVENT_KIND_COUNT,
		EVENT_KIND_COUNT + 4};
	const size_t size = (size_t)STEP_COUNT * WALK_EVENTS_BYTES;
	uint8_t *bytes = malloc(size);

	(void)state;
	assert_non_null(bytes);
	for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
		fill_random(bytes, size, seed + 2 * SEED_COUNT);
		for (size_t i = 0; i < size; i += WALK_EVENTS_BYTES) {
			bytes[i] = kinds[bytes[i] % sizeof(kinds)];
			bytes[i + 1] %= 3;
		}
		bytes[0] = EVENT_IMPORT_NOTE;
		bytes[6] = EVENT_NOTE_SOURCE;
		walk_events_replay(bytes, size);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_events_always_sum),
		cmocka_unit_test(random_host_events_always_sum),
		cmocka_unit_test(random_imported_events_always_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
