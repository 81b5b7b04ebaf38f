/* SPDX-License-Identifier: MIT */
/* What the words in a trace mean, in the spellings of all generations of Kineto. */
#pragma once

#include "gaptrace/schema.h"

enum kineto_category {
	KINETO_CATEGORY_RANGE, /* any other: something that a thread did */
	KINETO_CATEGORY_PYTHON,
	KINETO_CATEGORY_KERNEL,
	KINETO_CATEGORY_COPY,
	KINETO_CATEGORY_MEMSET,
	KINETO_CATEGORY_CALL,
	KINETO_CATEGORY_SYNC,
	KINETO_CATEGORY_OVERHEAD,
	KINETO_CATEGORY_FLOW,    /* arrows from calls to what they issued */
	KINETO_CATEGORY_NOTHING, /* lies on a device's track and did not run there, or spans it all
				  */
};

/* What a copy's name tells: "Memcpy HtoD (Pageable -> Device)". */
struct kineto_copy {
	enum gaptrace_copy_kind kind;
	enum gaptrace_memory_kind source_memory;
	enum gaptrace_memory_kind target_memory;
};

enum kineto_category kineto_names_category(const char *category);

struct kineto_copy kineto_names_copy(const char *name);

/* Of "Memset (Device)". */
enum gaptrace_memory_kind kineto_names_memset(const char *name);

enum gaptrace_sync_kind kineto_names_sync(const char *kind);

enum gaptrace_overhead_kind kineto_names_overhead(const char *name);
