/* SPDX-License-Identifier: MIT */
/* What host threads did: calls of CUDA and of the system, the profiler's own work, scheduling. */
#include "analysis/import/nsys_events.h"
#include "analysis/import/nsys_reader.h"

#include <stdlib.h>
#include <string.h>

#define BIT(column) (1U << (column))

/* The first columns of every table of calls. */
enum call_column {
	CALL_START,
	CALL_END,
	CALL_THREAD,
	CALL_NAME,
	CALL_CORRELATION,
	CALL_RESULT,
	OVERHEAD_KIND = CALL_RESULT,
};

#define CALL_NEEDED (BIT(CALL_START) | BIT(CALL_END) | BIT(CALL_THREAD))

enum sync_column {
	SYNC_START,
	SYNC_END,
	SYNC_DEVICE,
	SYNC_CONTEXT,
	SYNC_STREAM,
	SYNC_CORRELATION,
	SYNC_PROCESS,
	SYNC_KIND,
	SYNC_EVENT,
	SYNC_EVENT_RECORD,
};

enum sched_column {
	SCHED_START,
	SCHED_IS_IN,
	SCHED_THREAD,
	SCHED_STATE,
	SCHED_BLOCK,
};

struct call {
	int32_t pid;
	int32_t tid;
	uint64_t end_ns;
	const char *name;
};

/* False for a row that says neither who nor until when. */
static bool read_call(
	struct nsys_reader *reader, struct nsys_stream *stream, uint64_t start_ns, struct call *to)
{
	int64_t thread;

	if (!nsys_table_integer(&stream->table, CALL_THREAD, &thread) ||
		!nsys_reader_end(reader, stream, CALL_END, &to->end_ns) || to->end_ns < start_ns) {
		stream->useless_count++;
		return false;
	}
	to->pid = nsys_pid((uint64_t)thread);
	to->tid = nsys_tid((uint64_t)thread);
	return true;
}

static enum status convert_os_call(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	struct call call;

	*out_has_event = read_call(reader, stream, event->time_ns, &call);
	if (!*out_has_event) {
		return STATUS_OK;
	}
	event->kind = EVENT_IMPORT_OS_CALL;
	event->pid = call.pid;
	event->tid = call.tid;
	event->os_call.tid = call.tid;
	event->os_call.start_ns = event->time_ns;
	event->os_call.end_ns = call.end_ns;
	return nsys_reader_name(reader, &stream->table, CALL_NAME, &event->os_call.name);
}

/* "cudaLaunchKernel_v7000": CUDA's version since which it is so. "_v2" is a part of the name. */
static size_t length_without_version(const char *name)
{
	size_t length = strlen(name);
	size_t digits = 0;

	while (digits < length && name[length - 1 - digits] >= '0' &&
		name[length - 1 - digits] <= '9') {
		digits++;
	}
	if (digits >= 4 && length > digits + 2 &&
		memcmp(name + length - digits - 2, "_v", 2) == 0) {
		length -= digits + 2;
	}
	return length;
}

static enum status convert_api(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	const char *name;
	struct call call;
	size_t length;
	enum status status;

	*out_has_event = read_call(reader, stream, event->time_ns, &call);
	if (!*out_has_event) {
		return STATUS_OK;
	}
	status = nsys_reader_name(reader, &stream->table, CALL_NAME, &name);
	if (status != STATUS_OK) {
		return status;
	}
	length = length_without_version(name);
	if (name[length] != '\0') {
		memcpy(reader->text, name, length);
		reader->text[length] = '\0';
		name = reader->text;
	}
	event->kind = EVENT_GPU_API;
	event->pid = call.pid;
	event->tid = call.tid;
	event->api.name = name;
	event->api.tid = call.tid;
	event->api.correlation = nsys_table_number(&stream->table, CALL_CORRELATION);
	event->api.start_ns = event->time_ns;
	event->api.end_ns = call.end_ns;
	event->api.result = (int32_t)nsys_table_number(&stream->table, CALL_RESULT);
	return STATUS_OK;
}

