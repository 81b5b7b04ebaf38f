/* SPDX-License-Identifier: MIT */
#include "tests/simulator/truth_private.h"

#include <string.h>

bool truth_covers(uint64_t from_ns, uint64_t to_ns, uint64_t y_ns)
{
	return from_ns < y_ns && y_ns <= to_ns;
}

bool truth_is_outstanding(const struct world *world, uint64_t y_ns)
{
	for (uint64_t job = 0; job < WORLD_JOBS_MAX; job++) {
		if (truth_covers(world_job_submitted_ns(world, job), world_job_ended_ns(world, job),
			    y_ns)) {
			return true;
		}
	}
	return false;
}

bool truth_has_item(const struct world *world, int queue, uint64_t y_ns)
{
	for (size_t i = 0; i < world_stay_count(world); i++) {
		const struct stay *stay = &world_stays(world)[i];

		if (stay->queue == queue && truth_covers(stay->pushed_ns, stay->popped_ns, y_ns)) {
			return true;
		}
	}
	return false;
}

void truth_charge_plain(struct truth_charge *out, enum cause cause)
{
	*out = (struct truth_charge){.cause = cause, .object = "", .phase = ""};
}

/* What came next did not exist yet: its job had not been submitted. */
static bool is_before_submit(const struct chain *chain, const struct end *end)
{
	const struct link *innermost = &chain->links[chain->count - 1];

	for (int i = 0; i < chain->count; i++) {
		if (chain->links[i].has_cause) {
			return false;
		}
	}
	return end->is_untraced && innermost->queue >= 0 &&
	       world_job_submitted_ns(
		       chain->world, world_item_job(chain->world, innermost->item)) >= chain->y_ns;
}

/* A queue of another device than `own` that held anything, -1 none. */
static int other_queue(const struct chain *chain, int own)
{
	for (int queue = 0; own >= 0 && queue < world_object_count(chain->world); queue++) {
		const int device = world_queue_device(chain->world, queue);

		if (device >= 0 && device != own &&
			truth_has_item(chain->world, queue, chain->y_ns)) {
			return queue;
		}
	}
	return -1;
}

/* Rule 6, no work and imbalance: they go before whatever the chain says. */
static bool charges_pop(struct chain *chain, const struct end *end)
{
	bool has_pop = false;

	for (int i = 0; i < chain->count; i++) {
		has_pop = has_pop || chain->links[i].queue >= 0;
	}
	if (has_pop && (!truth_is_outstanding(chain->world, chain->y_ns) ||
			       is_before_submit(chain, end))) {
		truth_charge_plain(chain->out, CAUSE_NO_WORK);
		return true;
	}
	for (int i = 0; i < chain->count; i++) {
		const int popped = chain->links[i].queue;
		const int held =
			popped < 0 ? -1
				   : other_queue(chain, world_queue_device(chain->world, popped));

		if (held >= 0) {
			truth_charge_plain(chain->out, CAUSE_IMBALANCE);
			chain->out->object = world_object_name(chain->world, held);
			return true;
		}
	}
	return false;
}

static bool holds_lock(const struct chain *chain, int lock, int thread)
{
	size_t count;
	const struct hold *holds = world_holds(chain->world, lock, &count);

	for (size_t i = 0; i < count; i++) {
		if (holds[i].thread == thread &&
			truth_covers(holds[i].from_ns, holds[i].to_ns, chain->y_ns)) {
			return true;
		}
	}
	return false;
}

/* The GPU mutex that the thread holds, -1 none. */
static int held_mutex(const struct chain *chain, int thread)
{
	for (int object = 0; object < world_object_count(chain->world); object++) {
		if (world_is_lock(chain->world, object) &&
			strncmp(world_object_name(chain->world, object), "gpu_mutex", 9) == 0 &&
			holds_lock(chain, object, thread)) {
			return object;
		}
	}
	return -1;
}

/* The first on the chain who holds one and waits for nothing that has a cause, or is at its end
 * with host work; before it nobody waits for anything that has one. */
static void put_inside_mutex(struct chain *chain, const struct end *end)
{
	int place = 0;
	int mutex = -1;

	for (;; place++) {
		if (place == chain->count) {
			mutex = end->cause == CAUSE_CPU_PHASE ? held_mutex(chain, end->holder) : -1;
			break;
		}
		if (chain->links[place].has_cause || chain->links[place].kind == GAP_VIA_LOCK) {
			break;
		}
		mutex = held_mutex(chain, chain->threads[place]);
		if (mutex >= 0) {
			break;
		}
	}
	if (mutex < 0) {
		return;
	}
	memmove(&chain->links[place + 1], &chain->links[place],
		(size_t)(chain->count - place) * sizeof(chain->links[0]));
	chain->links[place] = (struct link){.kind = GAP_VIA_INSIDE,
		.object = world_object_name(chain->world, mutex),
		.has_cause = true,
		.cause = CAUSE_GPU_MUTEX,
		.queue = -1};
	chain->count++;
}

