/* SPDX-License-Identifier: MIT */
/*
 * Proves that a pipeline that is stopped waits for no time that is only modelled: each of these
 * models keeps one stage busy for hours, and a test that hangs has failed.
 */
#include "tests/unit/pipeline_rig.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Everything else takes next to nothing, even slowed down ten times. */
#define SIM                                                                                        \
	"[gpu]\nkind = sim\n[jobs]\nkinds = squaring\n"                                            \
	"[sim]\nkey_load_mb_per_s = 10000000\npinned_alloc_mb_per_s = 10000000\n"                  \
	"device_alloc_mb_per_s = 10000000\nkey_mb_per_s = 10000000\npinned_mb_per_s = 10000000\n"  \
	"pageable_mb_per_s = 10000000\n"
#define QUICK "msm_h_ps = 1\ntail_ps = 1\n"

static bool is_running(struct pipeline *pipeline)
{
	struct job *job = tracker_find(&pipeline->tracker, 1);
	const bool is_running = tracker_state(&pipeline->tracker, job) == JOB_RUNNING;

	job_unref(job);
	return is_running;
}

static bool is_synthesizing(struct pipeline *pipeline)
{
	return atomic_load(&pipeline->synthesizing) > 0;
}

static bool is_proving(struct pipeline *pipeline)
{
	return partition_gpu_counts(pipeline->gpus[0]).start_count > 0;
}

static bool is_finishing(struct pipeline *pipeline)
{
	return partition_gpu_counts(pipeline->gpus[0]).finish_count > 0;
}

static void a_cancelled_job_is_not_waited_for(void **state)
{
	static const struct {
		const char *text;
		bool (*has_begun)(struct pipeline *pipeline);
	} models[] = {
		{"[gpu]\nkind = sim\n[jobs]\nkinds = squaring\n[sim]\ntime_scale = 1000\n",
			is_running},
		{SIM QUICK "time_scale = 10\nsynthesis_ms = 600000\n", is_synthesizing},
		{SIM QUICK "time_scale = 10\nsynthesis_ms = 600000\nburns_cpu = yes\n",
			is_synthesizing},
		{SIM QUICK "synthesis_ms = 0\ntransform_ps = 100000000\n", is_proving},
		{SIM QUICK "synthesis_ms = 0\ntime_scale = 10\ntransform_ps = 1\n"
			   "prep_ms = 600000\n",
			is_proving},
		{SIM QUICK "synthesis_ms = 0\ntransform_ps = 1\nprep_ms = 1\n"
			   "time_scale = 10\nb_g2_ms = 600000\n",
			is_finishing},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		struct pipeline *pipeline = pipeline_rig_create(models[i].text);

		(void)pipeline_rig_submit(pipeline, 1, 0);
		while (!models[i].has_begun(pipeline)) {
			(void)sched_yield();
		}
		pipeline_cancel(pipeline);
		pipeline_stop(pipeline);
		assert_int_equal(pipeline->tracker.counts.cancelled, 1);
		pipeline_destroy(pipeline);
	}
}

static void what_is_freed_behind_the_last_job_is_not_waited_for(void **state)
{
	struct pipeline *pipeline = pipeline_rig_create(
		SIM QUICK "synthesis_ms = 0\nprep_ms = 1\nb_g2_ms = 1\nunmap_mb_per_s = 1\n"
			  "[memory]\ndealloc = background\n");

	(void)state;
	(void)pipeline_rig_submit(pipeline, 1, 0);
	pipeline_rig_wait_idle(pipeline);
	pipeline_stop(pipeline);
	assert_int_equal(pipeline->tracker.counts.done[JOB_SQUARING], 1);
	pipeline_destroy(pipeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cancelled_job_is_not_waited_for),
		cmocka_unit_test(what_is_freed_behind_the_last_job_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, pipeline_rig_begin, pipeline_rig_end);
}
