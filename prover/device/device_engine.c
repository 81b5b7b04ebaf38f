/* SPDX-License-Identifier: MIT */
#include "prover/device/device_engine.h"

#include "prover/device/device_clock.h"
#include "prover/device/device_operation.h"
#include "prover/idle_meter.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t later_of(uint64_t first_ns, uint64_t second_ns)
{
	return first_ns > second_ns ? first_ns : second_ns;
}

/* Before this the first operation of a stream cannot start. */
static uint64_t ready_ns(const struct device_stream *stream)
{
	/* In model time too: what is issued while the one before runs starts when that ends, to
	 * the nanosecond. */
	return later_of(stream->first->issued_ns, stream->last_end_ns);
}

static void pop_operation(struct device_stream *stream)
{
	struct device_operation *operation = stream->first;

	stream->first = operation->next;
	if (!stream->first) {
		stream->last = NULL;
	}
	stream->depth--;
	if (operation->out_is_done) {
		*operation->out_is_done = true;
	}
	free(operation);
}

static void complete_event(struct device_stream *stream, const struct device_operation *operation)
{
	struct device_event *event = operation->event;

	event->completed_sequence = operation->event_sequence;
	event->completed_ns = ready_ns(stream);
	/* A failure goes with the event to the streams that wait for it. */
	event->status = stream->status;
}

/* False while the event has not come. */
static bool complete_wait(struct device_stream *stream, const struct device_operation *operation)
{
	const struct device_event *event = operation->event;
	const uint64_t begin_ns = ready_ns(stream);

	if (event->completed_sequence < operation->event_sequence) {
		return false;
	}

	stream->last_end_ns = begin_ns;
	/* An event that was never recorded holds nobody, as in CUDA. */
	if (operation->event_sequence > 0) {
		stream->last_end_ns = later_of(begin_ns, event->completed_ns);
		if (stream->status == STATUS_OK) {
			stream->status = event->status;
		}
	}
	device_operation_record_wait(stream, operation, begin_ns, stream->last_end_ns);
	return true;
}

/* Does what the first operation of a stream needs no engine for; false when it needs one, or time.
 */
static bool complete_first(struct device_stream *stream)
{
	const struct device_operation *operation = stream->first;

	if (operation->kind == DEVICE_OPERATION_EVENT_RECORD) {
		complete_event(stream, operation);
		return true;
	}
	if (operation->kind == DEVICE_OPERATION_STREAM_WAIT) {
		return complete_wait(stream, operation);
	}
	/* Behind a failure nothing runs. */
	return stream->status != STATUS_OK && !operation->is_running;
}

static bool advance_stream(struct device_stream *stream)
{
	bool has_moved = false;

	while (stream->first && complete_first(stream)) {
		pop_operation(stream);
		has_moved = true;
	}
	return has_moved;
}

/* Completes events until nothing moves any more, and wakes whom it may concern. */
static void advance(struct device *device)
{
	bool has_moved = true;

	while (has_moved) {
		has_moved = false;
		for (struct device_stream *stream = device->streams; stream;
			stream = stream->next) {
			has_moved |= advance_stream(stream);
		}
	}
	/* Of both engines, whichever the news is for: an idle look is cheap. */
	gaptrace_condition_signal(&device->lane.has_work);
	gaptrace_condition_signal(&device->copier.has_work);
	gaptrace_condition_broadcast(&device->has_finished);
}

/* Of the operations at the front of their streams, the one that was ready first. */
static struct device_stream *pick_stream(const struct device_engine *engine)
{
	struct device_stream *best = NULL;

	for (struct device_stream *stream = engine->device->streams; stream;
		stream = stream->next) {
		const struct device_operation *operation = stream->first;

		if (!operation || operation->is_running ||
			!(engine->is_copy ? device_operation_is_copy(operation)
					  : device_operation_is_kernel(operation))) {
			continue;
		}
		if (!best || ready_ns(stream) < ready_ns(best) ||
			(ready_ns(stream) == ready_ns(best) &&
				/* By number at equal times, so that a model gives the same order
				 * each time. */
				operation->correlation < best->first->correlation)) {
			best = stream;
		}
	}
	return best;
}

static void meter_begin(const struct device *device, const struct device_operation *operation)
{
	if (device_operation_is_kernel(operation)) {
		idle_meter_kernel_begin(
			device->config.meter, device->config.index, operation->start_ns);
	}
}

static void meter_end(const struct device *device, const struct device_operation *operation)
{
	if (device_operation_is_kernel(operation)) {
		idle_meter_kernel_end(
			device->config.meter, device->config.index, operation->end_ns);
	} else {
		idle_meter_interval_at(device->config.meter,
			operation->copy.is_pinned ? IDLE_CLOCK_COPY_PINNED
						  : IDLE_CLOCK_COPY_PAGEABLE,
			device->config.index, operation->start_ns, operation->end_ns);
	}
}

