/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_job.h"

struct walk_job {
	struct walk_job_submission submit;
	uint64_t end_ns; /* UINT64_MAX while outstanding */
};

void walk_jobs_init(struct walk_jobs *jobs)
{
	*jobs = (struct walk_jobs){0};
	walk_slab_init(&jobs->slab, sizeof(struct walk_job));
	walk_ring_init(&jobs->steps, sizeof(struct walk_job_step));
}

void walk_jobs_finish(struct walk_jobs *jobs)
{
	walk_map_finish(&jobs->by_id);
	walk_slab_finish(&jobs->slab);
	walk_ring_finish(&jobs->steps);
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
	if (!kept) {
		kept = walk_slab_take(&jobs->slab);
		if (!kept) {
			return STATUS_NO_MEMORY;
		}
		status = walk_map_put(&jobs->by_id, (uint32_t)pid, job, kept);
	}
	*kept = (struct walk_job){.submit = submit, .end_ns = UINT64_MAX};
	return status == STATUS_OK ? change_from(jobs, submit.time_ns, true) : status;
}

enum status walk_jobs_end(
	struct walk_jobs *jobs, int32_t pid, uint64_t job, uint64_t begin_ns, uint64_t now_ns)
{
	struct walk_job *kept = walk_map_find(&jobs->by_id, (uint32_t)pid, job);
	enum status status = STATUS_OK;

	jobs->is_told = true;
	if (kept && kept->end_ns != UINT64_MAX) {
		return STATUS_OK; /* ended twice */
	}
	if (!kept) {
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
	return change_from(jobs, now_ns, false);
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

	if (old_count > 1) {
		walk_ring_drop_front(&jobs->steps, old_count - 1);
	}
	walk_map_sweep(&jobs->by_id, keeps_job, &sweep);
}
