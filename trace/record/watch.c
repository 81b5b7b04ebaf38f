/* SPDX-License-Identifier: MIT */
#include "trace/record/watch.h"

#include "trace/base/clock.h"
#include "trace/record/daemon.h"
#include "trace/record/output.h"

#include <string.h>

/* A rate over less than this says little: the first buffers come in bursts. */
#define RATE_AFTER_NS (10 * NS_PER_S)

enum status watch_init(struct watch *watch, const char *output, struct diag *diag)
{
	uint64_t free_bytes;
	enum status status = output_free_bytes(output, &free_bytes, diag);

	if (status != STATUS_OK) {
		return status;
	}
	*watch = (struct watch){
		.output = output,
		.begin_ns = clock_now_ns(),
		.begin_free_bytes = free_bytes,
		.last_free_bytes = free_bytes,
	};
	return STATUS_OK;
}

enum watch_finding watch_judge(struct watch *watch, uint64_t now_ns, uint64_t free_bytes)
{
	uint64_t since_last =
		watch->last_free_bytes > free_bytes ? watch->last_free_bytes - free_bytes : 0;
	uint64_t elapsed_ns = now_ns - watch->begin_ns;
	uint64_t used;

	watch->last_free_bytes = free_bytes;
	/* The next look would come too late when as much again goes as since the last one. */
	if (free_bytes < WATCH_FREE_BYTES_MIN + since_last) {
		return WATCH_DISK_FULL;
	}
	if (watch->has_warned || elapsed_ns < RATE_AFTER_NS ||
		free_bytes >= watch->begin_free_bytes) {
		return WATCH_NOTHING;
	}
	used = watch->begin_free_bytes - free_bytes;
	watch->left_s = (uint64_t)((double)free_bytes / (double)used * (double)elapsed_ns / 1e9);
	if (watch->left_s >= WATCH_WARN_S) {
		return WATCH_NOTHING;
	}
	watch->has_warned = true;
	return WATCH_DISK_SOON_FULL;
}

enum watch_finding watch_look(struct watch *watch)
{
	uint64_t free_bytes;

	if (output_free_bytes(watch->output, &free_bytes, NULL) == STATUS_OK) {
		enum watch_finding finding = watch_judge(watch, clock_now_ns(), free_bytes);

		if (finding != WATCH_NOTHING) {
			return finding;
		}
	}
	return daemon_is_alive() ? WATCH_NOTHING : WATCH_DAEMON_GONE;
}
