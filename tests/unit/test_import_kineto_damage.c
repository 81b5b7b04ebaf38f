/* SPDX-License-Identifier: MIT */
/* Proves that of a damaged Kineto trace all is read that can be, and that what cannot is told. */
#include "analysis/core/walk_names.h"
#include "tests/unit/kineto_reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL_AT(ts)                                                                              \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":" ts           \
	",\"dur\":1,\"args\":{\"correlation\":9}}"

static const char whole[] = "{\"traceEvents\":[" KERNEL_AT("10") "," KERNEL_AT("20") "," KERNEL_AT(
	"30") "],\"baseTimeNanoseconds\":7}";

static size_t kernels(const struct kineto_reading *reading)
{
	return kineto_reading_count(reading, EVENT_GPU_KERNEL);
}

static void a_cut_at_every_byte_leaves_what_came_before(void **state)
{
	const size_t size = sizeof(whole) - 1;
	size_t last = 0;

	(void)state;
	for (size_t i = 0; i <= size; i++) {
		struct kineto_reading reading = kineto_reading_of(whole, i);

		if (reading.status == STATUS_OK) {
			const bool is_told =
				kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, "byte");

			assert_true(kernels(&reading) >= last);
			last = kernels(&reading);
			assert_int_equal(is_told, i < size);
			assert_int_equal(reading.has_epoch, i >= size);
		} else {
			assert_int_equal(reading.status, STATUS_BAD_INPUT);
			assert_int_equal(last, 0);
			assert_non_null(strstr(reading.diag.line, reading.path));
		}
		kineto_reading_finish(&reading);
	}
	assert_int_equal(last, 3);
}

static void a_cut_gzip_file_gives_what_can_be_inflated(void **state)
{
	char *text = malloc(200000);
	size_t text_size = (size_t)sprintf(text, "{\"traceEvents\":[");
	struct kineto_reading reading;
	unsigned char *bytes;
	size_t size;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 1000; i++) {
		text_size += (size_t)sprintf(text + text_size,
			"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,"
			"\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}",
			i ? "," : "", rand(), i * 10 + 1, rand());
	}
	text_size += (size_t)sprintf(text + text_size, "]}");
	bytes = kineto_reading_gzip(text, text_size, &size);
	assert_true(import_kineto.recognise(bytes, size));

	reading = kineto_reading_of(bytes, size);
	assert_int_equal(kernels(&reading), 1000);
	assert_null(kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, ""));
	kineto_reading_finish(&reading);

	reading = kineto_reading_of(bytes, size / 2);
	assert_int_equal(reading.status, STATUS_OK);
	assert_true(kernels(&reading) > 100 && kernels(&reading) < 900);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, "cut off"));
	kineto_reading_finish(&reading);

	memset(bytes + size / 2, 0xff, 100);
	reading = kineto_reading_of(bytes, size);
	assert_int_equal(reading.status, STATUS_OK);
	assert_true(kernels(&reading) > 100 && kernels(&reading) < 900);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, "damaged"));
	kineto_reading_finish(&reading);
	free(bytes);
	free(text);
}

static void gzip_members_are_one_text(void **state)
{
	const size_t half = sizeof(whole) / 2;
	size_t sizes[2];
	unsigned char *first = kineto_reading_gzip(whole, half, &sizes[0]);
	unsigned char *second =
		kineto_reading_gzip(whole + half, sizeof(whole) - 1 - half, &sizes[1]);
	unsigned char bytes[2048] = {0};
	struct kineto_reading reading;

	(void)state;
	assert_true(sizes[0] + sizes[1] + 16 < sizeof(bytes));
	memcpy(bytes, first, sizes[0]);
	memcpy(bytes + sizes[0], second, sizes[1]);
	/* Some writers fill a file up with zeros. */
	reading = kineto_reading_of(bytes, sizes[0] + sizes[1] + 16);
	assert_int_equal(kernels(&reading), 3);
	assert_int_equal(reading.epoch_ns, 7);
	assert_null(kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, ""));
	kineto_reading_finish(&reading);
	free(first);
	free(second);
}

static void what_follows_the_trace_is_said_to_be_unread(void **state)
{
	char text[2 * sizeof(whole)];
	struct kineto_reading reading;

	(void)state;
	(void)snprintf(text, sizeof(text), "%s\n%s", whole, whole);
	reading = kineto_reading_of_text(text);
	assert_int_equal(kernels(&reading), 3);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_UNREADABLE, "is not read"));
	kineto_reading_finish(&reading);
}

