/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_trace.h"

#include "analysis/import/kineto_bytes.h"
#include "analysis/import/kineto_event.h"
#include "analysis/import/kineto_header.h"
#include "analysis/import/kineto_json.h"
#include "analysis/import/kineto_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half a million events: a trace of a minute is sorted without touching the disk. */
#define SORTER_BYTES (48u << 20)

/* One reading of a file. */
struct reading {
	struct kineto_trace *trace;
	struct kineto_json json;
	struct kineto_header header;
	struct kineto_row row;
	bool is_in_row;
	bool has_list; /* the list of events has begun */
	bool is_base;  /* the number that comes next, past a broken row, is the base of all times */
	struct diag *diag;
};

void kineto_trace_finish(struct kineto_trace *trace)
{
	event_sorter_destroy(trace->sorter);
	for (uint32_t i = 0; i < trace->thread_count; i++) {
		free(trace->threads[i].name);
	}
	free(trace->threads);
	*trace = (struct kineto_trace){0};
}

static bool is_operation(const struct event *event)
{
	return event->kind == EVENT_GPU_KERNEL || event->kind == EVENT_GPU_MEMCPY ||
	       event->kind == EVENT_GPU_MEMSET;
}

/* Takes note of whose event it is. */
static void note_event(struct kineto_trace *trace, const struct event *event, uint64_t order)
{
	const bool is_call = order == KINETO_ORDER_CALL;

	if (is_operation(event)) {
		trace->counts.operations++;
		kineto_header_use_device(trace, event->kernel.operation.device);
	} else if (is_call || !trace->has_pid) {
		if (is_call && trace->has_call_pid) {
			trace->counts.other_processes += event->pid != trace->pid;
		} else if (is_call || event->kind == EVENT_SPAN_BEGIN) {
			trace->pid = event->pid;
			trace->has_pid = true;
			trace->has_call_pid = is_call;
		}
	}
	if (event->time_ns == 0) {
		trace->counts.at_zero++;
	} else if (event->time_ns < trace->first_ns) {
		trace->first_ns = event->time_ns;
	}
}

static enum status add_event(struct reading *reading, enum kineto_category category)
{
	struct kineto_trace *trace = reading->trace;
	struct event event;
	uint64_t order = 0;

	switch (kineto_event_make(&reading->row, category, &event, &order)) {
	case KINETO_VERDICT_EVENT:
		break;
	case KINETO_VERDICT_NOTHING:
		return STATUS_OK;
	case KINETO_VERDICT_MALFORMED:
		trace->counts.malformed++;
		return STATUS_OK;
	case KINETO_VERDICT_BAD_TIME:
		trace->counts.bad_ranges++;
		return STATUS_OK;
	}
	if (order != KINETO_ORDER_FLOW) {
		note_event(trace, &event, order);
		trace->counts.without_correlation +=
			(is_operation(&event) || order == KINETO_ORDER_CALL) &&
			!reading->row.correlation.is_there;
	}
	return event_sorter_add(trace->sorter, &event, order, reading->diag);
}

static bool is_host_work(enum kineto_category category)
{
	return category == KINETO_CATEGORY_RANGE || category == KINETO_CATEGORY_PYTHON ||
	       category == KINETO_CATEGORY_CALL;
}

static enum status end_row(struct reading *reading)
{
	const struct kineto_row *row = &reading->row;
	enum kineto_category category;

	reading->is_in_row = false;
	if (row->is_broken || row->phase == '\0') {
		return STATUS_OK;
	}
	kineto_json_trust_element(&reading->json);
	reading->trace->counts.rows++;
	category = kineto_names_category(row->category);
	switch (row->phase) {
	case 'X':
		return category == KINETO_CATEGORY_FLOW ? STATUS_OK : add_event(reading, category);
	case 'B':
	case 'E':
		return is_host_work(category) ? add_event(reading, KINETO_CATEGORY_RANGE)
					      : STATUS_OK;
	case 's':
	case 'f':
		/* An arrow follows what it leads from, so that none is needed before something was
		 * without a number. */
		return category == KINETO_CATEGORY_FLOW &&
				       reading->trace->counts.without_correlation > 0
			       ? add_event(reading, category)
			       : STATUS_OK;
	case 'M':
		return kineto_header_take_metadata(reading->trace, row);
	default:
		return STATUS_OK;
	}
}

