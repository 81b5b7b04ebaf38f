/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_event.h"

/* No host has so many; a larger number is no ordinal. */
#define ORDINAL_MAX 65535

static uint64_t clip(int64_t time_ns)
{
	return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static uint64_t end_of(const struct kineto_row *row)
{
	int64_t end_ns;

	if (!row->duration_ns.is_there ||
		__builtin_add_overflow(row->start_ns.value, row->duration_ns.value, &end_ns)) {
		return 0;
	}
	return clip(end_ns);
}

static bool has_place(const struct kineto_row *row)
{
	return row->start_ns.is_there && row->pid.is_there && !row->pid.is_text;
}

/* Which device and stream: of the arguments or, where those are missing, of the track. */
static bool read_operation(const struct kineto_row *row, struct event_operation *out_operation)
{
	const struct kineto_value *device = row->device.is_there ? &row->device : &row->pid;
	const struct kineto_value *stream = row->stream.is_there ? &row->stream : &row->tid;

	if (!row->start_ns.is_there || !device->is_there || device->is_text || device->value < 0 ||
		device->value > ORDINAL_MAX) {
		return false;
	}
	*out_operation = (struct event_operation){
		.device = (int32_t)device->value,
		.context = (uint32_t)row->context.value,
		.stream = (uint32_t)stream->value,
		.correlation = (uint64_t)row->correlation.value,
		.start_ns = clip(row->start_ns.value),
		.end_ns = end_of(row),
	};
	return true;
}

static enum kineto_verdict make_kernel(const struct kineto_row *row, struct event *event)
{
	event->kind = EVENT_GPU_KERNEL;
	event->kernel.name = row->name;
	/* Any number but 0 says that it was part of a graph. */
	event->kernel.graph = (uint32_t)row->graph.value;
	if (event->kernel.graph == 0) {
		event->kernel.graph = row->graph_node.value != 0;
	}
	return read_operation(row, &event->kernel.operation) ? KINETO_VERDICT_EVENT
							     : KINETO_VERDICT_MALFORMED;
}

static enum kineto_verdict make_copy(
	const struct kineto_row *row, enum kineto_category category, struct event *event)
{
	event->kind = EVENT_GPU_MEMCPY;
	if (category == KINETO_CATEGORY_MEMSET) {
		event->kind = EVENT_GPU_MEMSET;
		event->copy.target_memory = kineto_names_memset(row->name);
	} else {
		const struct kineto_copy copy = kineto_names_copy(row->name);

		event->copy.kind = copy.kind;
		event->copy.source_memory = copy.source_memory;
		event->copy.target_memory = copy.target_memory;
	}
	event->copy.bytes = (uint64_t)row->bytes.value;
	return read_operation(row, &event->copy.operation) ? KINETO_VERDICT_EVENT
							   : KINETO_VERDICT_MALFORMED;
}

static enum kineto_verdict make_sync(const struct kineto_row *row, struct event *event)
{
	event->kind = EVENT_GPU_SYNC;
	event->sync.kind = kineto_names_sync(*row->kind ? row->kind : row->name);
	event->sync.event = (uint64_t)row->wait_event.value;
	event->sync.event_stream =
		row->wait_stream.is_there ? (uint32_t)row->wait_stream.value : UINT32_MAX;
	return read_operation(row, &event->sync.operation) ? KINETO_VERDICT_EVENT
							   : KINETO_VERDICT_MALFORMED;
}

static enum kineto_verdict make_call(const struct kineto_row *row, struct event *event)
{
	const uint64_t end_ns = end_of(row);

	event->kind = EVENT_GPU_API;
	event->api.name = row->name;
	event->api.tid = event->tid;
	event->api.correlation = (uint64_t)row->correlation.value;
	event->api.start_ns = event->time_ns;
	event->api.end_ns = end_ns > event->time_ns ? end_ns : event->time_ns;
	return has_place(row) ? KINETO_VERDICT_EVENT : KINETO_VERDICT_MALFORMED;
}

static enum kineto_verdict make_overhead(const struct kineto_row *row, struct event *event)
{
	const uint64_t end_ns = end_of(row);

	event->kind = EVENT_GPU_OVERHEAD;
	event->pid = 0;
	event->overhead.kind = kineto_names_overhead(row->name);
	event->overhead.tid = event->tid > 0 ? event->tid : 0;
	event->overhead.correlation = (uint64_t)row->correlation.value;
	event->overhead.start_ns = event->time_ns;
	event->overhead.end_ns = end_ns > event->time_ns ? end_ns : event->time_ns;
	return row->start_ns.is_there ? KINETO_VERDICT_EVENT : KINETO_VERDICT_MALFORMED;
}

/* Both ends of a range in one event, whose order holds how long it is. */
static enum kineto_verdict make_range(
	const struct kineto_row *row, struct event *event, uint64_t *order)
{
	event->kind = row->phase == 'E' ? EVENT_SPAN_END : EVENT_SPAN_BEGIN;
	event->span.name = row->name;
	event->span.work = (struct event_work){.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE};
	if (!has_place(row)) {
		return row->pid.is_text ? KINETO_VERDICT_NOTHING : KINETO_VERDICT_MALFORMED;
	}
	/* A row of a kind that is not known here, on a device's track. */
	if (row->device.is_there && row->stream.is_there) {
		return KINETO_VERDICT_NOTHING;
	}
	if (row->phase != 'X') {
		*order = KINETO_ORDER_PAIR;
		return KINETO_VERDICT_EVENT;
	}
	if (!row->duration_ns.is_there || row->duration_ns.value < 0 ||
		row->duration_ns.value > KINETO_DURATION_MAX_NS) {
		return KINETO_VERDICT_BAD_TIME;
	}
	*order = KINETO_ORDER_RANGE + (uint64_t)(KINETO_DURATION_MAX_NS - row->duration_ns.value);
	return KINETO_VERDICT_EVENT;
}

/* An arrow's end, as a call of that number on that track. */
static enum kineto_verdict make_flow(const struct kineto_row *row, struct event *event)
{
	event->kind = EVENT_GPU_API;
	event->api.correlation = (uint64_t)row->id.value;
	event->api.tid = event->tid;
	event->api.start_ns = event->time_ns;
	event->api.end_ns = event->time_ns;
	return row->start_ns.is_there && row->id.is_there ? KINETO_VERDICT_EVENT
							  : KINETO_VERDICT_NOTHING;
}

enum kineto_verdict kineto_event_make(const struct kineto_row *row, enum kineto_category category,
	struct event *out_event, uint64_t *out_order)
{
	*out_event = (struct event){
		.time_ns = clip(row->start_ns.value),
		.pid = (int32_t)row->pid.value,
		.tid = (int32_t)row->tid.value,
	};
	*out_order = KINETO_ORDER_OPERATION;
	switch (category) {
	case KINETO_CATEGORY_KERNEL:
		return make_kernel(row, out_event);
	case KINETO_CATEGORY_COPY:
	case KINETO_CATEGORY_MEMSET:
		return make_copy(row, category, out_event);
	case KINETO_CATEGORY_SYNC:
		return make_sync(row, out_event);
	case KINETO_CATEGORY_CALL:
		*out_order = KINETO_ORDER_CALL;
		return make_call(row, out_event);
	case KINETO_CATEGORY_OVERHEAD:
		return make_overhead(row, out_event);
	case KINETO_CATEGORY_FLOW:
		*out_order = KINETO_ORDER_FLOW;
		return make_flow(row, out_event);
	case KINETO_CATEGORY_PYTHON:
		/* Of a thread without a number nobody knows where it belongs. */
		if (row->tid.value == 0) {
			return KINETO_VERDICT_NOTHING;
		}
		return make_range(row, out_event, out_order);
	case KINETO_CATEGORY_RANGE:
		return make_range(row, out_event, out_order);
	case KINETO_CATEGORY_NOTHING:
		break;
	}
	return KINETO_VERDICT_NOTHING;
}
