/* SPDX-License-Identifier: MIT */
/* Arrays that grow as they are filled: a pointer, a count and a capacity, in the owner's struct. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether there is room for one more behind `count`, made by doubling from `first_capacity` where
 * there was none. Without memory, or where the capacity's type ends, all stays as it was.
 */
#define ARRAY_MAKE_ROOM(array, count, capacity, first_capacity)                                    \
	((count) < (capacity) ||                                                                   \
		array_grow((struct array_growth){.pointer = &(array),                              \
			.item_bytes = sizeof(*(array)), /* NOLINT(bugprone-sizeof-expression): */  \
			.limit = &(capacity),           /* an array of pointers is meant. */       \
			.limit_bytes = sizeof(capacity),                                           \
			.first_limit = (first_capacity)}))

/* Of any types: `pointer` is the address of the array's, `limit` of its capacity. */
struct array_growth {
	void *pointer;
	size_t item_bytes;
	void *limit;
	size_t limit_bytes;
	size_t first_limit;
};

/* For the macro. */
bool array_grow(struct array_growth growth);
