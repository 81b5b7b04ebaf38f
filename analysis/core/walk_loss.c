/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_loss.h"

/* In order of their begin. */
struct coming {
	uint64_t begin_ns;
	uint64_t end_ns;
	const char *reason;
};

void walk_losses_init(struct walk_losses *losses)
{
	*losses = (struct walk_losses){0};
	walk_ring_init(&losses->by_end, sizeof(struct walk_loss));
	walk_ring_init(&losses->events, sizeof(struct walk_loss));
	walk_ring_init(&losses->pending, sizeof(struct coming));
	interval_set_init(&losses->dropped);
}

void walk_losses_finish(struct walk_losses *losses)
{
	walk_ring_finish(&losses->by_end);
	walk_ring_finish(&losses->events);
	walk_ring_finish(&losses->pending);
	interval_set_finish(&losses->dropped);
}

static void reach(struct walk_losses *losses, uint64_t end_ns, const char *reason)
{
	if (end_ns > losses->all_until_ns) {
		losses->all_until_ns = end_ns;
		losses->reason = reason;
	}
}

/* Those that meet become one, with the reason of the first. */
static enum status unite(struct walk_ring *ring, const struct walk_loss *loss)
{
	const size_t first = walk_ring_below(ring, loss->begin_ns);
	struct walk_loss added = *loss;
	size_t after = first;

	for (; after < ring->count; after++) {
		const struct walk_loss *met = walk_ring_at(ring, after);

		if (met->begin_ns > loss->end_ns) {
			break;
		}
		added.reason = met->begin_ns < added.begin_ns ? met->reason : added.reason;
		added.begin_ns = met->begin_ns < added.begin_ns ? met->begin_ns : added.begin_ns;
		added.end_ns = met->end_ns > added.end_ns ? met->end_ns : added.end_ns;
	}
	if (after == first) {
		return walk_ring_insert(ring, first, &added);
	}
	*(struct walk_loss *)walk_ring_at(ring, first) = added;
	for (size_t i = after; i < ring->count; i++) {
		*(struct walk_loss *)walk_ring_at(ring, first + 1 + i - after) =
			*(struct walk_loss *)walk_ring_at(ring, i);
	}
	ring->count -= after - first - 1;
	return STATUS_OK;
}

enum status walk_losses_add(struct walk_losses *losses, const struct walk_loss *loss)
{
	const struct coming coming = {
		.begin_ns = loss->begin_ns, .end_ns = loss->end_ns, .reason = loss->reason};
	enum status status = walk_ring_insert(
		&losses->by_end, walk_ring_below(&losses->by_end, loss->end_ns), loss);

	if (loss->kind == WALK_LOSS_RECORDS) {
		reach(losses, loss->end_ns, loss->reason);
	}
	/* It may be told before its time, as what a file lacks is when it is opened. */
	if (status != STATUS_OK || loss->kind != WALK_LOSS_EVENTS) {
		return status;
	}
	status = unite(&losses->events, loss);
	if (status != STATUS_OK) {
		return status;
	}
	return walk_ring_insert(
		&losses->pending, walk_ring_below(&losses->pending, loss->begin_ns), &coming);
}

bool walk_losses_take(struct walk_losses *losses, uint64_t now_ns, struct walk_loss *out_loss)
{
	struct coming coming;

	if (losses->pending.count == 0) {
		return false;
	}
	coming = *(struct coming *)walk_ring_at(&losses->pending, 0);
	if (coming.begin_ns >= now_ns) {
		return false;
	}
	walk_ring_drop_front(&losses->pending, 1);
	losses->until_ns = coming.end_ns > losses->until_ns ? coming.end_ns : losses->until_ns;
	reach(losses, coming.end_ns, coming.reason);
	*out_loss = (struct walk_loss){
		.begin_ns = coming.begin_ns, .end_ns = coming.end_ns, .reason = coming.reason};
	return true;
}

/* How many of them begin before the time. */
static size_t below_begin(const struct walk_ring *ring, uint64_t time_ns)
{
	const size_t i = walk_ring_below(ring, time_ns);
	const struct walk_loss *next = i < ring->count ? walk_ring_at(ring, i) : NULL;

	return next && next->begin_ns < time_ns ? i + 1 : i;
}

const char *walk_losses_last_within(
	const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns, uint64_t *out_begin_ns)
{
	const struct walk_loss *loss;
	const char *reason = NULL;
	size_t i;

	*out_begin_ns = from_ns;
	if (from_ns >= to_ns) {
		return NULL;
	}
	if (losses->old_reason && from_ns < losses->old_end_ns) {
		reason = losses->old_reason;
	}
	/* Disjoint, so in order of their begins, too: the last that begins before to_ns. */
	i = below_begin(&losses->events, to_ns);
	loss = i > 0 ? walk_ring_at(&losses->events, i - 1) : NULL;
	if (loss && loss->end_ns > from_ns) {
		reason = loss->reason;
		*out_begin_ns = loss->begin_ns > from_ns ? loss->begin_ns : from_ns;
	}
	return reason;
}

const char *walk_losses_within(const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t begin_ns;

	return walk_losses_last_within(losses, from_ns, to_ns, &begin_ns);
}

const char *walk_losses_any_within(
	const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns)
{
	if (losses->old_reason && from_ns < losses->old_end_ns) {
		return losses->old_reason;
	}
	for (size_t i = walk_ring_below(&losses->by_end, from_ns + 1); i < losses->by_end.count;
		i++) {
		const struct walk_loss *loss = walk_ring_at(&losses->by_end, i);

		if (loss->kind != WALK_LOSS_HISTORY && loss->begin_ns < to_ns) {
			return loss->reason;
		}
	}
	return NULL;
}

const char *walk_losses_of_part(
	const struct walk_losses *losses, const struct gap *gap, const struct gap_part *part)
{
	for (size_t i = walk_ring_below(&losses->by_end, part->from_ns + 1);
		i < losses->by_end.count; i++) {
		const struct walk_loss *loss = walk_ring_at(&losses->by_end, i);
		/* A kernel whose record was lost may have ended the gap as it was until then. */
		const bool is_torn = loss->kind != WALK_LOSS_HISTORY &&
				     loss->begin_ns < gap->end_ns && loss->end_ns > gap->begin_ns;

		if (is_torn || loss->begin_ns < part->to_ns) {
			return loss->reason;
		}
	}
	return NULL;
}

void walk_losses_sweep(struct walk_losses *losses, uint64_t forget_ns)
{
	const size_t old_count = walk_ring_below(&losses->by_end, forget_ns);
	const size_t old_event_count = walk_ring_below(&losses->events, forget_ns);

	if (old_event_count > 0) {
		const struct walk_loss *last = walk_ring_at(&losses->events, old_event_count - 1);

		losses->old_reason = last->reason;
		losses->old_end_ns = last->end_ns;
		walk_ring_drop_front(&losses->events, old_event_count);
	}
	walk_ring_drop_front(&losses->by_end, old_count);
}
