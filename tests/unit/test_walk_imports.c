/* SPDX-License-Identifier: MIT */
/*
 * Proves what is said of traces that other tools recorded, where calls, ranges, the system's calls
 * and the scheduler are all there is ("Imported traces" in docs/causes.md): a cause where the rows
 * prove one, and an unknown with its reason everywhere else.
 */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define KERNEL_AT_200 "200 0 kernel corr=5 start=200 end=250\n"
#define CALL_AT_190   "190 1 api cudaLaunchKernel corr=5 start=190 end=195\n"
#define CALL_PARTS                                                                                 \
	"190-195 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"                                   \
	"195-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n"

static const struct walk_script_gap gap_100_200 = {100, 200, .correlation = 5};

/*
 *  GPU      ###|------------------gap-----------------|####
 *           100                                      200
 *  thread 1   [ IO_3 80 ......................... 185 ]  [call 190-195]
 *                 [write 110-130] [open64 140-150]
 */
static void a_call_of_the_system_says_what_its_range_did(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "80 1 span_begin IO_3\n"
			   "110 1 os write end=130\n"
			   "140 1 os open64 end=150\n"
			   "185 1 span_end IO_3 dur=105\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-110 cpu_phase IO_3 IO_3 1>0\n"
		"110-130 cpu_phase IO_3 write 1>0\n"
		"130-140 cpu_phase IO_3 IO_3 1>0\n"
		"140-150 cpu_phase IO_3 open64 1>0\n"
		"150-185 cpu_phase IO_3 IO_3 1>0\n"
		"185-190 unknown - not_traced 1>0\n" CALL_PARTS);
}

/* Without a range the call stands alone; asleep, mapping and unmapping have their own causes. */
static void sleeping_mapping_and_unmapping_have_causes_of_their_own(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "90 1 os read end=110\n"
			   "110 1 os nanosleep end=130\n"
			   "130 1 os mmap end=140\n"
			   "140 1 os munmap end=150\n"
			   "150 1 span_begin step\n"
			   "150 1 os usleep end=170\n"
			   "170 1 os mmap64 end=190\n"
			   "190 1 span_end step dur=40\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-110 cpu_phase read read 1>0\n"
		"110-130 pacing nanosleep sleep 1>0\n"
		"130-140 alloc mmap mmap 1>0\n"
		"140-150 free munmap munmap 1>0\n"
		"150-170 pacing usleep step 1>0\n"
		"170-190 alloc step mmap64 1>0\n" CALL_PARTS);
}

/* Somebody ended these waits, and nothing tells who: no cause is guessed. */
static void a_blocking_call_has_no_waker(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "90 1 span_begin step\n"
			   "100 1 os pthread_cond_wait end=120\n"
			   "120 1 os poll end=150\n"
			   "150 1 os sem_wait end=160\n"
			   "160 1 os pthread_mutex_lock end=190\n"
			   "190 1 span_end step dur=100\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-120 unknown pthread_cond_wait no_waker 1>0\n"
		"120-150 unknown poll no_waker 1>0\n"
		"150-160 unknown sem_wait no_waker 1>0\n"
		"160-190 unknown pthread_mutex_lock no_waker 1>0\n" CALL_PARTS);
}

/* A helper's poll is as long as the gap, and nobody waits for the helper. */
static void another_threads_call_is_not_looked_at(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "10 2 os poll end=900\n"
			   "90 1 span_begin step\n"
			   "190 1 span_end step dur=100\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200, "100-190 cpu_phase step step 1>0\n" CALL_PARTS);
}

/* fopen 100-150 contains open64 110-120 and fstat64 130-140: the innermost counts. */
static void the_innermost_of_nested_calls_of_the_system_counts(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "100 1 os fopen end=150\n"
			   "110 1 os open64 end=120\n"
			   "130 1 os fstat64 end=140\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-110 cpu_phase fopen fopen 1>0\n"
		"110-120 cpu_phase open64 open64 1>0\n"
		"120-130 cpu_phase fopen fopen 1>0\n"
		"130-140 cpu_phase fstat64 fstat64 1>0\n"
		"140-150 cpu_phase fopen fopen 1>0\n"
		"150-190 unknown - not_traced 1>0\n" CALL_PARTS);
}

