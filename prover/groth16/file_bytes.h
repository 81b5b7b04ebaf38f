/* SPDX-License-Identifier: MIT */
/*
 * A regular file's bytes, whole. Read and not mapped: a mapped file that somebody cuts short kills
 * its reader with SIGBUS, and a daemon must survive that.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdint.h>

/* Gives `*out_bytes`, which the caller frees. TOO_LARGE past `limit_bytes`. */
MUST_CHECK enum status file_bytes_read(const char *path, uint64_t limit_bytes, struct diag *diag,
	uint8_t **out_bytes, uint64_t *out_count);
