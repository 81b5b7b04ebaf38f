/* SPDX-License-Identifier: MIT */
/*
 * The daemon's configuration: an INI file over defaults. Every historical design decision of the
 * proving pipeline is a key, so that each real cause of GPU idling can be reproduced. One table,
 * config_keys.c, holds sections, keys, defaults, limits and meanings; docs/configuration.md is
 * checked against it. A configuration is plain values and is not changed once it is read.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdint.h>
#include <stdio.h>

/* Paths and names; a line of a configuration is shorter. */
#define CONFIG_TEXT_BYTES_MAX 256

enum config_device_kind {
	CONFIG_DEVICE_CPU,
	CONFIG_DEVICE_SIM,
	CONFIG_DEVICE_CUDA
};
enum config_affinity {
	CONFIG_AFFINITY_SHARED,
	CONFIG_AFFINITY_PER_DEVICE,
	CONFIG_AFFINITY_FIRST
};
enum config_prove {
	CONFIG_PROVE_SPLIT,
	CONFIG_PROVE_WHOLE
};
enum config_mutex_scope {
	CONFIG_MUTEX_KERNELS,
	CONFIG_MUTEX_CALL
};
enum config_prep {
	CONFIG_PREP_OWN_THREAD,
	CONFIG_PREP_POOL
};

enum config_barrier {
	CONFIG_BARRIER_IN_MUTEX,
	CONFIG_BARRIER_BEFORE_MUTEX
};

enum config_workspace {
	CONFIG_WORKSPACE_KEPT,
	CONFIG_WORKSPACE_PER_CALL
};
enum config_sync {
	CONFIG_SYNC_STREAM,
	CONFIG_SYNC_DEVICE
};
enum config_staging {
	CONFIG_STAGING_PINNED,
	CONFIG_STAGING_PAGEABLE
};
enum config_pinned {
	CONFIG_PINNED_POOL,
	CONFIG_PINNED_PER_CALL
};
enum config_dealloc {
	CONFIG_DEALLOC_BACKGROUND,
	CONFIG_DEALLOC_FINALIZER,
	CONFIG_DEALLOC_CALL
};
enum config_release {
	CONFIG_RELEASE_TWO_PHASE,
	CONFIG_RELEASE_AT_END
};
enum config_trim {
	CONFIG_TRIM_BACKGROUND,
	CONFIG_TRIM_OUTSIDE,
	CONFIG_TRIM_TRACKER,
	CONFIG_TRIM_NEVER,
};
enum config_self_check {
	CONFIG_CHECK_OUTSIDE,
	CONFIG_CHECK_TRACKER,
	CONFIG_CHECK_NEVER
};
enum config_pacer {
	CONFIG_PACER_OFF,
	CONFIG_PACER_FIXED,
	CONFIG_PACER_ADAPTIVE
};
enum config_evaluate {
	CONFIG_EVALUATE_HOST,
	CONFIG_EVALUATE_DEVICE,
};

enum config_hand_over {
	CONFIG_HAND_OVER_PARTITION,
	CONFIG_HAND_OVER_JOB
};
enum config_srs_load {
	CONFIG_SRS_FIRST_USE,
	CONFIG_SRS_START,
	CONFIG_SRS_EVERY_JOB
};

enum config_srs_check {
	CONFIG_SRS_CHECK_SUBGROUP,
	CONFIG_SRS_CHECK_CURVE
};

struct config_daemon {
	char socket[CONFIG_TEXT_BYTES_MAX];
	char listen[CONFIG_TEXT_BYTES_MAX];
	char state_dir[CONFIG_TEXT_BYTES_MAX];
	int log_level; /* enum log_level */
	uint64_t queue_max;
	uint64_t partitions_max;
	uint64_t body_bytes_max;
	uint64_t history_max;
	uint64_t drain_ms;
};

