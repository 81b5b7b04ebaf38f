/* SPDX-License-Identifier: MIT */
/* Several files are one stream: in order, on one clock, without mixing whom they tell of. */
#include "analysis/import/import_set.h"

#include "tests/unit/event_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TAKEN_COUNT_MAX 20000

struct array_reader {
	struct import_reader reader;
	const struct event *events;
	size_t count;
	size_t next;
	enum status at_end;
};

static enum status array_next(struct import_reader *reader, struct event *out_event,
	bool *out_has_event, struct diag *diag)
{
	struct array_reader *self = (struct array_reader *)(void *)reader;

	*out_has_event = self->next < self->count;
	if (!*out_has_event) {
		return self->at_end == STATUS_OK ? STATUS_OK
						 : diag_set(diag, self->at_end, "the disk broke");
	}
	*out_event = self->events[self->next++];
	return STATUS_OK;
}

static void array_destroy(struct import_reader *reader)
{
	free(reader);
}

static const struct import_reader_operations operations = {array_next, array_destroy};

static struct array_reader *add(
	struct import_set *set, const char *name, const struct event *events, size_t count)
{
	struct array_reader *self = calloc(1, sizeof(*self));
	struct import_reader *reader = &self->reader;

	assert_non_null(self);
	*self = (struct array_reader){
		.reader = {.operations = &operations}, .events = events, .count = count};
	assert_int_equal(import_set_add(set, name, &reader), STATUS_OK);
	assert_null(reader);
	return self;
}

static struct import_set *create(void)
{
	struct import_set *set = NULL;

	assert_int_equal(import_set_create(&set), STATUS_OK);
	return set;
}

struct taken {
	struct event events[TAKEN_COUNT_MAX];
	size_t count;
};

static struct taken taken;

/* Takes all events; those of `kind` are kept, EVENT_KIND_COUNT for all. Their order is checked. */
static void take_all(struct import_set *set, enum event_kind kind)
{
	struct diag diag = {""};
	uint64_t last_ns = 0;
	bool has_event = true;
	struct event event;

	taken.count = 0;
	for (;;) {
		assert_int_equal(import_set_next(set, &event, &has_event, &diag), STATUS_OK);
		if (!has_event) {
			break;
		}
		assert_true(event.time_ns >= last_ns);
		last_ns = event.time_ns;
		if (kind == EVENT_KIND_COUNT || event.kind == kind) {
			assert_true(taken.count < TAKEN_COUNT_MAX);
			taken.events[taken.count++] = event;
		}
	}
	/* The end stays the end. */
	assert_int_equal(import_set_next(set, &event, &has_event, &diag), STATUS_OK);
	assert_false(has_event);
}

static struct event kernel(int32_t pid, int32_t device, uint64_t start_ns, uint64_t end_ns)
{
	struct event event = event_operation_at(EVENT_GPU_KERNEL, pid, device, start_ns, end_ns);

	event.time_ns = start_ns;
	event.tid = 0;
	return event;
}

static struct event note(const char *text)
{
	return (struct event){
		.kind = EVENT_IMPORT_NOTE, .note = {.kind = EVENT_NOTE_SOURCE, .text = text}};
}

static struct event span(enum event_kind kind, uint64_t time_ns, int32_t pid, int32_t tid)
{
	return (struct event){.kind = kind,
		.time_ns = time_ns,
		.pid = pid,
		.tid = tid,
		.span = {.name = "step", .begin_tid = tid}};
}

