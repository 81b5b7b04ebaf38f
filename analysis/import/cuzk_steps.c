/* SPDX-License-Identifier: MIT */
/* TIMELINE lines become lanes: a synthesis, the GPU queue, workers, and what they claim of GPUs. */
#include "analysis/import/cuzk_reader.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <string.h>

/* Where the second piece of a claim has its own number: items are far fewer. */
#define SECOND_PIECE (1ULL << 48)

/* Within one instant of one line, behind names and before claims. */
enum rank {
	RANK_SPAN = 8,
	RANK_QUEUE = 12,
};

/* One step of a partition. */
struct step {
	const struct cuzk_timeline *line;
	uint64_t time_ns;
	struct cuzk_job *job;
	struct cuzk_partition *partition;
	struct event_work work;
};

static enum status name_lane(struct cuzk_reader *reader, struct cuzk_lane *lane, uint64_t time_ns,
	int32_t tid, const char *kind, struct diag *diag)
{
	char name[32];

	if (lane->is_named) {
		return STATUS_OK;
	}
	lane->is_named = true;
	(void)snprintf(name, sizeof(name), "%s %d", kind, tid % CUZK_TID_SYNTHESIS);
	return cuzk_emit_name(reader, time_ns, tid, name, diag);
}

/* A free lane for a synthesis; the oldest when the log ended none of them. */
static uint32_t take_lane(struct cuzk_reader *reader, uint64_t item)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < CUZK_LANE_COUNT; i++) {
		if (reader->syntheses[i].item == 0) {
			taken = i;
			break;
		}
		if (reader->syntheses[i].item < reader->syntheses[taken].item) {
			taken = i;
		}
	}
	reader->syntheses[taken].item = item;
	return taken;
}

static bool has_lane(const struct cuzk_reader *reader, const struct cuzk_partition *partition)
{
	return reader->syntheses[partition->synthesis_lane].item == partition->item;
}

/* The partition's lane, made when its synthesis began before the log did. */
static enum status use_lane(struct cuzk_reader *reader, const struct step *step, struct diag *diag)
{
	struct cuzk_partition *partition = step->partition;

	if (!has_lane(reader, partition)) {
		partition->synthesis_lane = take_lane(reader, partition->item);
	}
	return name_lane(reader, &reader->syntheses[partition->synthesis_lane], step->time_ns,
		CUZK_TID_SYNTHESIS + (int32_t)partition->synthesis_lane, "synthesis", diag);
}

static enum status begin_synthesis(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct event event = {.kind = EVENT_SPAN_BEGIN, .time_ns = step->time_ns};
	enum status status = STATUS_OK;

	if (step->partition->synthesis_ns != CUZK_NO_TIME) {
		/* The same again: a retry, whose first try the log does not end. */
		reader->syntheses[step->partition->synthesis_lane].item = 0;
		cuzk_work_end_partition(&reader->work, step->partition);
		step->partition = cuzk_work_partition(
			&reader->work, step->job->number, step->line->partition);
		if (!step->partition) {
			return STATUS_NO_MEMORY;
		}
	}
	step->partition->synthesis_ns = step->time_ns;
	status = use_lane(reader, step, diag);
	event.tid = CUZK_TID_SYNTHESIS + (int32_t)step->partition->synthesis_lane;
	event.span.name = "synthesize";
	event.span.work = step->work;
	return status == STATUS_OK ? cuzk_emit(reader, &event, RANK_SPAN, diag) : status;
}

static enum status end_synthesis(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct event event = {.kind = EVENT_SPAN_END, .time_ns = step->time_ns};
	const uint64_t begin_ns = step->partition->synthesis_ns;
	const enum status status = use_lane(reader, step, diag);

	event.tid = CUZK_TID_SYNTHESIS + (int32_t)step->partition->synthesis_lane;
	event.span.name = "synthesize";
	event.span.work = step->work;
	event.span.begin_tid = event.tid;
	event.span.duration_ns = begin_ns == CUZK_NO_TIME ? step->line->duration_ms * NS_PER_MS
							  : cuzk_since(begin_ns, step->time_ns);
	event.span.cpu_ns = GAPTRACE_UNKNOWN;
	event.span.run_delay_ns = GAPTRACE_UNKNOWN;
	return status == STATUS_OK ? cuzk_emit(reader, &event, RANK_SPAN, diag) : status;
}

