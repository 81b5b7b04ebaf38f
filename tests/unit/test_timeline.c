/* SPDX-License-Identifier: MIT */
/*
 * The timeline against a model that knows every instant: same busy, copying and idle time, same
 * gaps, whether told while streaming or at the end, whatever the order of arrival.
 */
#include "analysis/core/timeline.h"

#include "tests/unit/event_builder.h"
#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GAP_COUNT_MAX 4096
#define DEVICES_MAX   4

struct told_gap {
	enum sweep_layer layer;
	struct gap gap;
};

struct told {
	struct told_gap gaps[GAP_COUNT_MAX];
	uint32_t gap_count;
	uint64_t covered_ns[DEVICES_MAX][SWEEP_LAYER_COUNT];
	uint32_t device_calls;
};

static struct told told;

static enum status on_device(void *context, int32_t pid, int32_t ordinal, uint32_t device)
{
	(void)context;
	(void)pid;
	(void)ordinal;
	(void)device;
	told.device_calls++;
	return STATUS_OK;
}

static enum status on_gap(void *context, enum sweep_layer layer, const struct gap *gap)
{
	(void)context;
	assert_true(told.gap_count < GAP_COUNT_MAX);
	assert_true(gap->begin_ns < gap->end_ns);
	told.gaps[told.gap_count++] = (struct told_gap){layer, *gap};
	return STATUS_OK;
}

static enum status on_covered(
	void *context, uint32_t device, enum sweep_layer layer, uint64_t begin_ns, uint64_t end_ns)
{
	(void)context;
	assert_true(device < DEVICES_MAX);
	told.covered_ns[device][layer] += end_ns - begin_ns;
	return STATUS_OK;
}

static struct timeline *create(void)
{
	const struct timeline_listener listener = {
		.device = on_device, .gap = on_gap, .covered = on_covered};
	struct timeline *timeline = NULL;

	memset(&told, 0, sizeof(told));
	assert_int_equal(timeline_create(&listener, &timeline), STATUS_OK);
	return timeline;
}

static void add(struct timeline *timeline, struct event event)
{
	assert_int_equal(timeline_add(timeline, &event), STATUS_OK);
}

static void expect_gap(enum sweep_layer layer, uint32_t device, uint64_t begin_ns, uint64_t end_ns)
{
	for (uint32_t i = 0; i < told.gap_count; i++) {
		const struct told_gap *gap = &told.gaps[i];

		if (gap->layer == layer && gap->gap.device == device &&
			gap->gap.begin_ns == begin_ns && gap->gap.end_ns == end_ns) {
			return;
		}
	}
	fail_msg("no gap [%llu, %llu) of layer %d on device %u", (unsigned long long)begin_ns,
		(unsigned long long)end_ns, (int)layer, device);
}

static uint32_t count_gaps(enum sweep_layer layer, uint32_t device)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < told.gap_count; i++) {
		count += told.gaps[i].layer == layer && told.gaps[i].gap.device == device;
	}
	return count;
}

/*
 *             0    10   20   30   40   50   60
 * kernel           ####      ####
 * copy                  ====
 * job         |---------------------------|55
 */
static void one_device_is_divided_to_the_nanosecond(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	struct timeline_usage usage;

	(void)state;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(timeline, event_device(1, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10, 20));
	add(timeline, event_operation_at(EVENT_GPU_MEMCPY, 7, 0, 20, 25));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 30, 40));
	add(timeline, event_job(EVENT_JOB_END, 55, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);

	usage = timeline_usage(timeline_device(timeline, 0));
	assert_int_equal(usage.span_ns, 30);
	assert_int_equal(usage.busy_ns, 20);
	assert_int_equal(usage.copying_ns, 5);
	assert_int_equal(usage.idle_ns, 5);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 3);
	expect_gap(SWEEP_KERNEL, 0, 0, 10);
	expect_gap(SWEEP_KERNEL, 0, 20, 30);
	expect_gap(SWEEP_KERNEL, 0, 40, 55);
	assert_int_equal(count_gaps(SWEEP_ANYTHING, 0), 3);
	expect_gap(SWEEP_ANYTHING, 0, 25, 30);
	assert_int_equal(timeline_window(timeline)->begin_ns, 0);
	assert_int_equal(window_end_ns(timeline_window(timeline)), 55);
}

