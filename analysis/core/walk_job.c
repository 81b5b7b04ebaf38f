/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_job.h"

/* What says that the recording began among jobs nobody told of. */
#define BLIND_REASON "open jobs not told"

/* Decided by the first that a process tells of its jobs. */
enum knowledge {
	KNOWLEDGE_NONE,  /* it has told nothing */
	KNOWLEDGE_WHOLE, /* all its jobs are known: from number 1 on, or a keyframe counted them */
	KNOWLEDGE_BLIND, /* it had jobs before the recording began */
};

struct walk_job {
	struct walk_job_submission submit;
	uint64_t end_ns;   /* UINT64_MAX while outstanding */
	const char *doubt; /* why it may have ended earlier; NULL: it has not */
	uint64_t doubt_ns; /* but not before then */
	int32_t pid;
	uint64_t number;
};

void walk_jobs_init(struct walk_jobs *jobs)
{
	*jobs = (struct walk_jobs){0};
	walk_slab_init(&jobs->slab, sizeof(struct walk_job));
	walk_ring_init(&jobs->steps, sizeof(struct walk_job_step));
	walk_ring_init(&jobs->known, sizeof(struct walk_job_known));
}

void walk_jobs_finish(struct walk_jobs *jobs)
{
	walk_map_finish(&jobs->by_id);
	walk_map_finish(&jobs->processes);
	walk_slab_finish(&jobs->slab);
	walk_ring_finish(&jobs->steps);
	walk_ring_finish(&jobs->known);
}

static enum knowledge knowledge_of(const struct walk_jobs *jobs, int32_t pid)
{
	return (enum knowledge)(uintptr_t)walk_map_find(&jobs->processes, (uint32_t)pid, 0);
}

static enum status set_knowledge(
	struct walk_jobs *jobs, int32_t pid, enum knowledge was, enum knowledge knowledge)
{
	if (was == knowledge) {
		return STATUS_OK;
	}
	jobs->blind_count += knowledge == KNOWLEDGE_BLIND;
	jobs->blind_count -= was == KNOWLEDGE_BLIND;
	return walk_map_put(&jobs->processes, (uint32_t)pid, 0, (void *)(uintptr_t)knowledge);
}

/* A job comes or ends; `is_first`: the process can have had none before it. */
static enum status note_process(struct walk_jobs *jobs, int32_t pid, bool is_first)
{
	const enum knowledge was = knowledge_of(jobs, pid);

	return was != KNOWLEDGE_NONE ? STATUS_OK
				     : set_knowledge(jobs, pid, was,
					       is_first ? KNOWLEDGE_WHOLE : KNOWLEDGE_BLIND);
}

/* From `time_ns` on, one more (or one less) than was believed. */
static enum status change_from(struct walk_jobs *jobs, uint64_t time_ns, bool is_more)
{
	struct walk_job_step step = {.time_ns = time_ns};
	size_t i = walk_ring_below(&jobs->steps, time_ns);
	enum status status = STATUS_OK;
	const struct walk_job_step *at = NULL;

	if (i < jobs->steps.count) {
		at = walk_ring_at(&jobs->steps, i);
	}
	if (!at || at->time_ns != time_ns) {
		if (i > 0) {
			at = walk_ring_at(&jobs->steps, i - 1);
			step.count = at->count;
		}
		status = walk_ring_insert(&jobs->steps, i, &step);
	}
	/* Mostly none: only a job told late, by its end or a keyframe, changes later steps. */
	for (; status == STATUS_OK && i < jobs->steps.count; i++) {
		struct walk_job_step *later = walk_ring_at(&jobs->steps, i);

		if (is_more) {
			later->count++;
		} else if (later->count > 0) {
			later->count--;
		}
	}
	return status;
}

