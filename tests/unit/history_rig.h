/* SPDX-License-Identifier: MIT */
/* Reports of small runs as files, and a folder of one's own to keep them in. */
#pragma once

#include <stdint.h>

struct history_sample {
	uint64_t begin_ns;        /* of the window: what makes one run another */
	uint64_t gap_ms;          /* between its two kernels of 10 ms */
	uint64_t threshold_ns;    /* 0: 1 ms */
	const char *device;       /* NULL: "test device" */
	uint32_t device_count;    /* 0: 1 */
	const char *work;         /* NULL: partitions, of which there are 2 */
	const char *discard_note; /* not NULL: half of the recording is lost */
};

/* Makes a folder; the caller removes it by history_rig_remove. */
void history_rig_make(char out_folder[64]);
void history_rig_remove(const char *folder);

/* Writes `folder`/`name`. */
void history_rig_write(const char *folder, const char *name, const struct history_sample *sample);