static void a_gap_names_the_operation_that_ended_it_and_its_edge(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	struct event kernel = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 30, 40);

	(void)state;
	kernel.kernel.operation.correlation = 99;
	kernel.kernel.operation.stream = 5;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	add(timeline, event_device(1, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10, 20));
	add(timeline, kernel);
	add(timeline, event_job(EVENT_JOB_END, 50, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);

	for (uint32_t i = 0; i < told.gap_count; i++) {
		const struct gap *gap = &told.gaps[i].gap;

		if (gap->begin_ns == 0) {
			assert_int_equal(gap->edge, GAP_BEFORE_FIRST);
		} else if (gap->begin_ns == 20) {
			assert_int_equal(gap->edge, GAP_INNER);
			assert_true(gap->has_ender);
			assert_int_equal(gap->ender.correlation, 99);
			assert_int_equal(gap->ender.stream, 5);
			assert_int_equal(gap->ender.pid, 7);
			assert_int_equal(gap->ender.start_ns, 30);
		} else {
			assert_int_equal(gap->edge, GAP_AFTER_LAST);
			assert_false(gap->has_ender);
		}
	}
}

static void time_zero_and_zero_length_are_valid(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	struct timeline_usage usage;

	(void)state;
	add(timeline, event_device(0, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 0, 10));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 15, 15));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 20, 30));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 40, 40));
	assert_int_equal(timeline_end(timeline), STATUS_OK);

	usage = timeline_usage(timeline_device(timeline, 0));
	assert_int_equal(timeline_device(timeline, 0)->sweep.operation_count, 4);
	assert_int_equal(usage.span_ns, 40);
	assert_int_equal(usage.busy_ns, 20);
	assert_int_equal(usage.idle_ns, 20);
	/* One too short for the clock ran all the same: a gap ends there, and another begins. */
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 3);
	expect_gap(SWEEP_KERNEL, 0, 10, 15);
	expect_gap(SWEEP_KERNEL, 0, 15, 20);
	expect_gap(SWEEP_KERNEL, 0, 30, 40);
}

static void two_processes_on_one_gpu_are_one_device(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	uint32_t used = 0;

	(void)state;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 0, 7, 1));
	/* The second process numbers it differently, and says so only after its first operation. */
	add(timeline, event_device(1, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 8, 3, 5, 12));
	add(timeline, event_device(13, 8, 3, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10, 20));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 8, 3, 25, 30));
	add(timeline, event_job(EVENT_JOB_END, 30, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);

	for (uint32_t i = 0; i < timeline_device_count(timeline); i++) {
		used += !timeline_device(timeline, i)->is_merged;
	}
	assert_int_equal(used, 1);
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).busy_ns, 20);
	expect_gap(SWEEP_KERNEL, 0, 0, 5);
	expect_gap(SWEEP_KERNEL, 0, 20, 25);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 2);
	/* Each source is named once, and the merged one again. */
	assert_int_equal(told.device_calls, 3);
}

static void an_unknown_device_is_one_of_its_own(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();

	(void)state;
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 8, 3, 5, 12));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 9, 3, 5, 6));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(timeline_device_count(timeline), 2);
	assert_string_equal(timeline_device(timeline, 0)->uuid, "8:3");
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).busy_ns, 7);
	assert_int_equal(timeline_usage(timeline_device(timeline, 1)).busy_ns, 1);
}

