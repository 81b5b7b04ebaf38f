/* SPDX-License-Identifier: MIT */
/*
 * Proves that buffers are reused when they are to be, made and freed each time when not, that a
 * failing driver makes them pageable and no error, and that nothing is lost count of.
 */
#include "device_rig.h"
#include "prover/pinned_pool.h"
#include "recorded_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KB 1024u

struct pool_rig {
	struct device_rig device;
	struct pinned_pool *pool;
};

static void open_rig(struct pool_rig *rig, const char *backend, enum pinned_pool_staging staging,
	struct device_config config)
{
	struct pinned_pool_config pool_config = {.staging = staging};

	device_rig_open(&rig->device, backend, config);
	pool_config.ops = rig->device.ops;
	pool_config.device = rig->device.device;
	assert_int_equal(pinned_pool_create(&pool_config, &rig->pool), STATUS_OK);
}

static void close_rig(struct pool_rig *rig)
{
	pinned_pool_destroy(rig->pool);
	device_rig_close(&rig->device);
}

static struct pinned_buffer checkout(struct pool_rig *rig, uint64_t bytes)
{
	struct pinned_buffer buffer = {0};

	assert_int_equal(pinned_pool_checkout(rig->pool, bytes, &buffer), STATUS_OK);
	assert_non_null(buffer.memory);
	assert_int_equal(buffer.bytes, bytes);
	if (rig->device.ops->makes_proofs) {
		memset(buffer.memory, 0xa5, bytes);
	}
	return buffer;
}

static void a_kept_buffer_is_used_again(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer buffer;
	void *first;

	open_rig(&rig, *state, PINNED_POOL_REUSE, (struct device_config){0});
	buffer = checkout(&rig, 8 * KB);
	assert_true(buffer.is_pinned);
	first = buffer.memory;
	pinned_pool_checkin(rig.pool, &buffer);
	assert_null(buffer.memory);
	assert_int_equal(pinned_pool_counts(rig.pool).kept_bytes, 8 * KB);
	buffer = checkout(&rig, 4 * KB);
	assert_ptr_equal(buffer.memory, first);
	pinned_pool_checkin(rig.pool, &buffer);
	assert_int_equal(pinned_pool_counts(rig.pool).allocated_count, 1);
	assert_int_equal(pinned_pool_counts(rig.pool).reused_count, 1);
	assert_int_equal(pinned_pool_counts(rig.pool).kept_bytes, 8 * KB);
	close_rig(&rig);
}

static void the_smallest_that_fits_is_taken(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer large;
	struct pinned_buffer small;
	struct pinned_buffer middle;
	void *middle_memory;

	open_rig(&rig, *state, PINNED_POOL_REUSE, (struct device_config){0});
	large = checkout(&rig, 64 * KB);
	small = checkout(&rig, 8 * KB);
	middle = checkout(&rig, 16 * KB);
	middle_memory = middle.memory;
	/* Given back so that neither the first nor the last one kept is right. */
	pinned_pool_checkin(rig.pool, &small);
	pinned_pool_checkin(rig.pool, &middle);
	pinned_pool_checkin(rig.pool, &large);
	middle = checkout(&rig, 9 * KB);
	assert_ptr_equal(middle.memory, middle_memory);
	pinned_pool_checkin(rig.pool, &middle);
	close_rig(&rig);
}

static void per_call_buffers_are_never_kept(void **state)
{
	struct pool_rig rig;

	open_rig(&rig, *state, PINNED_POOL_PER_CALL, (struct device_config){0});
	for (int i = 0; i < 5; i++) {
		struct pinned_buffer buffer = checkout(&rig, 8 * KB);

		assert_true(buffer.is_pinned);
		pinned_pool_checkin(rig.pool, &buffer);
	}
	assert_int_equal(pinned_pool_counts(rig.pool).allocated_count, 5);
	assert_int_equal(pinned_pool_counts(rig.pool).reused_count, 0);
	assert_int_equal(pinned_pool_counts(rig.pool).kept_bytes, 0);
	close_rig(&rig);
}

static void pageable_buffers_ask_no_driver(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer buffer;
	uint64_t api_count;

	open_rig(&rig, *state, PINNED_POOL_PAGEABLE, (struct device_config){0});
	api_count = rig.device.ops->counts(rig.device.device).api_count;
	buffer = checkout(&rig, 8 * KB);
	assert_false(buffer.is_pinned);
	pinned_pool_checkin(rig.pool, &buffer);
	assert_int_equal(rig.device.ops->counts(rig.device.device).api_count, api_count);
	assert_int_equal(pinned_pool_counts(rig.pool).pageable_count, 1);
	close_rig(&rig);
}

