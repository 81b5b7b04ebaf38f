/* SPDX-License-Identifier: MIT */
/* Proves that buffers are sized by possible CPUs, made to fit the memory there is, or refused. */
#include "trace/record/buffers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MIB (1ULL << 20)

static struct profile *profile_of_full_size(void)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	assert_non_null(profile);
	profile->channel_count = 2;
	profile->channels[0].subbuffer_bytes = MIB;
	profile->channels[0].subbuffer_count = 8;
	profile->channels[1].subbuffer_bytes = MIB / 16;
	profile->channels[1].subbuffer_count = 4;
	return profile;
}

static void cpu_lists_give_the_highest_and_one(void **state)
{
	(void)state;
	assert_int_equal(buffers_parse_cpus("0\n"), 1);
	assert_int_equal(buffers_parse_cpus("0-1"), 2);
	assert_int_equal(buffers_parse_cpus("0,2-3\n"), 4);
	assert_int_equal(buffers_parse_cpus("4-7,0-3"), 8);
	assert_int_equal(buffers_parse_cpus("0-239"), 240);
}

static void cpu_lists_that_are_none_give_zero(void **state)
{
	static const char *const wrong[] = {
		"", "\n", "-1", "0-", "0,", "a", "0--1", "0 1", "99999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(buffers_parse_cpus(wrong[i]), 0);
	}
}

/* 9 x 1 MiB + 5 x 64 KiB + 2 x 20 KiB for each CPU. */
static void memory_counts_one_subbuffer_more(void **state)
{
	AUTO(profile_destroy) struct profile *profile = profile_of_full_size();

	(void)state;
	assert_int_equal(buffers_bytes(profile, 1), 9 * MIB + 5 * 65536 + 2 * 20480);
	assert_int_equal(buffers_bytes(profile, 240), 240 * buffers_bytes(profile, 1));
}

static void enough_room_leaves_the_profile_alone(void **state)
{
	AUTO(profile_destroy) struct profile *profile = profile_of_full_size();
	struct buffers_room room = {2, 24 * 1024 * MIB, 48 * 1024 * MIB};
	bool is_reduced = true;

	(void)state;
	assert_int_equal(buffers_fit(profile, &room, &is_reduced, NULL), STATUS_OK);
	assert_false(is_reduced);
	assert_int_equal(profile->channels[0].subbuffer_bytes, MIB);
}

/* A container's /dev/shm has 64 MiB: half of it for 2 CPUs holds the profile, for 16 a smaller one.
 */
static void a_container_gets_smaller_buffers(void **state)
{
	AUTO(profile_destroy) struct profile *profile = profile_of_full_size();
	struct buffers_room room = {16, 64 * MIB, UINT64_MAX};
	bool is_reduced = false;

	(void)state;
	assert_int_equal(buffers_fit(profile, &room, &is_reduced, NULL), STATUS_OK);
	assert_true(is_reduced);
	assert_true(buffers_bytes(profile, 16) <= 32 * MIB);
	assert_int_equal(profile->channels[0].subbuffer_count, 8);
	assert_int_equal(profile->channels[1].subbuffer_bytes, MIB / 16);
}

static void scarce_memory_counts_as_much_as_shm(void **state)
{
	AUTO(profile_destroy) struct profile *profile = profile_of_full_size();
	struct buffers_room room = {2, 24 * 1024 * MIB, 16 * MIB};
	bool is_reduced = false;

	(void)state;
	assert_int_equal(buffers_fit(profile, &room, &is_reduced, NULL), STATUS_OK);
	assert_true(is_reduced);
	assert_true(buffers_bytes(profile, 2) <= 4 * MIB);
}

static void no_room_for_the_smallest_is_refused(void **state)
{
	AUTO(profile_destroy) struct profile *profile = profile_of_full_size();
	struct buffers_room room = {240, 64 * MIB, UINT64_MAX};
	struct diag diag = {.line = ""};
	bool is_reduced = false;

	(void)state;
	assert_int_equal(buffers_fit(profile, &room, &is_reduced, &diag), STATUS_NO_SPACE);
	assert_non_null(strstr(diag.line, "240 CPUs"));
	assert_non_null(strstr(diag.line, "/dev/shm larger"));
}

static void this_machine_can_be_measured(void **state)
{
	struct buffers_room room = {0, 0, 0};

	(void)state;
	assert_int_equal(buffers_measure_room(&room, NULL), STATUS_OK);
	assert_true(room.cpu_count >= 1);
	assert_true(room.memory_free_bytes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists_give_the_highest_and_one),
		cmocka_unit_test(cpu_lists_that_are_none_give_zero),
		cmocka_unit_test(memory_counts_one_subbuffer_more),
		cmocka_unit_test(enough_room_leaves_the_profile_alone),
		cmocka_unit_test(a_container_gets_smaller_buffers),
		cmocka_unit_test(scarce_memory_counts_as_much_as_shm),
		cmocka_unit_test(no_room_for_the_smallest_is_refused),
		cmocka_unit_test(this_machine_can_be_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
