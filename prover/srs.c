/* SPDX-License-Identifier: MIT */
#include "prover/srs.h"

#include "prover/lock_registry.h"
#include "prover/log.h"
#include "prover/srs_builtin.h"
#include "prover/srs_load.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct srs_manager {
	struct srs_manager_config config;
	struct srs_builtin builtins[JOB_KIND_COUNT];
	struct gaptrace_mutex mutex; /* `srs_manager`: guards all below */
	struct srs *first;
	struct srs_manager_counts counts;
	uint32_t room_wanted_count; /* threads that wait, or are about to, for memory */
};

/* What a load task works on. */
struct load {
	struct srs_manager *manager;
	struct srs *srs;
	struct diag *diag;
	enum status status;
};

static void srs_free(struct srs_manager *manager, struct srs *srs)
{
	srs_unload(&manager->config, srs);
	memory_budget_release(
		manager->config.budget, srs->key_bytes, (struct gaptrace_work)GAPTRACE_NO_WORK);
	free(srs->name);
	free(srs);
}

enum status srs_manager_create(
	const struct srs_manager_config *config, struct srs_manager **out_manager)
{
	struct srs_manager *manager = calloc(1, sizeof(*manager));
	enum status status = STATUS_OK;

	assert(config && out_manager);

	if (!manager) {
		return STATUS_NO_MEMORY;
	}
	manager->config = *config;
	status = lock_registry_mutex_init(&manager->mutex, "srs_manager");
	if (status != STATUS_OK) {
		free(manager);
		return status;
	}
	status = srs_builtin_init(&manager->builtins[JOB_MERKLE], config, JOB_MERKLE,
		(struct builtin_circuit){.kind = BUILTIN_MERKLE_PATH,
			.size = (uint32_t)config->config->jobs.merkle_levels,
			.rounds = 64});
	if (status == STATUS_OK) {
		status = srs_builtin_init(&manager->builtins[JOB_SQUARING], config, JOB_SQUARING,
			(struct builtin_circuit){.kind = BUILTIN_SQUARING_CHAIN,
				.size = (uint32_t)config->config->jobs.squaring_rows,
				.rounds = 64});
	}
	if (status != STATUS_OK) {
		srs_manager_destroy(manager);
		return status;
	}
	*out_manager = manager;
	return STATUS_OK;
}

enum status srs_manager_prepare(struct srs_manager *manager, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < JOB_KIND_COUNT && status == STATUS_OK; i++) {
		if (manager->builtins[i].is_served) {
			status = srs_builtin_prepare(&manager->builtins[i], &manager->config, diag);
		}
	}
	return status;
}

bool srs_manager_serves(const struct srs_manager *manager, enum job_kind kind)
{
	if (kind == JOB_FILES) {
		/* A simulated device proves nothing, so there is nothing to prove of a file. */
		return manager->config.config->jobs.file_root[0] != '\0' &&
		       manager->config.ops->makes_proofs;
	}
	return manager->builtins[kind].is_served;
}

uint32_t srs_manager_secret_bytes(const struct srs_manager *manager, enum job_kind kind)
{
	if (kind == JOB_FILES) {
		return 0;
	}
	return (uint32_t)builtin_circuit_secret_bytes(&manager->builtins[kind].circuit);
}

enum status srs_manager_check_fit(
	const struct srs_manager *manager, const struct job_request *request, struct diag *diag)
{
	const struct srs_builtin *builtin = &manager->builtins[request->kind];
	uint64_t limit_bytes = manager->config.budget->limit_bytes;
	uint64_t key_bytes = builtin->key_bytes;
	uint64_t partition_bytes = builtin->partition_bytes;
	struct stat info;

	if (request->kind == JOB_FILES) {
		if (stat(request->key_path, &info) != 0) {
			return diag_set(diag, status_from_errno(errno), "%s: %s", request->key_path,
				strerror(errno));
		}
		/* Its partitions are known once it is read; the key alone may be too large. */
		key_bytes = (uint64_t)info.st_size;
		partition_bytes = manager->config.config->memory.partition_bytes;
	}
	if (key_bytes > limit_bytes || partition_bytes > limit_bytes - key_bytes) {
		return diag_set(diag, STATUS_TOO_LARGE,
			"a partition needs %" PRIu64 " bytes and its key %" PRIu64
			", but the budget is %" PRIu64 "; raise [memory] budget_bytes",
			partition_bytes, key_bytes, limit_bytes);
	}
	return STATUS_OK;
}

