/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_work.h"

#include "trace/base/hash.h"

#include <stdlib.h>

/* Never 0. */
static uint64_t key_of(struct cuzk_word name)
{
	const uint64_t hash = hash_bytes(HASH_START, name.text, name.length);

	return hash ? hash : 1;
}

enum status cuzk_work_init(struct cuzk_work *work)
{
	*work = (struct cuzk_work){
		.jobs = calloc(CUZK_JOB_COUNT, sizeof(struct cuzk_job)),
		.partitions = calloc(CUZK_PARTITION_COUNT, sizeof(struct cuzk_partition)),
	};
	return work->jobs && work->partitions ? STATUS_OK : STATUS_NO_MEMORY;
}

void cuzk_work_finish(struct cuzk_work *work)
{
	walk_map_finish(&work->jobs_by_name);
	walk_map_finish(&work->partitions_by_name);
	free(work->jobs);
	free(work->partitions);
}

struct cuzk_job *cuzk_work_find_job(const struct cuzk_work *work, struct cuzk_word name)
{
	return walk_map_find(&work->jobs_by_name, key_of(name), 0);
}

void cuzk_work_end_job(struct cuzk_work *work, struct cuzk_job *job)
{
	(void)walk_map_remove(&work->jobs_by_name, job->name_key, 0);
	*job = (struct cuzk_job){0};
}

struct cuzk_job *cuzk_work_job(struct cuzk_work *work, struct cuzk_word name)
{
	struct cuzk_job *job = cuzk_work_find_job(work, name);

	if (job) {
		return job;
	}
	job = &work->jobs[work->job_count % CUZK_JOB_COUNT];
	if (job->name_key) {
		cuzk_work_end_job(work, job);
	}
	*job = (struct cuzk_job){.name_key = key_of(name), .number = ++work->job_count};
	if (walk_map_put(&work->jobs_by_name, job->name_key, 0, job) != STATUS_OK) {
		*job = (struct cuzk_job){0};
		return NULL;
	}
	return job;
}

static uint64_t place_of(int32_t partition)
{
	return (uint32_t)partition;
}

void cuzk_work_end_partition(struct cuzk_work *work, struct cuzk_partition *partition)
{
	(void)walk_map_remove(
		&work->partitions_by_name, partition->job, place_of(partition->partition));
	partition->job = 0;
}

struct cuzk_partition *cuzk_work_partition(struct cuzk_work *work, uint64_t job, int32_t partition)
{
	struct cuzk_partition *known =
		walk_map_find(&work->partitions_by_name, job, place_of(partition));

	if (known) {
		return known;
	}
	known = &work->partitions[work->partition_count % CUZK_PARTITION_COUNT];
	if (known->job) {
		cuzk_work_end_partition(work, known);
	}
	*known = (struct cuzk_partition){
		.job = job,
		.partition = partition,
		.item = ++work->partition_count,
		.synthesis_ns = CUZK_NO_TIME,
		.queued_ns = CUZK_NO_TIME,
		.picked_ns = CUZK_NO_TIME,
		.started_ns = CUZK_NO_TIME,
		.worker = -1,
		.entered_ns = CUZK_NO_TIME,
	};
	if (walk_map_put(&work->partitions_by_name, job, place_of(partition), known) != STATUS_OK) {
		known->job = 0;
		return NULL;
	}
	return known;
}
