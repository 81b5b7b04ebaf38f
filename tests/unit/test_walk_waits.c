/* SPDX-License-Identifier: MIT */
/* Proves what queues, budgets, sleeps, starvation and missing events are charged to (rules 4-7). */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Every gap here ends at 200 with the launch of thread 1, made in no time. */
#define LAUNCH                                                                                     \
	"200 1 api cudaLaunchKernel corr=5 start=200 end=200\n"                                    \
	"250 0 kernel corr=5 start=200 end=250\n"
#define GAP ((struct walk_script_gap){100, 200, .correlation = 5})

/* The GPU queue is empty until thread 2 has synthesized: the cause is what the pusher did. */
static void an_empty_queue_is_charged_to_its_pusher(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "90 2 span_begin synthesize job=1 part=3\n"
			   "100 1 pop_wait gpu_queue\n"
			   "180 2 span_end synthesize job=1 part=3 dur=90\n"
			   "185 2 push gpu_queue i job=1 part=3 depth=1\n"
			   "190 1 pop gpu_queue i job=1 part=3 depth=0 wait=90\n" LAUNCH,
		GAP,
		"100-180 synthesis gpu_queue synthesize 1>2\n"
		"180-185 unknown - not_traced 1>2 via queue:gpu_queue\n"
		"185-190 cpu_phase gpu_queue handover 1>0\n"
		"190-200 unknown - not_traced 1>0\n");
}

/* The item lay in the queue since before the gap: only the hand-over is left, and the lock in it.
 */
static void a_push_before_the_gap_leaves_only_the_handover(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "60 2 push gpu_queue i job=1 depth=1\n"
			   "70 1 span_begin map\n"
			   "90 3 span_begin count\n"
			   "95 3 lock_acquire gpu_queue\n"
			   "110 1 span_end map dur=40\n"
			   "110 1 pop_wait gpu_queue\n"
			   "120 1 lock_wait gpu_queue\n"
			   "180 3 lock_release gpu_queue hold=85\n"
			   "185 1 lock_acquire gpu_queue wait=65\n"
			   "190 1 pop gpu_queue i job=1 depth=0 wait=80\n" LAUNCH,
		GAP,
		"100-110 cpu_phase map map 1>0\n"
		"110-120 cpu_phase gpu_queue handover 1>0\n"
		"120-180 lock gpu_queue count 1>3\n"
		"180-185 lock gpu_queue handover 1>0\n"
		"185-190 cpu_phase gpu_queue handover 1>0\n"
		"190-200 unknown - not_traced 1>0\n");
}

/* Before the push the queue was empty: the queue's own mutex, waited for inside the pop, is
 * nobody's fault. */
static void a_queues_own_mutex_does_not_matter_while_it_is_empty(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "90 2 span_begin synthesize\n"
			   "95 3 lock_acquire gpu_queue\n"
			   "100 1 pop_wait gpu_queue\n"
			   "100 1 lock_wait gpu_queue\n"
			   "140 3 lock_release gpu_queue hold=45\n"
			   "140 1 lock_acquire gpu_queue wait=40\n"
			   "141 1 lock_release gpu_queue hold=1\n"
			   "190 2 push gpu_queue i job=1 depth=1\n"
			   "200 1 pop gpu_queue i job=1 depth=0 wait=100\n" LAUNCH,
		GAP,
		"100-190 synthesis gpu_queue synthesize 1>2\n"
		"190-200 cpu_phase gpu_queue handover 1>0\n");
}

/* Nobody knows how long a span lasted that began before the recording: since its start. */
static void a_span_of_unknown_length_began_before_the_recording(void **state)
{
	(void)state;
	walk_script_expect("120 1 lock_wait tracker\n"
			   "130 2 lock_release tracker\n"
			   "140 1 lock_acquire tracker wait=20\n"
			   "200 1 span_end prep_msm\n" LAUNCH,
		GAP,
		"100-120 cpu_phase prep_msm prep_msm 1>0\n"
		"120-130 lock tracker not_traced 1>2\n"
		"130-140 lock tracker handover 1>0\n"
		"140-200 cpu_phase prep_msm prep_msm 1>0\n");
}