/* Rule 5: whoever waits for it, it is the lack of a CPU, and all waits are on the way. */
static void charge_starved(struct chain *chain, const struct end *end)
{
	struct truth_charge *out = chain->out;

	truth_charge_plain(out, CAUSE_CPU_STARVED);
	out->object = end->name;
	out->phase = end->name;
	out->holder_tid =
		chain->count == 0 && end->holder == chain->feeder ? 0 : world_tid(end->holder);
	for (int i = 0; i < chain->count; i++) {
		out->via[out->via_count++] = (struct gap_via){
			.kind = chain->links[i].kind, .object = chain->links[i].object};
	}
}

void truth_end_charge(struct chain *chain, struct end end)
{
	struct truth_charge *out = chain->out;
	bool is_feeder = chain->count == 0 && end.holder == chain->feeder;
	int naming = -1;

	if (charges_pop(chain, &end)) {
		return;
	}
	if (end.is_untraced) {
		end.cause = CAUSE_CPU_PHASE;
		end.name = "not traced";
	}
	put_inside_mutex(chain, &end);
	if (end.is_starved) {
		charge_starved(chain, &end);
		return;
	}
	for (int i = 0; i < chain->count; i++) {
		naming = chain->links[i].has_cause ? i : naming;
	}
	truth_charge_plain(out, end.cause);
	if (end.is_untraced && naming < 0) {
		out->cause = CAUSE_UNKNOWN;
	}
	out->phase = end.name;
	out->holder_tid = is_feeder || end.holder < 0 ? 0 : world_tid(end.holder);
	out->object = end.name;
	if (naming < 0 && chain->count > 0) {
		naming = chain->count - 1;
	} else if (naming >= 0) {
		out->cause = chain->links[naming].cause;
	}
	if (naming >= 0) {
		out->object = chain->links[naming].object;
	}
	for (int i = 0; i < chain->count; i++) {
		if (i != naming) {
			out->via[out->via_count++] = (struct gap_via){
				.kind = chain->links[i].kind, .object = chain->links[i].object};
		}
	}
}

const struct world_operation *truth_running_copy(
	const struct world *world, int device, int stream, uint64_t y_ns)
{
	for (size_t i = 0; i < world_operation_count(world); i++) {
		const struct world_operation *operation = &world_operations(world)[i];

		if (!operation->is_kernel && operation->device == device &&
			operation->stream == stream &&
			truth_covers(operation->start_ns, operation->end_ns, y_ns)) {
			return operation;
		}
	}
	return NULL;
}

enum cause truth_copy_cause(bool is_pageable)
{
	return is_pageable ? CAUSE_COPY_PAGEABLE : CAUSE_COPY_PINNED;
}

/* Rule 3. */
void truth_end_call(struct chain *chain, int thread, const struct activity *call)
{
	struct end end = {.cause = CAUSE_DRIVER, .name = call->name, .holder = thread};
	const struct world_operation *copy = NULL;

	if (strstr(call->name, "Synchronize")) {
		copy = truth_running_copy(chain->world, call->device, call->stream, chain->y_ns);
		if (copy) {
			end.cause = truth_copy_cause(copy->is_pageable);
			end.name = "htod";
		}
	} else if (strstr(call->name, "Memcpy")) {
		end.cause = truth_copy_cause(call->is_pageable);
		end.name = "htod";
	} else if (strstr(call->name, "Malloc")) {
		end.cause = CAUSE_ALLOC;
	}
	truth_end_charge(chain, end);
}

/* Rule 5. */
void truth_end_run(struct chain *chain, int thread, const struct activity *run)
{
	struct end end = {.cause = CAUSE_CPU_PHASE, .name = run ? run->name : "", .holder = thread};

	end.is_starved = run && run->is_starved && world_has_scheduler(chain->world);

	if (end.name[0] == '\0' && run && run->task >= 0) {
		end.name = "task";
	}
	if (end.name[0] == '\0') {
		end.is_untraced = true;
	} else if (strcmp(end.name, "synthesize") == 0) {
		end.cause = CAUSE_SYNTHESIS;
	} else if (strcmp(end.name, "srs_load") == 0) {
		end.cause = CAUSE_SRS_LOAD;
	} else if (strcmp(end.name, "release_abc") == 0) {
		end.cause = CAUSE_FREE;
	}
	truth_end_charge(chain, end);
}
