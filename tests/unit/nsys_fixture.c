/* SPDX-License-Identifier: MIT */
#include "tests/unit/nsys_fixture.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct nsys_fixture *nsys_fixture_make(const char *sql)
{
	struct nsys_fixture *fixture = calloc(1, sizeof(*fixture));
	char *message = NULL;
	sqlite3 *db = NULL;
	int fd;

	assert_non_null(fixture);
	(void)snprintf(fixture->path, sizeof(fixture->path), "/tmp/gaptrace-nsys.XXXXXX");
	fd = mkstemp(fixture->path);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
	(void)sqlite3_exec(
		db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL, NULL, NULL);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
		fail_msg("%s", message);
	}
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return fixture;
}

/* The text field of an event, to be copied: it is borrowed for one call. */
static const char **text_of(struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_IMPORT_NOTE:
		return &event->note.text;
	case EVENT_IMPORT_OS_CALL:
		return &event->os_call.name;
	case EVENT_GPU_KERNEL:
		return &event->kernel.name;
	case EVENT_GPU_API:
		return &event->api.name;
	case EVENT_SPAN_BEGIN:
	case EVENT_SPAN_END:
		return &event->span.name;
	case EVENT_STATE:
		return &event->state.name;
	case EVENT_GPU_DEVICE:
		return &event->device.uuid;
	default:
		return NULL;
	}
}

static void keep(struct nsys_fixture *fixture, const struct event *event)
{
	struct event *kept;
	const char **text;

	if (fixture->count < NSYS_FIXTURE_EVENTS_MAX) {
		kept = &fixture->events[fixture->count];
		*kept = *event;
		text = text_of(kept);
		if (text) {
			assert_non_null(*text);
			fixture->texts[fixture->count] = strdup(*text);
			*text = fixture->texts[fixture->count];
		}
		if (kept->kind == EVENT_GPU_DEVICE) {
			/* Their texts are the reader's, which is gone when they are looked at. */
			kept->device.name = NULL;
			kept->device.link = NULL;
		}
	}
	fixture->count++;
}

static void check(const struct nsys_fixture *fixture, const struct event *event, uint64_t before_ns)
{
	const struct event_operation *operation = event_operation(event);
	bool is_told = !operation || fixture->count > NSYS_FIXTURE_EVENTS_MAX;

	assert_true(event->time_ns >= before_ns);
	if (fixture->count == 0) {
		assert_int_equal(event->kind, EVENT_IMPORT_NOTE);
		assert_int_equal(event->note.kind, EVENT_NOTE_SOURCE);
	}
	for (size_t i = 0; i < fixture->count && !is_told; i++) {
		const struct event *device = &fixture->events[i];

		is_told = device->kind == EVENT_GPU_DEVICE && device->pid == event->pid &&
			  device->device.device == operation->device;
	}
	assert_true(is_told);
	assert_true(!operation || operation->start_ns == event->time_ns);
}

void nsys_fixture_run(struct nsys_fixture *fixture)
{
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	char beside[80];
	uint64_t time_ns = 0;
	bool has_event = true;
	bool had_journal;
	struct event event;

	(void)snprintf(beside, sizeof(beside), "%s-journal", fixture->path);
	had_journal = access(beside, F_OK) == 0;
	fixture->status = import_nsys.open(fixture->path, &fixture->diag, &reader);
	if (fixture->status != STATUS_OK) {
		assert_null(reader);
		assert_true(fixture->diag.line[0] != '\0');
		return;
	}
	fixture->has_epoch = reader->has_epoch;
	fixture->epoch_ns = reader->epoch_ns;
	while (has_event) {
		assert_int_equal(
			reader->operations->next(reader, &event, &has_event, NULL), STATUS_OK);
		if (has_event) {
			check(fixture, &event, time_ns);
			time_ns = event.time_ns;
			keep(fixture, &event);
		}
	}
	(void)snprintf(beside, sizeof(beside), "%s-journal", fixture->path);
	assert_int_equal(access(beside, F_OK) == 0, had_journal);
	(void)snprintf(beside, sizeof(beside), "%s-shm", fixture->path);
	assert_int_not_equal(access(beside, F_OK), 0);
}

struct nsys_fixture *nsys_fixture_read(const char *sql)
{
	struct nsys_fixture *fixture = nsys_fixture_make(sql);

	nsys_fixture_run(fixture);
	return fixture;
}

void nsys_fixture_destroy(struct nsys_fixture *fixture)
{
	if (fixture) {
		(void)unlink(fixture->path);
		for (size_t i = 0; i < NSYS_FIXTURE_EVENTS_MAX; i++) {
			free(fixture->texts[i]);
		}
		free(fixture);
	}
}

size_t nsys_fixture_count(const struct nsys_fixture *fixture, enum event_kind kind)
{
	size_t count = 0;

	assert_true(fixture->count <= NSYS_FIXTURE_EVENTS_MAX);
	for (size_t i = 0; i < fixture->count; i++) {
		count += fixture->events[i].kind == kind;
	}
	return count;
}

const struct event *nsys_fixture_get(
	const struct nsys_fixture *fixture, enum event_kind kind, size_t index)
{
	for (size_t i = 0; i < fixture->count && i < NSYS_FIXTURE_EVENTS_MAX; i++) {
		if (fixture->events[i].kind == kind && index-- == 0) {
			return &fixture->events[i];
		}
	}
	fail_msg("no such event of kind %d", (int)kind);
	return NULL;
}

const struct event *nsys_fixture_note(
	const struct nsys_fixture *fixture, enum event_note_kind kind, const char *part)
{
	for (size_t i = 0; i < fixture->count && i < NSYS_FIXTURE_EVENTS_MAX; i++) {
		const struct event *event = &fixture->events[i];

		if (event->kind == EVENT_IMPORT_NOTE && event->note.kind == kind &&
			strstr(event->note.text, part)) {
			return event;
		}
	}
	return NULL;
}