/* Nobody ever pushed what was popped. */
static void a_pop_without_a_push_is_no_waker(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "100 1 pop_wait gpu_queue\n"
			   "200 1 pop gpu_queue i job=1 depth=0 wait=100\n" LAUNCH,
		GAP, "100-200 unknown - no_waker 1>0 via queue:gpu_queue\n");
}

/* Release at 150 made room for the 20 that were needed; the one at 170 only made more. */
static void a_budget_wait_is_charged_to_who_made_room(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "60 2 span_begin prove_finish\n"
			   "60 3 span_begin other\n"
			   "100 1 wait_begin budget budget\n"
			   "120 3 release budget bytes=10 used=90 limit=100\n"
			   "150 2 release budget bytes=30 used=60 limit=100\n"
			   "170 3 release budget bytes=10 used=50 limit=100\n"
			   "180 1 wait_end budget budget wait=80\n"
			   "181 1 reserve budget bytes=20 used=70 limit=100 wait=80\n" LAUNCH,
		GAP,
		"100-150 budget budget prove_finish 1>2\n"
		"150-180 budget budget handover 1>0\n"
		"180-200 unknown - not_traced 1>0\n");
}

/* The dispatcher behind two queues waited for the pacer: the chain ends there. */
static void the_pacer_ends_the_chain(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "100 1 pop_wait gpu_queue\n"
			   "100 2 pop_wait synth_queue\n"
			   "100 3 wait_begin pacer pacer\n"
			   "150 3 wait_end pacer pacer wait=50\n"
			   "150 3 push synth_queue s job=1 depth=1\n"
			   "150 2 pop synth_queue s job=1 depth=0 wait=50\n"
			   "150 2 span_begin synthesize\n"
			   "190 2 span_end synthesize dur=40\n"
			   "190 2 push gpu_queue g job=1 depth=1\n"
			   "200 1 pop gpu_queue g job=1 depth=0 wait=100\n" LAUNCH,
		GAP,
		"100-150 pacing pacer pacer 1>3 via queue:gpu_queue queue:synth_queue\n"
		"150-190 synthesis gpu_queue synthesize 1>2\n"
		"190-200 cpu_phase gpu_queue handover 1>0\n");
}

/* A full channel: the dispatcher waits until thread 2 takes something off it. */
static void backpressure_is_charged_to_the_consumer(void **state)
{
	(void)state;
	walk_script_expect("50 9 job_submit 1\n"
			   "80 2 span_begin synthesize\n"
			   "100 1 wait_begin backpressure channel\n"
			   "190 2 span_end synthesize dur=110\n"
			   "190 2 pop_wait channel\n"
			   "190 2 pop channel c job=1 depth=3 wait=0\n"
			   "200 1 wait_end backpressure channel wait=100\n" LAUNCH,
		GAP,
		"100-190 backpressure channel synthesize 1>2\n"
		"190-200 backpressure channel handover 1>0\n");
}

/* No job until 150: then it came, was pushed and popped. */
static void a_pop_without_a_job_is_no_work(void **state)
{
	(void)state;
	walk_script_expect("10 9 job_submit 1\n"
			   "90 9 job_end 1 dur=80\n"
			   "100 1 pop_wait requests\n"
			   "150 9 job_submit 2\n"
			   "160 9 push requests r job=2 depth=1\n"
			   "165 1 pop requests r job=2 depth=0 wait=65\n"
			   "165 1 span_begin schedule\n" LAUNCH,
		GAP,
		"100-150 no_work - - 1>0\n"
		"150-160 unknown - not_traced 1>9 via queue:requests\n"
		"160-165 cpu_phase requests handover 1>0\n"
		"165-200 cpu_phase schedule schedule 1>0\n");
}

/* Job 1 is being finished, but what came next had not been submitted before 150. */
static void before_the_next_job_was_submitted_there_was_no_work(void **state)
{
	(void)state;
	walk_script_expect("10 9 job_submit 1\n"
			   "100 1 pop_wait requests\n"
			   "150 9 job_submit 2\n"
			   "150 9 push requests r job=2 depth=1\n"
			   "150 1 pop requests r job=2 depth=0 wait=50\n"
			   "150 1 span_begin schedule\n" LAUNCH,
		GAP,
		"100-150 no_work - - 1>0\n"
		"150-200 cpu_phase schedule schedule 1>0\n");
}

