/* SPDX-License-Identifier: MIT */
/*
 * Proves that a device that is lost costs the jobs that ran on it and no others: what waits is
 * proved on the devices that are left, whoever's queue it stands in, and without any every job
 * fails at once and says so.
 */
#include "prover/device_loss.h"
#include "prover/metrics.h"
#include "prover/status_page.h"
#include "tests/unit/lossy_device.h"
#include "tests/unit/pipeline_rig.h"

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* On cpu devices, with keys as small as can be. */
static struct pipeline *create(const char *lines)
{
	char text[1024];

	(void)snprintf(text, sizeof(text),
		"[jobs]\nkinds = squaring\nsquaring_rows = 20\n[pools]\nblocking = 4\ngroth16 = "
		"2\n%s",
		lines);
	return pipeline_rig_create(text);
}

static void assert_error(struct pipeline *pipeline, uint64_t id, const char *words)
{
	struct job *job = tracker_find(&pipeline->tracker, id);

	assert_int_equal(job->state, JOB_FAILED);
	assert_non_null(strstr(job->error, words));
	job_unref(job);
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, timeout_ms) == 1;
}

static void assert_told(struct pipeline *pipeline, const char *status, const char *metric)
{
	char *text = NULL;

	assert_int_equal(status_page_status(pipeline, &text), STATUS_OK);
	assert_non_null(strstr(text, status));
	free(text);
	assert_int_equal(metrics_format(pipeline, &text), STATUS_OK);
	assert_non_null(strstr(text, metric));
	free(text);
}

static void work_goes_to_the_devices_that_are_left(void **state)
{
	static const char *const choices[] = {
		"[gpu]\ncount = 2\n",
		"[gpu]\ncount = 2\naffinity = per_device\n",
		"[gpu]\ncount = 2\naffinity = first\n",
		"[gpu]\ncount = 3\nworkers_per_device = 1\n[synthesis]\nhand_over = job\n",
		"[gpu]\ncount = 2\n[srs]\nload = every_job\n[memory]\npinned = per_call\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct pipeline *pipeline = create(choices[i]);
		uint32_t lost_count = 0;
		uint64_t done_count = 0;

		assert_told(pipeline, "\"lost\":false",
			"proverd_device_lost{device=\"0\",backend=\"cpu\"} 0\n");
		lossy_device_lose(0);
		/* Which device takes a partition is not for us to say. */
		while (!lossy_device_has_lost(0)) {
			(void)pipeline_rig_submit(pipeline, 4, 0);
			pipeline_rig_wait_idle(pipeline);
		}
		lost_count = (uint32_t)pipeline->tracker.counts.failed[JOB_SQUARING];
		assert_true(lost_count >= 1);
		done_count = pipeline->tracker.counts.done[JOB_SQUARING];
		for (int job = 0; job < 4; job++) {
			(void)pipeline_rig_submit(pipeline, 3, 0);
		}
		pipeline_rig_wait_idle(pipeline);
		assert_int_equal(pipeline->tracker.counts.done[JOB_SQUARING], done_count + 4);
		assert_int_equal(pipeline->tracker.counts.failed[JOB_SQUARING], lost_count);
		while (atomic_load(&pipeline->lost_count) == 0) {
			(void)sched_yield();
		}
		assert_int_equal(atomic_load(&pipeline->lost_count), 1);
		assert_false(is_readable(pipeline->lost_fd, 0));
		assert_false(device_loss_has_all(pipeline));
		assert_told(pipeline, "\"lost\":true",
			"proverd_device_lost{device=\"0\",backend=\"cpu\"} 1\n");
		pipeline_destroy(pipeline);
	}
}

static void without_any_device_jobs_fail_at_once(void **state)
{
	static const char *const choices[] = {
		"",
		"[gpu]\ncount = 2\n",
		"[gpu]\ncount = 2\naffinity = per_device\n",
		"[gpu]\ncount = 2\n[srs]\nload = every_job\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct pipeline *pipeline = create(choices[i]);
		uint64_t id = 0;

		lossy_device_lose(0);
		lossy_device_lose(1);
		while (!device_loss_has_all(pipeline)) {
			(void)pipeline_rig_submit(pipeline, 4, 0);
			pipeline_rig_wait_idle(pipeline);
		}
		for (int job = 0; job < 3; job++) {
			id = pipeline_rig_submit(pipeline, 3, 0);
		}
		pipeline_rig_wait_idle(pipeline);
		assert_error(pipeline, id, "no device is left");
		/* Another thread may be about to tell. */
		assert_true(is_readable(pipeline->lost_fd, -1));
		pipeline_destroy(pipeline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_goes_to_the_devices_that_are_left),
		cmocka_unit_test(without_any_device_jobs_fail_at_once),
	};

	return cmocka_run_group_tests(tests, pipeline_rig_begin, pipeline_rig_end);
}
