/* SPDX-License-Identifier: MIT */
/*
 * A pipeline of a given configuration, with squaring jobs to put into it and a folder for its keys.
 * Whatever is not the claim of a test fails it.
 */
#pragma once

#include "prover/pipeline.h"

#include <stdint.h>

/* Set-up and tear-down of a group: the folder that all its pipelines share. */
int pipeline_rig_begin(void **state);
int pipeline_rig_end(void **state);

/* Between the two; a key that was made for one pipeline is read by the next. */
const char *pipeline_rig_folder(void);

/* Of a configuration file's text; to be destroyed with pipeline_destroy(). */
struct pipeline *pipeline_rig_create(const char *text);

/* Gives the job's number. */
uint64_t pipeline_rig_submit(struct pipeline *pipeline, uint32_t partition_count, uint64_t seed);

/* Until no job is open. */
void pipeline_rig_wait_idle(struct pipeline *pipeline);
