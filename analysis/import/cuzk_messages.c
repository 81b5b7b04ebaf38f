/* SPDX-License-Identifier: MIT */
/* Tracing lines become what their threads did: each tells durations that ended when it was written.
 */
#include "analysis/import/cuzk_reader.h"

#include "analysis/import/cuzk_text.h"
#include "trace/base/clock.h"

#include <stdio.h>

/* Within one instant of one line: inside of ranges and holds, which begin before and end after. */
enum rank {
	RANK_JOB = 4,
	RANK_INNER = 10,
};

struct message {
	const struct cuzk_tracing *line;
	uint64_t time_ns;
};

/* Milliseconds of a field as nanoseconds, 0 when it is not there. */
static uint64_t field_ns(const struct message *message, const char *key)
{
	uint64_t value = 0;

	return cuzk_text_unsigned(message->line->fields, key, &value) ? value * NS_PER_MS : 0;
}

static int32_t field_index(const struct message *message, const char *key)
{
	uint64_t value;

	return cuzk_text_unsigned(message->line->fields, key, &value) && value <= INT32_MAX
		       ? (int32_t)value
		       : CUZK_NONE;
}

static struct cuzk_job *job_of(const struct cuzk_reader *reader, const struct message *message)
{
	struct cuzk_word name;

	return cuzk_text_value(message->line->fields, "job_id", &name)
		       ? cuzk_work_find_job(&reader->work, name)
		       : NULL;
}

/* The partition that the worker has in hand, if the line is of that one. */
static struct cuzk_partition *partition_of(
	struct cuzk_reader *reader, const struct message *message, int32_t worker)
{
	const uint64_t item =
		worker >= 0 && worker < CUZK_WORKER_COUNT_MAX ? reader->workers[worker].item : 0;
	struct cuzk_partition *partition;

	if (item == 0) {
		return NULL;
	}
	partition = &reader->work.partitions[(item - 1) % CUZK_PARTITION_COUNT];
	return partition->item == item && partition->job != 0 &&
			       partition->partition == field_index(message, "partition")
		       ? partition
		       : NULL;
}

/* The work before prove_start: the two takings of the tracker, at its end. */
static enum status add_hot_path(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const int32_t worker = field_index(message, "worker_id");
	const uint64_t busy_ns = cuzk_before(message->time_ns, field_ns(message, "mark_busy_ms"));
	const struct cuzk_range range = {
		.tid = CUZK_TID_WORKER + worker,
		.name = "hot_path",
		.begin_ns = cuzk_before(message->time_ns, field_ns(message, "total_overhead_ms")),
		.end_ns = message->time_ns,
	};
	struct cuzk_hold hold = {
		.tid = range.tid,
		.lock = CUZK_TRACKER,
		.name = "tracker",
		.wait_ns = cuzk_before(busy_ns, field_ns(message, "fail_check_ms")),
		.acquire_ns = busy_ns,
		.release_ns = busy_ns,
	};
	enum status status;

	if (!cuzk_reader_worker(reader, worker)) {
		return STATUS_OK;
	}
	status = cuzk_emit_range(reader, &range, diag);
	if (status == STATUS_OK) {
		status = cuzk_emit_hold(reader, &hold, diag);
	}
	hold.wait_ns = busy_ns;
	hold.acquire_ns = message->time_ns;
	hold.release_ns = message->time_ns;
	return status == STATUS_OK ? cuzk_emit_hold(reader, &hold, diag) : status;
}

static enum status add_prove_start(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const int32_t worker = field_index(message, "worker_id");
	const uint64_t duration_ns = field_ns(message, "prove_start_ms");
	struct cuzk_partition *partition = partition_of(reader, message, worker);
	const struct event_work work = {
		partition ? partition->job : 0, field_index(message, "partition"), GAPTRACE_NONE};
	const struct cuzk_range range = {
		.tid = CUZK_TID_WORKER + worker,
		.name = "prove_start",
		.begin_ns = cuzk_before(message->time_ns, duration_ns),
		.end_ns = message->time_ns,
		.work = &work,
	};
	struct cuzk_call call;

	if (!cuzk_reader_worker(reader, worker)) {
		return STATUS_OK;
	}
	reader->workers[worker].is_proving = false;
	if (cuzk_native_join(&reader->native, duration_ns / NS_PER_MS, &call) && partition) {
		partition->entered_ns = range.begin_ns;
		partition->call = call;
	}
	return cuzk_emit_range(reader, &range, diag);
}

