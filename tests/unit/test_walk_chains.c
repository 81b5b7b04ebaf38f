/* SPDX-License-Identifier: MIT */
/* Proves that chains of locks, pools and barriers end at whoever is to blame (rules 6 to 10). */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Every gap here ends at 200 with the launch of thread 1, made in no time. */
#define LAUNCH                                                                                     \
	"200 1 api cudaLaunchKernel corr=5 start=200 end=200\n"                                    \
	"250 0 kernel corr=5 start=200 end=250\n"
#define GAP ((struct walk_script_gap){100, 200, .correlation = 5})

/*
 *  thread 2   [tracker ..[ malloc_trim 110-180 ]..185]
 *  thread 1          [wait 120 ................ 190] held
 *  Up to 120 nothing is recorded of thread 1; 185-190 is the wake-up.
 */
static void a_lock_is_charged_to_what_its_holder_did(void **state)
{
	(void)state;
	walk_script_expect("100 2 lock_acquire tracker\n"
			   "110 2 trim_begin\n"
			   "120 1 lock_wait tracker\n"
			   "180 2 trim_end dur=70\n"
			   "185 2 lock_release tracker hold=85\n"
			   "190 1 lock_acquire tracker wait=70\n"
			   "200 1 lock_release tracker hold=10\n" LAUNCH,
		GAP,
		"100-120 unknown - not_traced 1>0\n"
		"120-180 lock tracker malloc_trim 1>2\n"
		"180-185 lock tracker not_traced 1>2\n"
		"185-190 lock tracker handover 1>0\n"
		"190-200 unknown - not_traced 1>0\n");
}

/*
 * The chain that the tool was made for: the feeder's task sat in the pool "blocking", whose thread
 * 1 was in another task and waited for "tracker", whose holder, thread 2, trimmed. task B submitted
 * 110 by thread 3, begins 180 on thread 1 task A  on thread 1 until 180, in it the wait 120-175 for
 * tracker, trim by thread 2 115-170
 */
static void the_trim_under_the_tracker_is_found_behind_the_pool(void **state)
{
	(void)state;
	walk_script_expect("90 3 span_begin gpu_worker\n"
			   "95 1 task_begin blocking a prove_finish queued=0\n"
			   "100 2 lock_acquire tracker\n"
			   "110 3 submit blocking b prove_start\n"
			   "115 2 trim_begin\n"
			   "120 1 lock_wait tracker\n"
			   "170 2 trim_end dur=55\n"
			   "172 2 lock_release tracker hold=72\n"
			   "175 1 lock_acquire tracker wait=55\n"
			   "176 1 lock_release tracker hold=1\n"
			   "180 1 task_end blocking a prove_finish run=85\n"
			   "180 1 task_begin blocking b prove_start queued=70\n"
			   "190 1 span_begin upload\n"
			   "200 1 span_end upload dur=10\n" LAUNCH,
		GAP,
		"100-110 cpu_phase gpu_worker gpu_worker 1>3\n"
		"110-120 pool blocking prove_finish 1>1\n"
		"120-170 lock tracker malloc_trim 1>2 via pool:blocking\n"
		"170-172 lock tracker not_traced 1>2 via pool:blocking\n"
		"172-175 lock tracker handover 1>0 via pool:blocking\n"
		"175-180 pool blocking prove_finish 1>1\n"
		"180-190 cpu_phase prove_start prove_start 1>0\n"
		"190-200 cpu_phase upload upload 1>0\n");
}

/* Thread 1 waits for lock a, its holder 2 for lock b, its holder 3 checks itself. */
static void locks_nest_three_threads_deep(void **state)
{
	(void)state;
	walk_script_expect("90 3 lock_acquire b\n"
			   "90 2 lock_acquire a\n"
			   "95 2 span_begin map\n"
			   "100 3 span_begin self_check\n"
			   "100 1 lock_wait a\n"
			   "110 2 lock_wait b\n"
			   "150 3 span_end self_check dur=50\n"
			   "150 3 lock_release b hold=60\n"
			   "150 2 lock_acquire b wait=40\n"
			   "170 2 lock_release b hold=20\n"
			   "180 2 lock_release a hold=90\n"
			   "180 1 lock_acquire a wait=80\n"
			   "180 1 span_begin prep\n"
			   "200 1 span_end prep dur=20\n" LAUNCH,
		GAP,
		"100-110 lock a map 1>2\n"
		"110-150 lock b self_check 1>3 via lock:a\n"
		"150-180 lock a map 1>2\n"
		"180-200 cpu_phase prep prep 1>0\n");
}

