/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_teller.h"

static struct walk_teller *get(struct walk_tellers *tellers, int32_t pid, int32_t device)
{
	struct walk_teller *teller = tellers->tellers;

	for (uint32_t i = 0; i < tellers->count; i++, teller++) {
		if (teller->pid == pid && teller->device == device) {
			return teller;
		}
	}
	if (tellers->count == WALK_TELLER_COUNT_MAX) {
		return NULL;
	}
	tellers->count++;
	*teller = (struct walk_teller){.pid = pid, .device = device};
	return teller;
}

void walk_tellers_add(struct walk_tellers *tellers, const struct event *event)
{
	const struct event_operation *operation = event_operation(event);
	struct walk_teller *teller =
		get(tellers, event->pid, operation ? operation->device : event->watermark.device);

	if (!teller) {
		return;
	}
	teller->last_ns = event->time_ns;
	if (!operation) {
		teller->has_watermark = true;
		if (event->watermark.complete_until_ns > teller->complete_until_ns) {
			teller->complete_until_ns = event->watermark.complete_until_ns;
		}
		return;
	}
	if (operation->end_ns - operation->start_ns > teller->longest_ns) {
		teller->longest_ns = operation->end_ns - operation->start_ns;
	}
	if (event->time_ns > operation->start_ns &&
		event->time_ns - operation->start_ns > teller->lag_ns) {
		teller->lag_ns = event->time_ns - operation->start_ns;
	}
}

static uint64_t before(uint64_t time_ns, uint64_t length_ns)
{
	return time_ns > length_ns ? time_ns - length_ns : 0;
}

/* Some promise it of what ended, not of what started: docs/events.md. */
static uint64_t promised_ns(const struct walk_teller *teller)
{
	return before(teller->complete_until_ns, teller->longest_ns);
}

uint64_t walk_tellers_complete_until(const struct walk_tellers *tellers, uint64_t now_ns)
{
	uint64_t least_ns = now_ns;

	for (uint32_t i = 0; i < tellers->count; i++) {
		const struct walk_teller *teller = &tellers->tellers[i];
		const uint64_t until_ns = teller->has_watermark ? promised_ns(teller)
								: before(now_ns, teller->lag_ns);

		if (before(now_ns, teller->last_ns) <= WALK_TELLER_SILENT_NS) {
			least_ns = until_ns < least_ns ? until_ns : least_ns;
		}
	}
	return least_ns;
}

uint64_t walk_tellers_drop(struct walk_tellers *tellers, int32_t pid, uint64_t now_ns)
{
	uint64_t least_ns = now_ns;
	bool is_known = false;

	for (uint32_t i = 0; i < tellers->count; i++) {
		struct walk_teller *teller = &tellers->tellers[i];
		/* Without a watermark all is known that docs/events.md says of the count. */
		const uint64_t until_ns =
			teller->has_watermark ? promised_ns(teller) : teller->dropped_ns;

		if (teller->pid == pid) {
			least_ns = until_ns < least_ns ? until_ns : least_ns;
			teller->dropped_ns = now_ns;
			is_known = true;
		}
	}
	return is_known ? least_ns : 0;
}
