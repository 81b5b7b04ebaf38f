/* SPDX-License-Identifier: MIT */
/*
 * Proves that the pipeline proves: real proofs on cpu devices and timed partitions on sim ones,
 * under every historical choice; that failed and cancelled jobs leave nothing behind; and that its
 * counters balance.
 */
#include "prover/groth16/verify.h"
#include "prover/lock_registry.h"
#include "prover/pipeline.h"
#include "tests/unit/pipeline_rig.h"
#include "trace/base/clock.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct pipeline *create(const char *lines)
{
	char text[2048];

	(void)snprintf(text, sizeof(text),
		"[jobs]\nkinds = squaring\nsquaring_rows = 60\n"
		"[pools]\nblocking = 4\ngroth16 = 2\n%s",
		lines);
	return pipeline_rig_create(text);
}

/* Every partition of a done job verifies, and no two are the same proof. */
static void assert_proved(struct pipeline *pipeline, uint64_t id)
{
	AUTO(job_unref) struct job *job = tracker_find(&pipeline->tracker, id);
	AUTO(verification_key_destroy) struct verification_key *key = NULL;

	assert_non_null(job);
	assert_string_equal(job->error, "");
	assert_int_equal(job->state, JOB_DONE);
	assert_int_equal(verification_key_parse("key", job->verification_key_text,
				 strlen(job->verification_key_text), NULL, &key),
		STATUS_OK);
	for (uint32_t i = 0; i < job->request.partition_count; i++) {
		struct job_partition *partition = &job->partitions[i];

		assert_true(partition->has_proof);
		assert_int_equal(groth16_verify(key, partition->publics, partition->public_count,
					 &partition->proof, NULL),
			STATUS_OK);
		assert_int_equal(partition->state, JOB_PARTITION_DONE);
		if (i > 0) {
			assert_memory_not_equal(
				&partition->proof, &partition[-1].proof, sizeof(partition->proof));
		}
	}
}

/* Nothing of any job is left: only keys, which stay loaded, may hold memory. */
static void assert_nothing_left(struct pipeline *pipeline)
{
	struct memory_budget_counts budget = memory_budget_counts(&pipeline->budget);
	struct srs_manager_counts keys = srs_manager_counts(pipeline->srs_manager);

	assert_int_equal(budget.used_bytes, keys.loaded_bytes);
	assert_int_equal(budget.waiting_count, 0);
	assert_int_equal(pipeline->tracker.counts.active, 0);
	assert_int_equal(pinned_pool_counts(pipeline->pinned_pool).live_count, 0);
	assert_int_equal(priority_queue_counts(&pipeline->scheduler).depth, 0);
	assert_int_equal(priority_queue_counts(&pipeline->synth_queue).depth, 0);
	assert_int_equal(priority_queue_counts(&pipeline->dispatch).depth, 0);
	for (uint32_t i = 0; i < pipeline->gpu_queue_count; i++) {
		assert_int_equal(priority_queue_counts(&pipeline->gpu_queues[i]).depth, 0);
	}
	assert_int_equal(pipeline->pacer.in_flight, 0);
	for (uint32_t i = 0; i < pipeline_worker_count(pipeline); i++) {
		assert_int_equal(pipeline->tracker.workers[i].job, 0);
	}
}

static void prove_two_jobs(const char *lines)
{
	struct pipeline *pipeline = create(lines);
	uint64_t first = pipeline_rig_submit(pipeline, 3, 1);
	uint64_t second = pipeline_rig_submit(pipeline, 2, 100);
	struct pipeline_counters counters;

	pipeline_rig_wait_idle(pipeline);
	assert_proved(pipeline, first);
	assert_proved(pipeline, second);
	pipeline_stop(pipeline);
	assert_nothing_left(pipeline);
	counters = pipeline_counters(pipeline);
	/* 2 jobs from the heap; 5 partitions through each of three queues. */
	assert_int_equal(counters.queue_pops, 2 + 3 * 5);
	assert_int_equal(counters.prove_starts, 5);
	assert_int_equal(counters.prove_finishes, 5);
	assert_int_equal(
		counters.malloc_trims, pipeline->config.memory.trim == CONFIG_TRIM_NEVER ? 0 : 5);
	pipeline_destroy(pipeline);
}

static void defaults_prove(void **state)
{
	(void)state;
	prove_two_jobs("");
}

static void two_devices_prove(void **state)
{
	(void)state;
	prove_two_jobs("[gpu]\ncount = 2\n");
}

