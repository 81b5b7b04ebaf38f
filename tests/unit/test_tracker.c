/* SPDX-License-Identifier: MIT */
/*
 * Proves that jobs are numbered, limited, ended exactly once and forgotten oldest first, that a
 * failing job's workers stay idle, and that whoever waits for the end is told.
 */
#include "prover/tracker.h"
#include "prover/tracker_snapshot.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct job *new_job(uint32_t partitions)
{
	struct job_request request = {.kind = JOB_SQUARING,
		.priority = JOB_PRIORITY_NORMAL,
		.partition_count = partitions};
	struct job *job = NULL;

	assert_int_equal(job_create(&request, &job), STATUS_OK);
	return job;
}

static void init(struct tracker *tracker, uint32_t active_max, uint32_t history_max)
{
	struct tracker_config config = {
		.active_max = active_max, .history_max = history_max, .worker_count = 2};

	assert_int_equal(tracker_init(tracker, &config), STATUS_OK);
}

/* Ends every partition of a job, well or not, and with the last one the job. */
static void end_job(struct tracker *tracker, struct job *job, bool is_done)
{
	for (uint32_t i = 0; i < job->request.partition_count; i++) {
		struct tracker_result result = {.is_done = is_done};
		bool is_last = false;

		gaptrace_mutex_lock(&tracker->mutex);
		is_last = tracker_partition_end_locked(tracker, job, i, &result);
		if (is_last) {
			tracker_job_end_locked(tracker, job);
		}
		gaptrace_mutex_unlock(&tracker->mutex);
		assert_int_equal(is_last, i + 1 == job->request.partition_count);
	}
}

static void jobs_are_numbered_from_one_and_limited(void **state)
{
	struct tracker tracker;
	struct job *jobs[3] = {new_job(1), new_job(1), new_job(1)};

	(void)state;
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, jobs[0]), STATUS_OK);
	assert_int_equal(tracker_add(&tracker, jobs[1]), STATUS_OK);
	assert_int_equal(jobs[0]->id, 1);
	assert_int_equal(jobs[1]->id, 2);
	assert_int_equal(tracker_add(&tracker, jobs[2]), STATUS_OVER_LIMIT);
	end_job(&tracker, jobs[0], true);
	assert_int_equal(tracker_add(&tracker, jobs[2]), STATUS_OK);
	assert_int_equal(jobs[2]->id, 3);
	end_job(&tracker, jobs[1], true);
	end_job(&tracker, jobs[2], true);
	assert_int_equal(tracker.counts.submitted, 3);
	assert_int_equal(tracker.counts.refused, 1);
	assert_int_equal(tracker.counts.done[JOB_SQUARING], 3);
	tracker_finish(&tracker);
	for (int i = 0; i < 3; i++) {
		job_unref(jobs[i]);
	}
}

static void a_draining_tracker_accepts_nothing(void **state)
{
	struct tracker tracker;
	struct job *job = new_job(1);

	(void)state;
	init(&tracker, 2, 10);
	tracker_drain(&tracker);
	assert_int_equal(tracker_add(&tracker, job), STATUS_STOPPED);
	assert_true(tracker_wait_idle(&tracker, 0));
	tracker_finish(&tracker);
	job_unref(job);
}

static void the_oldest_ended_jobs_are_forgotten(void **state)
{
	struct tracker tracker;
	struct job *running = new_job(1);

	(void)state;
	init(&tracker, 10, 3);
	/* The first job is the oldest and goes on: it is never forgotten. */
	assert_int_equal(tracker_add(&tracker, running), STATUS_OK);
	for (int i = 0; i < 6; i++) {
		struct job *job = new_job(1);

		assert_int_equal(tracker_add(&tracker, job), STATUS_OK);
		end_job(&tracker, job, true);
		job_unref(job);
	}
	for (uint64_t id = 1; id <= 7; id++) {
		struct job *job = tracker_find(&tracker, id);

		assert_int_equal(job != NULL, id == 1 || id > 4);
		job_unref(job);
	}
	assert_null(tracker_find(&tracker, 0));
	assert_null(tracker_find(&tracker, 8));
	end_job(&tracker, running, true);
	job_unref(running);
	tracker_finish(&tracker);
}