static void one_file_passes_through_with_its_device_and_a_last_watermark(void **state)
{
	const struct event events[] = {note("made"), kernel(7, 0, 10, 20), kernel(7, 0, 30, 40)};
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	add(set, "run.sqlite", events, 3);
	take_all(set, EVENT_KIND_COUNT);
	assert_int_equal(taken.count, 5);
	assert_int_equal(taken.events[0].kind, EVENT_IMPORT_NOTE);
	assert_string_equal(taken.events[0].note.text, "made");
	assert_int_equal(taken.events[1].kind, EVENT_GPU_DEVICE);
	assert_int_equal(taken.events[1].time_ns, 10);
	assert_int_equal(taken.events[1].device.device, 0);
	assert_int_equal(taken.events[1].device.backend, GAPTRACE_BACKEND_CUDA);
	assert_int_equal(taken.events[2].kind, EVENT_GPU_KERNEL);
	assert_int_equal(taken.events[2].tid, 7); /* a record of a device is its process's */
	assert_int_equal(taken.events[3].kernel.operation.start_ns, 30);
	assert_int_equal(taken.events[4].kind, EVENT_GPU_WATERMARK);
	assert_int_equal(taken.events[4].watermark.complete_until_ns, 30);
}

static void a_device_without_uuid_is_named_by_file_and_ordinal(void **state)
{
	const struct event events[] = {kernel(7, 3, 10, 20)};
	const struct event told[] = {event_device(0, 7, 1, ""), event_device(0, 7, 2, "GPU-2"),
		kernel(7, 1, 10, 20), kernel(7, 2, 10, 20)};
	AUTO(import_set_destroy) struct import_set *set = create();
	AUTO(import_set_destroy) struct import_set *other = create();

	(void)state;
	add(set, "run.sqlite", events, 1);
	assert_int_equal(import_set_next(set, &taken.events[0], &(bool){false}, NULL), STATUS_OK);
	assert_string_equal(taken.events[0].device.uuid, "run.sqlite:3");

	add(other, "x", told, 4);
	assert_int_equal(import_set_next(other, &taken.events[0], &(bool){false}, NULL), STATUS_OK);
	assert_string_equal(taken.events[0].device.uuid, "x:1");
	assert_string_equal(taken.events[0].device.name, "test device");
	assert_int_equal(import_set_next(other, &taken.events[0], &(bool){false}, NULL), STATUS_OK);
	assert_string_equal(taken.events[0].device.uuid, "GPU-2");
	take_all(other, EVENT_GPU_DEVICE);
	assert_int_equal(taken.count, 0); /* each is told once */
}

static void files_are_merged_by_time_and_the_first_file_goes_first(void **state)
{
	const struct event a[] = {kernel(7, 0, 10, 20), kernel(7, 0, 30, 40), kernel(7, 0, 30, 50)};
	const struct event b[] = {kernel(8, 0, 5, 20), kernel(8, 0, 30, 40), kernel(8, 0, 60, 70)};
	const int32_t pids[] = {8, 7, 7, 7, 8, 8};
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	add(set, "a", a, 3);
	add(set, "b", b, 3);
	take_all(set, EVENT_GPU_KERNEL);
	assert_int_equal(taken.count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(taken.events[i].pid, pids[i]);
	}
}

static void clocks_are_aligned_when_all_files_are_dated(void **state)
{
	const struct event a[] = {kernel(7, 0, 10, 20)};
	const struct event b[] = {kernel(8, 0, 10, 20)};
	AUTO(import_set_destroy) struct import_set *set = create();
	struct array_reader *first = add(set, "a", a, 1);
	struct array_reader *second = add(set, "b", b, 1);
	uint64_t epoch_ns = 0;

	(void)state;
	first->reader.has_epoch = true;
	first->reader.epoch_ns = 5000;
	second->reader.has_epoch = true;
	second->reader.epoch_ns = 4000;
	assert_true(import_set_epoch(set, &epoch_ns));
	assert_int_equal(epoch_ns, 4000);
	take_all(set, EVENT_GPU_KERNEL);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.events[0].pid, 8);
	assert_int_equal(taken.events[0].time_ns, 10);
	assert_int_equal(taken.events[1].time_ns, 1010);
	assert_int_equal(taken.events[1].kernel.operation.start_ns, 1010);
	assert_int_equal(taken.events[1].kernel.operation.end_ns, 1020);
}