static void load_task(void *argument)
{
	struct load *load = argument;
	struct gaptrace_span span =
		gaptrace_span_begin("srs_load", (struct gaptrace_work)GAPTRACE_NO_WORK);

	load->status = srs_load(&load->manager->config, load->srs, load->diag);
	gaptrace_span_end(&span);
}

/* Under the lock: takes the key that was unused for longest out of the list; NULL when all are
 * used. */
static struct srs *take_oldest(struct srs_manager *manager)
{
	struct srs **oldest = NULL;
	struct srs *taken = NULL;

	for (struct srs **link = &manager->first; *link; link = &(*link)->next) {
		if ((*link)->user_count == 0 &&
			(!oldest || (*link)->last_used_ns < (*oldest)->last_used_ns)) {
			oldest = link;
		}
	}
	if (oldest) {
		taken = *oldest;
		*oldest = taken->next;
		manager->counts.loaded_count--;
		manager->counts.loaded_bytes -= taken->key_bytes;
	}
	return taken;
}

/* Unloads one key that nobody uses; false when there is none. */
static bool evict_one(struct srs_manager *manager)
{
	struct srs *srs = NULL;

	gaptrace_mutex_lock(&manager->mutex);
	srs = take_oldest(manager);
	gaptrace_mutex_unlock(&manager->mutex);
	if (!srs) {
		return false;
	}
	log_info("unloading the key %s", srs->name);
	srs_free(manager, srs);
	return true;
}

/* A file that a job names is another key than a built-in one in the same place: it is not trusted.
 */
static struct srs *find_loaded(struct srs_manager *manager, const char *name, bool is_builtin)
{
	struct srs *srs = NULL;

	gaptrace_mutex_lock(&manager->mutex);
	for (srs = manager->first; srs; srs = srs->next) {
		if (srs->is_builtin == is_builtin && strcmp(srs->name, name) == 0) {
			break;
		}
	}
	if (srs) {
		srs->user_count++;
	}
	gaptrace_mutex_unlock(&manager->mutex);
	return srs;
}

/* From here until room_got() a key that comes free is unloaded. */
static void want_room(struct srs_manager *manager, int32_t change)
{
	gaptrace_mutex_lock(&manager->mutex);
	manager->room_wanted_count += (uint32_t)change;
	gaptrace_mutex_unlock(&manager->mutex);
}

static bool has_room(struct srs_manager *manager, uint64_t bytes)
{
	struct memory_budget_counts counts = memory_budget_counts(manager->config.budget);

	return bytes <= counts.limit_bytes - counts.used_bytes;
}

static enum status reserve(struct srs_manager *manager, enum memory_budget_class class,
	uint64_t bytes, struct gaptrace_work work)
{
	enum status status = STATUS_OK;

	/* Wanted first, then looked for: a key that comes free meanwhile is found or unloaded. */
	want_room(manager, 1);
	while (!has_room(manager, bytes) && evict_one(manager)) {
	}
	status = memory_budget_reserve(manager->config.budget, class, bytes, work);
	/* Whatever came: the next key that comes free may stay. */
	want_room(manager, -1);
	return status;
}

enum status srs_manager_reserve(
	struct srs_manager *manager, uint64_t bytes, struct gaptrace_work work)
{
	return reserve(manager, MEMORY_BUDGET_PARTITION, bytes, work);
}