static void every_historical_choice_proves(void **state)
{
	static const char *const choices[] = {
		("[memory]\ntrim = tracker\nrelease = at_end\nchurn_bytes = 1M\n"
		 "[check]\nself_check = tracker\n"),
		("[memory]\ntrim = outside\ndealloc = finalizer\nstaging = pageable\n"
		 "[check]\nself_check = never\n"),
		"[memory]\ntrim = never\ndealloc = call\npinned = per_call\n",
		"[gpu]\nprove = whole\nmutex_scope = call\nprep = own_thread\n",
		"[gpu]\nbarrier = before_mutex\nsync = device\nworkspace = per_call\n",
		"[gpu]\ncount = 2\naffinity = per_device\n",
		"[gpu]\ncount = 2\naffinity = first\nworkers_per_device = 1\n",
		"[synthesis]\nhand_over = job\nworkers = 1\n",
		"[scheduler]\npacer = fixed\npacer_interval_ms = 2\n",
		"[scheduler]\npacer = adaptive\n",
		"[srs]\nload = start\n[pools]\n",
		"[srs]\nload = every_job\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		prove_two_jobs(choices[i]);
	}
}

/* A budget that holds the key and one partition: everything goes through it one by one. */
static void a_tight_budget_delays_but_never_stops(void **state)
{
	struct pipeline *pipeline = create("");
	struct memory_budget_counts counts;
	char lines[256];
	uint64_t partition_bytes = 0;
	uint64_t key_bytes = 0;

	(void)state;
	(void)pipeline_rig_submit(pipeline, 1, 1);
	pipeline_rig_wait_idle(pipeline);
	key_bytes = srs_manager_counts(pipeline->srs_manager).loaded_bytes;
	counts = memory_budget_counts(&pipeline->budget);
	partition_bytes = (counts.peak_bytes - key_bytes);
	pipeline_destroy(pipeline);

	for (int hand_over = 0; hand_over < 2; hand_over++) {
		(void)snprintf(lines, sizeof(lines),
			"[memory]\nbudget_bytes = %lu\n[synthesis]\nhand_over = %s\n",
			(unsigned long)(key_bytes + partition_bytes),
			hand_over ? "job" : "partition");
		pipeline = create(lines);
		for (uint64_t i = 0; i < 4; i++) {
			(void)pipeline_rig_submit(pipeline, 3, i);
		}
		pipeline_rig_wait_idle(pipeline);
		assert_int_equal(pipeline->tracker.counts.done[JOB_SQUARING], 4);
		pipeline_stop(pipeline);
		assert_nothing_left(pipeline);
		assert_true(memory_budget_counts(&pipeline->budget).peak_bytes <=
			    key_bytes + partition_bytes);
		pipeline_destroy(pipeline);
	}
}

static void what_can_never_fit_is_refused_with_its_figure(void **state)
{
	struct pipeline *pipeline = create("[memory]\nbudget_bytes = 1000\n");
	struct job_request request = {
		.kind = JOB_SQUARING, .priority = JOB_PRIORITY_LOW, .partition_count = 1};
	struct diag diag = {.line = ""};
	uint64_t id = 0;

	(void)state;
	assert_int_equal(pipeline_submit(pipeline, &request, &diag, &id), STATUS_TOO_LARGE);
	assert_non_null(strstr(diag.line, "the budget is 1000"));
	pipeline_destroy(pipeline);
}

static void kinds_that_are_not_served_are_refused(void **state)
{
	struct pipeline *pipeline = create("");
	struct job_request request = {
		.kind = JOB_MERKLE, .priority = JOB_PRIORITY_LOW, .partition_count = 1};
	struct diag diag;
	uint64_t id = 0;

	(void)state;
	assert_int_equal(pipeline_submit(pipeline, &request, &diag, &id), STATUS_NOT_FOUND);
	pipeline_destroy(pipeline);
}

/* The budget is taken meanwhile, so that neither of the two that are allowed can end. */
static void more_jobs_than_allowed_are_refused(void **state)
{
	static const struct gaptrace_work no_work = GAPTRACE_NO_WORK;
	struct pipeline *pipeline = create("[daemon]\nqueue_max = 2\n[gpu]\nkind = sim\n"
					   "[sim]\ntime_scale = 0.01\n");
	const uint64_t limit_bytes = pipeline->budget.limit_bytes;
	struct job_request request = {
		.kind = JOB_SQUARING, .priority = JOB_PRIORITY_LOW, .partition_count = 1};
	struct diag diag;
	uint64_t id = 0;

	(void)state;
	assert_int_equal(memory_budget_reserve(
				 &pipeline->budget, MEMORY_BUDGET_PARTITION, limit_bytes, no_work),
		STATUS_OK);
	(void)pipeline_rig_submit(pipeline, 1, 0);
	(void)pipeline_rig_submit(pipeline, 1, 0);
	assert_int_equal(pipeline_submit(pipeline, &request, &diag, &id), STATUS_OVER_LIMIT);
	memory_budget_release(&pipeline->budget, limit_bytes, no_work);
	pipeline_rig_wait_idle(pipeline);
	(void)pipeline_rig_submit(pipeline, 1, 0);
	pipeline_destroy(pipeline);
}