static void zeros_inside_a_text_cost_its_event_and_that_is_counted(void **state)
{
	char text[] = "{\"traceEvents\":[\n" KERNEL_AT("10") ",\n" KERNEL_AT("20") ",\n" KERNEL_AT(
		"30") "\n]}";
	char *second = strstr(strstr(text, "\"cat\"") + 1, "\"cat\"");
	struct kineto_reading reading;

	(void)state;
	memset(second + 2, '\0', 2);
	reading = kineto_reading_of(text, sizeof(text) - 1);
	assert_int_equal(kernels(&reading), 2);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_LOST, "broken JSON"));
	kineto_reading_finish(&reading);
}

/* As many names as a sorter keeps, and ten more. */
static void names_that_are_too_many_are_counted(void **state)
{
	enum {
		COUNT = WALK_NAME_COUNT_MAX + 10,
		BYTES_EACH = 80,
	};
	char *text = malloc((size_t)COUNT * BYTES_EACH + BYTES_EACH);
	size_t used = (size_t)sprintf(text, "{\"traceEvents\":[" KERNEL_AT("10"));
	struct kineto_reading reading;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < COUNT; i++) {
		used += (size_t)sprintf(text + used,
			",{\"ph\":\"X\",\"name\":\"%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1}",
			i, 20 + i);
	}
	(void)sprintf(text + used, "]}");
	reading = kineto_reading_of_text(text);
	assert_int_equal(kernels(&reading), 1);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "told as (other): 1"));
	kineto_reading_finish(&reading);
	free(text);
}

static void one_broken_event_hides_no_other(void **state)
{
	static const char *const broken[] = {
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\"b\",\"pid\":0,\"ts\":5}",
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":,\"pid\":0}",
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":5,\"args\":{\"grid\":[1,2}}",
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":5",
		"{\"ph\":\"X,\n\"cat\":\"kernel\",\"ts\":5,\"args\":{\"x\":\"]\"}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct kineto_reading reading;
		char text[1024];

		(void)snprintf(text, sizeof(text),
			"{\"traceEvents\":[%s,%s,%s,%s],\"baseTimeNanoseconds\":7}",
			KERNEL_AT("10"), broken[i], KERNEL_AT("20"), KERNEL_AT("30"));
		reading = kineto_reading_of_text(text);
		assert_int_equal(reading.status, STATUS_OK);
		assert_int_equal(kernels(&reading), 3);
		assert_int_equal(reading.epoch_ns, 7);
		assert_int_equal(
			kineto_reading_note(&reading, EVENT_NOTE_LOST, "broken")->note.count, 1);
		kineto_reading_finish(&reading);

		/* As the last one it may hide where the list ends, but not the base. */
		(void)snprintf(text, sizeof(text),
			"{\"traceEvents\":[%s,%s],\n\"baseTimeNanoseconds\":7}", KERNEL_AT("10"),
			broken[i]);
		reading = kineto_reading_of_text(text);
		assert_int_equal(reading.status, STATUS_OK);
		assert_int_equal(kernels(&reading), 1);
		kineto_reading_finish(&reading);
	}
}

static void the_base_is_found_past_a_broken_last_event(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"traceEvents\":[" KERNEL_AT("10") ",\n{\"ph\":\"X\",\"name\":\"a\"b\",\n"
						     "\"ts\":5,\"args\":{\"grid\":[1,2]\n}\n}\n"
						     "],\n\"baseTimeNanoseconds\":7}");

	(void)state;
	assert_int_equal(kernels(&reading), 1);
	assert_int_equal(reading.epoch_ns, 7);
	kineto_reading_finish(&reading);
}

static void what_lacks_a_place_is_counted(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"[{}, "
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"ts\":NaN,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":-1,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"k\",\"pid\":1,\"tid\":1,\"ts\":1},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"k\",\"pid\":1,\"tid\":1,\"ts\":1,"
		"\"dur\":-1},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"k\",\"tid\":1,\"ts\":1,\"dur\":"
		"1}]");

	(void)state;
	assert_int_equal(
		kineto_reading_note(&reading, EVENT_NOTE_LOST, "without a time")->note.count, 4);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "duration"));
	assert_int_equal(kernels(&reading), 0);
	assert_int_equal(kineto_reading_count(&reading, EVENT_SPAN_BEGIN), 0);
	kineto_reading_finish(&reading);
}

/* They are passed on so that the engine counts them among the stamps that it cannot use. */
static void operations_without_a_right_duration_end_before_they_begin(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":5},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":6,"
		"\"dur\":-2}]");

	(void)state;
	assert_int_equal(kernels(&reading), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct event_operation *operation =
			&kineto_reading_get(&reading, EVENT_GPU_KERNEL, i)->kernel.operation;

		assert_true(operation->end_ns < operation->start_ns);
	}
	kineto_reading_finish(&reading);
}

