/* SPDX-License-Identifier: MIT */
#include "tests/unit/pipeline_rig.h"

#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static char folder[64];

int pipeline_rig_begin(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/pipeline_rig.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int pipeline_rig_end(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

const char *pipeline_rig_folder(void)
{
	return folder;
}

struct pipeline *pipeline_rig_create(const char *text)
{
	struct config config;
	struct pipeline *pipeline = NULL;
	struct diag diag = {.line = ""};

	if (config_parse("test", text, &diag, &config) != STATUS_OK ||
		pipeline_create(&config, folder, &diag, &pipeline) != STATUS_OK) {
		fail_msg("pipeline_create: %s", diag.line);
	}
	return pipeline;
}

uint64_t pipeline_rig_submit(struct pipeline *pipeline, uint32_t partition_count, uint64_t seed)
{
	struct job_request request = {.kind = JOB_SQUARING,
		.priority = JOB_PRIORITY_NORMAL,
		.partition_count = partition_count,
		.seed = seed};
	struct diag diag = {.line = ""};
	uint64_t id = 0;

	if (pipeline_submit(pipeline, &request, &diag, &id) != STATUS_OK) {
		fail_msg("pipeline_submit: %s", diag.line);
	}
	return id;
}

void pipeline_rig_wait_idle(struct pipeline *pipeline)
{
	assert_true(tracker_wait_idle(&pipeline->tracker, clock_now_ns() + 500 * NS_PER_S));
}
