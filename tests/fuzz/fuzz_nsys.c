/* SPDX-License-Identifier: MIT */
/*
 * Reading any file ends, and what it tells keeps the contract of import.h. Input that begins as an
 * SQLite file is one; other input is rows of an export: a byte for the table, then values.
 */
#include "analysis/import/import.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENT_COUNT_MAX 1000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t take(struct input *input)
{
	if (input->size == 0) {
		return 0;
	}
	input->size--;
	return *input->data++;
}

static const struct {
	const char *create;
	const char *name;
	int column_count;
} tables[] = {
	{"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value)", "StringIds", 2},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,streamId,correlationId,"
	 "globalPid,demangledName,shortName,graphNodeId,graphId)",
		"CUPTI_ACTIVITY_KIND_KERNEL", 10},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start,end,deviceId,contextId,streamId,"
	 "correlationId,globalPid,bytes,copyKind,srcKind,dstKind)",
		"CUPTI_ACTIVITY_KIND_MEMCPY", 11},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start,end,deviceId,globalPid,bytes,memKind)",
		"CUPTI_ACTIVITY_KIND_MEMSET", 6},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start,end,deviceId,globalPid,graphId)",
		"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 5},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start,end,globalTid,correlationId,nameId,"
	 "returnValue)",
		"CUPTI_ACTIVITY_KIND_RUNTIME", 6},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start,end,deviceId,streamId,globalPid,"
	 "syncType,deprecatedSyncType,eventId,eventSyncId)",
		"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 9},
	{"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (eventSyncId,globalPid,streamId)",
		"CUPTI_ACTIVITY_KIND_CUDA_EVENT", 3},
	{"CREATE TABLE PROFILER_OVERHEAD (start,end,globalTid,nameId,overheadType)",
		"PROFILER_OVERHEAD", 5},
	{"CREATE TABLE NVTX_EVENTS "
	 "(start,end,eventType,globalTid,endGlobalTid,text,textId,domainId)",
		"NVTX_EVENTS", 8},
	{"CREATE TABLE OSRT_API (start,end,globalTid,nameId)", "OSRT_API", 4},
	{"CREATE TABLE SCHED_EVENTS (start,isSchedIn,globalTid,threadState,threadBlock)",
		"SCHED_EVENTS", 5},
	{"CREATE TABLE ThreadNames (globalTid,nameId)", "ThreadNames", 2},
	{"CREATE TABLE TARGET_INFO_GPU (id,name,uuid,busLocation)", "TARGET_INFO_GPU", 4},
	{"CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId,cudaId,pid)", "TARGET_INFO_CUDA_DEVICE", 3},
	{"CREATE TABLE DIAGNOSTIC_EVENT (timestamp,severity,text)", "DIAGNOSTIC_EVENT", 3},
	{"CREATE TABLE META_DATA_EXPORT (name,value)", "META_DATA_EXPORT", 2},
	{"CREATE TABLE ANALYSIS_DETAILS (duration)", "ANALYSIS_DETAILS", 1},
	{"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs)",
		"TARGET_INFO_SESSION_START_TIME", 1},
};

#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

static int64_t take_integer(struct input *input)
{
	int64_t value = 0;

	for (int i = 0; i < 8; i++) {
		value = (int64_t)((uint64_t)value << 8 | take(input));
	}
	return value;
}

/* Mostly small numbers, so that rows meet; now and then anything that a column can hold. */
static void bind_value(sqlite3_stmt *insert, int column, struct input *input)
{
	const uint8_t kind = take(input);
	size_t length;

	switch (kind) {
	case 0xff:
		(void)sqlite3_bind_null(insert, column);
		return;
	case 0xfe:
		(void)sqlite3_bind_int64(insert, column, take_integer(input));
		return;
	case 0xfd:
		(void)sqlite3_bind_double(insert, column, (double)take_integer(input) / 7);
		return;
	case 0xfc:
	case 0xfb:
		length = take(input);
		length = length < input->size ? length : input->size;
		if (kind == 0xfc) {
			(void)sqlite3_bind_text(insert, column, (const char *)input->data,
				(int)length, SQLITE_TRANSIENT);
		} else {
			(void)sqlite3_bind_blob(
				insert, column, input->data, (int)length, SQLITE_TRANSIENT);
		}
		input->data += length;
		input->size -= length;
		return;
	default:
		(void)sqlite3_bind_int64(insert, column, kind);
		return;
	}
}

