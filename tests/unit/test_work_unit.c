/* SPDX-License-Identifier: MIT */
/* What counts as work: how it is chosen, which events end it, and what of it the window saw. */
#include "analysis/core/work_meter.h"

#include "tests/unit/event_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct rig {
	struct window window;
	struct blocks blocks;
	struct work_meter meter;
};

static void rig_init(struct rig *rig, const char *unit)
{
	struct diag diag = {""};

	memset(rig, 0, sizeof(*rig));
	window_init(&rig->window);
	blocks_init(&rig->blocks);
	assert_int_equal(work_unit_parse(unit, &rig->meter.unit, &diag), STATUS_OK);
}

static void add(struct rig *rig, struct event event)
{
	assert_int_equal(window_add(&rig->window, &event), STATUS_OK);
	assert_int_equal(
		work_meter_add(&rig->meter, &event, &rig->window, &rig->blocks), STATUS_OK);
}

/* Ends the recording and gives the work that was counted. */
static uint64_t work_of(struct rig *rig)
{
	uint64_t work;

	window_force_begin(&rig->window);
	blocks_set_limit(&rig->blocks, window_end_ns(&rig->window));
	assert_int_equal(work_meter_end(&rig->meter, &rig->window, &rig->blocks), STATUS_OK);
	assert_int_equal(blocks_end(&rig->blocks, rig->window.begin_ns), STATUS_OK);
	work = blocks_work(&rig->blocks);
	blocks_finish(&rig->blocks);
	window_finish(&rig->window);
	return work;
}

static struct event span_end(uint64_t time_ns, const char *name)
{
	return (struct event){.kind = EVENT_SPAN_END,
		.time_ns = time_ns,
		.pid = 7,
		.tid = 7,
		.span = {.name = name, .duration_ns = 1}};
}

static struct event partition_end(uint64_t time_ns, uint64_t job, int32_t partition)
{
	return (struct event){.kind = EVENT_PROVE_FINISH_END,
		.time_ns = time_ns,
		.pid = 7,
		.tid = 7,
		.span = {.name = "prove_finish",
			.work = {.job = job, .partition = partition},
			.duration_ns = time_ns}};
}

static void units_are_read_and_others_refused(void **state)
{
	static const char *const bad[] = {"", "span", "span:", "kernel:", "event:", "event:nothing",
		"event:job*", "partitions", "job:1"};
	struct work_unit unit;
	struct diag diag = {""};
	char text[NAME_BYTES_MAX + 16] = "span:";

	(void)state;
	assert_int_equal(work_unit_parse("partition", &unit, &diag), STATUS_OK);
	assert_string_equal(work_unit_kind_name(&unit), "partition");
	assert_int_equal(work_unit_parse("kernel:*msm*", &unit, &diag), STATUS_OK);
	assert_string_equal(work_unit_kind_name(&unit), "kernel");
	assert_string_equal(unit.name, "*msm*");
	assert_int_equal(work_unit_parse("event:job_end", &unit, &diag), STATUS_OK);
	assert_int_equal(unit.event, EVENT_JOB_END);
	assert_int_equal(work_unit_parse("event:memcpy", &unit, &diag), STATUS_OK);
	assert_int_equal(unit.event, EVENT_GPU_MEMCPY);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		diag.line[0] = '\0';
		assert_int_equal(work_unit_parse(bad[i], &unit, &diag), STATUS_BAD_USE);
		assert_non_null(strstr(diag.line, "work: "));
	}
	memset(text + 5, 'a', NAME_BYTES_MAX);
	assert_int_equal(work_unit_parse(text, &unit, &diag), STATUS_BAD_USE);
	text[5 + NAME_BYTES_MAX - 1] = '\0';
	assert_int_equal(work_unit_parse(text, &unit, &diag), STATUS_OK);
}

static void only_ends_of_that_name_count(void **state)
{
	struct rig rig;
	struct event begin = span_end(3, "step");
	struct event kernel = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 4, 5);

	(void)state;
	begin.kind = EVENT_SPAN_BEGIN;
	rig_init(&rig, "span:step");
	add(&rig, begin);
	add(&rig, span_end(4, "step"));
	add(&rig, span_end(5, "step 2"));
	add(&rig, kernel);
	assert_int_equal(work_of(&rig), 1);

	rig_init(&rig, "span:step*");
	add(&rig, span_end(4, "step"));
	add(&rig, span_end(5, "step 2"));
	add(&rig, span_end(6, "ste"));
	assert_int_equal(work_of(&rig), 2);

	rig_init(&rig, "kernel:ker*");
	add(&rig, kernel);
	kernel.kernel.name = "other";
	add(&rig, kernel);
	/* Stamps that cannot be used are no end of anything. */
	kernel.kernel.name = "kernel";
	kernel.kernel.operation.start_ns = 9;
	add(&rig, kernel);
	assert_int_equal(work_of(&rig), 1);
}