static void without_pinned_memory_a_buffer_is_pageable(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer buffer;

	open_rig(&rig, *state, PINNED_POOL_REUSE,
		(struct device_config){.fault = DEVICE_FAULT_PINNED_ALLOC, .fault_after_count = 1});
	buffer = checkout(&rig, 8 * KB);
	assert_false(buffer.is_pinned);
	pinned_pool_checkin(rig.pool, &buffer);
	assert_int_equal(pinned_pool_counts(rig.pool).kept_bytes, 0);
	close_rig(&rig);
}

static void shrinking_frees_the_largest_first(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer large;
	struct pinned_buffer small;

	open_rig(&rig, *state, PINNED_POOL_REUSE, (struct device_config){0});
	small = checkout(&rig, 8 * KB);
	large = checkout(&rig, 64 * KB);
	pinned_pool_checkin(rig.pool, &large);
	pinned_pool_checkin(rig.pool, &small);
	assert_int_equal(pinned_pool_shrink(rig.pool, 1), 64 * KB);
	assert_int_equal(pinned_pool_counts(rig.pool).kept_bytes, 8 * KB);
	assert_int_equal(pinned_pool_shrink(rig.pool, UINT64_MAX), 8 * KB);
	assert_int_equal(pinned_pool_shrink(rig.pool, 1), 0);
	close_rig(&rig);
}

static void no_more_is_kept_than_the_limit(void **state)
{
	struct pool_rig rig;
	struct pinned_pool_config config = {.kept_bytes_max = 12 * KB};
	struct pinned_pool *pool = NULL;
	struct pinned_buffer buffers[2];

	device_rig_open(&rig.device, *state, (struct device_config){0});
	config.ops = rig.device.ops;
	config.device = rig.device.device;
	assert_int_equal(pinned_pool_create(&config, &pool), STATUS_OK);
	rig.pool = pool;
	buffers[0] = checkout(&rig, 8 * KB);
	buffers[1] = checkout(&rig, 8 * KB);
	pinned_pool_checkin(pool, &buffers[0]);
	pinned_pool_checkin(pool, &buffers[1]);
	assert_int_equal(pinned_pool_counts(pool).kept_bytes, 8 * KB);
	close_rig(&rig);
}

/* What is alive is told as the device tells of its own: after each act, zero in the end. */
static void buffers_in_use_are_told(void **state)
{
	struct pool_rig rig;
	struct pinned_buffer buffers[3];
	const struct recorded *records;
	uint32_t count;
	uint64_t live_bytes = 0;
	uint32_t told_count = 0;

	open_rig(&rig, *state, PINNED_POOL_REUSE, (struct device_config){0});
	recorded_trace_clear();
	for (uint32_t i = 0; i < 3; i++) {
		buffers[i] = checkout(&rig, (i + 1) * KB);
	}
	assert_int_equal(pinned_pool_counts(rig.pool).live_bytes, 6 * KB);
	for (uint32_t i = 0; i < 3; i++) {
		pinned_pool_checkin(rig.pool, &buffers[i]);
	}
	records = recorded_trace(&count);
	for (uint32_t i = 0; i < count; i++) {
		const bool is_alloc = records[i].kind == RECORDED_BUFFER_ALLOC;

		if (records[i].number == GAPTRACE_BUFFER_ABC &&
			(is_alloc || records[i].kind == RECORDED_BUFFER_FREE)) {
			live_bytes += is_alloc ? records[i].bytes : -records[i].bytes;
			assert_int_equal(records[i].live_bytes, live_bytes);
			told_count++;
		}
	}
	assert_int_equal(told_count, 6);
	assert_int_equal(live_bytes, 0);
	close_rig(&rig);
}

static int finish(void **state)
{
	(void)state;
	recorded_trace_clear();
	device_rig_free_key();
	return 0;
}

/* clang-format off */
#define BOTH(test)                                                                                 \
	{#test " (cpu)", test, NULL, NULL, "cpu"}, {#test " (sim)", test, NULL, NULL, "sim"}
/* clang-format on */

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(a_kept_buffer_is_used_again),
		BOTH(the_smallest_that_fits_is_taken),
		BOTH(per_call_buffers_are_never_kept),
		BOTH(pageable_buffers_ask_no_driver),
		BOTH(without_pinned_memory_a_buffer_is_pageable),
		BOTH(shrinking_frees_the_largest_first),
		BOTH(no_more_is_kept_than_the_limit),
		BOTH(buffers_in_use_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
