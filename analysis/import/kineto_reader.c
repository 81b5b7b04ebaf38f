/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_reader.h"

#include "analysis/import/kineto_event.h"
#include "analysis/import/kineto_notes.h"
#include "analysis/import/kineto_ranges.h"
#include "analysis/import/kineto_trace.h"

#include <stdlib.h>

/* Relative times of a file are days: what is told at 0 there lies before all that was recorded. */
#define CLIPPED_BEFORE_NS 1000000000ULL

/* Times that can only be since 1970: from 2001 to 2096. */
#define UNIX_BEGIN_NS 1000000000000000000ULL
#define UNIX_END_NS   4000000000000000000ULL

/* Arrows of one time that are remembered: a launch has two. */
#define FLOW_COUNT_MAX 64

enum stage {
	STAGE_NOTES,
	STAGE_DEVICES,
	STAGE_THREADS,
	STAGE_EVENTS,
	STAGE_LAST_NOTES,
	STAGE_END,
};

struct kineto_reader {
	struct import_reader reader;
	struct kineto_trace trace;
	struct kineto_ranges ranges;
	enum stage stage;
	uint32_t index; /* of what is told next in this stage */
	bool is_zero_clipped;
	struct kineto_note note;
	bool has_pending; /* taken from the sorter, and not told yet */
	struct event pending;
	uint64_t pending_order;
	uint64_t last_ns;
	size_t flow_count;
	struct event flows[FLOW_COUNT_MAX]; /* of the present time */
};

/* The first time that is told: notes and names come with it. */
static uint64_t first_ns(const struct kineto_reader *kineto)
{
	const struct kineto_trace *trace = &kineto->trace;

	if (!kineto->is_zero_clipped && trace->counts.at_zero > 0) {
		return 0;
	}
	return trace->first_ns == UINT64_MAX ? 0 : trace->first_ns;
}

static bool next_note(struct kineto_reader *kineto, struct event *out_event)
{
	const uint64_t clipped = kineto->is_zero_clipped ? kineto->trace.counts.at_zero : 0;
	const bool has_note =
		kineto->stage == STAGE_NOTES
			? kineto_notes_before(
				  &kineto->trace, clipped, &kineto->index, &kineto->note)
			: kineto_notes_after(&kineto->ranges, &kineto->index, &kineto->note);

	if (has_note) {
		*out_event = (struct event){
			.kind = EVENT_IMPORT_NOTE,
			.time_ns = kineto->last_ns,
			.pid = kineto->trace.pid,
			.note = {.kind = kineto->note.kind,
				.text = kineto->note.text,
				.count = kineto->note.count},
		};
	}
	return has_note;
}

static bool next_device(struct kineto_reader *kineto, struct event *out_event)
{
	const struct kineto_trace *trace = &kineto->trace;

	while (kineto->index < trace->device_count) {
		const struct kineto_device *device = &trace->devices[kineto->index++];

		if (device->is_used) {
			*out_event = (struct event){
				.kind = EVENT_GPU_DEVICE,
				.time_ns = kineto->last_ns,
				.pid = trace->pid,
				.device = {.device = device->ordinal,
					.backend = GAPTRACE_BACKEND_CUDA,
					.uuid = "",
					.name = device->name,
					.link = ""},
			};
			return true;
		}
	}
	return false;
}

/* Tracks of devices have names too ("stream 7"), which are no threads. */
static bool next_thread(struct kineto_reader *kineto, struct event *out_event)
{
	const struct kineto_trace *trace = &kineto->trace;

	while (kineto->index < trace->thread_count) {
		const struct kineto_thread *thread = &trace->threads[kineto->index++];

		if (thread->pid == trace->pid && thread->tid != 0) {
			*out_event = (struct event){
				.kind = EVENT_STATE,
				.time_ns = kineto->last_ns,
				.pid = thread->pid,
				.tid = thread->tid,
				.state = {.subject = GAPTRACE_STATE_THREAD,
					.name = thread->name,
					.work = {.partition = GAPTRACE_NONE,
						.device = GAPTRACE_NONE},
					.tid = thread->tid},
			};
			return true;
		}
	}
	return false;
}

