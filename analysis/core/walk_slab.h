/* SPDX-License-Identifier: MIT */
/* Many objects of one size, taken and given back one by one. The caller finishes it. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stddef.h>

struct walk_slab {
	size_t object_bytes;
	size_t taken_count;
	void *free_objects;
	void *chunks;
};

void walk_slab_init(struct walk_slab *slab, size_t object_bytes);

/* NULL when there is no memory. What is in it is not defined. */
void *walk_slab_take(struct walk_slab *slab);

void walk_slab_give_back(struct walk_slab *slab, void *object);

/* Frees all objects at once. */
void walk_slab_finish(struct walk_slab *slab);