/* Queue gpu_1 held an item 120-160 while gpu_0 was empty. */
static void work_for_another_gpu_is_imbalance(void **state)
{
	(void)state;
	walk_script_expect("10 9 job_submit 1\n"
			   "20 2 push gpu_0 z job=1 dev=0 depth=1\n"
			   "30 1 pop gpu_0 z job=1 dev=0 depth=0 wait=0\n"
			   "80 2 span_begin synthesize\n"
			   "100 1 pop_wait gpu_0\n"
			   "120 3 push gpu_1 b job=1 dev=1 depth=1\n"
			   "160 4 pop gpu_1 b job=1 dev=1 depth=0 wait=0\n"
			   "200 2 push gpu_0 a job=1 dev=0 depth=1\n"
			   "200 1 pop gpu_0 a job=1 dev=0 depth=0 wait=100\n" LAUNCH,
		GAP,
		"100-120 synthesis gpu_0 synthesize 1>2\n"
		"120-160 imbalance gpu_1 - 1>0\n"
		"160-200 synthesis gpu_0 synthesize 1>2\n");
}

/* A quarter of the span's running time it was runnable and did not run; waits are not running. */
static void a_run_delay_is_split_off_as_starvation(void **state)
{
	(void)state;
	walk_script_expect("80 2 span_begin map\n"
			   "80 2 lock_acquire tracker\n"
			   "100 1 span_begin prep_msm\n"
			   "160 1 lock_wait tracker\n"
			   "180 2 lock_release tracker hold=100\n"
			   "180 1 lock_acquire tracker wait=20\n"
			   "200 1 span_end prep_msm dur=100 delay=20\n" LAUNCH,
		GAP,
		"~100-115 cpu_starved prep_msm prep_msm 1>0\n"
		"~115-160 cpu_phase prep_msm prep_msm 1>0\n"
		"160-180 lock tracker map 1>2\n"
		"~180-185 cpu_starved prep_msm prep_msm 1>0\n"
		"~185-200 cpu_phase prep_msm prep_msm 1>0\n");
}

/*
 * A phase with a cause of its own: what starved is the phase, not the queue its cause is about. A
 * quarter of the span, so 20 of the 80 ns that lie in the gap.
 */
static void starvation_names_the_phase_that_starved(void **state)
{
	(void)state;
	walk_script_expect("80 2 span_begin synthesize a\n"
			   "100 1 pop_wait gpu_queue\n"
			   "180 2 push gpu_queue a job=1 depth=1\n"
			   "180 2 span_end synthesize dur=100 delay=25\n"
			   "180 1 pop gpu_queue a job=1 depth=0 wait=80\n" LAUNCH,
		GAP,
		"~100-120 cpu_starved synthesize synthesize 1>2\n"
		"~120-180 synthesis gpu_queue synthesize 1>2\n"
		"180-200 unknown - not_traced 1>0\n");
}

/* With the scheduler's own events it is exact: pushed off its CPU 120-150, blocked never. */
static void scheduler_events_tell_starvation_exactly(void **state)
{
	(void)state;
	walk_script_expect("90 0 switch from=8 to=1\n"
			   "100 1 span_begin prep_msm\n"
			   "120 0 switch from=1 to=8\n"
			   "150 0 switch from=8 to=1\n"
			   "200 1 span_end prep_msm dur=100 delay=60\n" LAUNCH,
		GAP,
		"100-120 cpu_phase prep_msm prep_msm 1>0\n"
		"120-150 cpu_starved prep_msm prep_msm 1>0\n"
		"150-200 cpu_phase prep_msm prep_msm 1>0\n");
}

/* Woken at 160, on a CPU at 190: that part of the hand-over is starvation. */
static void a_woken_thread_without_a_cpu_is_starved(void **state)
{
	(void)state;
	walk_script_expect("80 2 lock_acquire tracker\n"
			   "80 2 span_begin map\n"
			   "100 1 lock_wait tracker\n"
			   "100 0 switch from=1 to=8 blocked\n"
			   "150 2 lock_release tracker hold=70\n"
			   "160 0 waking of=1\n"
			   "190 0 switch from=8 to=1\n"
			   "200 1 lock_acquire tracker wait=100\n" LAUNCH,
		GAP,
		"100-150 lock tracker map 1>2\n"
		"150-160 lock tracker handover 1>0\n"
		"160-190 cpu_starved handover handover 1>0 via lock:tracker\n"
		"190-200 lock tracker handover 1>0\n");
}