static uint64_t kernels_counted(const char *unit)
{
	static const char *const names[] = {
		"void flash_fwd<int[4]>(float*, int)",
		"void flash_fwd<int[4]>(float, int)",
		"flash_bwd",
		"a/b",
	};
	struct rig rig;

	rig_init(&rig, unit);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct event kernel = event_operation_at(EVENT_GPU_KERNEL, 7, 0, i, i + 1);

		kernel.kernel.name = names[i];
		add(&rig, kernel);
	}
	return work_of(&rig);
}

static void names_may_be_patterns_and_a_whole_name_means_itself(void **state)
{
	(void)state;
	assert_int_equal(kernels_counted("kernel:*flash_fwd*"), 2);
	assert_int_equal(kernels_counted("kernel:*flash_?wd*"), 3);
	assert_int_equal(kernels_counted("kernel:flash_[bc]wd"), 1);
	assert_int_equal(kernels_counted("kernel:*"), 4);
	assert_int_equal(kernels_counted("kernel:fwd"), 0);
	/* As a pattern this is none of the two: "[4]" would be the letter 4. */
	assert_int_equal(kernels_counted("kernel:void flash_fwd<int[4]>(float*, int)"), 1);
	assert_int_equal(kernels_counted("kernel:void flash_fwd<int\\[4]>(float*, int)"), 2);
	assert_int_equal(kernels_counted("kernel:flash_[bwd"), 0);
	assert_int_equal(kernels_counted("kernel:flash_bwd\\"), 0);
}

/* Before the first job and after the last is none of the window; between two jobs is. */
static void work_outside_the_window_does_not_count(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "span:s");
	add(&rig, span_end(5, "s"));
	add(&rig, event_job(EVENT_JOB_SUBMIT, 10, 7, 1));
	add(&rig, span_end(15, "s"));
	add(&rig, event_job(EVENT_JOB_END, 20, 7, 1));
	add(&rig, span_end(25, "s"));
	add(&rig, span_end(26, "s"));
	add(&rig, event_job(EVENT_JOB_SUBMIT, 30, 7, 2));
	add(&rig, event_job(EVENT_JOB_END, 40, 7, 2));
	add(&rig, span_end(45, "s"));
	assert_int_equal(work_of(&rig), 3);
}

/* A kernel's record comes long after its end. */
static void a_late_record_counts_where_it_ended(void **state)
{
	struct rig rig;
	struct event late = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 12, 15);

	(void)state;
	rig_init(&rig, "kernel:kernel");
	add(&rig, event_job(EVENT_JOB_SUBMIT, 10, 7, 1));
	add(&rig, event_job(EVENT_JOB_END, 20, 7, 1));
	late.time_ns = 50;
	add(&rig, late);
	late.kernel.operation.start_ns = 3;
	late.kernel.operation.end_ns = 5;
	add(&rig, late);
	late.kernel.operation.start_ns = 30;
	late.kernel.operation.end_ns = 45;
	add(&rig, late);
	assert_int_equal(work_of(&rig), 1);
}

static void a_recording_without_jobs_counts_all(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "span:s");
	add(&rig, span_end(5, "s"));
	add(&rig, span_end(6, "t"));
	add(&rig, span_end(9, "s"));
	assert_int_equal(work_of(&rig), 2);

	rig_init(&rig, "partition");
	add(&rig, span_end(5, "s"));
	assert_int_equal(work_of(&rig), 0);
}

/* event_job says two partitions; without prove_finish they count when their job is done. */
static void partitions_are_those_finished_or_else_of_jobs_done(void **state)
{
	struct rig rig;
	struct event done = event_job(EVENT_JOB_END, 20, 7, 1);
	struct event failed = event_job(EVENT_JOB_END, 60, 7, 3);

	(void)state;
	done.job.status = GAPTRACE_JOB_DONE;
	failed.job.status = GAPTRACE_JOB_FAILED;
	rig_init(&rig, "partition");
	add(&rig, event_job(EVENT_JOB_SUBMIT, 10, 7, 1));
	add(&rig, done);
	add(&rig, event_job(EVENT_JOB_SUBMIT, 50, 7, 3));
	add(&rig, failed);
	assert_int_equal(work_of(&rig), 2);

	rig_init(&rig, "partition");
	add(&rig, event_job(EVENT_JOB_SUBMIT, 10, 7, 1));
	add(&rig, done);
	add(&rig, partition_end(30, 2, 0));
	add(&rig, partition_end(31, 2, 0)); /* told by two recordings? no: another duration */
	add(&rig, partition_end(31, 2, 0)); /* the same once more */
	add(&rig, event_job(EVENT_JOB_END, 40, 7, 2));
	assert_int_equal(window_partitions(&rig.window), 2);
	assert_int_equal(work_of(&rig), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_read_and_others_refused),
		cmocka_unit_test(only_ends_of_that_name_count),
		cmocka_unit_test(names_may_be_patterns_and_a_whole_name_means_itself),
		cmocka_unit_test(work_outside_the_window_does_not_count),
		cmocka_unit_test(a_late_record_counts_where_it_ended),
		cmocka_unit_test(a_recording_without_jobs_counts_all),
		cmocka_unit_test(partitions_are_those_finished_or_else_of_jobs_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
