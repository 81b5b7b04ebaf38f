/* SPDX-License-Identifier: MIT */
/* Opens what lies in a folder that somebody named: a FIFO there would keep its reader waiting for
 * ever, and a device may do something when it is opened. */
#pragma once

#include <sys/stat.h>

/*
 * A descriptor to read from, which the caller closes, or -1 with errno; EINVAL when `path`, or what
 * it links to, is no regular file. `out_facts` may be NULL.
 */
int regular_file_open(const char *path, struct stat *out_facts);
