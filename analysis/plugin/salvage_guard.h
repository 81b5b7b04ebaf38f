/* SPDX-License-Identifier: MIT */
/*
 * A process beside this one that removes a folder for temporary files when this one dies, however:
 * copies of streams are large, and Ctrl-C or a lack of memory would leave them on the disk.
 */
#pragma once

#include <sys/types.h>

struct salvage_guard {
	pid_t pid; /* 0: none could be started, and none is needed to go on */
	int fd;    /* its end shows that this process died */
};

void salvage_guard_start(const char *folder, struct salvage_guard *out_guard);

/* When the folder is gone. */
void salvage_guard_stop(struct salvage_guard *guard);

/* Removes a folder and the files in it; what is not there is no error. */
void salvage_guard_clear(const char *folder);