static enum status queue_item(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct event event = {.kind = EVENT_QUEUE_PUSH, .time_ns = step->time_ns};
	enum status status = use_lane(reader, step, diag);

	step->partition->queued_ns = step->time_ns;
	event.tid = CUZK_TID_SYNTHESIS + (int32_t)step->partition->synthesis_lane;
	event.queue.queue = CUZK_QUEUE;
	event.queue.name = "gpu_queue";
	event.queue.item = step->partition->item;
	event.queue.work = step->work;
	event.queue.depth = ++reader->depth;
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_QUEUE, diag);
	}
	reader->syntheses[step->partition->synthesis_lane].item = 0;
	return status;
}

/* Names for the worker's threads, before the first of its events. */
static enum status meet_worker(
	struct cuzk_reader *reader, const struct step *step, int32_t index, struct diag *diag)
{
	struct cuzk_worker *worker = &reader->workers[index];
	char name[32];
	enum status status;

	if (worker->is_named) {
		return STATUS_OK;
	}
	worker->is_named = true;
	(void)snprintf(name, sizeof(name), "prep of worker %d", index);
	status = cuzk_emit_name(reader, step->time_ns, CUZK_TID_PREP + index, name, diag);
	(void)snprintf(name, sizeof(name), "gpu worker %d", index);
	return status == STATUS_OK
		       ? cuzk_emit_name(reader, step->time_ns, CUZK_TID_WORKER + index, name, diag)
		       : status;
}

static enum status wait_for_item(
	struct cuzk_reader *reader, int32_t worker, uint64_t since_ns, struct diag *diag)
{
	struct event event = {
		.kind = EVENT_QUEUE_POP_WAIT,
		.time_ns = since_ns,
		.tid = CUZK_TID_WORKER + worker,
		.queue = {.queue = CUZK_QUEUE, .name = "gpu_queue"},
	};

	return cuzk_emit(reader, &event, RANK_QUEUE, diag);
}

/* A worker that goes on has returned from prove_start, whether or not a line said so. */
static void lose_call(struct cuzk_reader *reader, struct cuzk_worker *worker)
{
	if (worker->is_proving) {
		cuzk_native_lose(&reader->native);
	}
	worker->is_proving = false;
}

static enum status pick_item(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct cuzk_worker *worker = cuzk_reader_worker(reader, step->line->worker);
	struct event event = {.kind = EVENT_QUEUE_POP, .time_ns = step->time_ns};
	enum status status;

	if (!worker) {
		return STATUS_OK;
	}
	reader->counts.pickups++;
	status = meet_worker(reader, step, step->line->worker, diag);
	step->partition->picked_ns = step->time_ns;
	step->partition->worker = step->line->worker;
	event.tid = CUZK_TID_WORKER + step->line->worker;
	event.queue.queue = CUZK_QUEUE;
	event.queue.name = "gpu_queue";
	event.queue.item = step->partition->item;
	event.queue.work = step->work;
	reader->depth -= reader->depth > 0;
	event.queue.depth = reader->depth;
	event.queue.resident_ns = step->partition->queued_ns == CUZK_NO_TIME
					  ? GAPTRACE_UNKNOWN
					  : cuzk_since(step->partition->queued_ns, step->time_ns);
	event.queue.wait_ns = GAPTRACE_UNKNOWN;
	if (!reader->has_returns) {
		/* Free since its last proof ended; or, with two in work, at some time before. */
		event.queue.wait_ns = 0;
		if (worker->item == 0 && worker->free_ns < step->time_ns) {
			event.queue.wait_ns = step->time_ns - worker->free_ns;
			status = status == STATUS_OK ? wait_for_item(reader, step->line->worker,
							       worker->free_ns, diag)
						     : status;
		}
	}
	lose_call(reader, worker);
	worker->item = step->partition->item;
	return status == STATUS_OK ? cuzk_emit(reader, &event, RANK_QUEUE + 1, diag) : status;
}

static enum status start_gpu(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct cuzk_worker *worker = cuzk_reader_worker(reader, step->line->worker);

	if (!worker) {
		return STATUS_OK;
	}
	lose_call(reader, worker);
	worker->is_proving = true;
	reader->counts.starts++;
	step->partition->started_ns = step->time_ns;
	step->partition->worker = step->line->worker;
	return meet_worker(reader, step, step->line->worker, diag);
}