/* A token of the list: `level` 0 lies between its elements. */
static enum status take_in_list(
	struct reading *reading, enum kineto_token token, uint32_t level, const char *text)
{
	if (token == KINETO_BROKEN) {
		reading->trace->counts.broken += reading->is_in_row;
		reading->row.is_broken = true;
		return STATUS_OK;
	}
	if (level == 1 && token == KINETO_BEGIN_OBJECT) {
		kineto_row_begin(&reading->row);
		reading->is_in_row = true;
		return STATUS_OK;
	}
	if (reading->is_in_row && level > 0) {
		if (level == 1 && token == KINETO_END_OBJECT) {
			return end_row(reading);
		}
		kineto_row_take(&reading->row, token, level, text);
		return STATUS_OK;
	}
	/* Past a broken row the end of the list may have gone by, and what follows it with it. */
	if (reading->is_base && token == KINETO_NUMBER) {
		kineto_header_take_base(reading->trace, text);
	}
	reading->is_base = token == KINETO_STRING && strcmp(text, "baseTimeNanoseconds") == 0;
	return STATUS_OK;
}

static enum status listen(void *context, enum kineto_token token, uint32_t depth, const char *text)
{
	struct reading *reading = context;
	struct kineto_json *json = &reading->json;

	if (json->element_depth > 0) {
		return take_in_list(reading, token, depth - json->element_depth, text);
	}
	if (token == KINETO_BEGIN_ARRAY && kineto_header_is_list(&reading->header, depth)) {
		reading->has_list = true;
		reading->is_in_row = false;
		kineto_json_begin_elements(json);
	}
	kineto_header_take(&reading->header, reading->trace, token, depth, text);
	return STATUS_OK;
}

/* Why the text ended where it did, if that is not its end. */
static void note_problem(struct reading *reading, const struct kineto_bytes *bytes)
{
	const struct kineto_json *json = &reading->json;
	struct kineto_trace *trace = reading->trace;
	uint64_t file_offset = 0;
	const char *problem = kineto_bytes_problem(bytes, &file_offset);

	if (problem) {
		(void)snprintf(trace->problem, sizeof(trace->problem),
			"%s at byte %" PRIu64 ": what came after event %" PRIu64 " is missing",
			problem, file_offset, trace->counts.rows);
	} else if (json->is_bad) {
		(void)snprintf(trace->problem, sizeof(trace->problem),
			"the text is no JSON from byte %" PRIu64
			" on: what came after event %" PRIu64 " is missing",
			json->offset, trace->counts.rows);
	} else if (json->element_depth == 1 && json->depth == 1) {
		/* A list alone may lack its last bracket: a program that died leaves it so. */
	} else if (json->has_trailing) {
		(void)snprintf(trace->problem, sizeof(trace->problem),
			"the trace is over at byte %" PRIu64
			" of its text: what follows there, perhaps another one, is not read",
			json->offset - 1);
	} else if (!kineto_json_is_whole(json)) {
		(void)snprintf(trace->problem, sizeof(trace->problem),
			"the text ends at byte %" PRIu64
			" before its end: what came after event %" PRIu64 " is missing",
			json->offset, trace->counts.rows);
	}
}

static enum status read_all(struct reading *reading, struct kineto_bytes *bytes, struct diag *diag)
{
	struct kineto_json *json = &reading->json;
	const unsigned char *chunk = NULL;
	enum status status = STATUS_OK;
	size_t size = 1;

	while (status == STATUS_OK && size > 0 && !json->is_bad && !json->has_trailing) {
		status = kineto_bytes_read(bytes, &chunk, &size, diag);
		/* Some editors begin a file with a mark of the order of bytes. */
		if (status == STATUS_OK && json->offset == 0 && size >= 3 &&
			memcmp(chunk, "\xef\xbb\xbf", 3) == 0) {
			chunk += 3;
			size -= 3;
		}
		if (status == STATUS_OK) {
			status = kineto_json_feed(json, chunk, size);
		}
	}
	return status;
}

enum status kineto_trace_read(struct kineto_trace *trace, const char *path, struct diag *diag)
{
	AUTO(kineto_bytes_close) struct kineto_bytes *bytes = NULL;
	struct reading reading = {.trace = trace, .diag = diag};
	enum status status;

	*trace = (struct kineto_trace){.first_ns = UINT64_MAX};
	kineto_json_init(&reading.json, listen, &reading);
	status = event_sorter_create(SORTER_BYTES, &trace->sorter);
	if (status == STATUS_OK) {
		status = kineto_bytes_open(path, diag, &bytes);
	}
	if (status == STATUS_OK) {
		status = read_all(&reading, bytes, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	note_problem(&reading, bytes);
	if (!reading.has_list || (trace->counts.rows == 0 && !reading.header.has_named_list)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: byte %" PRIu64 ": no list of trace events; expected a trace of "
			"PyTorch's profiler (Kineto), "
			"plain or gzip: {\"traceEvents\": [...]}",
			path, reading.json.offset);
	}
	return event_sorter_finish(trace->sorter, diag);
}