static void a_file_without_a_date_is_said_and_nothing_is_shifted(void **state)
{
	const struct event a[] = {note("one"), kernel(7, 0, 10, 20)};
	const struct event b[] = {note("two"), kernel(8, 1, 10, 20)};
	AUTO(import_set_destroy) struct import_set *set = create();
	struct array_reader *first = add(set, "a", a, 2);
	uint64_t epoch_ns = 0;

	(void)state;
	add(set, "b", b, 2);
	first->reader.has_epoch = true;
	first->reader.epoch_ns = 5000;
	assert_false(import_set_epoch(set, &epoch_ns));
	take_all(set, EVENT_IMPORT_NOTE);
	assert_int_equal(taken.count, 3);
	assert_int_equal(taken.events[0].note.kind, EVENT_NOTE_SOURCE);
	assert_int_equal(taken.events[1].note.kind, EVENT_NOTE_FACT);
	assert_int_equal(taken.events[2].note.kind, EVENT_NOTE_SOURCE);
}

/* How many notes ask whether the devices of two files are one. */
static size_t questions(const struct event *first, const struct event *second)
{
	AUTO(import_set_destroy) struct import_set *set = create();
	size_t count = 0;

	add(set, "a", first, 2)->reader.has_epoch = true;
	add(set, "b", second, 2)->reader.has_epoch = true;
	take_all(set, EVENT_IMPORT_NOTE);
	for (size_t i = 0; i < taken.count; i++) {
		count += taken.events[i].note.kind == EVENT_NOTE_FACT;
	}
	return count;
}

static void one_number_in_two_files_without_a_uuid_is_asked_about_once(void **state)
{
	const struct event named = {.kind = EVENT_GPU_DEVICE,
		.time_ns = 5,
		.pid = 9,
		.device = {.uuid = "GPU-1", .name = "", .link = ""}};
	const struct event a[] = {kernel(7, 0, 10, 20), kernel(8, 0, 30, 40)};
	const struct event b[] = {kernel(9, 0, 10, 20), kernel(8, 0, 30, 40)};
	const struct event other[] = {kernel(9, 1, 10, 20), kernel(9, 1, 30, 40)};
	const struct event told[] = {named, kernel(9, 0, 30, 40)};

	(void)state;
	assert_int_equal(questions(a, b), 1);
	assert_int_equal(questions(a, other), 0);
	assert_int_equal(questions(a, told), 0);
}

/* The status in which two files of nine kernels end; the last one of b ends `later_ns` later. */
static enum status read_twins(uint64_t later_ns, size_t changed, struct diag *diag)
{
	AUTO(import_set_destroy) struct import_set *set = create();
	struct event a[9];
	struct event b[9];
	struct event event;
	bool has_event = true;
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < 9; i++) {
		a[i] = kernel(7, 0, 10 * i, 10 * i + 5);
		b[i] = a[i];
	}
	b[changed].kernel.operation.end_ns += later_ns;
	add(set, "rank0.json", a, 9)->reader.has_epoch = true;
	add(set, "rank0.json.gz", b, 9)->reader.has_epoch = true;
	while (status == STATUS_OK && has_event) {
		status = import_set_next(set, &event, &has_event, diag);
	}
	return status;
}

static void two_files_of_one_recording_are_refused(void **state)
{
	struct diag diag = {""};

	(void)state;
	assert_int_equal(read_twins(0, 0, &diag), STATUS_BAD_USE);
	assert_non_null(strstr(diag.line, "rank0.json and rank0.json.gz"));
	/* Ranks do much the same, but not to the nanosecond. */
	assert_int_equal(read_twins(1, 7, &diag), STATUS_OK);
	assert_int_equal(read_twins(1, 0, &diag), STATUS_OK);
}