/* When a call had the GPU mutex and what it did with it. */
struct pieces {
	uint64_t locked_ns;
	uint64_t barrier_ns;
	uint64_t second_ns;
	uint64_t end_ns;
	uint64_t released_ns;
};

static struct pieces pieces_of(const struct cuzk_partition *partition)
{
	const struct cuzk_call *call = &partition->call;
	struct pieces pieces;

	pieces.locked_ns =
		partition->entered_ns + (call->pre_lock_ms + call->mutex_wait_ms) * NS_PER_MS;
	pieces.barrier_ns = pieces.locked_ns + call->ntt_msm_h_ms * NS_PER_MS;
	pieces.second_ns = pieces.barrier_ns + call->barrier_ms * NS_PER_MS;
	pieces.end_ns = pieces.second_ns + (call->batch_add_ms + call->tail_msm_ms) * NS_PER_MS;
	pieces.released_ns = pieces.locked_ns + call->mutex_held_ms * NS_PER_MS;
	if (pieces.released_ns < pieces.end_ns) {
		pieces.released_ns = pieces.end_ns; /* rounding */
	}
	return pieces;
}

/*
 * The wait for the prep thread, between the two stretches of kernels. Nobody else notifies that
 * barrier, and it does so when its work before the GPU's is done.
 */
static enum status wait_for_prep(struct cuzk_reader *reader, const struct step *step,
	const struct pieces *pieces, struct diag *diag)
{
	const int32_t worker = step->line->worker;
	const uint64_t object = CUZK_PREP + (uint64_t)worker;
	const struct cuzk_range prep = {
		.tid = CUZK_TID_PREP + worker,
		.name = "prep",
		.begin_ns = step->partition->entered_ns,
		.end_ns = pieces->second_ns,
		.work = &step->work,
	};
	struct event event = {
		.kind = EVENT_WAIT_BEGIN,
		.time_ns = pieces->barrier_ns,
		.tid = CUZK_TID_WORKER + worker,
		.wait = {.object = object, .name = "prep", .kind = GAPTRACE_WAIT_BARRIER},
	};
	enum status status;

	if (pieces->barrier_ns == pieces->second_ns) {
		return STATUS_OK;
	}
	status = cuzk_emit(reader, &event, RANK_SPAN, diag);
	event.kind = EVENT_WAIT_END;
	event.time_ns = pieces->second_ns;
	event.wait.wait_ns = pieces->second_ns - pieces->barrier_ns;
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_QUEUE, diag);
	}
	event = (struct event){
		.kind = EVENT_WAKE,
		.time_ns = pieces->second_ns,
		.tid = prep.tid,
		.wait = {.object = object, .name = "prep"},
	};
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_SPAN, diag);
	}
	return status == STATUS_OK ? cuzk_emit_range(reader, &prep, diag) : status;
}

/* The two stretches of a call inside the GPU mutex, without the barrier between them. */
static enum status claim_pieces(struct cuzk_reader *reader, const struct step *step,
	const struct cuzk_claim *whole, struct diag *diag)
{
	const struct pieces pieces = pieces_of(step->partition);
	const int32_t gpu = reader->are_gpus_known ? reader->workers[whole->worker].gpu : 0;
	const struct cuzk_hold hold = {
		.tid = CUZK_TID_WORKER + whole->worker,
		.lock = CUZK_MUTEX + (uint64_t)gpu,
		.name = "gpu_mutex",
		.wait_ns = pieces.locked_ns - step->partition->call.mutex_wait_ms * NS_PER_MS,
		.acquire_ns = pieces.locked_ns,
		.release_ns = pieces.released_ns,
	};
	struct cuzk_claim first = *whole;
	struct cuzk_claim second = *whole;
	enum status status;

	first.name = "ntt_msm_h (claimed)";
	first.begin_ns = pieces.locked_ns;
	first.end_ns = pieces.barrier_ns;
	second.name = "batch_add, tail_msm (claimed)";
	second.correlation += SECOND_PIECE;
	second.begin_ns = pieces.second_ns;
	second.end_ns = pieces.end_ns;
	status = cuzk_emit_hold(reader, &hold, diag);
	if (status == STATUS_OK) {
		status = cuzk_emit_claim(reader, &first, diag);
	}
	if (status == STATUS_OK) {
		status = wait_for_prep(reader, step, &pieces, diag);
	}
	return status == STATUS_OK ? cuzk_emit_claim(reader, &second, diag) : status;
}

