/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_charge.h"

#include "analysis/core/walk_doubt.h"
#include "trace/base/array.h"

#include <stdlib.h>
#include <string.h>

/* A product of two durations. */
__extension__ typedef unsigned __int128 square_ns;

static enum status append(struct gap_part_list *list, const struct gap_part *part)
{
	if (!ARRAY_MAKE_ROOM(list->parts, list->count, list->capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	list->parts[list->count] = *part;
	list->count++;
	return STATUS_OK;
}

void gap_part_list_finish(struct gap_part_list *list)
{
	free(list->parts);
	*list = (struct gap_part_list){0};
}

static bool is_same_charge(const struct gap_part *a, const struct gap_part *b)
{
	return a->job == b->job && a->partition == b->partition &&
	       a->is_apportioned == b->is_apportioned && gap_part_reads_same(a, b);
}

/* How much of `length_ns` the thread was runnable and did not run, by the span's run delay. */
static uint64_t delay_share_ns(const struct walk_activity *span, uint64_t length_ns)
{
	const uint64_t duration_ns = span->end_ns - span->begin_ns;
	const uint64_t running_ns =
		duration_ns > span->covered_ns ? duration_ns - span->covered_ns : 0;
	const uint64_t delay_ns = span->run_delay_ns > span->covered_delay_ns
					  ? span->run_delay_ns - span->covered_delay_ns
					  : 0;

	if (delay_ns >= running_ns) {
		return delay_ns > 0 ? length_ns : 0;
	}
	return (uint64_t)((square_ns)length_ns * delay_ns / running_ns);
}

/* The pending part goes to the list; a share of it as starved, the earlier end of it. */
static void flush(struct walk_explanation *explanation)
{
	struct gap_part *part = &explanation->pending;
	struct gap_part starved = *part;
	uint64_t share_ns = 0;

	if (!explanation->has_pending) {
		return;
	}
	explanation->has_pending = false;
	if (explanation->pending_delay) {
		share_ns = delay_share_ns(explanation->pending_delay, part->to_ns - part->from_ns);
	}
	if (share_ns > 0) {
		starved.cause = CAUSE_CPU_STARVED;
		starved.object = starved.phase;
		starved.is_apportioned = true;
		starved.to_ns = starved.from_ns + share_ns;
		part->from_ns = starved.to_ns;
		part->is_apportioned = true;
	}
	if (part->from_ns < part->to_ns && explanation->status == STATUS_OK) {
		explanation->status = append(explanation->list, part);
	}
	if (share_ns > 0 && explanation->status == STATUS_OK) {
		explanation->status = append(explanation->list, &starved);
	}
}

static void add_part(struct walk_explanation *explanation, const struct gap_part *part,
	const struct walk_activity *delay)
{
	struct gap_part *pending = &explanation->pending;

	if (explanation->has_pending && pending->from_ns == part->to_ns &&
		explanation->pending_delay == delay && is_same_charge(pending, part)) {
		pending->from_ns = part->from_ns;
		pending->bytes += part->bytes;
		return;
	}
	flush(explanation);
	*pending = *part;
	explanation->pending_delay = delay;
	explanation->has_pending = true;
}

/* The innermost wait with a cause of its own, NULL when there is none. */
static const struct walk_link *naming_link(const struct walk_explanation *explanation)
{
	for (uint32_t i = explanation->link_count; i > 0; i--) {
		if (explanation->links[i - 1].has_cause) {
			return &explanation->links[i - 1];
		}
	}
	return NULL;
}

bool walk_explanation_is_own(const struct walk_explanation *explanation)
{
	for (uint32_t i = 0; i < explanation->link_count; i++) {
		const struct walk_link *link = &explanation->links[i];

		if (link->has_cause || link->kind == GAP_VIA_LOCK) {
			return false;
		}
	}
	return true;
}

static void set_via(const struct walk_explanation *explanation, struct gap_part *part,
	const struct walk_link *except)
{
	for (uint32_t i = 0; i < explanation->link_count; i++) {
		const struct walk_link *link = &explanation->links[i];

		if (link != except) {
			part->via[part->via_count] = (struct gap_via){link->kind, link->object};
			part->via_count++;
		}
	}
}

/* The job of what ran, else of the wait nearest to it that knows one. */
static void set_work(const struct walk_explanation *explanation, struct gap_part *part,
	const struct walk_activity *activity)
{
	const struct event_work *work = NULL;

	for (; activity && !work; activity = activity->parent) {
		work = activity->work.job != 0 ? &activity->work : NULL;
	}
	for (uint32_t i = explanation->link_count; i > 0 && !work; i--) {
		const struct walk_link *link = &explanation->links[i - 1];

		work = link->work.job != 0 ? &link->work : NULL;
	}
	part->job = work ? work->job : 0;
	part->partition = work ? work->partition : GAPTRACE_NONE;
}

/* No thread waited: the feeder itself, though it may have the GPU's mutex in hand. */
static bool is_feeder_alone(
	const struct walk_explanation *explanation, const struct walk_lane *holder)
{
	return holder == explanation->feeder &&
	       (explanation->link_count == 0 ||
		       (explanation->link_count == 1 &&
			       explanation->links[0].kind == GAP_VIA_INSIDE));
}

/* Inside a call the feeder waits for a lock of the driver, and what the driver does nobody tells.
 */
static bool is_in_driver(
	const struct walk_explanation *explanation, const struct walk_charge *charge)
{
	const struct walk_link *last = explanation->link_count > 0
					       ? &explanation->links[explanation->link_count - 1]
					       : NULL;

	return charge->is_untraced && last && last->kind == GAP_VIA_LOCK && !last->has_cause;
}

static struct gap_part compose(
	const struct walk_explanation *explanation, const struct walk_charge *charge)
{
	const struct walk_link *naming = naming_link(explanation);
	struct gap_part part = {
		.cause = charge->cause,
		.object = charge->object ? charge->object : charge->name,
		.phase = charge->name,
		.bytes = charge->bytes,
		.thread_tid = explanation->feeder ? explanation->feeder->tid : 0,
	};

	if (charge->holder && !is_feeder_alone(explanation, charge->holder)) {
		part.holder_tid = charge->holder->tid;
	}
	if (!charge->is_unknown && !naming && is_in_driver(explanation, charge)) {
		part.cause = CAUSE_DRIVER;
		naming = &explanation->links[explanation->link_count - 1];
		part.object = naming->object;
	} else if (charge->is_unknown || (charge->is_untraced && !naming)) {
		part.cause = CAUSE_UNKNOWN;
		part.object = charge->is_unknown && charge->object ? charge->object : "";
		naming = NULL;
	} else if (naming) {
		part.cause = naming->cause;
		part.object = naming->object;
	} else if (explanation->link_count > 0) {
		naming = &explanation->links[explanation->link_count - 1];
		part.object = naming->object;
	}
	set_via(explanation, &part, naming);
	set_work(explanation, &part, charge->activity);
	return part;
}

/* Nobody's: no chain, no thread but the feeder. */
static struct gap_part compose_bare(
	const struct walk_explanation *explanation, enum cause cause, const char *object)
{
	return (struct gap_part){
		.cause = cause,
		.object = object,
		.phase = "",
		.partition = GAPTRACE_NONE,
		.thread_tid = explanation->feeder ? explanation->feeder->tid : 0,
	};
}

static struct gap_part compose_starved(
	const struct walk_explanation *explanation, const struct walk_charge *charge)
{
	struct gap_part part = compose(explanation, charge);

	part.cause = CAUSE_CPU_STARVED;
	part.object = charge->is_unknown && charge->object ? charge->object : charge->name;
	part.phase = part.object;
	part.bytes = 0;
	part.via_count = 0;
	set_via(explanation, &part, NULL);
	return part;
}

/* The pop on the chain at which there was nothing to be had, if the queues say so. */
static bool is_imbalance(const struct walk_explanation *explanation, uint64_t y_ns,
	uint64_t *from_ns, const char **out_object)
{
	for (uint32_t i = 0; i < explanation->link_count; i++) {
		const struct walk_link *link = &explanation->links[i];
		const struct walk_queue *other;

		if (link->kind != GAP_VIA_QUEUE || link->queue_device == GAPTRACE_NONE) {
			continue;
		}
		other = walk_queues_other_with_work(
			&explanation->walk->queues, link->pid, link->queue_device, y_ns, from_ns);
		if (other) {
			*out_object = other->name;
			return true;
		}
	}
	return false;
}

static bool has_pop(const struct walk_explanation *explanation)
{
	for (uint32_t i = 0; i < explanation->link_count; i++) {
		if (explanation->links[i].kind == GAP_VIA_QUEUE) {
			return true;
		}
	}
	return false;
}

/* A pusher that nothing is known of, before the job it pushed was even submitted. */
static bool is_before_submit(const struct walk_explanation *explanation,
	const struct walk_charge *charge, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_link *last;

	if (!charge->is_untraced || explanation->link_count == 0 || naming_link(explanation)) {
		return false;
	}
	last = &explanation->links[explanation->link_count - 1];
	if (last->kind != GAP_VIA_QUEUE || !last->has_submit) {
		return false;
	}
	if (last->submit_ns >= y_ns) {
		return true;
	}
	*from_ns = last->submit_ns > *from_ns ? last->submit_ns : *from_ns;
	return false;
}

/* The span whose run delay tells of this running time; NULL when none does. */
static const struct walk_activity *delay_of(const struct walk_activity *activity)
{
	while (activity && !walk_activity_is_wait(activity)) {
		if (activity->run_delay_ns != GAPTRACE_UNKNOWN && activity->end_ns != WALK_OPEN) {
			return activity;
		}
		activity = activity->parent;
	}
	return NULL;
}

/* Off its CPU by its own will, in nothing that tells why: no cause is guessed. */
static struct gap_part compose_off(const struct walk_explanation *explanation,
	const struct walk_charge *charge, const char *reason)
{
	struct walk_charge off = *charge;

	off.is_unknown = true;
	off.object = charge->is_untraced ? NULL : charge->name;
	off.name = reason;
	return compose(explanation, &off);
}

/* By the scheduler's events, which cover the time from *from_ns on. */
static struct gap_part compose_scheduled(const struct walk_explanation *explanation,
	const struct walk_charge *charge, uint64_t *from_ns, uint64_t y_ns)
{
	const struct walk_scheds *scheds = &explanation->walk->scheds;
	const int32_t tid = charge->runnable->tid;
	const char *reason = walk_doubt_sched(explanation->walk, tid, y_ns, from_ns);
	const bool is_starved = walk_scheds_starved_at(scheds, tid, y_ns, from_ns);

	if (reason) {
		return compose_off(explanation, charge, reason);
	}
	if (is_starved) {
		return compose_starved(explanation, charge);
	}
	if (charge->is_own_code) {
		reason = walk_scheds_off_at(scheds, tid, y_ns, from_ns);
	}
	return reason ? compose_off(explanation, charge, reason) : compose(explanation, charge);
}

/* Why it is not known whether there was work, or where. */
static const char *doubt_of_pop(const struct walk_explanation *explanation, uint64_t y_ns)
{
	const char *reason = walk_doubt_jobs(explanation->walk, y_ns);

	for (uint32_t i = 0; i < explanation->link_count && !reason; i++) {
		const struct walk_link *link = &explanation->links[i];

		if (link->kind == GAP_VIA_QUEUE && link->queue_device != GAPTRACE_NONE) {
			reason = walk_doubt_queues(explanation->walk, y_ns);
		}
	}
	return reason;
}

/* The end of [*from_ns, y) that has one answer; lowers nothing, raises *from_ns. */
static void charge_tail(struct walk_explanation *explanation, uint64_t *from_ns, uint64_t y_ns,
	const struct walk_charge *charge, bool is_pop)
{
	const struct walk *walk = explanation->walk;
	const struct walk_activity *delay = NULL;
	const char *object = "";
	const char *doubt = is_pop ? doubt_of_pop(explanation, y_ns) : NULL;
	struct gap_part part;

	if (doubt) {
		part = compose_bare(explanation, CAUSE_UNKNOWN, "");
		part.phase = doubt;
		(void)walk_jobs_none_at(&walk->jobs, y_ns, from_ns);
		(void)is_imbalance(explanation, y_ns, from_ns, &object);
	} else if (is_pop && (walk_jobs_none_at(&walk->jobs, y_ns, from_ns) ||
				     is_before_submit(explanation, charge, y_ns, from_ns))) {
		part = compose_bare(explanation, CAUSE_NO_WORK, "");
	} else if (is_pop && is_imbalance(explanation, y_ns, from_ns, &object)) {
		part = compose_bare(explanation, CAUSE_IMBALANCE, object);
	} else if (!charge->runnable) {
		part = compose(explanation, charge);
	} else if (walk_scheds_knows(&walk->scheds, charge->runnable->tid, y_ns, from_ns)) {
		part = compose_scheduled(explanation, charge, from_ns, y_ns);
	} else {
		part = compose(explanation, charge);
		delay = charge->holder ? delay_of(charge->activity) : NULL;
	}
	part.from_ns = *from_ns;
	part.to_ns = y_ns;
	if (part.bytes > 0 && charge->copy_ns > part.to_ns - part.from_ns) {
		part.bytes = (uint64_t)((square_ns)part.bytes * (part.to_ns - part.from_ns) /
					charge->copy_ns);
	}
	add_part(explanation, &part, delay);
}

/* More parts than anybody reads: the rest of the interval as one. */
static void charge_rest(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns)
{
	struct gap_part part = compose_bare(explanation, CAUSE_UNKNOWN, "");

	part.phase = "too many parts";
	part.thread_tid = 0; /* whoever fed the GPU: the rest is to be one part */
	part.from_ns = from_ns;
	part.to_ns = to_ns;
	add_part(explanation, &part, NULL);
}

void walk_charge(struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns,
	const struct walk_charge *charge)
{
	const bool is_pop = has_pop(explanation);

	while (from_ns < to_ns && explanation->status == STATUS_OK) {
		uint64_t tail_ns = from_ns;

		if (explanation->list->count >= WALK_PART_COUNT_MAX) {
			charge_rest(explanation, from_ns, to_ns);
			return;
		}
		charge_tail(explanation, &tail_ns, to_ns, charge, is_pop);
		if (tail_ns >= to_ns) {
			return; /* cannot be; the sum of the parts will tell */
		}
		to_ns = tail_ns;
	}
}

void walk_charge_unknown(
	struct walk_explanation *explanation, uint64_t from_ns, uint64_t to_ns, const char *reason)
{
	const struct walk_charge charge = {
		.cause = CAUSE_UNKNOWN, .name = reason, .is_unknown = true};

	walk_charge(explanation, from_ns, to_ns, &charge);
}

static void distrust_parts(const struct walk_explanation *explanation)
{
	const struct walk_losses *losses = &explanation->walk->losses;
	const struct gap *gap = explanation->gap;
	struct gap_part_list *list = explanation->list;

	for (uint32_t i = 0; i < list->count && losses->by_end.count > 0; i++) {
		struct gap_part *part = &list->parts[i];
		const char *reason = walk_losses_of_part(losses, gap, part);
		struct gap_part unknown;

		if (reason) {
			unknown = compose_bare(explanation, CAUSE_UNKNOWN, "");
			unknown.phase = reason;
			unknown.from_ns = part->from_ns;
			unknown.to_ns = part->to_ns;
			*part = unknown;
		}
	}
}

static void merge_neighbours(struct gap_part_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < list->count; i++) {
		struct gap_part *last = &list->parts[kept];
		const struct gap_part *part = &list->parts[i];

		if (!part->is_apportioned && is_same_charge(last, part)) {
			last->to_ns = part->to_ns;
			last->bytes += part->bytes;
		} else {
			kept++;
			list->parts[kept] = *part;
		}
	}
	list->count = list->count > 0 ? kept + 1 : 0;
}

void walk_charge_conclude(struct walk_explanation *explanation)
{
	struct gap_part_list *list = explanation->list;

	flush(explanation);
	for (uint32_t i = 0; i < list->count / 2; i++) {
		struct gap_part swapped = list->parts[i];

		list->parts[i] = list->parts[list->count - 1 - i];
		list->parts[list->count - 1 - i] = swapped;
	}
	merge_neighbours(list);
	distrust_parts(explanation);
	merge_neighbours(list);
}