static void a_silent_gpu_is_one_gap(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();

	(void)state;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 10, 7, 1));
	add(timeline, event_device(11, 7, 0, "A"));
	add(timeline, event_job(EVENT_JOB_END, 90, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 1);
	expect_gap(SWEEP_KERNEL, 0, 10, 90);
	expect_gap(SWEEP_ANYTHING, 0, 10, 90);
	assert_int_equal(told.gaps[0].gap.edge, GAP_SILENT);
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).span_ns, 0);
}

static void gaps_are_clipped_to_the_window_and_figures_are_not(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();

	(void)state;
	add(timeline, event_device(0, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 1, 5));
	add(timeline, event_job(EVENT_JOB_SUBMIT, 20, 7, 1));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 30, 40));
	add(timeline, event_job(EVENT_JOB_END, 50, 7, 1));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 60, 70));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 2);
	expect_gap(SWEEP_KERNEL, 0, 20, 30);
	expect_gap(SWEEP_KERNEL, 0, 40, 50);
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).span_ns, 69);
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).idle_ns, 45);
}

static void bad_stamps_are_counted_and_not_used(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	struct event bad = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 30, 20);
	struct event none = event_operation_at(EVENT_GPU_MEMCPY, 7, 0, 0, 0);
	struct event never = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 5, 1ULL << 63);

	(void)state;
	never.time_ns = 40;
	none.time_ns = 40;
	add(timeline, event_device(0, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10, 20));
	add(timeline, bad);
	add(timeline, none);
	add(timeline, never);
	assert_false(timeline_accepts(&bad));
	assert_false(timeline_accepts(&none));
	assert_false(timeline_accepts(&never));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(timeline_counts(timeline).bad_stamps, 3);
	assert_int_equal(timeline_counts(timeline).operations, 4);
	assert_int_equal(timeline_usage(timeline_device(timeline, 0)).span_ns, 10);
}

/* A daemon that ended while the recording began says only how far it would have told. */
static void a_watermark_alone_makes_no_device(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	const uint64_t ms = NS_PER_MS;

	(void)state;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 1 * ms, 7, 1));
	add(timeline, event_device(1 * ms, 7, 0, "A"));
	add(timeline, event_watermark(2 * ms, 8, 0, 1 * ms));
	add(timeline, event_watermark(2 * ms, 8, 1, 1 * ms));
	add(timeline, event_job(EVENT_JOB_END, 10 * ms, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(timeline_device_count(timeline), 1);
}

/* The gap is final once the watermark is far enough past it, not before. */
static void a_gap_is_told_once_every_watermark_passed_it(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	const uint64_t ms = NS_PER_MS;

	(void)state;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 1 * ms, 7, 1));
	add(timeline, event_device(1 * ms, 7, 0, "A"));
	add(timeline, event_device(1 * ms, 8, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 2 * ms, 4 * ms));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10 * ms, 12 * ms));
	add(timeline, event_watermark(2000 * ms, 7, 0, 1900 * ms));
	assert_int_equal(told.gap_count, 0); /* the other process may still tell something */
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 8, 0, 6 * ms, 7 * ms));
	add(timeline, event_watermark(2001 * ms, 8, 0, 8 * ms));
	assert_int_equal(told.gap_count, 0); /* its watermark has not passed yet */
	add(timeline, event_watermark(2002 * ms, 8, 0, 1900 * ms));
	expect_gap(SWEEP_KERNEL, 0, 1 * ms, 2 * ms);
	expect_gap(SWEEP_KERNEL, 0, 4 * ms, 6 * ms);
	expect_gap(SWEEP_KERNEL, 0, 7 * ms, 10 * ms);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 3);
	assert_int_equal(timeline_open_since(timeline), 12 * ms);
	add(timeline, event_job(EVENT_JOB_END, 2003 * ms, 7, 1));
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 4);
	assert_int_equal(timeline_counts(timeline).late_records, 0);
}