/* The driver's own ioctl and mmap are part of the call; a wait around the call is not. */
static void a_call_of_the_device_hides_the_systems_inside_it(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "100 1 api cudaMalloc corr=4 start=100 end=150\n"
			   "105 1 os ioctl end=120\n"
			   "120 1 os mmap end=149\n"
			   "160 1 os ioctl end=190\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-150 alloc cudaMalloc cudaMalloc 1>0\n"
		"150-160 unknown - not_traced 1>0\n"
		"160-190 cpu_phase ioctl ioctl 1>0\n" CALL_PARTS);
}

/*
 * On CPU 90-110, pushed off it until 130, blocked until 150, runnable until 155, off it for reasons
 * that the rows do not tell 160-170. In write() being blocked is what write() is.
 */
static void off_its_cpu_a_thread_is_starved_or_unknown(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "90 1 switch from=0 to=1\n"
			   "90 1 span_begin step\n"
			   "110 1 switch from=1 to=0\n"
			   "130 1 switch from=0 to=1\n"
			   "135 1 switch from=1 to=0 blocked\n"
			   "150 1 waking of=1\n"
			   "155 1 switch from=0 to=1\n"
			   "160 1 switch from=1 to=0 away\n"
			   "170 1 switch from=0 to=1\n"
			   "172 1 os write end=188\n"
			   "175 1 switch from=1 to=0 blocked\n"
			   "185 1 switch from=0 to=1\n"
			   "190 1 span_end step dur=100\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-110 cpu_phase step step 1>0\n"
		"110-130 cpu_starved step step 1>0\n"
		"130-135 cpu_phase step step 1>0\n"
		"135-150 unknown step blocked_off_CPU 1>0\n"
		"150-155 cpu_starved step step 1>0\n"
		"155-160 cpu_phase step step 1>0\n"
		"160-170 unknown step off_CPU 1>0\n"
		"170-172 cpu_phase step step 1>0\n"
		"172-188 cpu_phase step write 1>0\n"
		"188-190 cpu_phase step step 1>0\n" CALL_PARTS);
}

/* Woken in its wait, and not yet running: that much is known of a wait without waker. */
static void a_woken_waiter_without_a_cpu_is_starved(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "50 1 switch from=0 to=1\n"
			   "100 1 os pthread_cond_wait end=190\n"
			   "102 1 switch from=1 to=0 blocked\n"
			   "160 1 waking of=1\n"
			   "188 1 switch from=0 to=1\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-160 unknown pthread_cond_wait no_waker 1>0\n"
		"160-188 cpu_starved pthread_cond_wait pthread_cond_wait 1>0\n"
		"188-190 unknown pthread_cond_wait no_waker 1>0\n" CALL_PARTS);
}

/*
 * The gap is 6400 long, so what lasts less than 100 is not named: of the loader's 64 operations
 * only aten::stack is, beside the loader itself. The step around it is the outermost.
 */
static void a_short_range_is_not_named_in_a_long_gap(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "90 1 span_begin step\n"
			   "200 1 span_begin loader\n"
			   "300 1 span_begin aten::to\n"
			   "399 1 span_end aten::to dur=99\n"
			   "400 1 span_begin aten::stack\n"
			   "450 1 span_begin aten::cat\n"
			   "460 1 span_end aten::cat dur=10\n"
			   "500 1 span_end aten::stack dur=100\n"
			   "6000 1 span_end loader dur=5800\n"
			   "6400 1 api cudaLaunchKernel corr=5 start=6400 end=6450\n"
			   "6500 0 kernel corr=5 start=6500 end=6600\n"
			   "6600 1 span_end step dur=6510\n",
		(struct walk_script_gap){100, 6500, .correlation = 5},
		"100-200 cpu_phase step step 1>0\n"
		"200-400 cpu_phase loader loader 1>0\n"
		"400-500 cpu_phase loader aten::stack 1>0\n"
		"500-6000 cpu_phase loader loader 1>0\n"
		"6000-6400 cpu_phase step step 1>0\n"
		"6400-6450 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"6450-6500 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A callback's range 120-140 inside of qsort 100-150: the range is further in. */
static void a_range_inside_a_call_of_the_system_counts(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "100 1 os qsort end=150\n"
			   "120 1 span_begin compare\n"
			   "140 1 span_end compare dur=20\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-120 cpu_phase qsort qsort 1>0\n"
		"120-140 cpu_phase compare compare 1>0\n"
		"140-150 cpu_phase qsort qsort 1>0\n"
		"150-190 unknown - not_traced 1>0\n" CALL_PARTS);
}

