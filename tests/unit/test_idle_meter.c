/* SPDX-License-Identifier: MIT */
/* Proves: the idle meter charges every nanosecond without a kernel once, to what the worker that
 * ended it had been about, and what came before its partition to the stages it came through. */
#include "prover/idle_meter.h"
#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS NS_PER_MS

/* Times of a timeline are told in milliseconds from here on. */
#define ORIGIN_NS (1000 * NS_PER_S)

static uint64_t at(uint64_t ms)
{
	return ORIGIN_NS + ms * MS;
}

/* One job has been submitted, long before the timeline, and device 0 has run a kernel up to its
 * origin. Two workers a device. */
static struct idle_meter *open_meter(uint32_t device_count)
{
	struct idle_meter *meter = NULL;

	assert_int_equal(idle_meter_create(device_count, 2, &meter), STATUS_OK);
	idle_meter_job_submit(meter);
	idle_meter_kernel_begin(meter, 0, at(0));
	idle_meter_kernel_end(meter, 0, at(0));
	return meter;
}

static uint64_t before_ns(struct idle_meter *meter, enum idle_reason reason)
{
	return idle_meter_counts(meter, 0).reason_ns[reason];
}

/* The worker locks the mutex and launches: what device 0 idled since is charged. */
static void run_kernel(struct idle_meter *meter, uint32_t worker, uint64_t begin_ms)
{
	idle_meter_stage_at(meter, worker, IDLE_STAGE_REGION, at(begin_ms));
	idle_meter_kernel_begin(meter, 0, at(begin_ms));
	idle_meter_kernel_end(meter, 0, at(begin_ms));
}

static uint64_t sum_ns(const struct idle_counts *counts)
{
	uint64_t sum = counts->short_ns;

	for (int i = 0; i < IDLE_REASON_COUNT; i++) {
		sum += counts->reason_ns[i];
	}
	return sum;
}

/*
 * 0     10     30         80          100
 * FINISH TRACKER           POOL        kernel
 *           [20 trim 50)[50 check 60)
 */
static void a_wait_for_the_tracker_is_shared_out_to_what_was_done_under_it(void **state)
{
	struct idle_meter *meter = open_meter(1);

	(void)state;
	idle_meter_stage_at(meter, 0, IDLE_STAGE_FINISH, at(0));
	idle_meter_stage_at(meter, 0, IDLE_STAGE_TRACKER, at(10));
	idle_meter_interval_at(meter, IDLE_CLOCK_TRIM, 0, at(20), at(50));
	idle_meter_interval_at(meter, IDLE_CLOCK_CHECK, 0, at(50), at(60));
	idle_meter_stage_at(meter, 0, IDLE_STAGE_POOL, at(80));
	run_kernel(meter, 0, 100);

	assert_int_equal(before_ns(meter, IDLE_FINISH), 10 * MS);
	assert_int_equal(before_ns(meter, IDLE_TRACKER_TRIM), 30 * MS);
	assert_int_equal(before_ns(meter, IDLE_TRACKER_CHECK), 10 * MS);
	assert_int_equal(before_ns(meter, IDLE_TRACKER), 30 * MS);
	assert_int_equal(before_ns(meter, IDLE_POOL), 20 * MS);
	idle_meter_destroy(meter);
}

/*
 * The worker waits at its queue from 0 to 100. The partition's job comes at 10, its key at 30, the
 * dispatcher paces until 45 and waits for memory until 50; allocation until 60, synthesis until 100
 * with half of the time no CPU.
 */
static void an_empty_queue_is_charged_along_the_way_of_the_partition(void **state)
{
	const struct idle_upstream upstream = {.submitted_ns = at(10),
		.queued_ns = at(30),
		.dispatched_ns = at(50),
		.synthesis_begin_ns = at(55),
		.synthesis_work_ns = at(60),
		.synthesis_end_ns = at(100),
		.starved_ns = 20 * MS};
	struct idle_meter *meter = open_meter(1);

	(void)state;
	idle_meter_stage_at(meter, 1, IDLE_STAGE_POP, at(0));
	idle_meter_interval_at(meter, IDLE_CLOCK_SRS, 0, at(12), at(30));
	idle_meter_interval_at(meter, IDLE_CLOCK_PACER, 0, at(30), at(45));
	idle_meter_interval_at(meter, IDLE_CLOCK_BUDGET, 0, at(45), at(50));
	idle_meter_popped(meter, 1, &upstream, at(100));
	run_kernel(meter, 1, 100);

	assert_int_equal(before_ns(meter, IDLE_NO_WORK), 10 * MS);
	assert_int_equal(before_ns(meter, IDLE_DISPATCH), 2 * MS);
	assert_int_equal(before_ns(meter, IDLE_SRS_LOAD), 18 * MS);
	assert_int_equal(before_ns(meter, IDLE_PACING), 15 * MS);
	assert_int_equal(before_ns(meter, IDLE_BUDGET), 5 * MS);
	assert_int_equal(before_ns(meter, IDLE_PINNED_ALLOC), 5 * MS);
	assert_int_equal(before_ns(meter, IDLE_SYNTHESIS), 5 * MS + 20 * MS);
	assert_int_equal(before_ns(meter, IDLE_STARVED), 20 * MS);
	idle_meter_destroy(meter);
}

