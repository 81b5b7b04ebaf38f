/* SPDX-License-Identifier: MIT */
#include "prover/device_loss.h"

#include "prover/log.h"

#include <sys/eventfd.h>

bool device_loss_has(const struct pipeline *pipeline, uint32_t device)
{
	return device_is_lost(pipeline->ops, pipeline->devices[device], NULL);
}

bool device_loss_has_all(const struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		if (!device_loss_has(pipeline, i)) {
			return false;
		}
	}
	return true;
}

/* Pinned memory is the host's, so any device may allocate it for all. */
static void move_pinned_pool(struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		if (!device_loss_has(pipeline, i)) {
			pinned_pool_use(pipeline->pinned_pool, pipeline->devices[i]);
			return;
		}
	}
}

void device_loss_tell(struct pipeline *pipeline)
{
	struct diag words = {""};
	uint32_t lost_count = 0;

	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		if (!device_is_lost(pipeline->ops, pipeline->devices[i], &words) ||
			atomic_exchange(&pipeline->is_loss_told[i], true)) {
			continue;
		}
		lost_count = atomic_fetch_add(&pipeline->lost_count, 1) + 1;
		log_error("device %u is lost: %s; %s", i, words.line,
			lost_count == pipeline->device_count
				? "it was the last one"
				: "its work goes to the others until the daemon is started anew");
		move_pinned_pool(pipeline);
		if (lost_count == pipeline->device_count) {
			/* Fails only for a counter that is full, which is as readable. */
			(void)eventfd_write(pipeline->lost_fd, 1);
		}
	}
}
