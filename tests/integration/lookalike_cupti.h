/* SPDX-License-Identifier: MIT */
/*
 * Between the two halves of the look-alike: lookalike_cuda.c, which stands for the driver and its
 * devices, and lookalike_cupti.c, which stands for libcupti. Both are one library.
 *
 * LOOKALIKE_FAULTS is a list of what goes wrong, by name. LOOKALIKE_TRUTH is a file that gets a
 * line for each operation with its true times.
 */
#pragma once

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

#define LOOKALIKE_DEVICE_COUNT 2

bool lookalike_has_fault(const char *name);

/* The time as records have it: by the callback, else on the default clock. */
uint64_t lookalike_now(void);
/* A moment of CLOCK_MONOTONIC, as records have it. */
uint64_t lookalike_stamp(uint64_t time_ns);

bool lookalike_is_enabled(CUpti_ActivityKind kind);
bool lookalike_records_call(CUpti_CallbackId call);

/* Room for a record in the calling thread's buffer, ended by lookalike_record_end(), between which
 * the buffer may be told when what it holds is complete: it is not flushed before. NULL when
 * nothing records. */
void *lookalike_record_begin(CUpti_ActivityKind kind);
void lookalike_record_completes(uint64_t complete_ns);
void lookalike_record_end(void);

/*
 * For a program that is about to be cut off: comes back once a flush has given back what was
 * recorded until now, and the next one, which stands still from then on, shows that it has been
 * told. So no event is being written, however late the collector's thread was run.
 */
void lookalike_hold_flush(void);