/* Decoy: thread 2 trims all the time, under no lock that anybody waits for. */
static void a_trim_on_no_path_is_not_blamed(void **state)
{
	(void)state;
	walk_script_expect("90 2 trim_begin\n"
			   "100 1 span_begin prep_msm\n"
			   "195 2 trim_end dur=105\n"
			   "200 1 span_end prep_msm dur=100\n" LAUNCH,
		GAP, "100-200 cpu_phase prep_msm prep_msm 1>0\n");
}

/* Buffers say how long their memory took: abc unmapped 110-180 within the span. */
static void a_buffer_event_with_a_duration_is_alloc_or_free(void **state)
{
	(void)state;
	walk_script_expect("90 1 span_begin prove_start\n"
			   "110 1 alloc pinned dur=10\n"
			   "180 1 free abc dur=70\n" LAUNCH,
		GAP,
		"100-110 alloc pinned pinned 1>0\n"
		"110-180 free abc abc 1>0\n"
		"180-200 cpu_phase prove_start prove_start 1>0\n");
}

/* Thread 1 joins thread 2; the span that 2 ended on behalf of 3 was 3's, on 3's lane. */
static void a_span_that_ends_elsewhere_stays_on_its_lane(void **state)
{
	(void)state;
	walk_script_expect("90 3 span_begin epilogue\n"
			   "100 1 wait_begin join finalizer\n"
			   "150 2 span_end epilogue dur=60 begin_thread=3\n"
			   "180 3 wake finalizer\n"
			   "200 1 wait_end join finalizer wait=100\n" LAUNCH,
		GAP,
		"100-150 cpu_phase finalizer epilogue 1>3\n"
		"150-180 unknown - not_traced 1>3 via join:finalizer\n"
		"180-200 cpu_phase finalizer handover 1>0\n");
}

/* A thread that helps: it runs the very task that it joins. The wait is no wait then. */
static void a_thread_that_wakes_itself_did_not_wait(void **state)
{
	(void)state;
	walk_script_expect("90 1 submit pool t b_g2_msm\n"
			   "100 1 wait_begin join t\n"
			   "110 1 task_begin pool t b_g2_msm queued=20\n"
			   "190 1 wake t\n"
			   "190 1 task_end pool t b_g2_msm run=80\n"
			   "200 1 wait_end join t wait=100\n" LAUNCH,
		GAP,
		"100-110 cpu_phase t handover 1>0\n"
		"110-190 cpu_phase b_g2_msm b_g2_msm 1>0\n"
		"190-200 cpu_phase t handover 1>0\n");
}

/* The submission was lost; the begin tells how long the task lay in the pool. */
static void a_task_without_its_submission_is_followed_to_its_queue(void **state)
{
	(void)state;
	walk_script_expect("150 1 task_begin blocking t prove_start queued=30\n" LAUNCH, GAP,
		"100-120 unknown - no_waker 1>0\n"
		"120-150 pool blocking handover 1>0\n"
		"150-200 cpu_phase prove_start prove_start 1>0\n");
}

/* The end of a lock_wait was lost: whoever begins a span is not blocked. */
static void a_thread_that_goes_on_is_not_blocked_any_more(void **state)
{
	(void)state;
	walk_script_expect("80 2 lock_acquire tracker\n"
			   "80 2 span_begin map\n"
			   "100 1 lock_wait tracker\n"
			   "150 1 span_begin prep_msm\n"
			   "200 1 span_end prep_msm dur=50\n" LAUNCH,
		GAP,
		"100-150 unknown - no_waker 1>0 via lock:tracker\n"
		"150-200 cpu_phase prep_msm prep_msm 1>0\n");
}

/*
 * Thread 9 takes requests: until 150 it answered another one and was kept by the tracker, which has
 * nothing to do with job 2, submitted at 160. Job 1 is being checked all the time.
 */