enum status walk_jobs_submit(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, struct walk_job_submission submit)
{
	struct walk_job *kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);
	enum status status = STATUS_OK;

	jobs->is_told = true;
	if (kept && kept->end_ns == UINT64_MAX) {
		return STATUS_OK; /* known already, from a keyframe or a second submission */
	}
	if (kept && submit.lane.generation == 0 && submit.time_ns < kept->end_ns) {
		return STATUS_OK; /* a keyframe's line that crossed the end */
	}
	if (!kept) {
		kept = walk_slab_take(&jobs->slab);
		if (!kept) {
			return STATUS_NO_MEMORY;
		}
		status = walk_map_put(&jobs->by_id, (uint32_t)pid, job, kept);
	}
	*kept = (struct walk_job){.submit = submit,
		.end_ns = UINT64_MAX,
		.doubt = submit.time_ns < jobs->doubt_until_ns ? jobs->doubt : NULL,
		.doubt_ns = submit.time_ns,
		.pid = pid,
		.number = job};
	return status == STATUS_OK ? change_from(jobs, submit.time_ns, true) : status;
}

enum status walk_jobs_end(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, uint64_t begin_ns, uint64_t now_ns)
{
	struct walk_job *kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);
	enum status status = note_process(jobs, pid, false);

	jobs->is_told = true;
	if (kept && kept->end_ns != UINT64_MAX) {
		return status; /* ended twice */
	}
	if (status == STATUS_OK && !kept) {
		/* Its submit was not recorded: it is outstanding from its duration before its
		 * end. */
		status = walk_jobs_submit(
			jobs, pid, job, (struct walk_job_submission){.time_ns = begin_ns});
		kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);
	}
	if (status != STATUS_OK || !kept) {
		return status;
	}
	kept->end_ns = now_ns;
	kept->doubt = NULL;
	return change_from(jobs, now_ns, false);
}

enum status walk_jobs_come(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, struct walk_job_submission submit)
{
	const struct walk_job_known known = {
		.time_ns = submit.time_ns, .since_ns = jobs->last_submit_ns};
	const bool is_next = job == jobs->last_job + 1;
	enum status status = note_process(jobs, pid, job == 1);

	if (!jobs->has_pid) {
		jobs->has_pid = true;
		jobs->pid = pid;
	}
	jobs->is_mixed |= jobs->pid != pid;
	jobs->last_job = job > jobs->last_job ? job : jobs->last_job;
	jobs->last_submit_ns = submit.time_ns;
	if (status == STATUS_OK && is_next && jobs->doubt_until_ns > 0) {
		status = walk_ring_push(&jobs->known, &known);
	}
	return status == STATUS_OK ? walk_jobs_submit(jobs, pid, job, submit) : status;
}

void walk_jobs_doubt(struct walk_jobs *jobs, uint64_t begin_ns, uint64_t end_ns, const char *reason)
{
	for (size_t i = 0; i < jobs->by_id.capacity; i++) {
		struct walk_job *job = jobs->by_id.entries[i].value;

		if (job && job->end_ns == UINT64_MAX && !job->doubt) {
			job->doubt = reason;
			job->doubt_ns =
				begin_ns > job->submit.time_ns ? begin_ns : job->submit.time_ns;
		}
	}
	if (end_ns > jobs->doubt_until_ns) {
		jobs->doubt_until_ns = end_ns;
		jobs->doubt = reason;
	}
}

void walk_jobs_confirm(struct walk_jobs *jobs, int32_t pid, uint64_t job)
{
	struct walk_job *kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);

	if (kept && kept->end_ns == UINT64_MAX) {
		kept->doubt = NULL;
	}
}

enum status walk_jobs_count(struct walk_jobs *jobs, int32_t pid, uint64_t now_ns)
{
	const struct walk_job_known known = {.time_ns = now_ns, .since_ns = now_ns};
	enum status status = set_knowledge(jobs, pid, knowledge_of(jobs, pid), KNOWLEDGE_WHOLE);