/* The native lines narrow a claim only to something inside of it. */
static bool is_narrowed(const struct cuzk_partition *partition, const struct cuzk_claim *whole)
{
	return partition->entered_ns != CUZK_NO_TIME && partition->entered_ns >= whole->begin_ns &&
	       pieces_of(partition).released_ns <= whole->end_ns;
}

static enum status claim(struct cuzk_reader *reader, const struct step *step, struct diag *diag)
{
	const struct cuzk_claim whole = {
		.worker = step->line->worker,
		.correlation = step->partition->item,
		.name = "GPU_START to GPU_END (claimed)",
		.begin_ns = step->partition->started_ns,
		.end_ns = step->time_ns,
	};

	reader->counts.claims++;
	if (is_narrowed(step->partition, &whole)) {
		reader->counts.narrowed++;
		return claim_pieces(reader, step, &whole, diag);
	}
	return cuzk_emit_claim(reader, &whole, diag);
}

static enum status end_gpu(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	struct cuzk_worker *worker = cuzk_reader_worker(reader, step->line->worker);
	const int32_t tid = CUZK_TID_FINISH + step->line->worker;
	struct event event = {
		.kind = EVENT_PROVE_FINISH_END,
		.time_ns = step->time_ns,
		.tid = tid,
		.span = {.name = "prove_finish",
			.work = step->work,
			.worker = step->line->worker,
			.begin_tid = tid,
			.duration_ns = GAPTRACE_UNKNOWN,
			.cpu_ns = GAPTRACE_UNKNOWN,
			.run_delay_ns = GAPTRACE_UNKNOWN},
	};
	enum status status = STATUS_OK;

	if (!worker) {
		return STATUS_OK;
	}
	if (step->partition->started_ns == CUZK_NO_TIME) {
		/* It began before the log did, and the log says how long it took. */
		const uint64_t gpu_ns = step->line->duration_ms * NS_PER_MS;

		reader->counts.ends_without_start++;
		step->partition->started_ns = cuzk_before(step->time_ns, gpu_ns);
		if (step->partition->started_ns < reader->first_ns) {
			step->partition->started_ns = reader->first_ns;
		}
	}
	status = meet_worker(reader, step, step->line->worker, diag);
	if (status == STATUS_OK) {
		status = claim(reader, step, diag);
	}
	if (status == STATUS_OK) {
		status = cuzk_emit(reader, &event, RANK_SPAN, diag);
	}
	worker->free_ns = step->time_ns;
	worker->proved = step->line->partition == CUZK_NONE ? step->job->number : 0;
	if (worker->item == step->partition->item) {
		worker->item = 0;
	}
	cuzk_work_end_partition(&reader->work, step->partition);
	return status;
}

static enum status take_step(struct cuzk_reader *reader, struct step *step, struct diag *diag)
{
	switch (step->line->event) {
	case CUZK_SYNTH_START:
		return begin_synthesis(reader, step, diag);
	case CUZK_SYNTH_END:
		return end_synthesis(reader, step, diag);
	case CUZK_GPU_QUEUE:
		return queue_item(reader, step, diag);
	case CUZK_GPU_PICKUP:
		return pick_item(reader, step, diag);
	case CUZK_GPU_START:
		return start_gpu(reader, step, diag);
	case CUZK_GPU_END:
		return end_gpu(reader, step, diag);
	case CUZK_TIMELINE_EVENT_COUNT:
		break;
	}
	return STATUS_OK;
}

enum status cuzk_step_add(
	struct cuzk_reader *reader, const struct cuzk_timeline *timeline, struct diag *diag)
{
	const struct cuzk_word name = {timeline->job, strlen(timeline->job)};
	struct step step = {.line = timeline, .time_ns = timeline->time_ms * NS_PER_MS};
	enum status status = STATUS_OK;

	step.job = cuzk_work_job(&reader->work, name);
	step.partition =
		step.job ? cuzk_work_partition(&reader->work, step.job->number, timeline->partition)
			 : NULL;
	if (!step.partition) {
		return STATUS_NO_MEMORY;
	}
	step.work = (struct event_work){step.job->number, timeline->partition, GAPTRACE_NONE};
	if (reader->is_merged && reader->has_enqueued && !step.job->is_submitted) {
		/* Nobody told when it came, so nobody may say that there was no work before. */
		status = cuzk_message_submit(reader, step.job, reader->first_ns, diag);
	}
	return status == STATUS_OK ? take_step(reader, &step, diag) : status;
}
