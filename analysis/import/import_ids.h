/* SPDX-License-Identifier: MIT */
/*
 * Numbers of processes and threads, kept apart between files that came from different machines or
 * containers: a number that another file used first is given another one. Within one file a process
 * and its main thread keep the same number. All zero is an empty table.
 */
#pragma once

#include "analysis/core/walk_map.h"
#include "trace/base/status.h"

struct import_ids {
	struct walk_map assigned; /* (file, number) to what stands for it */
	struct walk_map owners;   /* what is in use, to its file */
	int32_t next;
};

/*
 * What stands for `id` of file number `file`, and whether that is news of another number. 0, which
 * is nobody, stays 0.
 */
MUST_CHECK enum status import_ids_get(struct import_ids *ids, uint32_t file, int32_t id,
	int32_t *out_id, bool *out_is_new_number);

void import_ids_finish(struct import_ids *ids);