static enum status add_return(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const int32_t worker = field_index(message, "worker_id");
	struct event event = {
		.kind = EVENT_QUEUE_POP_WAIT,
		.time_ns = message->time_ns,
		.tid = CUZK_TID_WORKER + worker,
		.queue = {.queue = CUZK_QUEUE, .name = "gpu_queue"},
	};

	return cuzk_reader_worker(reader, worker) ? cuzk_emit(reader, &event, RANK_INNER, diag)
						  : STATUS_OK;
}

/* A lane that no finalizer has at that time. */
static enum status take_lane(struct cuzk_reader *reader, uint64_t begin_ns, uint64_t end_ns,
	int32_t *out_tid, struct diag *diag)
{
	struct cuzk_lane *lane = NULL;
	char name[32];
	int32_t i = 0;

	while (i + 1 < CUZK_LANE_COUNT && reader->finalizers[i].free_ns > begin_ns) {
		i++;
	}
	lane = &reader->finalizers[i];
	lane->free_ns = end_ns;
	*out_tid = CUZK_TID_FINALIZER + i;
	if (lane->is_named) {
		return STATUS_OK;
	}
	lane->is_named = true;
	(void)snprintf(name, sizeof(name), "finalizer %d", i);
	return cuzk_emit_name(reader, begin_ns, *out_tid, name, diag);
}

static enum status add_trim_events(struct cuzk_reader *reader, int32_t tid, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_MALLOC_TRIM_BEGIN,
		.time_ns = reader->finalizer.trim_begin_ns,
		.tid = tid,
	};
	enum status status = cuzk_emit(reader, &event, RANK_INNER, diag);

	event.kind = EVENT_MALLOC_TRIM_END;
	event.time_ns = reader->finalizer.trim_end_ns;
	event.malloc_trim.duration_ns =
		reader->finalizer.trim_end_ns - reader->finalizer.trim_begin_ns;
	return status == STATUS_OK ? cuzk_emit(reader, &event, RANK_INNER, diag) : status;
}

/* What a finalizer did with the tracker in hand: [acquire, release). */
static enum status add_finalizer_events(
	struct cuzk_reader *reader, struct cuzk_hold *hold, struct diag *diag)
{
	struct cuzk_finalizer *finalizer = &reader->finalizer;
	const struct event_work work = {finalizer->job, finalizer->partition, GAPTRACE_NONE};
	struct cuzk_range range = {
		.name = "process",
		.begin_ns = hold->acquire_ns,
		.end_ns = hold->release_ns,
		.work = &work,
	};
	enum status status = take_lane(reader, hold->wait_ns, hold->release_ns, &hold->tid, diag);

	range.tid = hold->tid;
	if (status == STATUS_OK) {
		status = cuzk_emit_hold(reader, hold, diag);
	}
	if (status == STATUS_OK) {
		status = cuzk_emit_range(reader, &range, diag);
	}
	if (status == STATUS_OK && finalizer->has_trim) {
		status = add_trim_events(reader, hold->tid, diag);
	}
	if (status == STATUS_OK && finalizer->checked_ns != CUZK_NO_TIME) {
		range.name = "self_check";
		range.begin_ns = finalizer->assembled_ns;
		range.end_ns = finalizer->checked_ns;
		status = cuzk_emit_range(reader, &range, diag);
	}
	*finalizer = (struct cuzk_finalizer){.partition = GAPTRACE_NONE,
		.assembled_ns = CUZK_NO_TIME,
		.checked_ns = CUZK_NO_TIME};
	return status;
}

/* A trim whose finalizer wrote no more lines: it had the tracker at least as long. */
static enum status flush_finalizer(struct cuzk_reader *reader, struct diag *diag)
{
	struct cuzk_hold hold = {
		.lock = CUZK_TRACKER,
		.name = "tracker",
		.wait_ns = reader->finalizer.trim_begin_ns,
		.acquire_ns = reader->finalizer.trim_begin_ns,
		.release_ns = reader->finalizer.trim_end_ns,
	};

	return reader->finalizer.has_trim ? add_finalizer_events(reader, &hold, diag) : STATUS_OK;
}

