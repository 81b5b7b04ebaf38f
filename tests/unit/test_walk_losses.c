/* SPDX-License-Identifier: MIT */
/* Proves what is not concluded from events and records that may have been lost (rule 10). */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * Events were lost in [140, 150), inside the span: its part is unknown as a whole, the call's is
 * not, since it lies elsewhere.
 */
static void what_touches_lost_events_is_unknown(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "155 0 untrusted begin=140 end=150\n"
			   "160 1 span_end prep_msm dur=70\n"
			   "170 1 api cudaLaunchKernel corr=5 start=160 end=170\n"
			   "250 0 kernel corr=5 start=170 end=250\n",
		(struct walk_script_gap){100, 170, .correlation = 5},
		"100-160 unknown - lost_events 1>0\n"
		"160-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/*
 * The end of prep_msm was lost in [140, 150): whether it goes on after that nobody knows, though
 * the gap lies behind the loss, and no event says anything of the time since.
 */
static void what_may_have_ended_in_a_loss_is_unknown_after_it(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "155 0 untrusted begin=140 end=150\n"
			   "180 1 api cudaLaunchKernel corr=5 start=170 end=180\n"
			   "250 0 kernel corr=5 start=180 end=250\n",
		(struct walk_script_gap){160, 180, .correlation = 5},
		"160-170 unknown - lost_events 1>0\n"
		"170-180 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/*
 * A kernel that ended the gap at 145 may be among what was lost: then nobody waited for 200. So may
 * be a wait for another stream, which the kernel's start then waited for.
 */
static void a_gap_is_unknown_up_to_a_loss_in_it(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "130 1 span_end prep_msm dur=40\n"
			   "130 1 span_begin read_inputs\n"
			   "155 0 untrusted begin=140 end=150\n"
			   "160 1 span_end read_inputs dur=30\n"
			   "170 1 api cudaLaunchKernel corr=5 start=160 end=170\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		(struct walk_script_gap){100, 200, .correlation = 5},
		"100-160 unknown - lost_events 1>0\n"
		"160-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"170-200 unknown - lost_events 1>0\n");
}

/* One span ended, and another of its name began, in the loss: 0.3 ms of it are told by its end. */
static void an_end_tells_which_of_two_alike_it_ends(void **state)
{
	(void)state;
	walk_script_expect("1000000 1 span_begin prep_msm\n"
			   "2000000 0 untrusted begin=1500000 end=1600000\n"
			   "3000000 1 span_end prep_msm dur=300000\n"
			   "3000010 1 api cudaLaunchKernel corr=5 start=3000000 end=3000010\n"
			   "4000000 0 kernel corr=5 start=3000010 end=4000000\n",
		(struct walk_script_gap){2000000, 3000010, .correlation = 5},
		"2000000-2700000 unknown - lost_events 1>0\n"
		"2700000-3000000 cpu_phase prep_msm prep_msm 1>0\n"
		"3000000-3000010 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* It may have got its CPU back in [120, 130); from 260 on the scheduler tells of it again. */
static void a_cpu_may_have_been_got_back_in_a_loss(void **state)
{
	(void)state;
	walk_script_expect("90 1 switch from=0 to=1\n"
			   "100 1 span_begin prep_msm\n"
			   "110 1 switch from=1 to=0\n"
			   "135 0 untrusted begin=120 end=130\n"
			   "260 1 switch from=1 to=0\n"
			   "270 1 switch from=0 to=1\n"
			   "300 1 span_end prep_msm dur=200\n"
			   "310 1 api cudaLaunchKernel corr=5 start=300 end=310\n"
			   "400 0 kernel corr=5 start=310 end=400\n",
		(struct walk_script_gap){200, 310, .correlation = 5},
		"200-260 unknown prep_msm lost_events 1>0\n"
		"260-270 cpu_starved prep_msm prep_msm 1>0\n"
		"270-300 cpu_phase prep_msm prep_msm 1>0\n"
		"300-310 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The same of one that ran before: it had a CPU up to the loss, and from the next event on. */
static void a_cpu_may_have_been_taken_in_a_loss(void **state)
{
	(void)state;
	walk_script_expect("90 1 switch from=0 to=1\n"
			   "100 1 span_begin prep_msm\n"
			   "135 0 untrusted begin=120 end=130\n"
			   "260 1 switch from=0 to=1\n"
			   "300 1 span_end prep_msm dur=200\n"
			   "310 1 api cudaLaunchKernel corr=5 start=300 end=310\n"
			   "400 0 kernel corr=5 start=310 end=400\n",
		(struct walk_script_gap){200, 310, .correlation = 5},
		"200-260 unknown prep_msm lost_events 1>0\n"
		"260-300 cpu_phase prep_msm prep_msm 1>0\n"
		"300-310 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* What only meets a part at its edge does not touch it. */
static void lost_events_beside_a_part_do_not_touch_it(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prep_msm\n"
			   "95 0 untrusted begin=90 end=100\n"
			   "160 1 span_end prep_msm dur=70\n"
			   "165 0 untrusted begin=160 end=165\n"
			   "160 1 api cudaLaunchKernel corr=5 start=160 end=160\n"
			   "250 0 kernel corr=5 start=160 end=250\n",
		(struct walk_script_gap){100, 160, .correlation = 5},
		"100-160 cpu_phase prep_msm prep_msm 1>0\n");
}

/* The keyframe looked before job 1 ended, and told it after: the job does not come back. */
static void a_keyframe_does_not_open_a_job_that_ended(void **state)
{
	(void)state;
	walk_script_expect("10 1 job_submit 1\n"
			   "100 1 job_end 1 dur=90\n"
			   "105 9 state job - job=1 since=10\n"
			   "200 1 job_submit 2\n",
		(struct walk_script_gap){110, 220, .device = 0},
		"110-200 no_work - - 0>0\n"
		"200-220 unknown - edge 0>0\n");
}

/* The first job that is told is number 3: of jobs 1 and 2 nobody knows, until a keyframe counts. */
static void before_a_keyframe_earlier_jobs_may_be_open(void **state)
{
	(void)state;
	walk_script_expect("100 1 job_submit 3\n"
			   "150 1 job_end 3 dur=50\n"
			   "300 1 job_submit 4\n",
		(struct walk_script_gap){160, 250, .device = 0},
		"160-250 unknown - open_jobs_not_told 0>0\n");
	walk_script_expect("100 1 job_submit 3\n"
			   "150 1 job_end 3 dur=50\n"
			   "200 9 state open_jobs value=0\n"
			   "300 1 job_submit 4\n",
		(struct walk_script_gap){160, 250, .device = 0}, "160-250 no_work - - 0>0\n");
}

/* The first that is told of jobs is that one ended: what else was open then nobody knows. */
static void an_end_does_not_say_that_no_other_job_is_open(void **state)
{
	(void)state;
	walk_script_expect("100 1 job_end 1 dur=90\n"
			   "300 1 job_submit 5\n",
		(struct walk_script_gap){160, 250, .device = 0},
		"160-250 unknown - open_jobs_not_told 0>0\n");
	walk_script_expect("100 1 job_end 1 dur=90\n"
			   "120 9 state open_jobs value=0\n"
			   "300 1 job_submit 5\n",
		(struct walk_script_gap){160, 250, .device = 0}, "160-250 no_work - - 0>0\n");
}

/* All jobs of one process are known, but the other's first is number 5. */
static void each_process_must_tell_of_its_jobs(void **state)
{
	(void)state;
	walk_script_expect("100 1 job_submit 1\n"
			   "110 1 job_end 1 dur=10\n"
			   "120 2 job_submit 5 pid=8\n"
			   "150 2 job_end 5 dur=30 pid=8\n"
			   "300 1 job_submit 2\n",
		(struct walk_script_gap){160, 250, .device = 0},
		"160-250 unknown - open_jobs_not_told 0>0\n");
	walk_script_expect("100 1 job_submit 1\n"
			   "110 1 job_end 1 dur=10\n"
			   "120 2 job_submit 5 pid=8\n"
			   "150 2 job_end 5 dur=30 pid=8\n"
			   "155 9 state open_jobs value=0\n"
			   "156 9 state open_jobs value=0 pid=8\n"
			   "300 1 job_submit 2\n",
		(struct walk_script_gap){160, 250, .device = 0}, "160-250 no_work - - 0>0\n");
}

/* Call 3 began before the recording and ended in it; meanwhile call 4 issued the kernel. */
static void a_call_that_began_before_is_not_the_first_that_was_made(void **state)
{
	const struct walk_script_gap gap = {100, 200, .correlation = 4};

	(void)state;
	walk_script_expect("100 1 start_begin dev=0\n"
			   "120 1 api cudaStreamSynchronize corr=3 start=50 end=120\n"
			   "250 0 kernel corr=4 start=200 end=250\n",
		gap, "100-200 unknown - launched_before_the_capture 0>0\n");
	walk_script_expect("100 1 start_begin dev=0\n"
			   "120 1 api cudaStreamSynchronize corr=3 start=50 end=120\n"
			   "140 1 api cudaMalloc corr=5 start=130 end=140\n"
			   "250 0 kernel corr=4 start=200 end=250\n",
		gap, "100-200 unknown - launched_before_the_capture 0>0\n");
}

/* Without a watermark they may have been of anything since records were last said to be dropped. */
static void dropped_records_may_have_been_of_any_time_before(void **state)
{
	(void)state;
	walk_script_expect("40 9 kernel corr=4 start=20 end=40\n"
			   "90 1 span_begin prep_msm\n"
			   "130 1 span_end prep_msm dur=40\n"
			   "140 9 dropped count=1\n"
			   "170 1 api cudaLaunchKernel corr=5 start=160 end=170\n"
			   "250 9 kernel corr=5 start=170 end=250\n",
		(struct walk_script_gap){40, 170, .correlation = 5},
		"40-160 unknown - lost_records 1>0\n"
		"160-170 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_touches_lost_events_is_unknown),
		cmocka_unit_test(what_may_have_ended_in_a_loss_is_unknown_after_it),
		cmocka_unit_test(a_gap_is_unknown_up_to_a_loss_in_it),
		cmocka_unit_test(an_end_tells_which_of_two_alike_it_ends),
		cmocka_unit_test(a_cpu_may_have_been_got_back_in_a_loss),
		cmocka_unit_test(a_cpu_may_have_been_taken_in_a_loss),
		cmocka_unit_test(lost_events_beside_a_part_do_not_touch_it),
		cmocka_unit_test(a_keyframe_does_not_open_a_job_that_ended),
		cmocka_unit_test(before_a_keyframe_earlier_jobs_may_be_open),
		cmocka_unit_test(an_end_does_not_say_that_no_other_job_is_open),
		cmocka_unit_test(each_process_must_tell_of_its_jobs),
		cmocka_unit_test(a_call_that_began_before_is_not_the_first_that_was_made),
		cmocka_unit_test(dropped_records_may_have_been_of_any_time_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
