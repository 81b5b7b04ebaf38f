/* SPDX-License-Identifier: MIT */
/*
 * The text of a trace file, plain or gzip, chunk by chunk. A gzip file may have several members;
 * one that is cut off or damaged gives what can be had of it and then says so.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kineto_bytes;

MUST_CHECK enum status kineto_bytes_open(
	const char *path, struct diag *diag, struct kineto_bytes **out_bytes);

/* The next chunk, valid until the next call; *out_size is 0 at the end. */
MUST_CHECK enum status kineto_bytes_read(struct kineto_bytes *bytes,
	const unsigned char **out_chunk, size_t *out_size, struct diag *diag);

/* What ended the text early, or NULL; *out_offset is where in the file. Asked at the end. */
const char *kineto_bytes_problem(const struct kineto_bytes *bytes, uint64_t *out_offset);

/* Whether `head` is that of a gzip file. */
bool kineto_bytes_is_gzip(const unsigned char *head, size_t size);

/* The first bytes of the text that `head`, the beginning of a gzip file, stands for. */
size_t kineto_bytes_inflate_head(
	const unsigned char *head, size_t size, unsigned char *out_text, size_t text_size);

/* Accepts NULL. */
void kineto_bytes_close(struct kineto_bytes *bytes);
DEFINE_AUTO(struct kineto_bytes, kineto_bytes_close)