/* It chose to sleep: that it then got no CPU at once is part of that. */
static void a_sleeper_is_not_starved(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "50 1 switch from=0 to=1\n"
			   "100 1 os nanosleep end=190\n"
			   "101 1 switch from=1 to=0 blocked\n"
			   "160 1 waking of=1\n"
			   "188 1 switch from=0 to=1\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200, "100-190 pacing nanosleep sleep 1>0\n" CALL_PARTS);
}

/* A recorder of functions tells 200 of them, one in the other; the last is open for a moment. */
static void a_deep_stack_is_followed_to_its_end(void **state)
{
	AUTO(walk_destroy) struct walk *walk = walk_script_run("0 0 source\n");
	char text[WALK_SCRIPT_BYTES];

	(void)state;
	for (int depth = 0; depth < 200; depth++) {
		(void)snprintf(text, sizeof(text), "%d 1 span_begin f%d\n", depth / 4, depth);
		walk_script_add(walk, text);
	}
	walk_script_add(walk, "150 1 span_end f199 dur=100\n"
			      "190 1 span_end f198 dur=140\n" CALL_AT_190 KERNEL_AT_200);
	walk_script_explain(walk, gap_100_200, text);
	assert_string_equal(text, "100-150 cpu_phase f199 f199 1>0\n"
				  "150-190 cpu_phase f198 f198 1>0\n" CALL_PARTS);
}

/* Where all ranges are too short the outermost is named, and where a library named all, it. */
static void something_is_named_wherever_a_range_is(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "150 1 span_begin aten::to\n"
			   "151 1 span_begin aten::copy_\n"
			   "152 1 span_end aten::copy_ dur=1\n"
			   "190 1 span_end aten::to dur=40\n"
			   "300 1 api cudaLaunchKernel corr=5 start=300 end=400\n"
			   "6500 0 kernel corr=5 start=6500 end=6600\n"
			   "6500 0 sync stream start=6500 end=6500\n",
		(struct walk_script_gap){100, 6500, .correlation = 5},
		"100-150 unknown - before_the_capture 1>0\n"
		"150-190 cpu_phase aten::to aten::to 1>0\n"
		"190-300 unknown - not_traced 1>0\n"
		"300-400 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"400-6500 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A prover that makes NVTX ranges keeps the causes that its names stand for. */
static void names_with_a_cause_keep_it(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "90 1 span_begin synthesize\n"
			   "120 1 os read end=130\n"
			   "190 1 span_end synthesize dur=100\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-120 synthesis synthesize synthesize 1>0\n"
		"120-130 synthesis synthesize read 1>0\n"
		"130-190 synthesis synthesize synthesize 1>0\n" CALL_PARTS);
}