static enum status add_trim(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const struct cuzk_job *job = job_of(reader, message);
	const enum status status = flush_finalizer(reader, diag);

	reader->finalizer.has_trim = true;
	reader->finalizer.trim_end_ns = message->time_ns;
	reader->finalizer.trim_begin_ns =
		cuzk_before(message->time_ns, field_ns(message, "malloc_trim_ms"));
	reader->finalizer.job = job ? job->number : 0;
	reader->finalizer.partition = field_index(message, "partition");
	return status;
}

static enum status add_finalizer(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const uint64_t acquire_ns = cuzk_before(message->time_ns, field_ns(message, "process_ms"));
	struct cuzk_hold hold = {
		.lock = CUZK_TRACKER,
		.name = "tracker",
		.wait_ns = cuzk_before(acquire_ns, field_ns(message, "lock_wait_ms")),
		.acquire_ns = acquire_ns,
		.release_ns = message->time_ns,
	};

	/* The trim is inside, to the millisecond that both were rounded to. */
	if (reader->finalizer.has_trim && reader->finalizer.trim_begin_ns < hold.acquire_ns) {
		reader->finalizer.trim_begin_ns = hold.acquire_ns;
		if (reader->finalizer.trim_end_ns < hold.acquire_ns) {
			reader->finalizer.has_trim = false;
		}
	}
	return add_finalizer_events(reader, &hold, diag);
}

static enum status end_job(struct cuzk_reader *reader, const struct message *message,
	struct cuzk_job *job, struct diag *diag)
{
	const uint64_t duration_ns = field_ns(message, "total_ms");
	struct event event = {
		.kind = EVENT_JOB_END,
		.time_ns = message->time_ns,
		.tid = CUZK_TID_DISPATCHER,
		.job = {.status = GAPTRACE_JOB_DONE,
			.duration_ns = duration_ns ? duration_ns : GAPTRACE_UNKNOWN},
	};

	if (!job) {
		return STATUS_OK;
	}
	event.job.job = job->number;
	cuzk_work_end_job(&reader->work, job);
	return cuzk_emit(reader, &event, RANK_JOB, diag);
}

/* The finalizer of a job in one piece, which is the one that its worker proved last. */
static enum status add_whole_finalizer(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	struct cuzk_worker *worker = cuzk_reader_worker(reader, field_index(message, "worker_id"));
	struct cuzk_job *job = NULL;
	enum status status = flush_finalizer(reader, diag);

	if (status == STATUS_OK) {
		status = add_finalizer(reader, message, diag);
	}
	if (worker && worker->proved > 0) {
		job = &reader->work.jobs[(worker->proved - 1) % CUZK_JOB_COUNT];
		job = job->number == worker->proved ? job : NULL;
		worker->proved = 0;
	}
	if (status != STATUS_OK || !job || !job->is_submitted) {
		return status;
	}
	return end_job(reader, message, job, diag);
}

enum status cuzk_message_submit(
	struct cuzk_reader *reader, struct cuzk_job *job, uint64_t time_ns, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_JOB_SUBMIT,
		.time_ns = time_ns,
		.tid = CUZK_TID_DISPATCHER,
		.job = {.kind = "", .job = job->number},
	};

	job->is_submitted = true;
	return cuzk_emit(reader, &event, RANK_JOB, diag);
}

/* A job whose name comes again is tried again: nobody told that the first try ended. */
static enum status give_up_job(
	struct cuzk_reader *reader, struct cuzk_job *job, uint64_t time_ns, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_JOB_END,
		.time_ns = time_ns,
		.tid = CUZK_TID_DISPATCHER,
		.job = {.job = job->number,
			.status = GAPTRACE_JOB_FAILED,
			.duration_ns = GAPTRACE_UNKNOWN},
	};

	cuzk_work_end_job(&reader->work, job);
	return cuzk_emit(reader, &event, RANK_JOB, diag);
}

static enum status submit_job(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	enum status status = STATUS_OK;
	struct cuzk_word name;
	struct cuzk_job *job;

	if (!cuzk_text_value(message->line->fields, "job_id", &name)) {
		return STATUS_OK;
	}
	job = cuzk_work_find_job(&reader->work, name);
	if (job && job->is_submitted) {
		status = give_up_job(reader, job, message->time_ns, diag);
	}
	job = cuzk_work_job(&reader->work, name);
	if (!job) {
		return STATUS_NO_MEMORY;
	}
	return status == STATUS_OK ? cuzk_message_submit(reader, job, message->time_ns, diag)
				   : status;
}