/* Three threads had the lock one after the other while thread 1 waited: each answers for its time.
 */
static void holders_answer_one_after_the_other(void **state)
{
	(void)state;
	walk_script_expect("80 2 lock_acquire tracker\n"
			   "80 2 span_begin two\n"
			   "80 3 span_begin three\n"
			   "80 4 span_begin four\n"
			   "100 1 lock_wait tracker\n"
			   "120 2 lock_release tracker hold=40\n"
			   "122 3 lock_acquire tracker wait=20\n"
			   "150 3 lock_release tracker hold=28\n"
			   "150 4 lock_acquire tracker wait=20\n"
			   "190 4 lock_release tracker hold=40\n"
			   "200 1 lock_acquire tracker wait=100\n" LAUNCH,
		GAP,
		"100-120 lock tracker two 1>2\n"
		"120-122 lock tracker handover 1>0\n"
		"122-150 lock tracker three 1>3\n"
		"150-190 lock tracker four 1>4\n"
		"190-200 lock tracker handover 1>0\n");
}

/*
 * A writer behind two readers: reader 3 released last and had come at 130; before that reader 2,
 * who released earlier, answers.
 */
static void a_writer_waits_for_the_last_of_the_readers(void **state)
{
	(void)state;
	walk_script_expect("80 2 span_begin two\n"
			   "80 3 span_begin three\n"
			   "90 2 lock_acquire status shared\n"
			   "100 1 lock_wait status\n"
			   "130 3 lock_acquire status shared\n"
			   "160 2 lock_release status hold=70 shared\n"
			   "190 3 lock_release status hold=60 shared\n"
			   "200 1 lock_acquire status wait=100\n" LAUNCH,
		GAP,
		"100-130 lock status two 1>2\n"
		"130-190 lock status three 1>3\n"
		"190-200 lock status handover 1>0\n");
}

/* A reader is let in by the writer 4; reader 3, who came and went meanwhile, kept nobody out. */
static void a_reader_waits_for_a_writer_not_for_readers(void **state)
{
	(void)state;
	walk_script_expect("80 4 span_begin write\n"
			   "90 4 lock_acquire status\n"
			   "100 1 lock_wait status shared\n"
			   "180 4 lock_release status hold=90\n"
			   "181 3 lock_acquire status shared\n"
			   "190 3 lock_release status hold=9 shared\n"
			   "200 1 lock_acquire status wait=100 shared\n" LAUNCH,
		GAP,
		"100-180 lock status write 1>4\n"
		"180-200 lock status handover 1>0\n");
}

/* The wait began before anything was recorded: its end tells how long it was. */
static void a_wait_begun_before_the_recording_is_whole(void **state)
{
	(void)state;
	walk_script_expect("170 2 trim_end dur=150\n"
			   "180 2 lock_release tracker hold=170\n"
			   "190 1 lock_acquire tracker wait=165\n" LAUNCH,
		GAP,
		"100-170 lock tracker malloc_trim 1>2\n"
		"170-180 lock tracker not_traced 1>2\n"
		"180-190 lock tracker handover 1>0\n"
		"190-200 unknown - not_traced 1>0\n");
}

/* The holder's release was lost: that it held is known, who let go is not. */
static void a_missing_release_is_no_waker(void **state)
{
	(void)state;
	walk_script_expect("90 2 lock_acquire tracker\n"
			   "100 1 lock_wait tracker\n"
			   "190 1 lock_acquire tracker wait=90\n" LAUNCH,
		GAP,
		"100-190 unknown - no_waker 1>0 via lock:tracker\n"
		"190-200 unknown - not_traced 1>0\n");
}

/* A release that the trace has after the acquisition it allowed still counts. */
static void a_release_recorded_late_is_taken(void **state)
{
	(void)state;
	walk_script_expect("90 2 lock_acquire tracker\n"
			   "90 2 span_begin map\n"
			   "100 1 lock_wait tracker\n"
			   "200 1 lock_acquire tracker wait=100\n"
			   "200 2 lock_release tracker hold=110\n" LAUNCH,
		GAP, "100-200 lock tracker map 1>2\n");
}

/*
 * Two holds were taken for lost, of thread 2 and then of 3; the release that comes late is the
 * older one's, and so the later hold keeps its doubt.
 */