struct config_jobs {
	char kinds[CONFIG_TEXT_BYTES_MAX];
	char file_root[CONFIG_TEXT_BYTES_MAX];
	uint64_t merkle_levels;
	uint64_t squaring_rows;
};

struct config_memory {
	uint64_t budget_bytes;    /* 0: half of the host's memory */
	uint64_t partition_bytes; /* 0: from the key's size */
	int release;              /* enum config_release */
	int trim;                 /* enum config_trim */
	int dealloc;              /* enum config_dealloc */
	uint64_t churn_bytes;
	uint64_t heap_chunks;
	int staging; /* enum config_staging */
	int pinned;  /* enum config_pinned */
};

struct config_scheduler {
	int pacer; /* enum config_pacer */
	uint64_t pacer_interval_ms;
	uint64_t pacer_interval_min_ms;
	uint64_t pacer_interval_max_ms;
	uint64_t pacer_target_depth;
};

struct config_synthesis {
	uint64_t workers;
	uint64_t channel_capacity; /* 0: as many as workers */
	int hand_over;             /* enum config_hand_over */
	int evaluate;              /* enum config_evaluate */
};

struct config_gpu {
	int kind; /* enum config_device_kind */
	uint64_t count;
	uint64_t workers_per_device;
	int affinity;    /* enum config_affinity */
	int prove;       /* enum config_prove */
	int mutex_scope; /* enum config_mutex_scope */
	int prep;        /* enum config_prep */
	int barrier;     /* enum config_barrier */
	int sync;        /* enum config_sync */
	int workspace;   /* enum config_workspace */
	uint64_t memory_bytes;
	uint64_t kernel_threads;  /* 0: the CPUs shared evenly by the devices */
	uint64_t pinned_mb_per_s; /* 0: as fast as the host copies, as the next */
	uint64_t pageable_mb_per_s;
};

struct config_pools {
	uint64_t blocking;
	uint64_t groth16; /* 0: as many as CPUs */
};

struct config_check {
	int self_check; /* enum config_self_check */
	uint64_t self_check_repeat;
};

struct config_srs {
	int load;  /* enum config_srs_load */
	int check; /* enum config_srs_check */
	uint64_t cache_max;
};

/* Of the timing model; 0 is the built-in model's own figure (device_model.h, partition_gpu.h). */
struct config_sim {
	double time_scale;
	int burns_cpu; /* 0 sleeps, 1 spins */
	uint64_t synthesis_ms;
	uint64_t self_check_ms;
	uint64_t prep_ms;
	uint64_t b_g2_ms;
	uint64_t epilogue_ms;
	uint64_t pinned_mb_per_s;
	uint64_t pageable_mb_per_s;
	uint64_t key_mb_per_s;
	uint64_t pinned_alloc_mb_per_s;
	uint64_t device_alloc_mb_per_s;
	uint64_t key_load_mb_per_s;
	uint64_t unmap_mb_per_s;
	uint64_t transform_ps;
	uint64_t msm_h_ps;
	uint64_t tail_ps;
};

struct config {
	struct config_daemon daemon;
	struct config_jobs jobs;
	struct config_memory memory;
	struct config_scheduler scheduler;
	struct config_synthesis synthesis;
	struct config_gpu gpu;
	struct config_pools pools;
	struct config_check check;
	struct config_srs srs;
	struct config_sim sim;
};

/* Sets every key to its default. */
void config_init(struct config *config);

/* Reads `path` over the defaults. BAD_INPUT with "file:line: ..." for whatever is wrong with it. */
MUST_CHECK enum status config_read(const char *path, struct diag *diag, struct config *out_config);

/* The same from text; `name` stands for the path. */
MUST_CHECK enum status config_parse(
	const char *name, const char *text, struct diag *diag, struct config *out_config);

/* Writes every section and key with its value, its limits and its meaning as an INI file. */
MUST_CHECK enum status config_print(const struct config *config, FILE *stream);
