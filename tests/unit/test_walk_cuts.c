/* SPDX-License-Identifier: MIT */
/* Proves how a gap is cut at its call, and what device records alone tell (rules 1, 2, 3, 9, 10).
 */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/*
 *  GPU      ###|----------------gap-----------------|####
 *           100                                    200
 *  thread 1      [ prep_msm 90......150 ] [call 160-170]
 *  late: prep until 150, nothing recorded until 160; in call; then the launch itself.
 */
static void a_gap_is_cut_into_late_in_call_and_after(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "150 1 span_end prep_msm dur=60\n"
			   "170 1 api cudaLaunchKernel corr=5 start=160 end=170\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-150 cpu_phase prep_msm prep_msm 1>0\n"
		"150-160 unknown - not_traced 1>0\n"
		"160-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"170-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The call was issued long before the gap began: all of it is after. */
static void a_gap_after_its_call_is_launch(void **state)
{
	(void)state;
	walk_script_expect("20 1 api cudaLaunchKernel corr=5 start=10 end=20\n"
			   "90 0 kernel corr=5 start=60 end=90\n",
		(struct walk_script_gap){40, 60, .correlation = 5},
		"40-60 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The call blocks until after the kernel began: it is clipped to the gap. */
static void a_call_is_clipped_to_the_gap(void **state)
{
	(void)state;
	walk_script_expect("90 1 api cudaLaunchKernel corr=5 start=30 end=90\n"
			   "95 0 kernel corr=5 start=60 end=95\n",
		(struct walk_script_gap){40, 60, .correlation = 5},
		"40-60 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* Time 0 is a time like any other: the span, the gap and the call begin there. */
static void time_zero_is_a_time(void **state)
{
	(void)state;
	walk_script_expect("0 1 span_begin prep_msm\n"
			   "5 1 span_end prep_msm dur=5\n"
			   "8 1 api cudaLaunchKernel corr=5 start=5 end=8\n"
			   "20 0 kernel corr=5 start=10 end=20\n",
		(struct walk_script_gap){0, 10, .correlation = 5},
		"0-5 cpu_phase prep_msm prep_msm 1>0\n"
		"5-8 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"8-10 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The records of the device come a second later, the kernel before its call. */
static void late_device_records_join_in_any_order(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "150 1 span_end prep_msm dur=60\n"
			   "1000 0 kernel corr=5 start=200 end=250\n"
			   "1001 1 api cudaLaunchKernel corr=5 start=150 end=170\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-150 cpu_phase prep_msm prep_msm 1>0\n"
		"150-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"170-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A pinned copy of the kernel's stream runs 120-180, after the launch was issued. */
static void a_copy_before_the_kernel_is_on_the_walk(void **state)
{
	(void)state;
	walk_script_expect("105 1 api cudaMemcpyAsync corr=4 start=100 end=105\n"
			   "110 1 api cudaLaunchKernel corr=5 start=105 end=110\n"
			   "180 0 copy htod pinned corr=4 start=120 end=180 bytes=600\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-105 copy_pinned htod htod 1>0\n"
		"105-110 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"110-120 launch cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"120-180 copy_pinned htod htod 1>0\n"
		"180-200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The feeder is inside the pageable copy 100-180: staging keeps the call. */
static void a_pageable_copy_is_charged_in_its_call(void **state)
{
	(void)state;
	walk_script_expect("180 1 api cudaMemcpyAsync corr=4 start=100 end=180\n"
			   "180 0 copy htod pageable corr=4 start=101 end=181\n"
			   "190 1 api cudaLaunchKernel corr=5 start=181 end=190\n"
			   "250 0 kernel corr=5 start=190 end=250\n",
		(struct walk_script_gap){100, 190, .correlation = 5},
		"100-180 copy_pageable htod htod 1>0\n"
		"180-181 unknown - not_traced 1>0\n"
		"181-190 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* Decoy: another thread's pageable copy on another stream runs all the time; nobody waits for it.
 */
static void a_copy_off_the_walk_is_not_blamed(void **state)
{
	(void)state;
	walk_script_expect("200 2 api cudaMemcpyAsync corr=4 start=50 end=200\n"
			   "200 0 copy htod pageable corr=4 stream=2 start=50 end=200\n"
			   "90 1 span_begin prep_msm\n"
			   "195 1 span_end prep_msm dur=105\n"
			   "200 1 api cudaLaunchKernel corr=5 start=195 end=200\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-195 cpu_phase prep_msm prep_msm 1>0\n"
		"195-200 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A stream synchronisation waits for the copy 110-150, and returns at 160. */
static void a_synchronisation_is_charged_to_the_copy_it_waits_for(void **state)
{
	(void)state;
	walk_script_expect("160 1 api cudaStreamSynchronize corr=6 start=100 end=160\n"
			   "160 0 sync stream corr=6 stream=3 start=100 end=160\n"
			   "160 0 copy dtoh pinned corr=4 stream=3 start=110 end=150\n"
			   "165 1 api cudaLaunchKernel corr=5 start=160 end=165\n"
			   "250 0 kernel corr=5 start=165 end=250\n",
		(struct walk_script_gap){100, 165, .correlation = 5},
		"100-110 driver cudaStreamSynchronize cudaStreamSynchronize 1>0\n"
		"110-150 copy_pinned dtoh dtoh 1>0\n"
		"150-160 driver cudaStreamSynchronize cudaStreamSynchronize 1>0\n"
		"160-165 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* Another process copies to the same GPU: no synchronisation here waits for that. */
static void a_synchronisation_waits_for_its_own_process_only(void **state)
{
	(void)state;
	walk_script_expect("160 1 api cudaDeviceSynchronize corr=6 start=100 end=160\n"
			   "160 0 sync device corr=6 start=100 end=160\n"
			   "150 0 copy htod pageable pid=8 corr=4 stream=3 start=90 end=150\n"
			   "165 1 api cudaLaunchKernel corr=5 start=160 end=165\n"
			   "250 0 kernel corr=5 start=165 end=250\n",
		(struct walk_script_gap){100, 165, .correlation = 5},
		"100-160 driver cudaDeviceSynchronize cudaDeviceSynchronize 1>0\n"
		"160-165 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* It waits for the kernel of GPU 1 up to 150; the copy on its own GPU is not waited for. */
static void a_synchronisation_of_another_gpu_waits_for_that_one(void **state)
{
	(void)state;
	walk_script_expect("160 1 api cudaDeviceSynchronize corr=6 start=100 end=160\n"
			   "160 0 sync device corr=6 dev=1 start=100 end=160\n"
			   "155 0 copy htod pinned corr=3 stream=3 start=90 end=155\n"
			   "150 0 kernel corr=4 dev=1 stream=3 start=90 end=150\n"
			   "165 1 api cudaLaunchKernel corr=5 start=160 end=165\n"
			   "250 0 kernel corr=5 start=165 end=250\n",
		(struct walk_script_gap){100, 165, .correlation = 5},
		"100-150 device_dependency cudaDeviceSynchronize cudaDeviceSynchronize 1>0\n"
		"150-160 driver cudaDeviceSynchronize cudaDeviceSynchronize 1>0\n"
		"160-165 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The event was recorded on stream 2, which copies until 130; stream 3 has its own copy. */
static void a_wait_for_an_event_is_for_the_stream_it_was_recorded_on(void **state)
{
	(void)state;
	walk_script_expect("160 1 api cudaEventSynchronize corr=6 start=100 end=160\n"
			   "160 0 sync event corr=6 event_stream=2 start=100 end=160\n"
			   "130 0 copy htod pageable corr=3 stream=2 start=90 end=130\n"
			   "155 0 copy dtoh pinned corr=4 stream=3 start=95 end=155\n"
			   "165 1 api cudaLaunchKernel corr=5 start=160 end=165\n"
			   "250 0 kernel corr=5 start=165 end=250\n",
		(struct walk_script_gap){100, 165, .correlation = 5},
		"100-130 copy_pageable htod htod 1>0\n"
		"130-160 driver cudaEventSynchronize cudaEventSynchronize 1>0\n"
		"160-165 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* A stream waits for stream 2, whose kernel on another GPU ends at 170. */
static void a_stream_wait_is_a_device_dependency(void **state)
{
	(void)state;
	walk_script_expect("20 1 api cudaLaunchKernel corr=3 start=10 end=20\n"
			   "31 1 sync wait_event corr=4 stream=1 event_stream=2 start=30 end=31\n"
			   "40 1 api cudaLaunchKernel corr=5 start=31 end=40\n"
			   "170 0 kernel corr=3 dev=1 stream=2 start=50 end=170\n"
			   "250 0 kernel corr=5 start=180 end=250\n",
		(struct walk_script_gap){100, 180, .correlation = 5},
		"100-170 device_dependency stream_wait_event stream_wait_event 1>0\n"
		"170-180 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The wait was told after the kernel had been issued: what comes next waits, the kernel does not.
 */
static void a_stream_wait_behind_the_kernel_is_not_its_dependency(void **state)
{
	(void)state;
	walk_script_expect("20 1 api cudaLaunchKernel corr=3 start=10 end=20\n"
			   "40 1 api cudaLaunchKernel corr=5 start=30 end=40\n"
			   "60 1 api cudaStreamWaitEvent corr=6 start=50 end=60\n"
			   "60 0 sync wait_event corr=6 stream=1 event_stream=2 start=50 end=60\n"
			   "170 0 copy htod pinned corr=3 stream=2 start=50 end=170\n"
			   "250 0 kernel corr=5 start=180 end=250\n",
		(struct walk_script_gap){100, 180, .correlation = 5},
		"100-180 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The event is of another context: nobody knows which stream the kernel waited for. */
static void a_wait_for_an_event_of_nobody_knows_where_is_unknown(void **state)
{
#define CALLS                                                                                      \
	"30 1 api cudaStreamWaitEvent corr=4 start=20 end=30\n"                                    \
	"30 0 sync wait_event corr=4 stream=1 start=20 end=30\n"                                   \
	"40 1 api cudaLaunchKernel corr=5 start=31 end=40\n"
	static const char launch[] = "100-30200 launch cudaLaunchKernel cudaLaunchKernel 1>0\n";
	const struct walk_script_gap gap = {100, 30200, .correlation = 5};

	(void)state;
	walk_script_expect(CALLS "30300 0 kernel corr=5 start=30200 end=30300\n", gap,
		"100-30200 unknown - event_not_told 1>0\n");
	/* As long as a launch takes. */
	walk_script_expect(CALLS "30300 0 kernel corr=5 start=20100 end=30300\n",
		(struct walk_script_gap){100, 20100, .correlation = 5},
		"100-20100 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
	/* The kernel before this one had the same wait in front of it. */
	walk_script_expect(CALLS "50 1 api cudaLaunchKernel corr=6 start=41 end=50\n"
				 "100 0 kernel corr=5 start=60 end=100\n"
				 "30300 0 kernel corr=6 start=30200 end=30300\n",
		(struct walk_script_gap){100, 30200, .correlation = 6}, launch);
	/* A device that numbers its streams from 0. */
	walk_script_expect(CALLS "60 0 copy htod pinned corr=2 stream=0 start=50 end=60\n"
				 "30300 0 kernel corr=5 start=30200 end=30300\n",
		gap, launch);
#undef CALLS
}

/* The stream comes to the wait at 90 and goes on at 130; the copy 130-170 was issued after the
 * call that told it to wait, so the event does not stand for it. */
static void what_was_issued_after_the_wait_was_told_is_not_waited_for(void **state)
{
	(void)state;
	walk_script_expect("30 1 api cudaStreamWaitEvent corr=2 start=20 end=30\n"
			   "40 1 api cudaMemcpyAsync corr=3 start=30 end=40\n"
			   "50 1 api cudaLaunchKernel corr=5 start=40 end=50\n"
			   "130 0 sync wait_event corr=2 stream=1 event_stream=2 start=90 end=130\n"
			   "170 0 copy htod pinned corr=3 stream=2 start=130 end=170\n"
			   "250 0 kernel corr=5 start=180 end=250\n",
		(struct walk_script_gap){100, 180, .correlation = 5},
		"100-130 device_dependency stream_wait_event stream_wait_event 1>0\n"
		"130-180 launch cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* GPU 1 has a stream of the same number, which waits; and one of the event's number, which runs. */
static void a_stream_of_another_gpu_may_have_the_same_number(void **state)
{
#define OF_BOTH_GPUS                                                                               \
	"31 1 sync wait_event corr=4 dev=1 stream=1 event_stream=2 start=30 end=150\n"             \
	"170 0 kernel corr=3 dev=1 stream=2 start=50 end=170\n"                                    \
	"90 0 copy htod pinned corr=2 stream=2 start=60 end=90\n"                                  \
	"40 1 api cudaLaunchKernel corr=5 start=31 end=40\n"                                       \
	"250 0 kernel corr=5 start=180 end=250\n"
	static const char launch[] = "100-180 launch cudaLaunchKernel cudaLaunchKernel 1>0\n";
	const struct walk_script_gap gap = {100, 180, .correlation = 5};

	(void)state;
	walk_script_expect(OF_BOTH_GPUS, gap, launch);
	walk_script_expect(OF_BOTH_GPUS
		"31 1 sync wait_event corr=7 stream=1 event_stream=2 start=30 end=31\n",
		gap, launch);
#undef OF_BOTH_GPUS
}

/* Pinned memory, then device memory given back, then a module loaded inside a launch. */
static void calls_are_told_apart_by_name(void **state)
{
	(void)state;
	walk_script_expect("120 1 api cudaHostAlloc corr=1 start=100 end=120\n"
			   "130 1 api cudaFree corr=2 start=120 end=130\n"
			   "150 1 api cudaDeviceSynchronize corr=3 start=130 end=150\n"
			   "165 1 overhead module_loading start=155 end=165\n"
			   "170 1 api cudaLaunchKernel corr=5 start=150 end=170\n"
			   "250 0 kernel corr=5 start=170 end=250\n",
		(struct walk_script_gap){100, 170, .correlation = 5},
		"100-120 alloc cudaHostAlloc cudaHostAlloc 1>0\n"
		"120-130 free cudaFree cudaFree 1>0\n"
		"130-150 driver cudaDeviceSynchronize cudaDeviceSynchronize 1>0\n"
		"150-155 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"155-165 driver module_loading module_loading 1>0\n"
		"165-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The recorder says that the command buffer was full inside the launch. */
static void a_full_command_buffer_is_the_drivers(void **state)
{
	(void)state;
	walk_script_expect("190 1 overhead command_buffer_full start=110 end=190\n"
			   "200 1 api cudaLaunchKernel corr=5 start=100 end=200\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){110, 190, .correlation = 5},
		"110-190 driver command_buffer_full command_buffer_full 1>0\n");
}

/* Two kernels of one graph launch: the host has no part in what lies between. */
static void between_nodes_of_a_graph(void **state)
{
	(void)state;
	walk_script_expect("20 1 api cudaGraphLaunch corr=5 start=10 end=20\n"
			   "100 0 kernel corr=5 graph=9 start=50 end=100\n"
			   "250 0 kernel corr=5 graph=9 start=150 end=250\n",
		(struct walk_script_gap){100, 150, .correlation = 5, .graph = 9},
		"100-150 graph_internal cudaGraphLaunch cudaGraphLaunch 1>0\n");
}

/* The first kernel of a graph is launched like any other. */
static void before_a_graph_is_not_inside_it(void **state)
{
	(void)state;
	walk_script_expect("120 1 api cudaGraphLaunch corr=5 start=100 end=120\n"
			   "200 0 kernel corr=5 graph=9 start=150 end=200\n"
			   "250 0 kernel corr=5 graph=9 start=210 end=250\n",
		(struct walk_script_gap){100, 150, .correlation = 5, .graph = 9},
		"100-120 driver cudaGraphLaunch cudaGraphLaunch 1>0\n"
		"120-150 launch cudaGraphLaunch cudaGraphLaunch 1>0\n");
}

/* A graph begins with a copy, while another stream's kernel runs up to 100: its kernel waits for
 * the copy as any other would. */
static void copies_in_front_of_a_graphs_first_kernel_are_copies(void **state)
{
	(void)state;
	walk_script_expect("20 1 api cudaGraphLaunch corr=5 start=10 end=20\n"
			   "140 0 copy htod pageable corr=5 start=50 end=140\n"
			   "250 0 kernel corr=5 graph=9 start=150 end=250\n",
		(struct walk_script_gap){100, 150, .correlation = 5, .graph = 9},
		"100-140 copy_pageable htod htod 1>0\n"
		"140-150 launch cudaGraphLaunch cudaGraphLaunch 1>0\n");
	/* Three side by side, the first of which lasts from before the gap to 160. */
	walk_script_expect("20 1 api cudaGraphLaunch corr=5 start=10 end=20\n"
			   "140 0 copy htod pageable corr=5 start=120 end=140\n"
			   "160 0 copy htod pageable corr=5 start=50 end=160\n"
			   "170 0 copy htod pageable corr=5 start=130 end=170\n"
			   "250 0 kernel corr=5 graph=9 start=170 end=250\n",
		(struct walk_script_gap){100, 170, .correlation = 5, .graph = 9},
		"100-170 copy_pageable htod htod 1>0\n");
}

/* Thread 2 pushed its kernel first; thread 1, which raced with it, has no say in this gap. */
static void of_two_feeders_the_one_that_ended_the_gap_counts(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin release_abc\n"
			   "90 2 span_begin prep_msm\n"
			   "140 2 span_end prep_msm dur=50\n"
			   "150 2 api cudaLaunchKernel corr=5 start=140 end=150\n"
			   "151 1 span_end release_abc dur=61\n"
			   "155 1 api cudaLaunchKernel corr=6 start=151 end=155\n"
			   "200 0 kernel corr=5 start=150 end=170\n"
			   "201 0 kernel corr=6 stream=2 start=160 end=190\n",
		(struct walk_script_gap){100, 150, .correlation = 5},
		"100-140 cpu_phase prep_msm prep_msm 2>0\n"
		"140-150 driver cudaLaunchKernel cudaLaunchKernel 2>0\n");
}

/* Without API records the thread inside prove_start of that device is the feeder. */
static void without_calls_the_prover_of_the_device_is_the_feeder(void **state)
{
	(void)state;
	walk_script_expect("90 2 start_begin dev=1\n"
			   "95 1 start_begin dev=0\n"
			   "100 1 span_begin prep_msm\n"
			   "150 1 span_end prep_msm dur=50\n"
			   "300 1 start_end dev=0 dur=205\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-150 cpu_phase prep_msm prep_msm 1>0\n"
		"150-200 cpu_phase prove_start prove_start 1>0\n");
}

static void without_calls_and_spans_nobody_is_the_feeder(void **state)
{
	(void)state;
	walk_script_expect("250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-200 unknown - no_feeder 0>0\n");
}

/* The call began after the kernel: the clocks contradict each other. */
static void a_kernel_before_its_launch_is_not_explained(void **state)
{
	struct walk *walk =
		walk_script_run("250 0 kernel corr=5 start=200 end=250\n"
				"260 1 api cudaLaunchKernel corr=5 start=210 end=220\n");
	char text[WALK_SCRIPT_BYTES];

	(void)state;
	walk_script_explain(walk, (struct walk_script_gap){100, 200, .correlation = 5}, text);
	assert_string_equal(text, "100-200 unknown - before_launch 1>0\n");
	assert_int_equal(walk_counts(walk).before_launch, 1);
	assert_int_equal(walk_counts(walk).joined_operations, 1);
	assert_int_equal(walk_counts(walk).unjoined_operations, 0);
	walk_destroy(walk);
}

/* After the last operation: another GPU works until 150, its queue holds work until 170. */
static void the_edge_is_imbalance_while_others_have_work(void **state)
{
	(void)state;
	walk_script_expect("10 1 job_submit 1\n"
			   "120 2 push gpu_1 a job=1 dev=1 depth=1\n"
			   "150 0 kernel corr=3 dev=1 start=90 end=150\n"
			   "170 3 pop gpu_1 a job=1 dev=1 depth=0 wait=0\n"
			   "190 1 job_end 1 dur=180\n"
			   "200 1 job_submit 2\n",
		(struct walk_script_gap){100, 220, .device = 0},
		"100-170 imbalance - - 0>0\n"
		"170-190 unknown - edge 0>0\n"
		"190-200 no_work - - 0>0\n"
		"200-220 unknown - edge 0>0\n");
}

/*
 * A GPU that never ran anything: until 10 it waited for the same synthesis as the other GPU, which
 * then took the work; after its last kernel, what was left of the job needed no GPU.
 */
static void a_silent_gpu_waits_with_the_others_and_for_them(void **state)
{
	(void)state;
	walk_script_expect("0 1 job_submit 1\n"
			   "0 2 span_begin synthesize\n"
			   "8 2 span_end synthesize dur=8\n"
			   "10 2 api cudaLaunchKernel corr=3 start=8 end=10\n"
			   "80 0 kernel corr=3 dev=1 start=10 end=80\n"
			   "90 1 job_end 1 dur=90\n",
		(struct walk_script_gap){0, 100, .device = 0},
		"0-8 synthesis synthesize synthesize 2>0\n"
		"8-10 driver cudaLaunchKernel cudaLaunchKernel 2>0\n"
		"10-80 imbalance - - 0>0\n"
		"80-100 no_work - - 0>0\n");
}

/* A keyframe counted the jobs, so none was told because there was none. */
static void a_service_without_a_job_has_no_work(void **state)
{
	(void)state;
	walk_script_expect("50 1 state open_jobs value=0\n",
		(struct walk_script_gap){0, 100, .device = 0}, "0-100 no_work - - 0>0\n");
	walk_script_expect("50 1 state thread x\n", (struct walk_script_gap){0, 100, .device = 0},
		"0-100 unknown - edge 0>0\n");
	walk_script_expect("20 1 state job 1 job=1 since=10\n"
			   "20 1 state open_jobs value=1\n",
		(struct walk_script_gap){0, 100, .device = 0},
		"0-10 no_work - - 0>0\n"
		"10-100 unknown - edge 0>0\n");
}

/* The recording ended before the job did: nobody knows what was still to come. */
static void the_end_of_a_recording_is_an_unknown_edge(void **state)
{
	(void)state;
	walk_script_expect("0 1 job_submit 1\n"
			   "80 0 kernel corr=3 start=10 end=80\n",
		(struct walk_script_gap){80, 100, .device = 0}, "80-100 unknown - edge 0>0\n");
}

/* Nobody may ask before 100 any more; the gap after it is explained as if nothing had gone. */
static void what_is_forgotten_changes_nothing_later(void **state)
{
	(void)state;
	walk_script_expect("10 1 span_begin schedule\n"
			   "50 1 span_end schedule dur=40\n"
			   "60 1 span_begin prep_msm\n"
			   "100 0 forget\n"
			   "150 1 span_end prep_msm dur=90\n"
			   "160 1 api cudaLaunchKernel corr=5 start=150 end=160\n"
			   "250 0 kernel corr=5 start=160 end=250\n",
		(struct walk_script_gap){100, 160, .correlation = 5},
		"100-150 cpu_phase prep_msm prep_msm 1>0\n"
		"150-160 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_is_cut_into_late_in_call_and_after),
		cmocka_unit_test(a_gap_after_its_call_is_launch),
		cmocka_unit_test(a_call_is_clipped_to_the_gap),
		cmocka_unit_test(time_zero_is_a_time),
		cmocka_unit_test(late_device_records_join_in_any_order),
		cmocka_unit_test(a_copy_before_the_kernel_is_on_the_walk),
		cmocka_unit_test(a_pageable_copy_is_charged_in_its_call),
		cmocka_unit_test(a_copy_off_the_walk_is_not_blamed),
		cmocka_unit_test(a_synchronisation_is_charged_to_the_copy_it_waits_for),
		cmocka_unit_test(a_synchronisation_waits_for_its_own_process_only),
		cmocka_unit_test(a_synchronisation_of_another_gpu_waits_for_that_one),
		cmocka_unit_test(a_wait_for_an_event_is_for_the_stream_it_was_recorded_on),
		cmocka_unit_test(a_stream_wait_is_a_device_dependency),
		cmocka_unit_test(a_wait_for_an_event_of_nobody_knows_where_is_unknown),
		cmocka_unit_test(a_stream_wait_behind_the_kernel_is_not_its_dependency),
		cmocka_unit_test(what_was_issued_after_the_wait_was_told_is_not_waited_for),
		cmocka_unit_test(a_stream_of_another_gpu_may_have_the_same_number),
		cmocka_unit_test(calls_are_told_apart_by_name),
		cmocka_unit_test(a_full_command_buffer_is_the_drivers),
		cmocka_unit_test(between_nodes_of_a_graph),
		cmocka_unit_test(before_a_graph_is_not_inside_it),
		cmocka_unit_test(copies_in_front_of_a_graphs_first_kernel_are_copies),
		cmocka_unit_test(of_two_feeders_the_one_that_ended_the_gap_counts),
		cmocka_unit_test(without_calls_the_prover_of_the_device_is_the_feeder),
		cmocka_unit_test(without_calls_and_spans_nobody_is_the_feeder),
		cmocka_unit_test(a_kernel_before_its_launch_is_not_explained),
		cmocka_unit_test(the_edge_is_imbalance_while_others_have_work),
		cmocka_unit_test(a_silent_gpu_waits_with_the_others_and_for_them),
		cmocka_unit_test(a_service_without_a_job_has_no_work),
		cmocka_unit_test(the_end_of_a_recording_is_an_unknown_edge),
		cmocka_unit_test(what_is_forgotten_changes_nothing_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
