/* SPDX-License-Identifier: MIT */
/* Memory for what depends on a witness: aligned to a cache line, and wiped before it is freed. */
#pragma once

#include "trace/base/cleanup.h"

#include <stddef.h>

/* Gives `count` * `size` bytes, not zeroed; NULL when there is no memory or the product overflows.
 */
void *secret_create(size_t count, size_t size);

/* Accepts NULL. */
void secret_destroy(void *memory);

/* For AUTO on a pointer of any type: AUTO(secret_destroy) blst_fr *values = NULL; */
static inline void secret_destroy_auto(void *pointer)
{
	secret_destroy(*(void **)pointer);
}