/* The largest partition of a key in use. */
static uint64_t largest_partition(struct srs_manager *manager)
{
	uint64_t bytes = 0;

	gaptrace_mutex_lock(&manager->mutex);
	for (const struct srs *srs = manager->first; srs; srs = srs->next) {
		if (srs->user_count > 0 && srs->partition_bytes > bytes) {
			bytes = srs->partition_bytes;
		}
	}
	gaptrace_mutex_unlock(&manager->mutex);
	return bytes;
}

/* Reserves a key's bytes at a moment when a partition of any key in use fits beside it. */
static enum status reserve_key(struct srs_manager *manager, uint64_t key_bytes,
	uint64_t partition_bytes, struct gaptrace_work work, struct diag *diag)
{
	uint64_t limit_bytes = manager->config.budget->limit_bytes;
	/* Else a key could take the room that the only job's partitions need, and both wait for
	 * ever. */
	uint64_t beside_bytes = largest_partition(manager);
	enum status status = STATUS_OK;

	while (srs_manager_counts(manager).loaded_count >= manager->config.config->srs.cache_max &&
		evict_one(manager)) {
	}
	if (key_bytes > limit_bytes || partition_bytes > limit_bytes - key_bytes) {
		return diag_set(diag, STATUS_TOO_LARGE,
			"the key's %" PRIu64 " bytes and a partition's %" PRIu64
			" do not fit the memory budget of %" PRIu64,
			key_bytes, partition_bytes, limit_bytes);
	}
	if (beside_bytes < partition_bytes) {
		beside_bytes = partition_bytes;
	}
	if (beside_bytes > limit_bytes - key_bytes) {
		beside_bytes = limit_bytes - key_bytes;
	}
	/* Together and then a part back, since two reservations one after another could
	 * deadlock. */
	status = reserve(manager, MEMORY_BUDGET_KEY, key_bytes + beside_bytes, work);
	if (status == STATUS_OK) {
		memory_budget_release(manager->config.budget, beside_bytes, work);
	}
	return status;
}

/* Loads on the blocking pool, as every long call of the daemon. */
static enum status load_on_pool(
	struct srs_manager *manager, const struct job *job, struct srs *srs, struct diag *diag)
{
	struct load load = {.manager = manager, .srs = srs, .diag = diag};
	struct thread_pool_task task = {.run = load_task,
		.argument = &load,
		.kind = "srs_load",
		.work = {.job = job->id, .partition = GAPTRACE_NONE, .device = GAPTRACE_NONE}};
	uint64_t begin_ns = clock_now_ns();
	enum status status = thread_pool_submit(manager->config.blocking_pool, &task);

	if (status != STATUS_OK) {
		return diag_set(
			diag, status, "the blocking pool takes no task: %s", status_text(status));
	}
	thread_pool_join(manager->config.blocking_pool, &task);
	if (load.status == STATUS_OK) {
		uint64_t load_ns = clock_now_ns() - begin_ns;

		gaptrace_mutex_lock(&manager->mutex);
		srs->next = manager->first;
		manager->first = srs;
		/* The job's, until its last partition gives it back. */
		srs->user_count = 1;
		manager->counts.loaded_count++;
		manager->counts.loaded_bytes += srs->key_bytes;
		manager->counts.load_count++;
		manager->counts.load_ns += load_ns;
		gaptrace_mutex_unlock(&manager->mutex);
		log_info("loaded the key %s in %.3f s", srs->name, (double)load_ns / NS_PER_S);
	}
	return load.status;
}

static enum status load_new(struct srs_manager *manager, const struct job *job, const char *name,
	struct diag *diag, struct srs **out_srs)
{
	const struct srs_builtin *builtin = &manager->builtins[job->request.kind];
	struct gaptrace_work work = {job->id, GAPTRACE_NONE, GAPTRACE_NONE};
	struct srs *srs = calloc(1, sizeof(*srs));
	struct stat info;
	uint64_t key_bytes = builtin->key_bytes;
	uint64_t partition_bytes = builtin->partition_bytes;
	enum status status = STATUS_OK;

