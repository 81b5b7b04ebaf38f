/* SPDX-License-Identifier: MIT */
#include "trace/base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(struct array_growth growth)
{
	const bool is_narrow = growth.limit_bytes == sizeof(uint32_t);
	uint64_t capacity = 0;
	uint32_t narrow = 0;
	void *array = NULL;

	assert(is_narrow || growth.limit_bytes == sizeof(capacity));
	/* By copies, since the pointer and the number have types that are not known here. */
	memcpy(&array, growth.pointer, sizeof(array));
	memcpy(is_narrow ? (void *)&narrow : &capacity, growth.limit, growth.limit_bytes);
	capacity += narrow;
	capacity = capacity > 0 ? 2 * capacity : growth.first_limit;
	if ((is_narrow && capacity > UINT32_MAX) || capacity > PTRDIFF_MAX / growth.item_bytes) {
		return false;
	}
	array = realloc(array, capacity * growth.item_bytes);
	if (!array) {
		return false;
	}
	narrow = (uint32_t)capacity;
	memcpy(growth.pointer, &array, sizeof(array));
	memcpy(growth.limit, is_narrow ? (void *)&narrow : &capacity, growth.limit_bytes);
	return true;
}
