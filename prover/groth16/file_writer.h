/* SPDX-License-Identifier: MIT */
/*
 * Writes a file through a temporary one beside it: the name appears at commit, whole, or never.
 * Errors stick and come out of file_writer_commit().
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_writer;

/* `is_private` keeps everybody but the owner from reading the file. */
MUST_CHECK enum status file_writer_create(
	const char *path, bool is_private, struct diag *diag, struct file_writer **out_writer);

void file_writer_put(struct file_writer *writer, const void *bytes, size_t count);
void file_writer_put_u32(struct file_writer *writer, uint32_t value);
void file_writer_put_u64(struct file_writer *writer, uint64_t value);

/* On failure nothing is left, and a file that had the name before is as it was. */
MUST_CHECK enum status file_writer_commit(struct file_writer *writer, struct diag *diag);

/* Removes the temporary file unless committed. Accepts NULL. */
void file_writer_destroy(struct file_writer *writer);
DEFINE_AUTO(struct file_writer, file_writer_destroy)

/* All of the above for a text that is at hand. */
MUST_CHECK enum status file_writer_write_text(
	const char *path, const char *text, struct diag *diag);