/* The number of the call that an arrow leads from or to the event, or 0. */
static uint64_t flow_of(const struct kineto_reader *kineto, const struct event *event)
{
	for (size_t i = 0; i < kineto->flow_count; i++) {
		const struct event *flow = &kineto->flows[i];

		if (flow->time_ns == event->time_ns && flow->pid == event->pid &&
			flow->tid == event->tid) {
			return flow->api.correlation;
		}
	}
	return 0;
}

static void add_flow(struct kineto_reader *kineto, const struct event *flow)
{
	if (kineto->flow_count > 0 && kineto->flows[0].time_ns != flow->time_ns) {
		kineto->flow_count = 0;
	}
	if (kineto->flow_count < FLOW_COUNT_MAX) {
		kineto->flows[kineto->flow_count++] = *flow;
	}
}

/* What ran on a device belongs to the process that called; it is told where it ran, not by whom. Of
 * several, as in ranks that somebody put into one file, each counts its calls from 1: then none is
 * known. */
static void tell_operation(struct kineto_reader *kineto, struct event *event)
{
	struct event_operation *operation = &event->copy.operation;

	if (event->kind == EVENT_GPU_KERNEL) {
		operation = &event->kernel.operation;
	} else if (event->kind == EVENT_GPU_SYNC) {
		operation = &event->sync.operation;
	}
	if (operation->correlation == 0) {
		operation->correlation = flow_of(kineto, event);
	}
	if (kineto->trace.counts.other_processes > 0) {
		operation->correlation = 0;
	}
	event->pid = kineto->trace.pid;
	event->tid = 0;
}

static enum status tell_range(
	struct kineto_reader *kineto, struct event *event, uint64_t order, bool *out_is_told)
{
	const bool is_pair = order == KINETO_ORDER_PAIR;
	const uint64_t duration_ns =
		(uint64_t)KINETO_DURATION_MAX_NS - (order - KINETO_ORDER_RANGE);
	struct kineto_range range = {
		.name = event->span.name,
		.begin_ns = event->time_ns,
		.is_pair = is_pair,
		.end_ns = UINT64_MAX,
	};

	event->span.worker = GAPTRACE_NONE;
	if (!is_pair && __builtin_add_overflow(event->time_ns, duration_ns, &range.end_ns)) {
		range.end_ns = UINT64_MAX;
	}
	return kineto_ranges_begin(&kineto->ranges, event, &range, out_is_told);
}

/* Tells the pending event, or takes it in. */
static enum status tell_pending(
	struct kineto_reader *kineto, struct event *out_event, bool *out_is_told)
{
	const bool is_clipped = kineto->is_zero_clipped && kineto->pending.time_ns == 0;

	kineto->has_pending = false;
	*out_event = kineto->pending;
	*out_is_told = false;
	if (kineto->pending_order == KINETO_ORDER_FLOW) {
		add_flow(kineto, out_event);
		return STATUS_OK;
	}
	switch ((int)out_event->kind) {
	case EVENT_GPU_KERNEL:
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		if (is_clipped) {
			/* Without stamps, so that it is counted among the bad ones. */
			out_event->time_ns = kineto->last_ns;
			out_event->kernel.operation.start_ns = 0;
			out_event->kernel.operation.end_ns = 0;
		}
		tell_operation(kineto, out_event);
		*out_is_told = true;
		return STATUS_OK;
	default:
		break;
	}
	if (is_clipped) {
		return STATUS_OK;
	}
	switch ((int)out_event->kind) {
	case EVENT_SPAN_BEGIN:
		return tell_range(kineto, out_event, kineto->pending_order, out_is_told);
	case EVENT_SPAN_END:
		kineto_ranges_end(&kineto->ranges, out_event);
		return STATUS_OK;
	case EVENT_GPU_SYNC:
		tell_operation(kineto, out_event);
		break;
	case EVENT_GPU_API:
		if (out_event->api.correlation == 0) {
			out_event->api.correlation = flow_of(kineto, out_event);
		}
		break;
	case EVENT_GPU_OVERHEAD:
		out_event->pid = kineto->trace.pid;
		break;
	default:
		break;
	}
	*out_is_told = true;
	return STATUS_OK;
}