static void a_late_release_is_of_its_own_thread(void **state)
{
	(void)state;
	walk_script_expect("90 2 lock_acquire tracker\n"
			   "100 1 lock_wait tracker\n"
			   "150 3 lock_acquire tracker\n"
			   "190 1 lock_acquire tracker wait=90\n"
			   "195 2 lock_release tracker hold=105\n" LAUNCH,
		GAP,
		"100-150 lock tracker not_traced 1>2\n"
		"150-190 unknown - no_waker 1>0 via lock:tracker\n"
		"190-200 unknown - not_traced 1>0\n");
}

/* Thread 1 waits for lock a of 2, which waits for b, which thread 1 held at that time: nonsense. */
static void a_cycle_is_cut(void **state)
{
	(void)state;
	walk_script_expect("80 1 lock_acquire b\n"
			   "80 2 lock_acquire a\n"
			   "100 1 lock_wait a\n"
			   "100 2 lock_wait b\n"
			   "170 1 lock_release b hold=90\n"
			   "180 2 lock_acquire b wait=80\n"
			   "190 2 lock_release a hold=110\n"
			   "200 1 lock_acquire a wait=100\n" LAUNCH,
		GAP,
		"100-170 unknown - cycle 1>0 via lock:a lock:b\n"
		"170-180 lock b handover 1>0 via lock:a\n"
		"180-190 lock a not_traced 1>2\n"
		"190-200 lock a handover 1>0\n");
}

/* A barrier inside the GPU's mutex: the feeder holds it and waits for prep, done by thread 2. */
static void a_barrier_inside_the_gpu_mutex_is_the_mutexs(void **state)
{
	(void)state;
	walk_script_expect("60 1 lock_acquire gpu_mutex\n"
			   "80 2 span_begin prep_msm\n"
			   "100 1 wait_begin barrier prep_barrier\n"
			   "180 2 wake prep_barrier\n"
			   "181 2 span_end prep_msm dur=101\n"
			   "190 1 wait_end barrier prep_barrier wait=90\n"
			   "195 1 span_begin collect\n" LAUNCH,
		GAP,
		"100-180 gpu_mutex gpu_mutex prep_msm 1>2 via barrier:prep_barrier\n"
		"180-190 gpu_mutex gpu_mutex handover 1>0 via barrier:prep_barrier\n"
		"190-195 gpu_mutex gpu_mutex not_traced 1>0\n"
		"195-200 gpu_mutex gpu_mutex collect 1>0\n");
}

/* The same seen by the next worker, which waits for the mutex: then it takes its own time. */
static void the_gpu_mutex_is_charged_to_what_goes_on_inside(void **state)
{
	(void)state;
	walk_script_expect("60 3 lock_acquire gpu_mutex\n"
			   "80 2 span_begin prep_msm\n"
			   "100 1 lock_wait gpu_mutex\n"
			   "100 3 wait_begin barrier prep_barrier\n"
			   "150 2 wake prep_barrier\n"
			   "151 2 span_end prep_msm dur=71\n"
			   "160 3 wait_end barrier prep_barrier wait=60\n"
			   "160 3 span_begin unlock\n"
			   "180 3 lock_release gpu_mutex hold=120\n"
			   "185 1 lock_acquire gpu_mutex wait=85\n"
			   "185 1 span_begin start_thread\n" LAUNCH,
		GAP,
		"100-150 gpu_mutex gpu_mutex prep_msm 1>2 via barrier:prep_barrier\n"
		"150-160 gpu_mutex gpu_mutex handover 1>0 via barrier:prep_barrier\n"
		"160-180 gpu_mutex gpu_mutex unlock 1>3\n"
		"180-185 gpu_mutex gpu_mutex handover 1>0\n"
		"185-200 gpu_mutex gpu_mutex start_thread 1>0\n");
}

/*
 * The worker, thread 3, saw a task through that ran on thread 2 with the mutex held, and got the
 * mutex again for the next task, on thread 1, before any other worker did. What ran inside is
 * charged as it is to one that waited for the mutex; a call keeps its own cause.
 *
 *  thread 3  [join .................... 155]  submit 160
 *  thread 2  [sync  110][join b_g2 140] 150 unlocked, 152 over
 *  thread 4  [b_g2_msm ........ 138]
 *  thread 1                                        [165, locked 170
 */