/* With a base all times are days: 0 is where Kineto puts what lies before. Without one 0 is a time.
 */
static void clipped_times_have_no_stamps(void **state)
{
	struct kineto_reading reading = kineto_reading_of_text(
		"{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":"
		"[" KERNEL_AT("0") "," KERNEL_AT("-5") "," KERNEL_AT(
			"4203669603454.206") ","
					     "{\"ph\":\"X\",\"cat\":\"cpu_op\","
					     "\"name\":\"k\",\"pid\":1,\"tid\":1,"
					     "\"ts\":0,\"dur\":1}"
					     "]}");

	(void)state;
	assert_int_equal(kernels(&reading), 3);
	for (size_t i = 0; i < 3; i++) {
		const struct event *event = kineto_reading_get(&reading, EVENT_GPU_KERNEL, i);

		assert_true(event->time_ns == 4203669603454206ULL);
		assert_int_equal(event->kernel.operation.start_ns == 0, i < 2);
		assert_int_equal(event->kernel.operation.end_ns == 0, i < 2);
	}
	assert_int_equal(kineto_reading_count(&reading, EVENT_SPAN_BEGIN), 0);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "clips"));
	kineto_reading_finish(&reading);

	reading = kineto_reading_of_text(
		"{\"traceEvents\":[" KERNEL_AT("20") "," KERNEL_AT("0") "]}");
	assert_int_equal(kineto_reading_get(&reading, EVENT_GPU_KERNEL, 0)->time_ns, 0);
	assert_int_equal(
		kineto_reading_get(&reading, EVENT_GPU_KERNEL, 0)->kernel.operation.end_ns, 1000);
	assert_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "clips"));
	kineto_reading_finish(&reading);
}

static void other_files_are_no_traces(void **state)
{
	static const char *const texts[] = {"", "hello", "{}", "[]", "[1,2,3]", "[{\"a\":1}]",
		"{\"traceEvents\":12}", "{\"a\":[{\"ph\":\"X\"}]}", "\x1f\x8b\x08", "null",
		"\"traceEvents\""};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kineto_reading reading = kineto_reading_of_text(texts[i]);

		assert_int_equal(reading.status, STATUS_BAD_INPUT);
		assert_non_null(strstr(reading.diag.line, reading.path));
		assert_non_null(strstr(reading.diag.line, "traceEvents"));
		kineto_reading_finish(&reading);
	}
}

static void an_empty_list_is_a_trace(void **state)
{
	struct kineto_reading reading =
		kineto_reading_of_text("\xef\xbb\xbf {\"traceEvents\":[]} x");

	(void)state;
	assert_int_equal(reading.status, STATUS_OK);
	assert_non_null(kineto_reading_note(&reading, EVENT_NOTE_FACT, "did not record a GPU"));
	kineto_reading_finish(&reading);
}

static void only_traces_are_recognised(void **state)
{
	static const char *const traces[] = {"{\"traceEvents\": [",
		"\xef\xbb\xbf{\n \"schemaVersion\": 1, \"deviceProperties\": [",
		"[{\"ph\":\"X\",\"pid\":1", "{\"baseTimeNanoseconds\": 1,"};
	static const char *const others[] = {"", "{\"level\":\"INFO\"}\n", "SQLite format 3", "[1]",
		"{\"ph\":1}", "2024-01-01 INFO \"traceEvents\"", "\x1f\x8b\x08 no gzip"};

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		assert_true(import_kineto.recognise(
			(const unsigned char *)traces[i], strlen(traces[i])));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_false(import_kineto.recognise(
			(const unsigned char *)others[i], strlen(others[i])));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_at_every_byte_leaves_what_came_before),
		cmocka_unit_test(a_cut_gzip_file_gives_what_can_be_inflated),
		cmocka_unit_test(gzip_members_are_one_text),
		cmocka_unit_test(what_follows_the_trace_is_said_to_be_unread),
		cmocka_unit_test(zeros_inside_a_text_cost_its_event_and_that_is_counted),
		cmocka_unit_test(names_that_are_too_many_are_counted),
		cmocka_unit_test(one_broken_event_hides_no_other),
		cmocka_unit_test(the_base_is_found_past_a_broken_last_event),
		cmocka_unit_test(what_lacks_a_place_is_counted),
		cmocka_unit_test(operations_without_a_right_duration_end_before_they_begin),
		cmocka_unit_test(clipped_times_have_no_stamps),
		cmocka_unit_test(other_files_are_no_traces),
		cmocka_unit_test(an_empty_list_is_a_trace),
		cmocka_unit_test(only_traces_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