static void a_record_after_its_watermark_is_counted(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	const uint64_t ms = NS_PER_MS;
	struct event late = event_operation_at(EVENT_GPU_KERNEL, 7, 0, 5 * ms, 6 * ms);

	(void)state;
	late.time_ns = 2001 * ms;
	add(timeline, event_job(EVENT_JOB_SUBMIT, 1 * ms, 7, 1));
	add(timeline, event_device(1 * ms, 7, 0, "A"));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 2 * ms, 4 * ms));
	add(timeline, event_operation_at(EVENT_GPU_KERNEL, 7, 0, 10 * ms, 12 * ms));
	add(timeline, event_watermark(2000 * ms, 7, 0, 1900 * ms));
	expect_gap(SWEEP_KERNEL, 0, 4 * ms, 10 * ms);
	add(timeline, late);
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(timeline_counts(timeline).late_records, 1);
	assert_int_equal(timeline_counts(timeline).late_ns, 1 * ms);
}

/* A kernel of 10 s is told at its start: the gap behind it need not wait for twice as long. */
static void an_imported_gap_is_told_soon_after_its_end(void **state)
{
	AUTO(timeline_destroy) struct timeline *timeline = create();
	struct event first = event_operation_at(EVENT_GPU_KERNEL, 7, 0, NS_PER_S, 11 * NS_PER_S);
	struct event second =
		event_operation_at(EVENT_GPU_KERNEL, 7, 0, 12 * NS_PER_S, 13 * NS_PER_S);
	const uint64_t later_ns = 12 * NS_PER_S + 30 * NS_PER_MS;
	struct event third = event_operation_at(EVENT_GPU_KERNEL, 7, 0, later_ns, 13 * NS_PER_S);

	(void)state;
	third.time_ns = later_ns;
	timeline_set_imported(timeline);
	add(timeline, event_device(0, 7, 0, "A"));
	first.time_ns = NS_PER_S;
	second.time_ns = 12 * NS_PER_S;
	add(timeline, first);
	add(timeline, second);
	add(timeline, third);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 0);
	add(timeline, event_watermark(later_ns, 7, 0, later_ns));
	expect_gap(SWEEP_KERNEL, 0, 11 * NS_PER_S, 12 * NS_PER_S);
	/* And a job that is named only now cannot take it back. */
	add(timeline, event_job(EVENT_JOB_SUBMIT, later_ns, 7, 1));
	assert_int_equal(timeline_window(timeline)->begin_ns, NS_PER_S);
	assert_int_equal(timeline_end(timeline), STATUS_OK);
	assert_int_equal(count_gaps(SWEEP_KERNEL, 0), 1);
}

/* ---- Random recordings against a model of instants ---- */

#define INSTANTS 600
#define UNIT_NS  (5 * NS_PER_MS)
#define OPS_MAX  120

struct model_operation {
	bool is_kernel;
	int32_t pid;
	uint32_t device;
	uint64_t start;
	uint64_t end;
	uint64_t emitted;
};

struct model {
	struct model_operation operations[OPS_MAX];
	uint32_t count;
	uint64_t job_begin;
	uint64_t job_end;
};

static int compare_emitted(const void *left, const void *right)
{
	const struct model_operation *a = left;
	const struct model_operation *b = right;

	return a->emitted < b->emitted ? -1 : a->emitted > b->emitted;
}

static struct model random_model(unsigned int *seed)
{
	struct model model = {.count = (uint32_t)rand_r(seed) % OPS_MAX, .job_begin = 20};

	for (uint32_t i = 0; i < model.count; i++) {
		struct model_operation *operation = &model.operations[i];

		operation->is_kernel = rand_r(seed) % 3 != 0;
		operation->pid = 100 + rand_r(seed) % 2;
		operation->device = (uint32_t)rand_r(seed) % 2;
		operation->start = (uint64_t)rand_r(seed) % (INSTANTS - 100);
		operation->end =
			operation->start + (uint64_t)rand_r(seed) % (i % 20 == 0 ? 90 : 12);
		operation->emitted = operation->end + (uint64_t)rand_r(seed) % 30;
	}
	qsort(model.operations, model.count, sizeof(model.operations[0]), compare_emitted);
	model.job_end = INSTANTS - (uint64_t)rand_r(seed) % 150;
	return model;
}