static void a_failing_job_keeps_its_first_reason_and_no_proof(void **state)
{
	struct tracker tracker;
	struct job *job = new_job(2);
	struct proof proof;
	uint64_t wait_ns = 0;
	struct tracker_result result = {.is_done = true, .proof = &proof, .public_count = 1};

	(void)state;
	memset(&proof, 1, sizeof(proof));
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, job), STATUS_OK);
	assert_true(tracker_worker_begin(&tracker, 0, job, 0, &wait_ns));
	assert_int_equal(tracker.workers[0].job, 1);
	tracker_worker_end(&tracker, 0);

	result.publics = calloc(1, sizeof(*result.publics));
	gaptrace_mutex_lock(&tracker.mutex);
	assert_false(tracker_partition_end_locked(&tracker, job, 0, &result));
	gaptrace_mutex_unlock(&tracker.mutex);
	assert_null(result.publics);
	assert_true(job->partitions[0].has_proof);

	tracker_fail(&tracker, job, "first");
	tracker_fail(&tracker, job, "second");
	assert_true(tracker_is_failing(&tracker, job));
	assert_false(tracker_worker_begin(&tracker, 1, job, 1, &wait_ns));
	assert_int_equal(tracker.workers[1].job, 0);
	gaptrace_mutex_lock(&tracker.mutex);
	result = (struct tracker_result){.is_done = false};
	assert_true(tracker_partition_end_locked(&tracker, job, 1, &result));
	tracker_job_end_locked(&tracker, job);
	gaptrace_mutex_unlock(&tracker.mutex);
	assert_int_equal(job->state, JOB_FAILED);
	assert_string_equal(job->error, "first");
	assert_false(job->partitions[0].has_proof);
	assert_int_equal(tracker.counts.failed[JOB_SQUARING], 1);
	/* Over is over: nothing changes it. */
	tracker_cancel_all(&tracker);
	assert_int_equal(tracker_state(&tracker, job), JOB_FAILED);
	job_unref(job);
	tracker_finish(&tracker);
}

static void jobs_take_their_places_when_they_begin(void **state)
{
	struct tracker tracker;
	struct job *jobs[2] = {new_job(1), new_job(1)};
	uint64_t sequences[2] = {0, 0};

	(void)state;
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, jobs[0]), STATUS_OK);
	assert_int_equal(tracker_add(&tracker, jobs[1]), STATUS_OK);
	/* The second was more urgent. */
	assert_true(tracker_begin(&tracker, jobs[1], &sequences[1]));
	tracker_fail(&tracker, jobs[0], "cancelled while it waited");
	assert_false(tracker_begin(&tracker, jobs[0], &sequences[0]));
	assert_int_equal(sequences[1], 1);
	assert_int_equal(sequences[0], 2);
	end_job(&tracker, jobs[0], false);
	end_job(&tracker, jobs[1], true);
	job_unref(jobs[0]);
	job_unref(jobs[1]);
	tracker_finish(&tracker);
}

static void a_snapshot_is_of_one_moment(void **state)
{
	struct tracker tracker;
	struct job *ended = new_job(1);
	struct job *running = new_job(3);
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *active = NULL;
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *all = NULL;
	AUTO(tracker_snapshot_destroy) struct tracker_snapshot *none = NULL;

	(void)state;
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, ended), STATUS_OK);
	assert_int_equal(tracker_add(&tracker, running), STATUS_OK);
	end_job(&tracker, ended, true);
	tracker_partition(&tracker, running, 1, JOB_PARTITION_GPU);
	assert_int_equal(
		tracker_snapshot_create(&tracker, TRACKER_SNAPSHOT_ACTIVE, 0, &active), STATUS_OK);
	assert_int_equal(
		tracker_snapshot_create(&tracker, TRACKER_SNAPSHOT_ALL, 0, &all), STATUS_OK);
	assert_int_equal(
		tracker_snapshot_create(&tracker, TRACKER_SNAPSHOT_ONE, 9, &none), STATUS_OK);
	assert_int_equal(active->job_count, 1);
	assert_int_equal(active->jobs[0].id, 2);
	assert_int_equal(active->jobs[0].partitions[1].state, JOB_PARTITION_GPU);
	assert_int_equal(all->job_count, 2);
	assert_int_equal(all->jobs[0].done_count, 1);
	assert_int_equal(none->job_count, 0);
	/* What happens later does not change it. */
	end_job(&tracker, running, true);
	assert_int_equal(active->jobs[0].done_count, 0);
	job_unref(ended);
	job_unref(running);
	tracker_finish(&tracker);
}