static void a_bad_witness_fails_its_job_and_no_other(void **state)
{
	char lines[256];
	char key_path[128];
	char bad_path[128];
	struct pipeline *pipeline = create("");
	struct diag diag = {.line = ""};
	struct job_request request = {.kind = JOB_FILES, .priority = JOB_PRIORITY_HIGH};
	uint64_t bad = 0;
	uint64_t good = 0;
	struct job *job = NULL;
	FILE *file = NULL;

	(void)state;
	/* The key that the pipeline made for its own circuit. */
	(void)snprintf(
		key_path, sizeof(key_path), "%s/squaring-chain-60.zkey", pipeline_rig_folder());
	(void)snprintf(bad_path, sizeof(bad_path), "%s/bad.wtns", pipeline_rig_folder());
	pipeline_destroy(pipeline);
	file = fopen(bad_path, "w");
	assert_non_null(file);
	assert_true(fputs("this is no witness", file) >= 0);
	assert_int_equal(fclose(file), 0);

	(void)snprintf(lines, sizeof(lines), "file_root = %s\n", pipeline_rig_folder());
	{
		struct config config;
		char text[512];

		(void)snprintf(text, sizeof(text),
			"[jobs]\nkinds = squaring\nsquaring_rows = 60\n%s", lines);
		assert_int_equal(config_parse("test", text, &diag, &config), STATUS_OK);
		assert_int_equal(pipeline_create(&config, pipeline_rig_folder(), &diag, &pipeline),
			STATUS_OK);
	}
	request.partition_count = 3;
	request.key_path = strdup(key_path);
	request.witness_paths = calloc(3, sizeof(char *));
	for (int i = 0; i < 3; i++) {
		request.witness_paths[i] = strdup(bad_path);
	}
	assert_int_equal(pipeline_submit(pipeline, &request, &diag, &bad), STATUS_OK);
	good = pipeline_rig_submit(pipeline, 2, 7);
	pipeline_rig_wait_idle(pipeline);
	job = tracker_find(&pipeline->tracker, bad);
	assert_int_equal(job->state, JOB_FAILED);
	assert_non_null(strstr(job->error, "bad.wtns"));
	job_unref(job);
	assert_proved(pipeline, good);
	pipeline_stop(pipeline);
	assert_nothing_left(pipeline);
	assert_int_equal(pipeline->tracker.counts.partitions_failed, 3);
	assert_int_equal(pipeline->tracker.counts.partitions_done, 2);
	pipeline_destroy(pipeline);
}

static void simulated_jobs_have_no_proofs(void **state)
{
	struct pipeline *pipeline = create("[gpu]\nkind = sim\ncount = 2\n"
					   "[sim]\ntime_scale = 0.001\n");
	uint64_t id = pipeline_rig_submit(pipeline, 4, 1);
	struct job *job = NULL;

	(void)state;
	assert_true(pipeline_is_simulated(pipeline));
	pipeline_rig_wait_idle(pipeline);
	job = tracker_find(&pipeline->tracker, id);
	assert_int_equal(job->state, JOB_DONE);
	for (uint32_t i = 0; i < 4; i++) {
		assert_false(job->partitions[i].has_proof);
	}
	job_unref(job);
	pipeline_stop(pipeline);
	assert_nothing_left(pipeline);
	pipeline_destroy(pipeline);
}

static void cancelled_jobs_leave_nothing_behind(void **state)
{
	static const char *const choices[] = {"",
		"[scheduler]\npacer = fixed\npacer_interval_ms = 100000\n",
		"[memory]\nbudget_bytes = 70G\n", "[synthesis]\nhand_over = job\n"};
	char lines[256];

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct pipeline *pipeline = NULL;

		(void)snprintf(lines, sizeof(lines),
			"[gpu]\nkind = sim\n[sim]\ntime_scale = 0.01\n%s", choices[i]);
		pipeline = create(lines);
		for (uint64_t j = 0; j < 5; j++) {
			(void)pipeline_rig_submit(pipeline, 4, j);
		}
		pipeline_cancel(pipeline);
		pipeline_stop(pipeline);
		assert_nothing_left(pipeline);
		assert_int_equal(pipeline->tracker.counts.cancelled +
					 pipeline->tracker.counts.done[JOB_SQUARING],
			5);
		assert_int_equal(pipeline->tracker.counts.partitions_done +
					 pipeline->tracker.counts.partitions_failed,
			20);
		pipeline_destroy(pipeline);
	}
}