static void what_a_request_thread_did_before_is_not_the_jobs_affair(void **state)
{
	(void)state;
	walk_script_expect("10 8 job_submit 1\n"
			   "80 2 lock_acquire tracker\n"
			   "80 2 span_begin self_check\n"
			   "100 1 pop_wait requests\n"
			   "110 9 lock_wait tracker\n"
			   "150 2 lock_release tracker hold=70\n"
			   "150 9 lock_acquire tracker wait=40\n"
			   "151 9 lock_release tracker hold=1\n"
			   "160 9 job_submit 2\n"
			   "165 9 lock_acquire tracker\n"
			   "170 9 push requests r job=2 depth=1\n"
			   "170 1 pop requests r job=2 depth=0 wait=70\n"
			   "170 1 span_begin schedule\n" LAUNCH,
		GAP,
		"100-160 no_work - - 1>0\n"
		"160-170 unknown - not_traced 1>9 via queue:requests\n"
		"170-200 cpu_phase schedule schedule 1>0\n");
}

/*
 * A recording that began late: a keyframe tells that job 1 is outstanding since 20 and that the
 * queue of the other GPU holds work; otherwise this would be no work, or nobody's.
 */
static void a_keyframe_tells_what_a_late_recording_missed(void **state)
{
	(void)state;
	walk_script_expect("90 9 state job - job=1 since=20\n"
			   "90 9 state queue gpu_1 dev=1 value=2\n"
			   "95 1 pop gpu_0 z job=1 dev=0 depth=0 wait=0\n"
			   "96 2 span_begin synthesize\n"
			   "100 1 pop_wait gpu_0\n"
			   "150 9 state queue gpu_1 dev=1 value=0\n"
			   "200 2 push gpu_0 a job=1 dev=0 depth=1\n"
			   "200 1 pop gpu_0 a job=1 dev=0 depth=0 wait=100\n" LAUNCH,
		GAP,
		"100-150 imbalance gpu_1 - 1>0\n"
		"150-200 synthesis gpu_0 synthesize 1>2\n");
}

/* The submission of job 1 is not recorded; its end tells since when it was outstanding. */
static void a_job_known_by_its_end_was_outstanding(void **state)
{
	(void)state;
	walk_script_expect("95 9 state open_jobs value=0\n"
			   "96 2 span_begin synthesize\n"
			   "100 1 pop_wait gpu_queue\n"
			   "180 2 push gpu_queue a job=1 depth=1\n"
			   "200 1 pop gpu_queue a job=1 depth=0 wait=100\n" LAUNCH
			   "260 9 job_end 1 dur=140\n",
		GAP,
		"100-120 no_work - - 1>0\n"
		"120-180 synthesis gpu_queue synthesize 1>2\n"
		"180-200 cpu_phase gpu_queue handover 1>0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_queue_is_charged_to_its_pusher),
		cmocka_unit_test(a_push_before_the_gap_leaves_only_the_handover),
		cmocka_unit_test(a_queues_own_mutex_does_not_matter_while_it_is_empty),
		cmocka_unit_test(a_span_of_unknown_length_began_before_the_recording),
		cmocka_unit_test(a_pop_without_a_push_is_no_waker),
		cmocka_unit_test(a_budget_wait_is_charged_to_who_made_room),
		cmocka_unit_test(the_pacer_ends_the_chain),
		cmocka_unit_test(backpressure_is_charged_to_the_consumer),
		cmocka_unit_test(a_pop_without_a_job_is_no_work),
		cmocka_unit_test(before_the_next_job_was_submitted_there_was_no_work),
		cmocka_unit_test(work_for_another_gpu_is_imbalance),
		cmocka_unit_test(a_run_delay_is_split_off_as_starvation),
		cmocka_unit_test(starvation_names_the_phase_that_starved),
		cmocka_unit_test(scheduler_events_tell_starvation_exactly),
		cmocka_unit_test(a_woken_thread_without_a_cpu_is_starved),
		cmocka_unit_test(a_trim_on_no_path_is_not_blamed),
		cmocka_unit_test(a_buffer_event_with_a_duration_is_alloc_or_free),
		cmocka_unit_test(a_span_that_ends_elsewhere_stays_on_its_lane),
		cmocka_unit_test(a_thread_that_wakes_itself_did_not_wait),
		cmocka_unit_test(a_task_without_its_submission_is_followed_to_its_queue),
		cmocka_unit_test(a_thread_that_goes_on_is_not_blocked_any_more),
		cmocka_unit_test(what_a_request_thread_did_before_is_not_the_jobs_affair),
		cmocka_unit_test(a_keyframe_tells_what_a_late_recording_missed),
		cmocka_unit_test(a_job_known_by_its_end_was_outstanding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