/* The earliest start among the operations that are not emitted yet: what a watermark may promise.
 */
static uint64_t promise(const struct model *model, uint32_t emitted, int32_t pid, uint32_t device)
{
	uint64_t until = UINT64_MAX;

	for (uint32_t i = emitted; i < model->count; i++) {
		const struct model_operation *operation = &model->operations[i];

		if (operation->pid == pid && operation->device == device &&
			operation->start < until) {
			until = operation->start;
		}
	}
	return until;
}

static void play(struct timeline *timeline, const struct model *model, bool has_watermarks)
{
	static const char *const uuids[2] = {"A", "B"};
	uint32_t next = 0;

	for (uint64_t now = 0; now < INSTANTS; now++) {
		/* The second process numbers the devices the other way round. */
		for (uint32_t d = 0; now == 1 && d < 2; d++) {
			add(timeline, event_device(now * UNIT_NS, 100, (int32_t)d, uuids[d]));
			add(timeline, event_device(now * UNIT_NS, 101, 1 - (int32_t)d, uuids[d]));
		}
		if (now == model->job_begin) {
			add(timeline, event_job(EVENT_JOB_SUBMIT, now * UNIT_NS, 100, 1));
		}
		for (; next < model->count && model->operations[next].emitted <= now; next++) {
			const struct model_operation *operation = &model->operations[next];
			struct event event = event_operation_at(
				operation->is_kernel ? EVENT_GPU_KERNEL : EVENT_GPU_MEMSET,
				operation->pid,
				operation->pid == 100 ? (int32_t)operation->device
						      : 1 - (int32_t)operation->device,
				operation->start * UNIT_NS + 1, operation->end * UNIT_NS + 1);

			event.time_ns = now * UNIT_NS + 2;
			add(timeline, event);
		}
		for (int32_t pid = 100; has_watermarks && now % 10 == 5 && pid < 102; pid++) {
			for (uint32_t d = 0; d < 2; d++) {
				const uint64_t until = promise(model, next, pid, d);

				add(timeline, event_watermark(now * UNIT_NS + 3, pid,
						      pid == 100 ? (int32_t)d : 1 - (int32_t)d,
						      until == UINT64_MAX ? now * UNIT_NS
									  : until * UNIT_NS));
			}
		}
		if (now == model->job_end) {
			add(timeline, event_job(EVENT_JOB_END, now * UNIT_NS, 100, 1));
		}
	}
}

