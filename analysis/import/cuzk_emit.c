/* SPDX-License-Identifier: MIT */
/* Events of a log, into the sorter. */
#include "analysis/import/cuzk_reader.h"
#include "trace/base/line.h"

#include <stdarg.h>

/* What one line may tell of one instant, in order. */
#define RANKS_PER_LINE 32

/* Within one instant of one line. */
enum rank {
	RANK_NAME = 0,
	RANK_BEGIN = 8,
	RANK_INNER = 12,
	RANK_END = 16,
};

enum status cuzk_emit(
	struct cuzk_reader *reader, struct event *event, uint32_t rank, struct diag *diag)
{
	event->pid = CUZK_PID;
	if (event->time_ns < reader->first_ns) {
		event->time_ns = reader->first_ns;
	}
	if (event->time_ns > reader->last_ns) {
		reader->last_ns = event->time_ns;
	}
	return event_sorter_add(reader->sorter, event, reader->line * RANKS_PER_LINE + rank, diag);
}

enum status cuzk_emit_note(struct cuzk_reader *reader, enum event_note_kind kind, uint64_t begin_ns,
	uint64_t end_ns, struct diag *diag, const char *format, ...)
{
	struct event event = {
		.kind = EVENT_IMPORT_NOTE,
		.time_ns = begin_ns,
		.note = {.kind = kind,
			.text = reader->text,
			.begin_ns = begin_ns,
			.end_ns = end_ns},
	};
	va_list arguments;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above. */
	line_format(reader->text, sizeof(reader->text), format, arguments);
	va_end(arguments);
	return cuzk_emit(reader, &event, RANK_NAME, diag);
}

enum status cuzk_emit_name(struct cuzk_reader *reader, uint64_t time_ns, int32_t tid,
	const char *name, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_STATE,
		.time_ns = time_ns,
		.tid = tid,
		.state = {.subject = GAPTRACE_STATE_THREAD,
			.object = (uint64_t)tid,
			.name = name,
			.work = {0, GAPTRACE_NONE, GAPTRACE_NONE},
			.tid = tid},
	};

	return cuzk_emit(reader, &event, RANK_NAME, diag);
}

enum status cuzk_emit_range(
	struct cuzk_reader *reader, const struct cuzk_range *range, struct diag *diag)
{
	const struct event_work none = {0, GAPTRACE_NONE, GAPTRACE_NONE};
	struct event event = {
		.kind = EVENT_SPAN_BEGIN,
		.time_ns = range->begin_ns,
		.tid = range->tid,
		.span = {.name = range->name, .work = range->work ? *range->work : none},
	};
	enum status status = cuzk_emit(reader, &event, RANK_BEGIN, diag);

	event.kind = EVENT_SPAN_END;
	event.time_ns = range->end_ns;
	event.span.begin_tid = range->tid;
	event.span.duration_ns = range->end_ns - range->begin_ns;
	event.span.cpu_ns = GAPTRACE_UNKNOWN;
	event.span.run_delay_ns = GAPTRACE_UNKNOWN;
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_INNER, diag);
	}
	return status;
}

enum status cuzk_emit_hold(
	struct cuzk_reader *reader, const struct cuzk_hold *hold, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_LOCK_WAIT,
		.time_ns = hold->wait_ns,
		.tid = hold->tid,
		.lock = {.lock = hold->lock, .name = hold->name},
	};
	enum status status = STATUS_OK;

	if (hold->wait_ns < hold->acquire_ns) {
		status = cuzk_emit(reader, &event, RANK_BEGIN, diag);
	}
	event.kind = EVENT_LOCK_ACQUIRE;
	event.time_ns = hold->acquire_ns;
	event.lock.wait_ns = hold->acquire_ns - hold->wait_ns;
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_BEGIN + 1, diag);
	}
	event.kind = EVENT_LOCK_RELEASE;
	event.time_ns = hold->release_ns;
	event.lock.wait_ns = 0;
	event.lock.hold_ns = hold->release_ns - hold->acquire_ns;
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_END, diag);
	}
	return status;
}

struct cuzk_worker *cuzk_reader_worker(struct cuzk_reader *reader, int32_t worker)
{
	if (worker < 0 || worker >= CUZK_WORKER_COUNT_MAX) {
		reader->counts.of_other_workers++;
		return NULL;
	}
	return &reader->workers[worker];
}

enum status cuzk_emit_claim(
	struct cuzk_reader *reader, const struct cuzk_claim *claim, struct diag *diag)
{
	const struct cuzk_worker *worker = &reader->workers[claim->worker];
	const int32_t tid = CUZK_TID_WORKER + claim->worker;
	struct event event = {
		.kind = EVENT_GPU_API,
		.time_ns = claim->begin_ns,
		.tid = tid,
		.api = {.name = "GPU_START",
			.tid = tid,
			.correlation = claim->correlation,
			.start_ns = claim->begin_ns,
			.end_ns = claim->begin_ns},
	};
	enum status status = cuzk_emit(reader, &event, RANK_END + 1, diag);

	event = (struct event){
		.kind = EVENT_GPU_KERNEL,
		.time_ns = claim->begin_ns,
		.tid = tid,
		.kernel = {.operation = {.device = reader->are_gpus_known ? worker->gpu : 0,
				   .stream = (uint32_t)claim->worker,
				   .correlation = claim->correlation,
				   .start_ns = claim->begin_ns,
				   .end_ns = claim->end_ns},
			.name = claim->name},
	};
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_END + 2, diag);
	}
	return status;
}