/* With the lock held, which it lets go of while the operation does its work. */
static void run_operation(struct device_engine *engine, struct device_stream *stream)
{
	struct device *device = engine->device;
	struct device_operation *operation = stream->first;
	const struct device_backend *backend = device->backend;
	const bool is_failing = device_engine_fails(device, device_operation_fault(operation));
	enum status status;

	operation->is_running = true;
	operation->start_ns = clock_now_ns();
	if (backend->is_modelled) {
		/* The model's own time: a thread that wakes up late does not make the device
		 * late. */
		operation->start_ns = later_of(ready_ns(stream), engine->last_end_ns);
		operation->end_ns = operation->start_ns + backend->duration_ns(device, operation);
	}
	meter_begin(device, operation);
	gaptrace_mutex_unlock(&device->mutex);
	status = backend->execute(device, operation);
	gaptrace_mutex_lock(&device->mutex);
	if (!backend->is_modelled) {
		operation->end_ns = clock_now_ns();
	}

	meter_end(device, operation);
	if (is_failing && status == STATUS_OK) {
		status = STATUS_INTERNAL;
	}
	device_operation_record(stream, operation, status);
	engine->last_end_ns = operation->end_ns;
	stream->last_end_ns = operation->end_ns;
	if (stream->status == STATUS_OK) {
		stream->status = status;
	}
	pop_operation(stream);
	advance(device);
	device_clock_watermark(device);
}

static void *engine_main(void *argument)
{
	struct device_engine *engine = argument;
	struct device *device = engine->device;

	gaptrace_thread_name(engine->name);
	gaptrace_mutex_lock(&device->mutex);
	for (;;) {
		struct device_stream *stream = pick_stream(engine);

		if (stream) {
			run_operation(engine, stream);
		} else if (device->is_stopping) {
			break;
		} else {
			gaptrace_condition_wait(&engine->has_work, &device->mutex);
		}
	}
	gaptrace_mutex_unlock(&device->mutex);
	gaptrace_thread_end();
	return NULL;
}

static enum status start_engine(
	struct device *device, struct device_engine *engine, const char *what)
{
	engine->device = device;
	(void)snprintf(engine->name, sizeof(engine->name), "%s%u %s", device->backend->ops->name,
		device->config.index, what);
	if (pthread_create(&engine->thread, NULL, engine_main, engine)) {
		return STATUS_UNAVAILABLE;
	}
	engine->is_started = true;
	return STATUS_OK;
}

enum status device_engine_start(struct device *device)
{
	enum status status;

	gaptrace_condition_init(&device->lane.has_work, NULL);
	gaptrace_condition_init(&device->copier.has_work, NULL);
	gaptrace_condition_init(&device->has_finished, NULL);
	device->copier.is_copy = true;

	status = start_engine(device, &device->lane, "lane");
	if (status == STATUS_OK) {
		status = start_engine(device, &device->copier, "copy");
	}
	return status;
}

void device_engine_stop(struct device *device)
{
	gaptrace_mutex_lock(&device->mutex);
	device->is_stopping = true;
	gaptrace_condition_broadcast(&device->lane.has_work);
	gaptrace_condition_broadcast(&device->copier.has_work);
	gaptrace_mutex_unlock(&device->mutex);
	if (device->lane.is_started) {
		(void)pthread_join(device->lane.thread, NULL);
	}
	if (device->copier.is_started) {
		(void)pthread_join(device->copier.thread, NULL);
	}
	gaptrace_condition_finish(&device->lane.has_work);
	gaptrace_condition_finish(&device->copier.has_work);
	gaptrace_condition_finish(&device->has_finished);
}

static void wait_for_room(struct device_stream *stream, const struct device_call *call)
{
	struct device *device = stream->device;
	const uint64_t start_ns = clock_now_ns();

	if (stream->depth < DEVICE_STREAM_DEPTH_MAX) {
		return;
	}
	/* As a command buffer that is full keeps whoever launches. */
	while (stream->depth >= DEVICE_STREAM_DEPTH_MAX) {
		gaptrace_condition_wait(&device->has_finished, &device->mutex);
	}
	device_operation_record_full(call, start_ns);
}

enum status device_engine_enqueue(struct device_stream *stream, const struct device_call *call,
	const struct device_operation *operation)
{
	struct device_operation *copy = malloc(sizeof(*copy));

	assert(stream && call && operation);

	if (!copy) {
		return STATUS_NO_MEMORY;
	}
	wait_for_room(stream, call);
	*copy = *operation;
	copy->next = NULL;
	copy->correlation = call->correlation;
	copy->issued_ns = clock_now_ns();
	if (stream->last) {
		stream->last->next = copy;
	} else {
		stream->first = copy;
	}
	stream->last = copy;
	stream->depth++;
	advance(stream->device);
	return STATUS_OK;
}

void device_engine_drain(struct device_stream *stream)
{
	while (stream->first) {
		gaptrace_condition_wait(&stream->device->has_finished, &stream->device->mutex);
	}
}

bool device_engine_fails(struct device *device, enum device_fault fault)
{
	if (fault == DEVICE_FAULT_NONE || fault != device->config.fault) {
		return false;
	}
	/* For tests: exactly one operation of the kind fails. */
	return device->fault_count++ == device->config.fault_after_count;
}