/* Schemas before 3.24 have a name only, and newer ones say "undefined" of what nsys itself does. */
static enum gaptrace_overhead_kind overhead_by_name(const char *name)
{
	static const struct {
		const char *word;
		enum gaptrace_overhead_kind kind;
	} words[] = {
		{"flush", GAPTRACE_OVERHEAD_BUFFER_FLUSH},
		{"nstrumentation", GAPTRACE_OVERHEAD_INSTRUMENTATION},
		{"profiling initialization", GAPTRACE_OVERHEAD_INSTRUMENTATION},
		{"Resource", GAPTRACE_OVERHEAD_RESOURCE},
		{"allocation", GAPTRACE_OVERHEAD_RESOURCE},
		{"Allocation", GAPTRACE_OVERHEAD_RESOURCE},
		{"ompiler", GAPTRACE_OVERHEAD_DRIVER_COMPILER},
		{"odule loading", GAPTRACE_OVERHEAD_MODULE_LOADING},
		{"azy function loading", GAPTRACE_OVERHEAD_LAZY_LOADING},
		{"ommand buffer full", GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(name, words[i].word)) {
			return words[i].kind;
		}
	}
	return GAPTRACE_OVERHEAD_UNKNOWN;
}

static enum gaptrace_overhead_kind overhead_kind(const struct nsys_table *table, const char *name)
{
	static const enum gaptrace_overhead_kind kinds[] = {
		[0] = GAPTRACE_OVERHEAD_UNKNOWN, /* undefined, and unknown */
		[1] = GAPTRACE_OVERHEAD_UNKNOWN,
		[2] = GAPTRACE_OVERHEAD_DRIVER_COMPILER,
		[3] = GAPTRACE_OVERHEAD_BUFFER_FLUSH,
		[4] = GAPTRACE_OVERHEAD_INSTRUMENTATION,
		[5] = GAPTRACE_OVERHEAD_RESOURCE,
		[6] = GAPTRACE_OVERHEAD_MODULE_LOADING,
		[7] = GAPTRACE_OVERHEAD_LAZY_LOADING,
		[8] = GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL,
	};
	int64_t value;

	if (nsys_table_integer(table, OVERHEAD_KIND, &value) && value > 1 &&
		value < (int64_t)(sizeof(kinds) / sizeof(kinds[0]))) {
		return kinds[value];
	}
	return overhead_by_name(name);
}

static enum status convert_overhead(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	const char *name;
	struct call call;
	enum status status;

	*out_has_event = read_call(reader, stream, event->time_ns, &call);
	if (!*out_has_event) {
		return STATUS_OK;
	}
	status = nsys_reader_name(reader, &stream->table, CALL_NAME, &name);
	if (status != STATUS_OK) {
		return status;
	}
	event->kind = EVENT_GPU_OVERHEAD;
	event->pid = call.pid;
	event->tid = call.tid;
	event->overhead.kind = overhead_kind(&stream->table, name);
	event->overhead.tid = call.tid;
	event->overhead.correlation = nsys_table_number(&stream->table, CALL_CORRELATION);
	event->overhead.start_ns = event->time_ns;
	event->overhead.end_ns = call.end_ns;
	return STATUS_OK;
}

static enum gaptrace_sync_kind sync_kind(const struct nsys_table *table)
{
	static const enum gaptrace_sync_kind kinds[] = {
		[0] = GAPTRACE_SYNC_UNKNOWN,
		[1] = GAPTRACE_SYNC_EVENT,
		[2] = GAPTRACE_SYNC_STREAM_WAIT_EVENT,
		[3] = GAPTRACE_SYNC_STREAM,
		[4] = GAPTRACE_SYNC_DEVICE,
	};
	const uint64_t value = nsys_table_number(table, SYNC_KIND);

	return value < sizeof(kinds) / sizeof(kinds[0]) ? kinds[value] : GAPTRACE_SYNC_UNKNOWN;
}