static void insert_row(sqlite3 *db, size_t table, struct input *input)
{
	char query[160];
	sqlite3_stmt *insert = NULL;
	size_t used = (size_t)snprintf(
		query, sizeof(query), "INSERT OR IGNORE INTO %s VALUES (?", tables[table].name);

	for (int i = 1; i < tables[table].column_count; i++) {
		used += (size_t)snprintf(query + used, sizeof(query) - used, ",?");
	}
	(void)snprintf(query + used, sizeof(query) - used, ")");
	/* Its table may be one of those that this input lacks. */
	if (sqlite3_prepare_v2(db, query, -1, &insert, NULL) != SQLITE_OK) {
		return;
	}
	for (int i = 1; i <= tables[table].column_count; i++) {
		bind_value(insert, i, input);
	}
	(void)sqlite3_step(insert);
	(void)sqlite3_finalize(insert);
}

/* Which tables there are comes first, then rows until the input ends. */
static void make_export(const char *path, struct input *input)
{
	sqlite3 *db = NULL;
	uint32_t absent = (uint32_t)take(input) << 16;

	absent |= (uint32_t)take(input) << 8;
	absent |= take(input);
	require(sqlite3_open(path, &db) == SQLITE_OK);
	require(sqlite3_exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL,
			NULL, NULL) == SQLITE_OK);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (!(absent >> i & 1)) {
			require(sqlite3_exec(db, tables[i].create, NULL, NULL, NULL) == SQLITE_OK);
		}
	}
	while (input->size > 0) {
		insert_row(db, take(input) % TABLE_COUNT, input);
	}
	require(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
	require(sqlite3_close(db) == SQLITE_OK);
}

static void write_file(const char *path, const struct input *input)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	require(fd >= 0);
	require(write(fd, input->data, input->size) == (ssize_t)input->size);
	require(close(fd) == 0);
}

/* Every byte of a text is looked at, so that a sanitizer sees one that is gone. */
static size_t read_text(const char *text)
{
	require(text != NULL);
	return strlen(text);
}

struct sums {
	uint64_t begun;
	uint64_t ended;
	uint64_t time_ns;
};

static void check_event(const struct event *event, struct sums *sums)
{
	require(event->time_ns >= sums->time_ns);
	sums->time_ns = event->time_ns;
	switch ((int)event->kind) {
	case EVENT_SPAN_BEGIN:
		sums->begun++;
		(void)read_text(event->span.name);
		break;
	case EVENT_SPAN_END:
		sums->ended++;
		require(event->span.duration_ns <= event->time_ns);
		(void)read_text(event->span.name);
		break;
	case EVENT_GPU_KERNEL:
		require(event->kernel.operation.start_ns == event->time_ns);
		(void)read_text(event->kernel.name);
		break;
	case EVENT_GPU_API:
		require(event->api.start_ns == event->time_ns &&
			event->api.end_ns >= event->api.start_ns);
		(void)read_text(event->api.name);
		break;
	case EVENT_IMPORT_OS_CALL:
		require(event->os_call.end_ns >= event->os_call.start_ns);
		(void)read_text(event->os_call.name);
		break;
	case EVENT_GPU_DEVICE:
		(void)(read_text(event->device.uuid) + read_text(event->device.name) +
			read_text(event->device.link));
		break;
	case EVENT_STATE:
		(void)read_text(event->state.name);
		break;
	case EVENT_IMPORT_NOTE:
		require(strpbrk(event->note.text, "\n\r\x1b") == NULL);
		break;
	default:
		break;
	}
}

static void read_file(const char *path)
{
	AUTO(import_reader_destroy) struct import_reader *reader = NULL;
	struct diag diag = {.line = ""};
	struct sums sums = {.begun = 0};
	struct event event;
	bool has_event = true;
	uint64_t count = 0;
	enum status status = import_nsys.open(path, &diag, &reader);

	if (status != STATUS_OK) {
		require(!reader && diag.line[0] != '\0');
		return;
	}
	while (has_event && status == STATUS_OK) {
		status = reader->operations->next(reader, &event, &has_event, &diag);
		if (status == STATUS_OK && has_event) {
			require(count++ > 0 || (event.kind == EVENT_IMPORT_NOTE &&
						       event.note.kind == EVENT_NOTE_SOURCE));
			require(count < EVENT_COUNT_MAX);
			check_event(&event, &sums);
		}
	}
	require(status == STATUS_OK);
	require(sums.ended <= sums.begun);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct input input = {.data = data, .size = size};

	if (!path[0]) {
		(void)snprintf(path, sizeof(path), "/tmp/gaptrace-fuzz-nsys.%d", (int)getpid());
	}
	(void)unlink(path);
	if (size >= 15 && memcmp(data, "SQLite format 3", 15) == 0) {
		write_file(path, &input);
	} else {
		make_export(path, &input);
	}
	read_file(path);
	(void)unlink(path);
	return 0;
}
