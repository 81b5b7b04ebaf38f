/* SPDX-License-Identifier: MIT */
/*
 * When events or records were lost, and so what cannot be concluded from not having seen any: that
 * nothing ended, that nobody else came in between. Rule 10 of docs/causes.md.
 */
#pragma once

#include "analysis/core/gap.h"
#include "analysis/core/interval_set.h"
#include "analysis/core/walk_ring.h"

enum walk_loss_kind {
	WALK_LOSS_EVENTS,  /* of any sort */
	WALK_LOSS_RECORDS, /* of what devices did and of calls: threads told all they had to */
	WALK_LOSS_HISTORY, /* nothing was lost, but it is not remembered any more */
};

/* Nothing can be said about [begin_ns, end_ns). */
struct walk_loss {
	uint64_t end_ns;
	uint64_t begin_ns;
	const char *reason;
	uint64_t kind; /* enum walk_loss_kind; a whole word, as rings have it */
};

struct walk_losses {
	struct walk_ring by_end;  /* struct walk_loss, as far back as somebody may ask */
	struct walk_ring events;  /* the union of those of events: it is asked for each piece */
	struct walk_ring pending; /* of events, by begin: time has not come to them */
	const char *old_reason;   /* of events lost before these; NULL: none were */
	uint64_t old_end_ns;
	uint64_t until_ns;           /* the latest end of a loss of events that has begun */
	uint64_t all_until_ns;       /* the same, of records too */
	const char *reason;          /* of that one */
	struct interval_set dropped; /* when devices' records were, as the recorder told */
};

void walk_losses_init(struct walk_losses *losses);
void walk_losses_finish(struct walk_losses *losses);

MUST_CHECK enum status walk_losses_add(struct walk_losses *losses, const struct walk_loss *loss);

/* Gives a loss of events that has begun and was not given yet; false when there is none. */
bool walk_losses_take(struct walk_losses *losses, uint64_t now_ns, struct walk_loss *out_loss);

/* Why an event may be missing between the two times; NULL when none is. */
const char *walk_losses_within(const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns);

/* The same of records of devices and calls, too. */
const char *walk_losses_any_within(
	const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns);

/* The same as the first; *out_begin_ns is where the last such loss begins, not before from_ns. */
const char *walk_losses_last_within(
	const struct walk_losses *losses, uint64_t from_ns, uint64_t to_ns, uint64_t *out_begin_ns);

/* Why nothing can be said about that part of the gap; NULL when something can. */
const char *walk_losses_of_part(
	const struct walk_losses *losses, const struct gap *gap, const struct gap_part *part);

void walk_losses_sweep(struct walk_losses *losses, uint64_t forget_ns);
