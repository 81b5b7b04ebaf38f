/* SPDX-License-Identifier: MIT */
/* There is always a buffer, it is always zero, and what is lost for it is counted. */
#include "trace/base/clock.h"
#include "trace/cupti/activity_buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_MAX    4
#define THREAD_COUNT 4
#define TURN_COUNT   3000

/* In these tests a record is a byte. */
static uint64_t count_bytes(void *context, uint8_t *data, size_t valid_bytes)
{
	(void)data;
	(void)__atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
	return valid_bytes;
}

static struct activity_buffer_pool pool;
static int read_count;

static int set_up(void **state)
{
	(void)state;
	read_count = 0;
	if (activity_buffer_pool_init(&pool, COUNT_MAX) != STATUS_OK) {
		return 1;
	}
	pool.drop_records = count_bytes;
	pool.drop_context = &read_count;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	activity_buffer_pool_finish(&pool);
	return 0;
}

static bool is_zero(const uint8_t *data, size_t bytes)
{
	return data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0;
}

static uint8_t *request(size_t *out_bytes)
{
	uint8_t *data = activity_buffer_pool_request(&pool, out_bytes);

	assert_non_null(data);
	assert_int_equal((uintptr_t)data % 8, 0);
	assert_true(is_zero(data, *out_bytes));
	return data;
}

static void buffers_come_back_in_the_order_of_their_completion(void **state)
{
	size_t bytes;
	uint8_t *first = request(&bytes);
	uint8_t *second = request(&bytes);
	struct activity_buffer *taken;

	(void)state;
	assert_null(activity_buffer_pool_take(&pool));
	activity_buffer_pool_complete(&pool, second, 10);
	activity_buffer_pool_complete(&pool, first, 20);
	taken = activity_buffer_pool_take(&pool);
	assert_ptr_equal(taken->data, second);
	assert_int_equal(taken->valid_bytes, 10);
	activity_buffer_pool_put(&pool, taken);
	taken = activity_buffer_pool_take(&pool);
	assert_ptr_equal(taken->data, first);
	activity_buffer_pool_put(&pool, taken);
	assert_null(activity_buffer_pool_take(&pool));
}

static void a_buffer_is_zero_again_even_behind_what_was_valid(void **state)
{
	size_t bytes;

	(void)state;
	for (int i = 0; i < 3 * COUNT_MAX; i++) {
		uint8_t *data = request(&bytes);

		memset(data, 0xee, bytes);
		activity_buffer_pool_complete(&pool, data, i % 2 ? 8 : 0);
		if (i % 2) {
			activity_buffer_pool_put(&pool, activity_buffer_pool_take(&pool));
		}
	}
}

static void past_the_pool_there_are_small_ones(void **state)
{
	uint8_t *data[COUNT_MAX + 20];
	size_t bytes;
	struct activity_buffer *taken;

	(void)state;
	for (int i = 0; i < COUNT_MAX + 20; i++) {
		data[i] = request(&bytes);
		assert_true(i < COUNT_MAX ? bytes == ACTIVITY_BUFFER_BYTES
					  : bytes < ACTIVITY_BUFFER_BYTES);
	}
	assert_int_equal(pool.extra_count, 20);
	/* Ten of them are read, the rest go with the pool. */
	for (int i = COUNT_MAX; i < COUNT_MAX + 10; i++) {
		activity_buffer_pool_complete(&pool, data[i], 5);
	}
	for (int i = 0; i < 10; i++) {
		taken = activity_buffer_pool_take(&pool);
		assert_non_null(taken);
		activity_buffer_pool_put(&pool, taken);
	}
	assert_int_equal(pool.extra_count, 10);
	assert_int_equal(activity_buffer_pool_lost(&pool), 0);
}

static void when_nobody_reads_the_oldest_full_one_is_lost_and_counted(void **state)
{
	static uint8_t *data[COUNT_MAX + ACTIVITY_BUFFER_EXTRA_MAX];
	const int count = COUNT_MAX + ACTIVITY_BUFFER_EXTRA_MAX;
	size_t bytes;

	(void)state;
	for (int i = 0; i < count; i++) {
		data[i] = request(&bytes);
	}
	/* One of the pool's own, and one of the small ones. */
	memset(data[0], 1, 100);
	activity_buffer_pool_complete(&pool, data[0], 100);
	memset(data[COUNT_MAX], 1, 101);
	activity_buffer_pool_complete(&pool, data[COUNT_MAX], 101);
	assert_ptr_equal(request(&bytes), data[0]);
	assert_int_equal(bytes, ACTIVITY_BUFFER_BYTES);
	assert_ptr_equal(request(&bytes), data[COUNT_MAX]);
	assert_int_equal(activity_buffer_pool_lost(&pool), 201);
	assert_int_equal(activity_buffer_pool_lost(&pool), 0);
	assert_int_equal(pool.extra_count, ACTIVITY_BUFFER_EXTRA_MAX);
	/* With nothing to lose there is one more all the same. */
	(void)request(&bytes);
	assert_int_equal(pool.extra_count, ACTIVITY_BUFFER_EXTRA_MAX + 1);
	assert_int_equal(read_count, 2);
}

