/* SPDX-License-Identifier: MIT */
#include "prover/synthesized.h"

#include <assert.h>
#include <stdlib.h>

enum status synthesized_create(struct pinned_pool *pool, struct gaptrace_work work,
	uint64_t vector_bytes, struct synthesized **out_synthesized)
{
	AUTO(synthesized_destroy) struct synthesized *synthesized = NULL;

	assert(pool && out_synthesized);

	synthesized = calloc(1, sizeof(*synthesized));
	if (!synthesized) {
		return STATUS_NO_MEMORY;
	}
	synthesized->work = work;
	synthesized->pool = pool;
	for (int i = 0; i < DEVICE_VECTOR_COUNT && vector_bytes > 0; i++) {
		/* Here, in the synthesis worker: where allocating is slow, synthesis is. */
		enum status status = pinned_pool_checkout(pool, vector_bytes, &synthesized->abc[i]);

		if (status != STATUS_OK) {
			return status;
		}
	}

	*out_synthesized = MOVE(synthesized);
	return STATUS_OK;
}

void synthesized_release_abc(struct synthesized *synthesized)
{
	assert(synthesized);

	for (int i = 0; i < DEVICE_VECTOR_COUNT; i++) {
		pinned_pool_checkin(synthesized->pool, &synthesized->abc[i]);
	}
}

void synthesized_destroy(struct synthesized *synthesized)
{
	if (!synthesized) {
		return;
	}
	/* A second release is none: checked-in buffers are empty. */
	synthesized_release_abc(synthesized);
	wtns_destroy(synthesized->witness);
	free(synthesized);
}