	jobs->is_told = true;
	if (jobs->doubt_until_ns == 0) {
		return status;
	}
	/* Who is not among those it told of has ended, at some time since the loss. */
	for (size_t i = 0; i < jobs->by_id.capacity && status == STATUS_OK; i++) {
		struct walk_job *job = jobs->by_id.entries[i].value;

		if (job && job->pid == pid && job->end_ns == UINT64_MAX && job->doubt) {
			job->end_ns = now_ns;
			status = change_from(jobs, now_ns, false);
		}
	}
	return status == STATUS_OK ? walk_ring_push(&jobs->known, &known) : status;
}

/* True when some job was outstanding at y in any case. */
static bool is_any_certain(const struct walk_jobs *jobs, uint64_t y_ns)
{
	for (size_t i = 0; i < jobs->by_id.capacity; i++) {
		const struct walk_job *job = jobs->by_id.entries[i].value;

		if (job && job->submit.time_ns < y_ns && y_ns <= job->end_ns &&
			(!job->doubt || y_ns <= job->doubt_ns)) {
			return true;
		}
	}
	return false;
}

/* When it was last known before y that no job had come that is not known; y when it is at y. */
static uint64_t known_since(const struct walk_jobs *jobs, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&jobs->known, y_ns);
	const struct walk_job_known *known;

	if (i < jobs->known.count) {
		known = walk_ring_at(&jobs->known, i);
		if (known->since_ns < y_ns) {
			return y_ns;
		}
	}
	if (i == 0) {
		return 0;
	}
	known = walk_ring_at(&jobs->known, i - 1);
	return known->time_ns;
}

/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): the earlier time comes first. */
const char *walk_jobs_doubt_at(const struct walk_jobs *jobs, const struct walk_losses *losses,
	uint64_t since_ns, uint64_t y_ns)
{
	uint64_t known_ns = jobs->is_mixed ? 0 : known_since(jobs, y_ns);
	uint64_t from_ns = 0;

	if (!jobs->is_told) {
		return NULL;
	}
	if (is_any_certain(jobs, y_ns)) {
		return NULL;
	}
	if (!walk_jobs_none_at(jobs, y_ns, &from_ns)) {
		return jobs->doubt;
	}
	if (jobs->blind_count > 0) {
		return BLIND_REASON;
	}
	if (!jobs->is_mixed && jobs->has_pid && since_ns > known_ns) {
		known_ns = since_ns;
	}
	return walk_losses_within(losses, known_ns, y_ns);
}

bool walk_jobs_none_at(const struct walk_jobs *jobs, uint64_t y_ns, uint64_t *from_ns)
{
	const size_t i = walk_ring_below(&jobs->steps, y_ns);
	const struct walk_job_step *step;

	if (i == 0) {
		/* Before the first step of a recording that tells of jobs none was outstanding. */
		return jobs->is_told;
	}
	step = walk_ring_at(&jobs->steps, i - 1);
	if (step->time_ns > *from_ns) {
		*from_ns = step->time_ns;
	}
	return jobs->is_told && step->count == 0;
}

bool walk_jobs_submitted(const struct walk_jobs *jobs, int32_t pid, uint64_t job,
	struct walk_job_submission *out_submit)
{
	const struct walk_job *kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);

	if (!kept) {
		return false;
	}
	*out_submit = kept->submit;
	return true;
}

struct sweep {
	struct walk_jobs *jobs;
	uint64_t forget_ns;
};

static bool keeps_job(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_job *job = value;

	if (job->end_ns < sweep->forget_ns) {
		walk_slab_give_back(&sweep->jobs->slab, job);
		return false;
	}
	return true;
}

void walk_jobs_sweep(struct walk_jobs *jobs, uint64_t forget_ns)
{
	struct sweep sweep = {.jobs = jobs, .forget_ns = forget_ns};
	const size_t old_count = walk_ring_below(&jobs->steps, forget_ns);
	const size_t old_known_count = walk_ring_below(&jobs->known, forget_ns);

	if (old_count > 1) {
		walk_ring_drop_front(&jobs->steps, old_count - 1);
	}
	if (old_known_count > 1) {
		walk_ring_drop_front(&jobs->known, old_known_count - 1);
	}
	walk_map_sweep(&jobs->by_id, keeps_job, &sweep);
}