static void numbers_that_two_files_use_are_kept_apart(void **state)
{
	const struct event a[] = {
		span(EVENT_SPAN_BEGIN, 10, 7, 70), span(EVENT_SPAN_END, 20, 7, 70)};
	const struct event b[] = {
		span(EVENT_SPAN_BEGIN, 11, 7, 70), span(EVENT_SPAN_END, 21, 7, 7)};
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	add(set, "a", a, 2)->reader.has_epoch = true;
	add(set, "b", b, 2)->reader.has_epoch = true;
	take_all(set, EVENT_KIND_COUNT);
	assert_int_equal(taken.count, 6);
	assert_int_equal(taken.events[0].pid, 7);
	assert_int_equal(taken.events[0].tid, 70);
	assert_int_equal(taken.events[1].kind, EVENT_STATE);
	assert_int_equal(taken.events[1].state.subject, GAPTRACE_STATE_THREAD);
	assert_int_equal(taken.events[2].kind, EVENT_STATE);
	assert_int_equal(taken.events[3].pid, taken.events[1].tid);
	assert_int_equal(taken.events[3].tid, taken.events[2].tid);
	assert_int_not_equal(taken.events[3].pid, 7);
	assert_int_not_equal(taken.events[3].tid, 70);
	assert_int_equal(taken.events[4].tid, 70);
	/* A main thread still has the number of its process. */
	assert_int_equal(taken.events[5].pid, taken.events[3].pid);
	assert_int_equal(taken.events[5].tid, taken.events[3].pid);
	assert_int_equal(taken.events[5].span.begin_tid, taken.events[3].pid);
}

static void names_of_renumbered_threads_tell_the_original(void **state)
{
	const struct event name = {.kind = EVENT_STATE,
		.time_ns = 12,
		.pid = 7,
		.tid = 7,
		.state = {.subject = GAPTRACE_STATE_THREAD, .tid = 70, .name = "worker"}};
	const struct event a[] = {span(EVENT_SPAN_BEGIN, 10, 7, 70)};
	const struct event b[] = {span(EVENT_SPAN_BEGIN, 11, 9, 70), name};
	AUTO(import_set_destroy) struct import_set *set = create();
	char texts[3][64];
	size_t count = 0;
	bool has_event = true;

	(void)state;
	add(set, "a", a, 1);
	add(set, "b", b, 2);
	for (;;) {
		struct event event;

		assert_int_equal(import_set_next(set, &event, &has_event, NULL), STATUS_OK);
		if (!has_event) {
			break;
		}
		if (event.kind == EVENT_STATE) {
			assert_true(count < 3);
			(void)snprintf(texts[count++], sizeof(texts[0]), "%s", event.state.name);
		}
	}
	/* 7 of b collides with 7 of a, which is known as a process. */
	assert_int_equal(count, 3);
	assert_string_equal(texts[0], "thread 70 of b");
	assert_string_equal(texts[1], "thread 7 of b");
	assert_string_equal(texts[2], "worker (70 of b)");
}

static void files_that_name_no_process_are_a_process_each(void **state)
{
	const struct event a[] = {note("a"), kernel(0, 0, 10, 20), kernel(0, 0, 30, 40)};
	const struct event b[] = {note("b"), kernel(0, 0, 10, 20), kernel(0, 0, 30, 40)};
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	add(set, "a", a, 3);
	add(set, "b", b, 3);
	take_all(set, EVENT_GPU_KERNEL);
	assert_int_equal(taken.count, 4);
	assert_int_not_equal(taken.events[0].pid, 0);
	assert_int_not_equal(taken.events[1].pid, 0);
	assert_int_not_equal(taken.events[0].pid, taken.events[1].pid);
	assert_int_equal(taken.events[0].pid, taken.events[2].pid);
	assert_int_equal(taken.events[1].pid, taken.events[3].pid);
}

static void watermarks_follow_the_merge_for_every_user_of_a_device(void **state)
{
	static struct event events[10000];
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	for (size_t i = 0; i < 10000; i++) {
		events[i] = kernel(7 + (int32_t)(i % 2), 0, i * 10, i * 10 + 5);
	}
	add(set, "a", events, 10000);
	take_all(set, EVENT_GPU_WATERMARK);
	assert_int_equal(taken.count, 6); /* two in the middle and one at the end, for each */
	assert_int_equal(taken.events[0].pid, 7);
	assert_int_equal(taken.events[1].pid, 8);
	for (size_t i = 0; i < taken.count; i++) {
		assert_int_equal(
			taken.events[i].watermark.complete_until_ns, taken.events[i].time_ns);
	}
	assert_int_equal(taken.events[5].time_ns, 99990);
}