static enum status add_srs_load(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	const struct cuzk_range range = {
		.tid = CUZK_TID_DISPATCHER,
		.name = "srs_load",
		.begin_ns = cuzk_before(message->time_ns, field_ns(message, "elapsed_ms")),
		.end_ns = message->time_ns,
	};

	return cuzk_emit_range(reader, &range, diag);
}

static enum status add_budget_wait(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_WAIT_BEGIN,
		.time_ns = reader->budget_wait_ns,
		.tid = CUZK_TID_DISPATCHER,
		.wait = {.object = CUZK_BUDGET, .name = "budget", .kind = GAPTRACE_WAIT_BUDGET},
	};
	enum status status;

	if (reader->budget_wait_ns == CUZK_NO_TIME || reader->budget_wait_ns > message->time_ns) {
		return STATUS_OK;
	}
	status = cuzk_emit(reader, &event, RANK_INNER, diag);
	event.kind = EVENT_WAIT_END;
	event.time_ns = message->time_ns;
	event.wait.wait_ns = message->time_ns - reader->budget_wait_ns;
	reader->budget_wait_ns = CUZK_NO_TIME;
	return status == STATUS_OK ? cuzk_emit(reader, &event, RANK_INNER, diag) : status;
}

static enum status name_dispatcher(
	struct cuzk_reader *reader, const struct message *message, struct diag *diag)
{
	if (reader->is_dispatcher_named) {
		return STATUS_OK;
	}
	reader->is_dispatcher_named = true;
	return cuzk_emit_name(reader, message->time_ns, CUZK_TID_DISPATCHER, "dispatcher", diag);
}

enum status cuzk_message_add(struct cuzk_reader *reader, const struct cuzk_tracing *tracing,
	uint64_t time_ns, struct diag *diag)
{
	const struct message message = {tracing, time_ns};
	enum status status;

	switch (tracing->message) {
	case CUZK_TRACING_HOT_PATH:
		return add_hot_path(reader, &message, diag);
	case CUZK_TRACING_PROVE_START:
		return add_prove_start(reader, &message, diag);
	case CUZK_TRACING_START_RETURNED:
		return add_return(reader, &message, diag);
	case CUZK_TRACING_TRIM:
		return add_trim(reader, &message, diag);
	case CUZK_TRACING_FINALIZER:
		return add_finalizer(reader, &message, diag);
	case CUZK_TRACING_FINALIZER_WHOLE:
		return add_whole_finalizer(reader, &message, diag);
	case CUZK_TRACING_ASSEMBLED:
		reader->finalizer.assembled_ns = time_ns;
		return end_job(reader, &message, job_of(reader, &message), diag);
	case CUZK_TRACING_COMPLETED:
		return end_job(reader, &message, job_of(reader, &message), diag);
	case CUZK_TRACING_SELF_CHECKED:
		if (reader->finalizer.assembled_ns != CUZK_NO_TIME) {
			reader->finalizer.checked_ns = time_ns;
		}
		return STATUS_OK;
	case CUZK_TRACING_ENQUEUED:
		status = name_dispatcher(reader, &message, diag);
		return status == STATUS_OK ? submit_job(reader, &message, diag) : status;
	case CUZK_TRACING_SRS_LOADED:
		status = name_dispatcher(reader, &message, diag);
		return status == STATUS_OK ? add_srs_load(reader, &message, diag) : status;
	case CUZK_TRACING_BUDGET_WAITING:
		reader->budget_wait_ns = time_ns;
		return name_dispatcher(reader, &message, diag);
	case CUZK_TRACING_BUDGET_ACQUIRED:
		return add_budget_wait(reader, &message, diag);
	case CUZK_TRACING_GPU_COMPLETE:
	case CUZK_TRACING_SYNTH_COMPLETE:
	case CUZK_TRACING_OTHER:
		break; /* for the clock, or for nothing */
	}
	return STATUS_OK;
}

enum status cuzk_messages_end(struct cuzk_reader *reader, struct diag *diag)
{
	return flush_finalizer(reader, diag);
}