static void the_gpu_mutex_counts_for_the_worker_that_comes_back_to_it(void **state)
{
	(void)state;
	walk_script_expect("80 4 span_begin b_g2_msm\n"
			   "90 3 submit blocking a prove_start\n"
			   "92 2 task_begin blocking a prove_start queued=2\n"
			   "94 3 wait_begin join blocking\n"
			   "96 2 lock_acquire gpu_mutex\n"
			   "110 2 api cudaDeviceSynchronize corr=4 start=98 end=110\n"
			   "115 2 wait_begin join b_g2\n"
			   "138 4 wake b_g2\n"
			   "139 4 span_end b_g2_msm dur=59\n"
			   "140 2 wait_end join b_g2 wait=25\n"
			   "150 2 lock_release gpu_mutex hold=54\n"
			   "152 2 wake blocking\n"
			   "152 2 task_end blocking a prove_start run=60\n"
			   "155 3 wait_end join blocking wait=61\n"
			   "155 3 span_begin gpu_worker\n"
			   "160 3 submit blocking b prove_start\n"
			   "165 1 task_begin blocking b prove_start queued=5\n"
			   "170 1 lock_acquire gpu_mutex\n" LAUNCH,
		GAP,
		"100-110 driver blocking cudaDeviceSynchronize 1>2\n"
		"110-115 gpu_mutex gpu_mutex prove_start 1>2 via join:blocking\n"
		"115-138 gpu_mutex gpu_mutex b_g2_msm 1>4 via join:blocking join:b_g2\n"
		"138-140 gpu_mutex gpu_mutex handover 1>0 via join:blocking join:b_g2\n"
		"140-150 gpu_mutex gpu_mutex prove_start 1>2 via join:blocking\n"
		"150-152 cpu_phase blocking prove_start 1>2\n"
		"152-155 cpu_phase blocking handover 1>0\n"
		"155-160 cpu_phase gpu_worker gpu_worker 1>3\n"
		"160-165 pool blocking handover 1>0\n"
		"165-170 cpu_phase prove_start prove_start 1>0\n"
		"170-200 gpu_mutex gpu_mutex prove_start 1>0\n");
}

/* Prep lay in the pool behind the b_g2 of another partition: the pool is what is to be mended. */
static void prep_queued_behind_other_work_is_the_pools(void **state)
{
	(void)state;
	walk_script_expect("60 1 lock_acquire gpu_mutex\n"
			   "70 2 task_begin groth16_pool g b_g2_msm queued=0\n"
			   "90 1 submit groth16_pool p prep_msm\n"
			   "100 1 wait_begin barrier prep_barrier\n"
			   "150 2 task_end groth16_pool g b_g2_msm run=80\n"
			   "152 2 task_begin groth16_pool p prep_msm queued=62\n"
			   "190 2 wake prep_barrier\n"
			   "191 2 task_end groth16_pool p prep_msm run=39\n"
			   "200 1 wait_end barrier prep_barrier wait=100\n" LAUNCH,
		GAP,
		"100-150 pool groth16_pool b_g2_msm 1>2 via inside:gpu_mutex barrier:prep_barrier\n"
		"150-152 pool groth16_pool handover 1>0 via inside:gpu_mutex barrier:prep_barrier\n"
		"152-190 gpu_mutex gpu_mutex prep_msm 1>2 via barrier:prep_barrier\n"
		"190-200 gpu_mutex gpu_mutex handover 1>0 via barrier:prep_barrier\n");
}

/* Waiting for the tracker inside the GPU mutex is waiting for the tracker. */
static void a_cause_further_in_than_the_gpu_mutex_wins(void **state)
{
	(void)state;
	walk_script_expect("60 1 lock_acquire gpu_mutex\n"
			   "80 2 lock_acquire tracker\n"
			   "80 2 span_begin log_write\n"
			   "100 1 lock_wait tracker\n"
			   "190 2 lock_release tracker hold=110\n"
			   "200 1 lock_acquire tracker wait=100\n" LAUNCH,
		GAP,
		"100-190 lock tracker log_write 1>2\n"
		"190-200 lock tracker handover 1>0\n");
}