	if (srs) {
		srs->name = strdup(name);
	}
	if (!srs || !srs->name) {
		free(srs);
		return STATUS_NO_MEMORY;
	}
	srs->is_builtin = job->request.kind != JOB_FILES;
	srs->circuit = builtin->circuit;
	if (!srs->is_builtin) {
		key_bytes = stat(name, &info) == 0 ? (uint64_t)info.st_size : 0;
		/* The H points alone are as large as a, b and c: the file bounds a partition. */
		partition_bytes = manager->config.config->memory.partition_bytes;
		partition_bytes = partition_bytes ? partition_bytes : key_bytes;
	}
	status = reserve_key(manager, key_bytes, partition_bytes, work, diag);
	if (status == STATUS_OK) {
		srs->key_bytes = key_bytes;
		status = load_on_pool(manager, job, srs, diag);
	}
	if (status != STATUS_OK) {
		srs_free(manager, srs);
		return status;
	}
	*out_srs = srs;
	return STATUS_OK;
}

enum status srs_acquire(
	struct srs_manager *manager, const struct job *job, struct diag *diag, struct srs **out_srs)
{
	const char *name = job->request.kind == JOB_FILES
				   ? job->request.key_path
				   : manager->builtins[job->request.kind].key_path;
	struct srs *srs = NULL;
	enum status status = STATUS_OK;

	assert(name);

	/* Else a key for every job, as a process for each has it. */
	if (manager->config.config->srs.load != CONFIG_SRS_EVERY_JOB) {
		srs = find_loaded(manager, name, job->request.kind != JOB_FILES);
	}
	if (!srs) {
		status = load_new(manager, job, name, diag, &srs);
	}
	if (status == STATUS_OK) {
		*out_srs = srs;
	}
	return status;
}

enum status srs_manager_preload(struct srs_manager *manager, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < JOB_KIND_COUNT && status == STATUS_OK; i++) {
		/* Loads name the job they are for; this one is nobody's. */
		struct job nobody = {.request = {.kind = (enum job_kind)i}};
		struct srs *srs = NULL;

		if (!manager->builtins[i].is_served) {
			continue;
		}
		status = srs_acquire(manager, &nobody, diag, &srs);
		if (status == STATUS_OK) {
			srs_release(manager, srs);
		}
	}
	return status;
}

void srs_release(struct srs_manager *manager, struct srs *srs)
{
	struct srs **link = NULL;
	bool is_kept = true;

	gaptrace_mutex_lock(&manager->mutex);
	assert(srs->user_count > 0);
	srs->user_count--;
	srs->last_used_ns = clock_now_ns();
	is_kept =
		srs->user_count > 0 || (manager->config.config->srs.load != CONFIG_SRS_EVERY_JOB &&
					       manager->room_wanted_count == 0);
	if (!is_kept) {
		for (link = &manager->first; *link != srs; link = &(*link)->next) {
		}
		*link = srs->next;
		manager->counts.loaded_count--;
		manager->counts.loaded_bytes -= srs->key_bytes;
	}
	gaptrace_mutex_unlock(&manager->mutex);
	if (!is_kept) {
		srs_free(manager, srs);
	}
}

struct srs_manager_counts srs_manager_counts(struct srs_manager *manager)
{
	struct srs_manager_counts counts;

	gaptrace_mutex_lock(&manager->mutex);
	counts = manager->counts;
	gaptrace_mutex_unlock(&manager->mutex);
	return counts;
}

enum status srs_manager_verification_key(
	const struct srs_manager *manager, enum job_kind kind, char **out_text)
{
	if (kind == JOB_FILES || !manager->builtins[kind].is_served ||
		!manager->config.ops->makes_proofs) {
		return STATUS_NOT_FOUND;
	}
	return srs_load_text(manager->builtins[kind].verification_path, out_text);
}

void srs_manager_destroy(struct srs_manager *manager)
{
	if (!manager) {
		return;
	}
	/* All jobs are over: nobody uses any. */
	while (evict_one(manager)) {
	}
	assert(!manager->first);
	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		srs_builtin_finish(&manager->builtins[i]);
	}
	lock_registry_mutex_finish(&manager->mutex);
	free(manager);
}
