/* SPDX-License-Identifier: MIT */
/*
 * The lines of one daemon's log, whole again. The daemon writes a TIMELINE line in pieces, and
 * another thread's line may land between two of them:
 *
 *   TIMELINE,78652,GPU_STACUZK_TIMING: gpu_tid=0 batch_add_ms=651
 *   RT,porep-1000-1,worker=1,partition=3
 *
 * The line inside is given first, then the one around it. What cannot be put together is counted.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The daemon's longest lines, with the spans around them, are under 1 KiB; the rest is cut. */
#define CUZK_LINE_BYTES_MAX 8192

/* A log and its parts: standard output, standard error, and those of earlier days. */
#define CUZK_FILE_COUNT_MAX 64

struct cuzk_lines;

/* Opens the files, to be read one after another. Every one must be readable. */
MUST_CHECK enum status cuzk_lines_open(
	const char *const *paths, size_t count, struct diag *diag, struct cuzk_lines **out_lines);

/*
 * Gives the next line, without colours and line end, valid and writable until the next call; NULL
 * at the end.
 */
MUST_CHECK enum status cuzk_lines_next(
	struct cuzk_lines *lines, char **out_line, struct diag *diag);

/* From the beginning again; counts begin anew. */
MUST_CHECK enum status cuzk_lines_rewind(struct cuzk_lines *lines, struct diag *diag);

/* The process that wrote the last line, where a collector of logs told; else 0. */
uint64_t cuzk_lines_process(const struct cuzk_lines *lines);

/* Which of the files the last line is of. */
size_t cuzk_lines_file(const struct cuzk_lines *lines);
const char *cuzk_lines_path(const struct cuzk_lines *lines, size_t file);

struct cuzk_line_counts {
	uint64_t lines;
	uint64_t mended; /* torn lines put together */
	uint64_t torn;   /* torn lines whose rest was not found */
	uint64_t cut;    /* lines longer than the limit */
	uint64_t zeroed; /* pieces with zeros in them, read up to the first */
};

struct cuzk_line_counts cuzk_lines_counts(const struct cuzk_lines *lines);

/* Accepts NULL. */
void cuzk_lines_close(struct cuzk_lines *lines);
DEFINE_AUTO(struct cuzk_lines, cuzk_lines_close)