/* A launch that waits behind an allocation of thread 2 for the driver's lock: the allocation. */
static void a_lock_inside_a_call_is_charged_to_what_holds_the_driver(void **state)
{
	(void)state;
	walk_script_expect("90 2 lock_acquire driver\n"
			   "105 1 lock_wait driver\n"
			   "180 2 lock_release driver hold=90\n"
			   "181 2 api cudaMallocHost corr=1 start=85 end=181\n"
			   "185 1 lock_acquire driver wait=80\n"
			   "186 1 lock_release driver hold=1\n"
			   "200 1 api cudaLaunchKernel corr=5 start=100 end=200\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		GAP,
		"100-105 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"105-180 alloc driver cudaMallocHost 1>2\n"
		"180-185 cpu_phase driver handover 1>0\n"
		"185-200 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/* The same behind a thread of the driver's own that nothing is recorded of: the call, not unknown.
 */
static void a_lock_inside_a_call_that_nobody_tells_of_is_the_driver(void **state)
{
	(void)state;
	walk_script_expect("104 2 lock_acquire device_queue\n"
			   "105 1 lock_wait device_queue\n"
			   "180 2 lock_release device_queue hold=76\n"
			   "185 1 lock_acquire device_queue wait=80\n"
			   "186 1 lock_release device_queue hold=1\n"
			   "200 1 api cudaLaunchKernel corr=5 start=100 end=200\n"
			   "250 0 kernel corr=5 start=200 end=250\n",
		GAP,
		"100-105 driver cudaLaunchKernel cudaLaunchKernel 1>0\n"
		"105-180 driver device_queue not_traced 1>2\n"
		"180-185 cpu_phase device_queue handover 1>0\n"
		"185-200 driver cudaLaunchKernel cudaLaunchKernel 1>0\n");
}

/*
 * Forty threads, each waiting for a lock that the next one holds: 32 waits are followed, and that
 * is where it ends.
 */
static void a_chain_has_a_limit(void **state)
{
	static char script[WALK_SCRIPT_BYTES];
	char text[WALK_SCRIPT_BYTES];
	struct walk *walk;
	size_t used = 0;
	unsigned int links = 0;

	(void)state;
	for (int i = 1; i < 40; i++) {
		used += (size_t)snprintf(
			script + used, sizeof(script) - used, "90 %d lock_acquire l%d\n", i + 1, i);
	}
	for (int i = 1; i < 40; i++) {
		used += (size_t)snprintf(
			script + used, sizeof(script) - used, "100 %d lock_wait l%d\n", i, i);
	}
	for (int i = 39; i >= 1; i--) {
		used += (size_t)snprintf(script + used, sizeof(script) - used,
			"200 %d lock_release l%d hold=110\n200 %d lock_acquire l%d wait=100\n",
			i + 1, i, i, i);
	}
	walk = walk_script_run(script);
	walk_script_add(walk, LAUNCH);
	walk_script_explain(walk, GAP, text);
	walk_destroy(walk);
	assert_memory_equal(text, "100-200 unknown - too_deep 1>0 via", 34);
	for (const char *c = text; *c; c++) {
		links += *c == ':';
	}
	assert_int_equal(links, GAP_VIA_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_charged_to_what_its_holder_did),
		cmocka_unit_test(the_trim_under_the_tracker_is_found_behind_the_pool),
		cmocka_unit_test(locks_nest_three_threads_deep),
		cmocka_unit_test(holders_answer_one_after_the_other),
		cmocka_unit_test(a_writer_waits_for_the_last_of_the_readers),
		cmocka_unit_test(a_reader_waits_for_a_writer_not_for_readers),
		cmocka_unit_test(a_wait_begun_before_the_recording_is_whole),
		cmocka_unit_test(a_missing_release_is_no_waker),
		cmocka_unit_test(a_release_recorded_late_is_taken),
		cmocka_unit_test(a_late_release_is_of_its_own_thread),
		cmocka_unit_test(a_cycle_is_cut),
		cmocka_unit_test(a_barrier_inside_the_gpu_mutex_is_the_mutexs),
		cmocka_unit_test(the_gpu_mutex_is_charged_to_what_goes_on_inside),
		cmocka_unit_test(the_gpu_mutex_counts_for_the_worker_that_comes_back_to_it),
		cmocka_unit_test(prep_queued_behind_other_work_is_the_pools),
		cmocka_unit_test(a_cause_further_in_than_the_gpu_mutex_wins),
		cmocka_unit_test(a_lock_inside_a_call_is_charged_to_what_holds_the_driver),
		cmocka_unit_test(a_lock_inside_a_call_that_nobody_tells_of_is_the_driver),
		cmocka_unit_test(a_chain_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