static enum status convert_sync(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	const struct nsys_table *table = &stream->table;
	const uint64_t device = nsys_table_number(table, SYNC_DEVICE);
	uint64_t end_ns;
	int64_t record;

	if (device > INT32_MAX || !nsys_reader_end(reader, stream, SYNC_END, &end_ns) ||
		end_ns < event->time_ns) {
		stream->useless_count++;
		*out_has_event = false;
		return STATUS_OK;
	}
	event->kind = EVENT_GPU_SYNC;
	event->pid = nsys_pid(nsys_table_number(table, SYNC_PROCESS));
	event->sync.operation = (struct event_operation){
		.device = (int32_t)device,
		.context = (uint32_t)nsys_table_number(table, SYNC_CONTEXT),
		.stream = (uint32_t)nsys_table_number(table, SYNC_STREAM),
		.correlation = nsys_table_number(table, SYNC_CORRELATION),
		.start_ns = event->time_ns,
		.end_ns = end_ns,
	};
	event->sync.kind = sync_kind(table);
	event->sync.event = nsys_table_number(table, SYNC_EVENT);
	if (nsys_table_integer(table, SYNC_EVENT_RECORD, &record)) {
		event->sync.event_stream = nsys_events_stream(
			reader->events, record, (int64_t)nsys_table_number(table, SYNC_PROCESS));
	}
	*out_has_event = true;
	return STATUS_OK;
}

/* 0 only where the file says that the thread could have gone on. */
static uint64_t state_when_left(const struct nsys_table *table)
{
	enum {
		STATE_UNKNOWN = 0,
		STATE_RUNNING = 1,
		BLOCK_QUANTUM_END = 42,
		BLOCK_PREEMPTED = 44,
		BLOCK_READY_TO_RUN = 49,
	};
	const uint64_t state = nsys_table_number(table, SCHED_STATE);
	const uint64_t block = nsys_table_number(table, SCHED_BLOCK);

	if (state == STATE_RUNNING || block == BLOCK_QUANTUM_END || block == BLOCK_PREEMPTED ||
		block == BLOCK_READY_TO_RUN) {
		return 0;
	}
	return state == STATE_UNKNOWN ? GAPTRACE_UNKNOWN : state;
}

/* A row is of one thread; who had the CPU before or gets it next is in another row, or in none. */
static enum status convert_sched(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	const struct nsys_table *table = &stream->table;
	int64_t thread;
	int64_t is_in;

	(void)reader;
	if (!nsys_table_integer(table, SCHED_THREAD, &thread) ||
		!nsys_table_integer(table, SCHED_IS_IN, &is_in)) {
		stream->useless_count++;
		*out_has_event = false;
		return STATUS_OK;
	}
	event->kind = EVENT_SCHED_SWITCH;
	event->pid = nsys_pid((uint64_t)thread);
	event->tid = nsys_tid((uint64_t)thread);
	event->sched_switch.previous_state = GAPTRACE_UNKNOWN;
	if (is_in) {
		event->sched_switch.next_tid = event->tid;
	} else {
		event->sched_switch.previous_tid = event->tid;
		event->sched_switch.previous_state = state_when_left(table);
	}
	*out_has_event = true;
	return STATUS_OK;
}

const struct nsys_source nsys_host_sources[6] = {
	{
		.shape = {.table = "SCHED_EVENTS",
			/* Who leaves a CPU comes before who gets it. */
			.columns = {"start", "isSchedIn", "globalTid", "?threadState",
				"?threadBlock"},
			.order = "c1"},
		.needed = BIT(SCHED_START) | BIT(SCHED_IS_IN) | BIT(SCHED_THREAD),
		.what = "scheduling",
		.convert = convert_sched,
	},
	{
		.shape = {.table = "OSRT_API", .columns = {"start", "end", "globalTid", "nameId"}},
		.needed = CALL_NEEDED,
		.what = "OS calls",
		.convert = convert_os_call,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_RUNTIME",
			.columns = {"start", "end", "globalTid", "nameId", "correlationId",
				"?returnValue"}},
		.needed = CALL_NEEDED,
		.what = "CUDA calls",
		.convert = convert_api,
	},
	{
		.shape = {.table = "PROFILER_OVERHEAD",
			.columns = {"start", "end", "globalTid", "nameId", "?correlationId",
				"?overheadType"}},
		.needed = CALL_NEEDED,
		.convert = convert_overhead,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_OVERHEAD",
			.columns = {"start", "end", "globalTid", "nameId", "?correlationId",
				"overheadType"}},
		.needed = CALL_NEEDED,
		.convert = convert_overhead,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
			.columns = {"start", "end", "deviceId", "contextId", "streamId",
				"correlationId", "globalPid", "syncType|deprecatedSyncType",
				"eventId", "?eventSyncId"}},
		.needed = BIT(SYNC_START) | BIT(SYNC_END),
		.what = "synchronization",
		.convert = convert_sync,
	},
};