static uint64_t submit_with(struct pipeline *pipeline, enum job_priority priority)
{
	struct job_request request = {
		.kind = JOB_SQUARING, .priority = priority, .partition_count = 1};
	struct diag diag = {.line = ""};
	uint64_t id = 0;

	assert_int_equal(pipeline_submit(pipeline, &request, &diag, &id), STATUS_OK);
	return id;
}

/*
 * The budget is taken, so the first job's key cannot be loaded and the others wait in the heap:
 * they leave it by priority, and by age where that is equal.
 */
static void urgent_jobs_go_first(void **state)
{
	static const enum job_priority priorities[] = {JOB_PRIORITY_LOW, JOB_PRIORITY_NORMAL,
		JOB_PRIORITY_LOW, JOB_PRIORITY_CRITICAL, JOB_PRIORITY_NORMAL, JOB_PRIORITY_HIGH};
	/* Jobs by when they should begin: the first at once, then 4 critical, 6 high, 2, 5, 3. */
	static const uint64_t order[] = {1, 4, 6, 2, 5, 3};
	static const struct gaptrace_work no_work = GAPTRACE_NO_WORK;
	struct pipeline *pipeline = create("[gpu]\nkind = sim\n[sim]\ntime_scale = 0.001\n");
	uint64_t limit_bytes = pipeline->budget.limit_bytes;
	uint64_t last_ns = 0;

	(void)state;
	assert_int_equal(memory_budget_reserve(
				 &pipeline->budget, MEMORY_BUDGET_PARTITION, limit_bytes, no_work),
		STATUS_OK);
	for (size_t i = 0; i < 6; i++) {
		(void)submit_with(pipeline, priorities[i]);
		/* The first has left the heap before the second comes. */
		while (i == 0 && memory_budget_counts(&pipeline->budget).waiting_count == 0) {
			(void)sched_yield();
		}
	}
	assert_int_equal(priority_queue_counts(&pipeline->scheduler).depth, 5);
	memory_budget_release(&pipeline->budget, limit_bytes, no_work);
	pipeline_rig_wait_idle(pipeline);
	for (size_t i = 0; i < 6; i++) {
		struct job *job = tracker_find(&pipeline->tracker, order[i]);

		assert_int_equal(job->state, JOB_DONE);
		assert_true(job->begin_ns > last_ns);
		last_ns = job->begin_ns;
		job_unref(job);
	}
	pipeline_destroy(pipeline);
}

/* The device is too small for any proof: whatever call fails there, only the job does. */
static void a_device_without_memory_fails_the_job_alone(void **state)
{
	struct pipeline *pipeline = create("[gpu]\nmemory_bytes = 4K\n");
	uint64_t id = pipeline_rig_submit(pipeline, 3, 1);
	struct job *job = NULL;

	(void)state;
	pipeline_rig_wait_idle(pipeline);
	job = tracker_find(&pipeline->tracker, id);
	assert_int_equal(job->state, JOB_FAILED);
	assert_true(strlen(job->error) > 0);
	job_unref(job);
	pipeline_stop(pipeline);
	assert_nothing_left(pipeline);
	assert_int_equal(pipeline->tracker.counts.partitions_failed, 3);
	pipeline_destroy(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_prove),
		cmocka_unit_test(two_devices_prove),
		cmocka_unit_test(every_historical_choice_proves),
		cmocka_unit_test(a_tight_budget_delays_but_never_stops),
		cmocka_unit_test(what_can_never_fit_is_refused_with_its_figure),
		cmocka_unit_test(kinds_that_are_not_served_are_refused),
		cmocka_unit_test(more_jobs_than_allowed_are_refused),
		cmocka_unit_test(a_bad_witness_fails_its_job_and_no_other),
		cmocka_unit_test(simulated_jobs_have_no_proofs),
		cmocka_unit_test(cancelled_jobs_leave_nothing_behind),
		cmocka_unit_test(urgent_jobs_go_first),
		cmocka_unit_test(a_device_without_memory_fails_the_job_alone),
	};
	return cmocka_run_group_tests(tests, pipeline_rig_begin, pipeline_rig_end);
}