/* Worker 1 waits for the mutex while worker 0 synchronises the device under it, then copies. */
static void the_worker_that_launches_is_the_one_that_is_asked(void **state)
{
	struct idle_meter *meter = open_meter(1);

	(void)state;
	idle_meter_stage_at(meter, 0, IDLE_STAGE_REGION, at(0));
	idle_meter_stage_at(meter, 1, IDLE_STAGE_MUTEX_WAIT, at(0));
	idle_meter_interval_at(meter, IDLE_CLOCK_SYNC, 0, at(5), at(25));
	idle_meter_stage_at(meter, 0, IDLE_STAGE_FREE, at(30));
	idle_meter_stage_at(meter, 1, IDLE_STAGE_REGION, at(30));
	idle_meter_interval_at(meter, IDLE_CLOCK_COPY_PAGEABLE, 0, at(32), at(40));
	idle_meter_kernel_begin(meter, 0, at(40));

	assert_int_equal(before_ns(meter, IDLE_DEVICE_SYNC), 20 * MS);
	assert_int_equal(before_ns(meter, IDLE_MUTEX), 10 * MS);
	assert_int_equal(before_ns(meter, IDLE_REGION), 2 * MS);
	assert_int_equal(before_ns(meter, IDLE_COPY_PAGEABLE), 8 * MS);
	assert_int_equal(before_ns(meter, IDLE_FREE), 0);
	idle_meter_destroy(meter);
}

static void short_stretches_are_counted_and_charged_to_nothing(void **state)
{
	struct idle_meter *meter = open_meter(1);
	struct idle_counts counts;
	const uint64_t idle_ns = idle_meter_counts(meter, 0).idle_ns;

	(void)state;
	idle_meter_stage_at(meter, 0, IDLE_STAGE_REGION, at(0));
	idle_meter_kernel_begin(meter, 0, at(0) + IDLE_METER_STRETCH_NS - 1);
	counts = idle_meter_counts(meter, 0);
	assert_int_equal(counts.idle_ns - idle_ns, IDLE_METER_STRETCH_NS - 1);
	assert_int_equal(counts.short_ns, IDLE_METER_STRETCH_NS - 1);
	idle_meter_destroy(meter);
}

static void what_is_older_than_what_is_kept_is_said_to_be_unseen(void **state)
{
	struct idle_meter *meter = open_meter(1);

	(void)state;
	for (uint64_t i = 0; i < 200; i++) {
		idle_meter_stage_at(meter, 0, IDLE_STAGE_POOL, at(i));
	}
	run_kernel(meter, 0, 200);
	/* 63 stages of a millisecond each beside the last, which is the region. */
	assert_int_equal(before_ns(meter, IDLE_POOL), 63 * MS);
	idle_meter_destroy(meter);
}

/*
 * Device 1 runs nothing. Device 0 idles twice, which is shared, and runs kernels between:
 * imbalance. Times are the clock's own here, since the last job's end is.
 */
static void a_device_that_never_ran_idles_for_the_others_sake(void **state)
{
	struct idle_meter *meter = NULL;
	struct idle_counts counts;
	uint64_t begin_ns = 0;

	(void)state;
	assert_int_equal(idle_meter_create(2, 1, &meter), STATUS_OK);
	idle_meter_job_submit(meter);
	begin_ns = clock_now_ns();
	idle_meter_stage_at(meter, 0, IDLE_STAGE_POOL, begin_ns);
	while (clock_now_ns() < begin_ns + 5 * MS) {
	}
	idle_meter_stage(meter, 0, IDLE_STAGE_REGION);
	idle_meter_kernel_begin(meter, 0, clock_now_ns());
	begin_ns = clock_now_ns();
	while (clock_now_ns() < begin_ns + 5 * MS) {
	}
	idle_meter_kernel_end(meter, 0, clock_now_ns());
	idle_meter_job_end(meter);

	counts = idle_meter_counts(meter, 1);
	assert_true(counts.reason_ns[IDLE_POOL] >= 5 * MS);
	assert_true(counts.reason_ns[IDLE_IMBALANCE] >= 5 * MS);
	assert_int_equal(sum_ns(&counts), counts.idle_ns);
	counts = idle_meter_counts(meter, 0);
	assert_int_equal(sum_ns(&counts), counts.idle_ns);
	assert_int_equal(counts.reason_ns[IDLE_IMBALANCE], 0);
	idle_meter_destroy(meter);
}

static void no_meter_is_no_error(void **state)
{
	(void)state;
	idle_meter_job_submit(NULL);
	idle_meter_stage(NULL, 0, IDLE_STAGE_POP);
	idle_meter_popped(NULL, 0, &(struct idle_upstream){.submitted_ns = 0}, 0);
	idle_meter_interval(NULL, IDLE_CLOCK_TRIM, 0, 0);
	idle_meter_work(NULL, IDLE_CLOCK_TRIM, 0, 0);
	idle_meter_kernel_begin(NULL, 0, 0);
	idle_meter_kernel_end(NULL, 0, 0);
	idle_meter_job_end(NULL);
	assert_int_equal(idle_meter_counts(NULL, 0).idle_ns, 0);
	idle_meter_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_for_the_tracker_is_shared_out_to_what_was_done_under_it),
		cmocka_unit_test(an_empty_queue_is_charged_along_the_way_of_the_partition),
		cmocka_unit_test(the_worker_that_launches_is_the_one_that_is_asked),
		cmocka_unit_test(short_stretches_are_counted_and_charged_to_nothing),
		cmocka_unit_test(what_is_older_than_what_is_kept_is_said_to_be_unseen),
		cmocka_unit_test(a_device_that_never_ran_idles_for_the_others_sake),
		cmocka_unit_test(no_meter_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