/* Behind the last event: the ends that are known, then those that are not. */
static bool next_end(struct kineto_reader *kineto, struct event *out_event)
{
	if (!kineto_ranges_next(&kineto->ranges, UINT64_MAX - 1, out_event)) {
		kineto_ranges_end_all(&kineto->ranges, kineto->last_ns);
		return kineto_ranges_next(&kineto->ranges, UINT64_MAX - 1, out_event);
	}
	return true;
}

static enum status next_event(struct kineto_reader *kineto, struct event *out_event,
	bool *out_has_event, struct diag *diag)
{
	*out_has_event = false;
	while (!*out_has_event) {
		enum status status = STATUS_OK;

		if (!kineto->has_pending) {
			status = event_sorter_next(kineto->trace.sorter, &kineto->pending,
				&kineto->pending_order, &kineto->has_pending, diag);
		}
		if (status != STATUS_OK) {
			return status;
		}
		if (!kineto->has_pending) {
			*out_has_event = next_end(kineto, out_event);
			break;
		}
		if (kineto_ranges_next(&kineto->ranges, kineto->pending.time_ns, out_event)) {
			*out_has_event = true;
			break;
		}
		status = tell_pending(kineto, out_event, out_has_event);
		if (status != STATUS_OK) {
			return status;
		}
	}
	if (*out_has_event) {
		kineto->last_ns = out_event->time_ns;
	}
	return STATUS_OK;
}

static enum status reader_next(struct import_reader *reader, struct event *out_event,
	bool *out_has_event, struct diag *diag)
{
	struct kineto_reader *kineto = (struct kineto_reader *)reader;
	enum status status = STATUS_OK;

	*out_has_event = false;
	while (status == STATUS_OK && !*out_has_event && kineto->stage != STAGE_END) {
		switch (kineto->stage) {
		case STAGE_NOTES:
		case STAGE_LAST_NOTES:
			*out_has_event = next_note(kineto, out_event);
			break;
		case STAGE_DEVICES:
			*out_has_event = next_device(kineto, out_event);
			break;
		case STAGE_THREADS:
			*out_has_event = next_thread(kineto, out_event);
			break;
		case STAGE_EVENTS:
			status = next_event(kineto, out_event, out_has_event, diag);
			break;
		case STAGE_END:
			break;
		}
		if (!*out_has_event) {
			kineto->stage++;
			kineto->index = 0;
		}
	}
	return status;
}

static void reader_destroy(struct import_reader *reader)
{
	struct kineto_reader *kineto = (struct kineto_reader *)reader;

	kineto_ranges_finish(&kineto->ranges);
	kineto_trace_finish(&kineto->trace);
	free(kineto);
}

static const struct import_reader_operations operations = {
	.next = reader_next,
	.destroy = reader_destroy,
};

enum status kineto_reader_open(
	const char *path, struct diag *diag, struct import_reader **out_reader)
{
	struct kineto_reader *kineto = calloc(1, sizeof(*kineto));
	const struct kineto_trace *trace;
	enum status status;

	if (!kineto) {
		return STATUS_NO_MEMORY;
	}
	trace = &kineto->trace;
	kineto->reader.operations = &operations;
	status = kineto_trace_read(&kineto->trace, path, diag);
	if (status != STATUS_OK) {
		reader_destroy(&kineto->reader);
		return status;
	}
	kineto->is_zero_clipped =
		trace->first_ns != UINT64_MAX && trace->first_ns >= CLIPPED_BEFORE_NS;
	kineto->last_ns = first_ns(kineto);
	kineto->reader.has_epoch = trace->has_base || (trace->first_ns >= UNIX_BEGIN_NS &&
							      trace->first_ns < UNIX_END_NS);
	kineto->reader.epoch_ns = trace->base_ns;
	*out_reader = &kineto->reader;
	return STATUS_OK;
}
