/* SPDX-License-Identifier: MIT */
/*
 * Several files of one job as one stream of events in order of time: clocks aligned, processes and
 * threads of different files kept apart, every device told before its first operation, and
 * watermarks, so that whoever reads the stream knows what is complete. One thread.
 */
#pragma once

#include "analysis/import/import.h"

/* Each open file holds a descriptor, of which a process has 1024 by default, and its buffers. */
#define IMPORT_FILE_COUNT_MAX 256

struct import_set;

/* Gives an empty set, to which readers are added before the first event is taken. */
MUST_CHECK enum status import_set_create(struct import_set **out_set);

/* Takes the reader; `name` is what the report calls the file, and no two have the same. */
MUST_CHECK enum status import_set_add(
	struct import_set *set, const char *name, struct import_reader **reader);

/* As import_reader_operations.next; watermarks included. */
MUST_CHECK enum status import_set_next(
	struct import_set *set, struct event *out_event, bool *out_has_event, struct diag *diag);

/* When time 0 of the stream was, in nanoseconds since 1970; false when that is not known. */
bool import_set_epoch(const struct import_set *set, uint64_t *out_epoch_ns);

/* Accepts NULL. */
void import_set_destroy(struct import_set *set);
DEFINE_AUTO(struct import_set, import_set_destroy)