static void the_oldest_fetch_counts_until_its_records_are_taken(void **state)
{
	const uint64_t before_ns = clock_now_ns();
	size_t bytes;
	uint8_t *first;
	uint64_t first_ns;
	struct activity_buffer *taken;

	(void)state;
	assert_true(activity_buffer_pool_oldest_ns(&pool, UINT64_MAX) == UINT64_MAX);
	first = request(&bytes);
	(void)request(&bytes);
	first_ns = activity_buffer_pool_oldest_ns(&pool, UINT64_MAX);
	assert_true(first_ns >= before_ns && first_ns <= clock_now_ns());
	activity_buffer_pool_complete(&pool, first, 1);
	assert_true(activity_buffer_pool_oldest_ns(&pool, UINT64_MAX) == first_ns);
	taken = activity_buffer_pool_take(&pool);
	activity_buffer_pool_put(&pool, taken);
	assert_true(activity_buffer_pool_oldest_ns(&pool, UINT64_MAX) >= first_ns);
	assert_true(activity_buffer_pool_oldest_ns(&pool, 1) == 1);
}

static void addresses_that_are_not_out_are_ignored(void **state)
{
	size_t bytes;
	uint8_t *data = request(&bytes);
	uint8_t foreign[8];

	(void)state;
	activity_buffer_pool_complete(&pool, foreign, 8);
	activity_buffer_pool_complete(&pool, data + 8, 8);
	activity_buffer_pool_complete(&pool, NULL, 8);
	assert_null(activity_buffer_pool_take(&pool));
	activity_buffer_pool_complete(&pool, data, 8);
	activity_buffer_pool_complete(&pool, data, 8);
	activity_buffer_pool_put(&pool, activity_buffer_pool_take(&pool));
	assert_null(activity_buffer_pool_take(&pool));
}

static void a_closed_pool_still_serves_and_keeps_nothing(void **state)
{
	size_t bytes;

	(void)state;
	activity_buffer_pool_stop(&pool);
	activity_buffer_pool_close(&pool);
	assert_false(activity_buffer_pool_wait(&pool, UINT64_MAX / 2));
	for (int i = 0; i < 3 * COUNT_MAX; i++) {
		uint8_t *data = request(&bytes);

		memset(data, 1, 64);
		activity_buffer_pool_complete(&pool, data, 64);
		assert_null(activity_buffer_pool_take(&pool));
	}
	assert_int_equal(pool.extra_count, 0);
}

static void *fetch_and_give_back(void *unused)
{
	for (int i = 0; i < TURN_COUNT; i++) {
		size_t bytes;
		uint8_t *data = activity_buffer_pool_request(&pool, &bytes);

		if (!data || data[0] || data[bytes - 1]) {
			abort();
		}
		data[0] = 1;
		activity_buffer_pool_complete(&pool, data, 1);
	}
	return unused;
}

/* Every record is read or counted as lost. */
static void threads_share_the_pool(void **state)
{
	pthread_t threads[THREAD_COUNT];
	uint64_t taken_count = 0;
	struct activity_buffer *taken;

	(void)state;
	for (int i = 0; i < THREAD_COUNT; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, fetch_and_give_back, NULL), 0);
	}
	for (int i = 0; i < 200; i++) {
		(void)activity_buffer_pool_wait(&pool, clock_now_ns() + NS_PER_MS);
		while ((taken = activity_buffer_pool_take(&pool)) != NULL) {
			taken_count += taken->valid_bytes;
			activity_buffer_pool_put(&pool, taken);
		}
	}
	for (int i = 0; i < THREAD_COUNT; i++) {
		pthread_join(threads[i], NULL);
	}
	while ((taken = activity_buffer_pool_take(&pool)) != NULL) {
		taken_count += taken->valid_bytes;
		activity_buffer_pool_put(&pool, taken);
	}
	assert_int_equal(taken_count + activity_buffer_pool_lost(&pool), THREAD_COUNT * TURN_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			buffers_come_back_in_the_order_of_their_completion, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_buffer_is_zero_again_even_behind_what_was_valid, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			past_the_pool_there_are_small_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			when_nobody_reads_the_oldest_full_one_is_lost_and_counted, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			the_oldest_fetch_counts_until_its_records_are_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			addresses_that_are_not_out_are_ignored, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_closed_pool_still_serves_and_keeps_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_share_the_pool, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