/* Counts and sums by looking at every instant [t, t + 1) of one device. */
static void check(struct timeline *timeline, const struct model *model, uint32_t device)
{
	bool runs[SWEEP_LAYER_COUNT][INSTANTS + 1] = {0};
	bool flashes[SWEEP_LAYER_COUNT][INSTANTS + 1] = {0}; /* of length zero, at its begin */
	const uint64_t begin = model->job_begin;
	const uint64_t end = model->job_end < INSTANTS ? model->job_end : INSTANTS - 1;
	struct timeline_usage usage = timeline_usage(timeline_device(timeline, device));
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	uint64_t busy = 0;
	uint64_t any = 0;

	for (uint32_t i = 0; i < model->count; i++) {
		const struct model_operation *operation = &model->operations[i];

		if (operation->device != device) {
			continue;
		}
		first = operation->start < first ? operation->start : first;
		last = operation->end > last ? operation->end : last;
		flashes[SWEEP_ANYTHING][operation->start] |= operation->start == operation->end;
		flashes[SWEEP_KERNEL][operation->start] |=
			operation->is_kernel && operation->start == operation->end;
		for (uint64_t t = operation->start; t < operation->end; t++) {
			runs[SWEEP_ANYTHING][t] = true;
			runs[SWEEP_KERNEL][t] |= operation->is_kernel;
		}
	}
	for (uint64_t t = 0; t < INSTANTS; t++) {
		busy += runs[SWEEP_KERNEL][t];
		any += runs[SWEEP_ANYTHING][t];
	}
	assert_int_equal(usage.busy_ns, busy * UNIT_NS);
	assert_int_equal(usage.copying_ns, (any - busy) * UNIT_NS);
	assert_int_equal(usage.span_ns, first == UINT64_MAX ? 0 : (last - first) * UNIT_NS);
	assert_int_equal(usage.idle_ns + usage.busy_ns + usage.copying_ns, usage.span_ns);
	assert_int_equal(told.covered_ns[device][SWEEP_KERNEL], usage.busy_ns);
	assert_int_equal(told.covered_ns[device][SWEEP_ANYTHING], usage.busy_ns + usage.copying_ns);

	/* Operations lie 1 ns after the grid, the window on it. */
	for (int layer = 0; layer < SWEEP_LAYER_COUNT; layer++) {
		uint32_t gaps = 0;
		uint64_t gap_begin = begin * UNIT_NS;

		for (uint64_t t = 0; t <= INSTANTS; t++) {
			const bool runs_now = t < INSTANTS && runs[layer][t];
			const bool ran_before = t > 0 && runs[layer][t - 1];
			uint64_t at = t == INSTANTS ? UINT64_MAX : t * UNIT_NS + 1;

			if (ran_before && !runs_now) {
				gap_begin = at > begin * UNIT_NS ? at : begin * UNIT_NS;
			}
			if (!ran_before && (runs_now || t == INSTANTS || flashes[layer][t])) {
				at = at < end * UNIT_NS ? at : end * UNIT_NS;
				if (gap_begin < at) {
					expect_gap((enum sweep_layer)layer, device, gap_begin, at);
					gaps++;
					gap_begin = at;
				}
			}
		}
		assert_int_equal(count_gaps((enum sweep_layer)layer, device), gaps);
	}
}

static void random_recordings_equal_the_model(void **state)
{
	unsigned int seed = 20;
	uint32_t told_early = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		const bool has_watermarks = round % 3 != 0;
		AUTO(timeline_destroy) struct timeline *timeline = create();
		struct model model = random_model(&seed);

		if (model.job_end >= INSTANTS) {
			model.job_end = INSTANTS - 1;
		}
		play(timeline, &model, has_watermarks);
		told_early += has_watermarks ? told.gap_count : 0;
		if (!has_watermarks) {
			assert_int_equal(told.gap_count, 0);
		}
		assert_int_equal(timeline_end(timeline), STATUS_OK);
		assert_int_equal(timeline_counts(timeline).late_records, 0);
		check(timeline, &model, 0);
		check(timeline, &model, 1);
	}
	assert_true(told_early > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_is_divided_to_the_nanosecond),
		cmocka_unit_test(a_gap_names_the_operation_that_ended_it_and_its_edge),
		cmocka_unit_test(time_zero_and_zero_length_are_valid),
		cmocka_unit_test(two_processes_on_one_gpu_are_one_device),
		cmocka_unit_test(an_unknown_device_is_one_of_its_own),
		cmocka_unit_test(a_silent_gpu_is_one_gap),
		cmocka_unit_test(gaps_are_clipped_to_the_window_and_figures_are_not),
		cmocka_unit_test(bad_stamps_are_counted_and_not_used),
		cmocka_unit_test(a_watermark_alone_makes_no_device),
		cmocka_unit_test(a_gap_is_told_once_every_watermark_passed_it),
		cmocka_unit_test(a_record_after_its_watermark_is_counted),
		cmocka_unit_test(an_imported_gap_is_told_soon_after_its_end),
		cmocka_unit_test(random_recordings_equal_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