/* cudaMemcpyAsync 110-180 holds cuMemcpyHtoDAsync 120-170 of the same number, told second. */
static void the_earliest_call_of_a_number_issued_the_operation(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "110 1 api cudaMemcpyAsync corr=4 start=110 end=180\n"
			   "120 1 api cuMemcpyHtoDAsync corr=4 start=120 end=170\n"
			   "130 0 copy htod pageable corr=4 start=130 end=175 bytes=10\n"
			   "182 1 api cudaLaunchKernel corr=5 start=182 end=195\n"
			   "185 1 api cuLaunchKernel corr=5 start=185 end=190\n" KERNEL_AT_200,
		gap_100_200,
		"100-110 unknown - before_the_capture 1>0\n"
		"110-180 copy_pageable htod htod 1>0\n"
		"180-182 unknown - not_traced 1>0\n"
		"182-195 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"195-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* 30 us after its call a kernel still had not started, and no record could tell what it awaited. */
static void a_long_queued_kernel_is_unknown_without_stream_waits(void **state)
{
	static const char late[] = "0 0 source\n"
				   "100 1 api cudaLaunchKernel corr=5 start=100 end=200\n"
				   "30200 0 kernel corr=5 start=30200 end=30300\n";
	static const char synced[] = "0 0 source\n"
				     "50 1 api cudaStreamSynchronize corr=3 start=50 end=90\n"
				     "50 0 sync stream corr=3 start=50 end=90\n"
				     "100 1 api cudaLaunchKernel corr=5 start=100 end=200\n"
				     "30200 0 kernel corr=5 start=30200 end=30300\n";

	(void)state;
	walk_script_expect(late, (struct walk_script_gap){100, 30200, .correlation = 5},
		"100-200 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"200-30200 unknown cudaLaunchKernel queued,_not_started 1>0\n");
	/* The part of it inside the gap counts: that is as long as a launch takes. */
	walk_script_expect(late, (struct walk_script_gap){10200, 30200, .correlation = 5},
		"10200-30200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
	walk_script_expect(synced, (struct walk_script_gap){100, 30200, .correlation = 5},
		"100-200 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"200-30200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

static void an_operation_without_a_call_has_a_reason(void **state)
{
	struct walk *walk;
	char text[WALK_SCRIPT_BYTES];

	(void)state;
	/* Nothing but device rows. */
	walk_script_expect(
		"0 0 source\n" KERNEL_AT_200, gap_100_200, "100-200 unknown - no_host_trace 0>0\n");
	/* The first call is later; and the first call has a higher number. */
	walk_script_expect("0 0 source\n" KERNEL_AT_200
			   "260 1 api cudaLaunchKernel corr=2 start=260 end=270\n",
		gap_100_200, "100-200 unknown - launched_before_the_capture 0>0\n");
	walk_script_expect("0 0 source\n"
			   "90 1 api cudaLaunchKernel corr=7 start=90 end=95\n" KERNEL_AT_200,
		gap_100_200, "100-200 unknown - launched_before_the_capture 0>0\n");
	/* In the midst of others: its record is missing. */
	walk_script_expect("0 0 source\n"
			   "90 1 api cudaLaunchKernel corr=4 start=90 end=95\n" KERNEL_AT_200,
		gap_100_200, "100-200 unknown - no_feeder 0>0\n");

	walk = walk_script_run("0 0 source\n"
			       "10 0 kernel corr=1 start=10 end=20\n"
			       "30 1 api cudaLaunchKernel corr=4 start=30 end=35\n"
			       "40 0 kernel corr=2 start=40 end=45\n"
			       "50 0 kernel corr=4 start=50 end=55\n"
			       "60 0 kernel corr=6 start=60 end=65\n"
			       "70 0 kernel corr=8 start=70 end=75\n"
			       "80 1 api cudaLaunchKernel corr=8 start=80 end=85\n");
	assert_int_equal(walk_counts(walk).joined_operations, 2);
	assert_int_equal(walk_counts(walk).outside_operations, 2);
	assert_int_equal(walk_counts(walk).unjoined_operations, 1);
	assert_int_equal(walk_counts(walk).before_launch, 1);
	walk_script_explain(walk, (struct walk_script_gap){65, 70, .correlation = 8}, text);
	assert_string_equal(text, "65-70 unknown - before_launch 1>0\n");
	walk_destroy(walk);

	/* The very first call comes after its kernel, by a clock that is off: it is not outside. */
	walk = walk_script_run("0 0 source\n"
			       "10 0 kernel corr=4 start=10 end=20\n"
			       "12 1 api cudaLaunchKernel corr=4 start=12 end=15\n");
	assert_int_equal(walk_counts(walk).joined_operations, 1);
	assert_int_equal(walk_counts(walk).outside_operations, 0);
	assert_int_equal(walk_counts(walk).unjoined_operations, 0);
	walk_destroy(walk);
}

/* Thread 2 of the same process is recorded from 150 on, thread 1 from 170 on. */
static void before_its_process_was_captured_nothing_is_known(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "150 2 span_begin step\n"
			   "170 1 span_begin step\n"
			   "190 1 span_end step dur=20\n" CALL_AT_190 KERNEL_AT_200,
		gap_100_200,
		"100-150 unknown - before_the_capture 1>0\n"
		"150-170 unknown - not_traced 1>0\n"
		"170-190 cpu_phase step step 1>0\n" CALL_PARTS);
}

/* Two nodes of a launched graph, whose rows tell no graph. */
static void nodes_of_a_graph_launch_are_known_by_its_call(void **state)
{
	(void)state;
	walk_script_expect("0 0 source\n"
			   "10 1 api cudaGraphLaunch corr=5 start=10 end=20\n"
			   "50 0 kernel corr=5 start=50 end=100\n" KERNEL_AT_200,
		gap_100_200, "100-200 graph_internal cudaGraphLaunch cudaGraphLaunch 1>0\n");
	walk_script_expect("0 0 source\n"
			   "10 1 api cudaLaunchCooperative corr=5 start=10 end=20\n"
			   "50 0 kernel corr=5 start=50 end=100\n" KERNEL_AT_200,
		gap_100_200, "100-200 launch cudaLaunchCooperative cudaLaunchCooperative 1>0\n");
}

/*
 * Everything comes at its start: a launch whose kernel runs 10 s later is not forgotten, nor is the
 * range that was open all the time. Kernel 4 ends, in the order of the events, in the future.
 */
static void what_comes_at_its_start_is_kept_until_it_is_asked_for(void **state)
{
	AUTO(walk_destroy)
	struct walk *walk = walk_script_run("0 0 source\n"
					    "5 1 span_begin step\n"
					    "10 1 api cudaLaunchKernel corr=4 start=10 end=12\n"
					    "15 0 kernel corr=4 start=15 end=9000000000\n"
					    "20 1 api cudaMemsetAsync corr=5 start=20 end=30\n"
					    "40 1 os read end=9500000000\n");
	char text[WALK_SCRIPT_BYTES];

	(void)state;
	walk_script_add(walk,
		"9000000000 0 forget\n"
		"9000000000 2 api cudaGetDevice corr=6 start=9000000000 end=9000000001\n"
		"9000000002 2 api cudaGetDevice corr=7 start=9000000002 end=9000000003\n"
		"10000000000 0 memset corr=5 start=10000000000 end=10000000100\n");
	walk_script_explain(
		walk, (struct walk_script_gap){9000000000, 10000000000, .correlation = 5}, text);
	assert_string_equal(
		text, "9000000000-10000000000 unknown cudaMemsetAsync queued,_not_started 1>0\n");
	/* What thread 1 did meanwhile, had the call been the last moment. */
	walk_script_add(walk,
		"10000000200 1 api cudaLaunchKernel corr=8 start=10000000200 end=10000000300\n"
		"10000000300 0 kernel corr=8 start=10000000300 end=10000000400\n");
	walk_script_explain(
		walk, (struct walk_script_gap){9000000000, 10000000300, .correlation = 8}, text);
	assert_string_equal(text,
		"9000000000-9500000000 cpu_phase step read 1>0\n"
		"9500000000-10000000200 cpu_phase step step 1>0\n"
		"10000000200-10000000300 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A set of memory issues something, too: its call waits for it. */
static void the_call_of_a_set_is_kept_for_its_operation(void **state)
{
	AUTO(walk_destroy)
	struct walk *walk = walk_script_run("0 0 source\n"
					    "20 1 api cudaMemsetAsync corr=5 start=20 end=30\n"
					    "1000 0 forget\n"
					    "1000 2 api cudaGetDevice corr=6 start=1000 end=1001\n"
					    "1002 2 api cudaGetDevice corr=7 start=1002 end=1003\n"
					    "2000 0 memset corr=5 start=2000 end=2100\n");
	char text[WALK_SCRIPT_BYTES];

	(void)state;
	walk_script_explain(walk, (struct walk_script_gap){1000, 2000, .correlation = 5}, text);
	assert_string_equal(text, "1000-2000 launch cudaMemsetAsync cudaMemsetAsync 1>0\n");
}

static void expect_split(
	struct walk *walk, uint64_t begin_ns, uint64_t end_ns, const struct gap_split *expected)
{
	const struct gap gap = {.begin_ns = begin_ns,
		.end_ns = end_ns,
		.has_ender = true,
		.ender = {.pid = WALK_SCRIPT_PID, .correlation = 5, .start_ns = end_ns}};
	const struct gap_split split = walk_split(walk, &gap);

	assert_int_equal(split.host_late_ns, expected->host_late_ns);
	assert_int_equal(split.in_call_ns, expected->in_call_ns);
	assert_int_equal(split.after_call_ns, expected->after_call_ns);
	assert_int_equal(split.unjoined_ns, expected->unjoined_ns);
}

/* The call is 120-150, and nothing but its interval counts, wherever the gap lies. */
static void a_gap_is_split_at_the_call_that_ended_it(void **state)
{
	AUTO(walk_destroy)
	struct walk *walk = walk_script_run(
		"0 0 source\n"
		"120 1 api cudaLaunchKernel corr=5 start=120 end=150\n"
		"120 2 api cuLaunchKernel corr=5 start=120 end=600\n" KERNEL_AT_200);
	AUTO(walk_destroy) struct walk *empty = walk_script_run("0 0 source\n" KERNEL_AT_200);
	/* A recording of ours: the call's record comes after what it issued. */
	AUTO(walk_destroy)
	struct walk *own = walk_script_run(
		KERNEL_AT_200 "260 1 api cudaLaunchKernel corr=5 start=120 end=150\n");

	(void)state;
	expect_split(walk, 100, 200, &(struct gap_split){20, 30, 50, 0});
	expect_split(own, 100, 200, &(struct gap_split){20, 30, 50, 0});
	expect_split(walk, 130, 140, &(struct gap_split){0, 10, 0, 0});
	expect_split(walk, 150, 200, &(struct gap_split){0, 0, 50, 0});
	expect_split(walk, 160, 200, &(struct gap_split){0, 0, 40, 0});
	expect_split(walk, 100, 120, &(struct gap_split){20, 0, 0, 0});
	expect_split(walk, 100, 110, &(struct gap_split){10, 0, 0, 0});
	expect_split(walk, 100, 130, &(struct gap_split){20, 10, 0, 0});
	expect_split(empty, 100, 200, &(struct gap_split){0, 0, 0, 100});
}

/* The range keeps its name in a part, and has `family` in tables. */
static void expect_family(const char *name, const char *family)
{
	const struct gap gap = {.begin_ns = 100,
		.end_ns = 110,
		.has_ender = true,
		.ender = {.pid = WALK_SCRIPT_PID, .correlation = 5, .start_ns = 110}};
	AUTO(walk_destroy)
	struct walk *walk =
		walk_script_run("0 0 source\n"
				"110 1 api cudaLaunchKernel corr=5 start=110 end=115\n");
	struct gap_part_list list = {0};
	char line[WALK_SCRIPT_BYTES];

	(void)snprintf(line, sizeof(line), "90 1 span_begin %s\n", name);
	walk_script_add(walk, line);
	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_string_equal(list.parts[0].phase, name);
	assert_string_equal(walk_family(walk, list.parts[0].phase), family);
	gap_part_list_finish(&list);
}

static void ranges_that_count_are_one_family(void **state)
{
	(void)state;
	expect_family("IO_0", "IO_#");
	expect_family("IO_12345", "IO_#");
	expect_family("7", "#");
	expect_family("ProfilerStep#12", "ProfilerStep#");
	expect_family("step_3_to_4", "step_#_to_#");
	expect_family("model.py(120):_forward", "model.py(#):_forward");
	expect_family("object_at_0x7f3aB8:done", "object_at_#:done");
	expect_family("aten::conv2d", "aten::conv2d");
	expect_family("layer1", "layer1");
	expect_family("3d_pool", "3d_pool");
	expect_family("plain", "plain");
}

/* Two GPUs, the other one busy: that says nothing of what this one was to do in a mere capture. */
static void at_the_edge_of_a_capture_nobody_took_work_away(void **state)
{
	static const struct walk_script_gap edge = {100, 200, .correlation = 0};
	static const char other[] = "100 0 kernel corr=6 dev=1 start=100 end=190\n"
				    "250 0 kernel corr=7 dev=1 start=250 end=260\n";
	char script[256];

	(void)state;
	(void)snprintf(script, sizeof(script), "0 0 source\n%s", other);
	walk_script_expect(script, edge, "100-200 unknown - edge 0>0\n");
	(void)snprintf(script, sizeof(script),
		"0 0 source\n50 1 job_submit 1\n%s230 1 job_submit 2\n", other);
	walk_script_expect(script, edge, "100-190 imbalance - - 0>0\n190-200 unknown - edge 0>0\n");
}

/* Without a source the same rows are those of a recording of ours, by its own rules. */
static void a_recording_of_ours_keeps_its_rules(void **state)
{
	(void)state;
	walk_script_expect("80 1 span_begin outer\n"
			   "110 1 span_begin ns::inner\n"
			   "111 1 span_end ns::inner dur=1\n"
			   "185 1 span_end outer dur=105\n"
			   "190 1 api cudaLaunchKernel corr=5 start=185 end=195\n" KERNEL_AT_200,
		gap_100_200,
		"100-110 cpu_phase outer outer 1>0\n"
		"110-111 cpu_phase ns::inner ns::inner 1>0\n"
		"111-185 cpu_phase outer outer 1>0\n"
		"185-195 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"195-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_of_the_system_says_what_its_range_did),
		cmocka_unit_test(sleeping_mapping_and_unmapping_have_causes_of_their_own),
		cmocka_unit_test(a_blocking_call_has_no_waker),
		cmocka_unit_test(another_threads_call_is_not_looked_at),
		cmocka_unit_test(the_innermost_of_nested_calls_of_the_system_counts),
		cmocka_unit_test(a_call_of_the_device_hides_the_systems_inside_it),
		cmocka_unit_test(off_its_cpu_a_thread_is_starved_or_unknown),
		cmocka_unit_test(a_woken_waiter_without_a_cpu_is_starved),
		cmocka_unit_test(a_short_range_is_not_named_in_a_long_gap),
		cmocka_unit_test(a_range_inside_a_call_of_the_system_counts),
		cmocka_unit_test(a_sleeper_is_not_starved),
		cmocka_unit_test(a_deep_stack_is_followed_to_its_end),
		cmocka_unit_test(something_is_named_wherever_a_range_is),
		cmocka_unit_test(names_with_a_cause_keep_it),
		cmocka_unit_test(the_earliest_call_of_a_number_issued_the_operation),
		cmocka_unit_test(a_long_queued_kernel_is_unknown_without_stream_waits),
		cmocka_unit_test(an_operation_without_a_call_has_a_reason),
		cmocka_unit_test(before_its_process_was_captured_nothing_is_known),
		cmocka_unit_test(nodes_of_a_graph_launch_are_known_by_its_call),
		cmocka_unit_test(what_comes_at_its_start_is_kept_until_it_is_asked_for),
		cmocka_unit_test(the_call_of_a_set_is_kept_for_its_operation),
		cmocka_unit_test(a_gap_is_split_at_the_call_that_ended_it),
		cmocka_unit_test(ranges_that_count_are_one_family),
		cmocka_unit_test(at_the_edge_of_a_capture_nobody_took_work_away),
		cmocka_unit_test(a_recording_of_ours_keeps_its_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
