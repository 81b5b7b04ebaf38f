/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_edge.h"

#include "analysis/core/walk_doubt.h"

/* A queue of another device that held work at y. */
static bool others_hold_work(
	const struct walk_explanation *explanation, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk *walk = explanation->walk;
	bool is_held = false;

	for (size_t i = 0; i < walk->queues.by_id.capacity; i++) {
		const struct walk_queue *queue = walk->queues.by_id.entries[i].value;
		uint32_t device;

		if (queue && queue->device != GAPTRACE_NONE &&
			walk_devices_index(&walk->devices, queue->pid, queue->device, &device) &&
			device != explanation->gap->device) {
			/* All are asked, since each may be where the answer changes. */
			is_held = walk_queue_had_work(queue, y_ns, from_ns) || is_held;
		}
	}
	return is_held;
}

/* No GPU had anything to do at y: whatever kept the next kernel of another one kept this one too.
 */
static bool charge_like_next(struct walk_explanation *explanation, uint64_t from_ns, uint64_t y_ns)
{
	const struct gap *own = explanation->gap;
	struct walk_stream_name name = {0};
	const struct walk_operation *next = walk_devices_next_kernel(&explanation->walk->devices,
		own->device, (struct walk_between){.begin_ns = y_ns, .end_ns = own->end_ns}, &name);
	struct gap other;

	if (!next) {
		return false;
	}
	other = (struct gap){
		.device = name.device,
		.begin_ns = from_ns,
		.end_ns = next->start_ns,
		.has_ender = true,
		.ender = {.pid = name.pid,
			.context = name.context,
			.stream = name.stream,
			.correlation = next->correlation,
			.start_ns = next->start_ns,
			.graph = next->graph},
	};
	explanation->gap = &other;
	walk_feed_charge(explanation, from_ns, y_ns);
	/* The other gap was lent for one charge; its feeder must not answer for what comes next. */
	explanation->gap = own;
	explanation->feeder = NULL;
	return true;
}

/* Why it is not known whether there was work at y, or where. */
static const char *doubt_at(const struct walk *walk, uint64_t y_ns)
{
	const char *reason = walk_doubt_jobs(walk, y_ns);

	return reason ? reason : walk_doubt_queues(walk, y_ns);
}

/* docs/causes.md, rule 9, from the gap's end backwards; every answer holds down to `from_ns`. */
void walk_edge_charge(struct walk_explanation *explanation)
{
	const struct walk *walk = explanation->walk;
	const struct gap *gap = explanation->gap;
	const struct walk_charge unknown = {.name = "edge", .is_unknown = true};
	const struct walk_charge imbalance = {.cause = CAUSE_IMBALANCE, .name = ""};
	const struct walk_charge no_work = {.cause = CAUSE_NO_WORK, .name = ""};
	uint64_t to_ns = gap->end_ns;
	uint64_t end_ns = 0;
	/* A capture window is no job: that others ran on says nothing of what this GPU was to do.
	 */
	const bool knows_jobs = !walk->imports.is_on || walk->jobs.is_told;
	const bool is_all_done = walk_jobs_none_at(&walk->jobs, gap->end_ns + 1, &end_ns);

	if (!knows_jobs) {
		walk_charge(explanation, gap->begin_ns, gap->end_ns, &unknown);
		return;
	}
	while (gap->begin_ns < to_ns && explanation->status == STATUS_OK) {
		uint64_t from_ns = gap->begin_ns;
		const char *doubt = doubt_at(walk, to_ns);
		const bool is_held = others_hold_work(explanation, to_ns, &from_ns);
		const bool is_busy =
			walk_devices_others_busy(&walk->devices, gap->device, to_ns, &from_ns);

		if (doubt) {
			(void)walk_jobs_none_at(&walk->jobs, to_ns, &from_ns);
			walk_charge_unknown(explanation, from_ns, to_ns, doubt);
		} else if (walk_jobs_none_at(&walk->jobs, to_ns, &from_ns)) {
			walk_charge(explanation, from_ns, to_ns, &no_work);
		} else if (is_busy || is_held) {
			walk_charge(explanation, from_ns, to_ns, &imbalance);
		} else if (!charge_like_next(explanation, from_ns, to_ns)) {
			walk_charge(explanation, from_ns, to_ns, is_all_done ? &no_work : &unknown);
		}
		to_ns = from_ns;
	}
}