static void impossible_times_and_too_many_devices_are_counted_and_said(void **state)
{
	static struct event events[200];
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	for (size_t i = 0; i < 199; i++) {
		events[i] = kernel(7, (int32_t)i, i, i + 5);
	}
	events[199] = kernel(7, 0, UINT64_MAX - 3, UINT64_MAX);
	add(set, "a", events, 200);
	take_all(set, EVENT_IMPORT_NOTE);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.events[0].note.kind, EVENT_NOTE_LOST);
	assert_int_equal(taken.events[0].note.count, 1);
	assert_int_equal(taken.events[1].note.count, 199 - (DEVICE_COUNT_MAX - 1));
}

static void an_event_out_of_order_is_taken_as_simultaneous(void **state)
{
	const struct event events[] = {kernel(7, 0, 30, 40), kernel(7, 0, 10, 20)};
	AUTO(import_set_destroy) struct import_set *set = create();

	(void)state;
	add(set, "a", events, 2);
	take_all(set, EVENT_GPU_KERNEL);
	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.events[1].time_ns, 30);
	assert_int_equal(taken.events[1].kernel.operation.start_ns, 10);
}

static void a_reader_that_fails_is_the_sets_failure(void **state)
{
	const struct event events[] = {kernel(7, 0, 30, 40)};
	AUTO(import_set_destroy) struct import_set *set = create();
	struct diag diag = {""};
	enum status status = STATUS_OK;
	bool has_event = true;

	(void)state;
	add(set, "a", events, 1)->at_end = STATUS_IO;
	for (int i = 0; i < 10 && status == STATUS_OK; i++) {
		status = import_set_next(set, &taken.events[0], &has_event, &diag);
		assert_true(has_event);
	}
	assert_int_equal(status, STATUS_IO);
	assert_string_equal(diag.line, "the disk broke");
}

static void a_set_takes_so_many_files_and_no_more(void **state)
{
	AUTO(import_set_destroy) struct import_set *set = create();
	struct import_reader *reader = NULL;

	(void)state;
	for (size_t i = 0; i < IMPORT_FILE_COUNT_MAX; i++) {
		add(set, "a", NULL, 0);
	}
	assert_int_equal(import_set_add(set, "b", &reader), STATUS_OVER_LIMIT);
	take_all(set, EVENT_KIND_COUNT);
	assert_int_equal(taken.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_passes_through_with_its_device_and_a_last_watermark),
		cmocka_unit_test(a_device_without_uuid_is_named_by_file_and_ordinal),
		cmocka_unit_test(one_number_in_two_files_without_a_uuid_is_asked_about_once),
		cmocka_unit_test(files_are_merged_by_time_and_the_first_file_goes_first),
		cmocka_unit_test(clocks_are_aligned_when_all_files_are_dated),
		cmocka_unit_test(a_file_without_a_date_is_said_and_nothing_is_shifted),
		cmocka_unit_test(two_files_of_one_recording_are_refused),
		cmocka_unit_test(numbers_that_two_files_use_are_kept_apart),
		cmocka_unit_test(names_of_renumbered_threads_tell_the_original),
		cmocka_unit_test(files_that_name_no_process_are_a_process_each),
		cmocka_unit_test(watermarks_follow_the_merge_for_every_user_of_a_device),
		cmocka_unit_test(impossible_times_and_too_many_devices_are_counted_and_said),
		cmocka_unit_test(an_event_out_of_order_is_taken_as_simultaneous),
		cmocka_unit_test(a_reader_that_fails_is_the_sets_failure),
		cmocka_unit_test(a_set_takes_so_many_files_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