struct finisher {
	struct tracker *tracker;
	struct job *job;
};

static void *finish_later(void *argument)
{
	struct finisher *finisher = argument;

	end_job(finisher->tracker, finisher->job, true);
	tracker_deliver(finisher->tracker, finisher->job);
	return NULL;
}

static void who_waits_for_the_end_is_told(void **state)
{
	struct tracker tracker;
	struct job *job = new_job(5);
	struct finisher finisher = {.tracker = &tracker, .job = job};
	pthread_t thread;

	(void)state;
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, job), STATUS_OK);
	assert_false(tracker_wait_idle(&tracker, 1));
	assert_int_equal(pthread_create(&thread, NULL, finish_later, &finisher), 0);
	assert_true(tracker_wait_idle(&tracker, clock_now_ns() + 100 * NS_PER_S));
	tracker_wait_delivered(&tracker, clock_now_ns() + 100 * NS_PER_S);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(tracker.undelivered_count, 0);
	tracker_deliver(&tracker, job);
	assert_int_equal(tracker.undelivered_count, 0);
	job_unref(job);
	tracker_finish(&tracker);
}

static void who_waits_for_a_cancelled_job_is_told_before_the_end(void **state)
{
	struct tracker tracker;
	struct job *jobs[2] = {new_job(1), new_job(1)};
	struct finisher finisher = {.tracker = &tracker, .job = jobs[1]};
	pthread_t thread;

	(void)state;
	init(&tracker, 2, 10);
	assert_int_equal(tracker_add(&tracker, jobs[0]), STATUS_OK);
	assert_int_equal(tracker_add(&tracker, jobs[1]), STATUS_OK);
	end_job(&tracker, jobs[0], true);
	tracker_deliver(&tracker, jobs[0]);
	tracker_cancel_all(&tracker);
	assert_int_equal(pthread_create(&thread, NULL, finish_later, &finisher), 0);
	assert_true(tracker_wait_idle(&tracker, clock_now_ns() + 100 * NS_PER_S));
	tracker_wait_delivered(&tracker, clock_now_ns() + 100 * NS_PER_S);
	assert_int_equal(tracker.undelivered_count, 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(tracker_state(&tracker, jobs[1]), JOB_CANCELLED);
	job_unref(jobs[0]);
	job_unref(jobs[1]);
	tracker_finish(&tracker);
}

/* By a signal more, whether or not the one before had something to cancel. */
static void who_never_asks_is_given_up(void **state)
{
	(void)state;
	for (int cancelled = 0; cancelled < 2; cancelled++) {
		struct tracker tracker;
		struct job *job = new_job(1);

		init(&tracker, 2, 10);
		assert_int_equal(tracker_add(&tracker, job), STATUS_OK);
		if (cancelled) {
			tracker_cancel_all(&tracker);
		}
		end_job(&tracker, job, true);
		tracker_cancel_all(&tracker);
		tracker_wait_delivered(&tracker, clock_now_ns() + 100 * NS_PER_S);
		assert_true(tracker.has_given_up);
		assert_int_equal(tracker.undelivered_count, 1);
		job_unref(job);
		tracker_finish(&tracker);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_are_numbered_from_one_and_limited),
		cmocka_unit_test(a_draining_tracker_accepts_nothing),
		cmocka_unit_test(the_oldest_ended_jobs_are_forgotten),
		cmocka_unit_test(a_failing_job_keeps_its_first_reason_and_no_proof),
		cmocka_unit_test(jobs_take_their_places_when_they_begin),
		cmocka_unit_test(a_snapshot_is_of_one_moment),
		cmocka_unit_test(who_waits_for_the_end_is_told),
		cmocka_unit_test(who_waits_for_a_cancelled_job_is_told_before_the_end),
		cmocka_unit_test(who_never_asks_is_given_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
