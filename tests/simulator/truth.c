/* SPDX-License-Identifier: MIT */
#include "tests/simulator/truth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A wait on the chain, as rule 6 and its table have it. */
struct link {
	enum gap_via_kind kind;
	const char *object;
	bool has_cause;
	enum cause cause;
	int queue; /* of a pop, -1 otherwise */
	int item;
};

struct chain {
	const struct world *world;
	uint64_t y_ns;
	int front; /* the feeder, or before its submit its submitter: followed with no wait between
		    */
	struct link links[GAP_VIA_MAX + 1];
	int count;
	int threads[GAP_VIA_MAX + 1]; /* who waits on the chain */
	struct truth_charge *out;
};

static bool covers(uint64_t from_ns, uint64_t to_ns, uint64_t y_ns)
{
	return from_ns < y_ns && y_ns <= to_ns;
}

/* ---- What the end of a chain is charged to (rules 5, 6, 8) ---- */

static bool is_outstanding(const struct world *world, uint64_t y_ns)
{
	for (uint64_t job = 0; job < WORLD_JOBS_MAX; job++) {
		if (covers(world_job_submitted_ns(world, job), world_job_ended_ns(world, job),
			    y_ns)) {
			return true;
		}
	}
	return false;
}

static bool has_item(const struct world *world, int queue, uint64_t y_ns)
{
	for (size_t i = 0; i < world_stay_count(world); i++) {
		const struct stay *stay = &world_stays(world)[i];

		if (stay->queue == queue && covers(stay->pushed_ns, stay->popped_ns, y_ns)) {
			return true;
		}
	}
	return false;
}

static void charge_plain(struct truth_charge *out, enum cause cause)
{
	*out = (struct truth_charge){.cause = cause, .object = "", .phase = ""};
}

struct end {
	enum cause cause;
	const char *name;
	int holder; /* thread, -1 nobody */
	bool is_untraced;
};

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

/* Rule 6, no work and imbalance: they go before whatever the chain says. */
static bool charges_pop(struct chain *chain, const struct end *end)
{
	bool has_pop = false;

	for (int i = 0; i < chain->count; i++) {
		has_pop = has_pop || chain->links[i].queue >= 0;
	}
	if (has_pop &&
		(!is_outstanding(chain->world, chain->y_ns) || is_before_submit(chain, end))) {
		charge_plain(chain->out, CAUSE_NO_WORK);
		return true;
	}
	for (int i = 0; i < chain->count; i++) {
		int own = chain->links[i].queue < 0
				  ? -1
				  : world_queue_device(chain->world, chain->links[i].queue);

		for (int queue = 0; own >= 0 && queue < world_object_count(chain->world); queue++) {
			int device = world_queue_device(chain->world, queue);

			if (device >= 0 && device != own &&
				has_item(chain->world, queue, chain->y_ns)) {
				charge_plain(chain->out, CAUSE_IMBALANCE);
				chain->out->object = world_object_name(chain->world, queue);
				return true;
			}
		}
	}
	return false;
}

/* The GPU mutex that the feeder itself holds, -1 none. */
static int held_mutex(const struct chain *chain)
{
	for (int object = 0; object < world_object_count(chain->world); object++) {
		size_t count;
		const struct hold *holds;

		if (!world_is_lock(chain->world, object) ||
			strncmp(world_object_name(chain->world, object), "gpu_mutex", 9) != 0) {
			continue;
		}
		holds = world_holds(chain->world, object, &count);
		for (size_t i = 0; i < count; i++) {
			if (holds[i].thread == chain->front &&
				covers(holds[i].from_ns, holds[i].to_ns, chain->y_ns)) {
				return object;
			}
		}
	}
	return -1;
}

static void put_inside_mutex(struct chain *chain, const struct end *end)
{
	int mutex = held_mutex(chain);
	bool is_host_work = chain->count == 0 && end->cause == CAUSE_CPU_PHASE;
	bool is_plain_wait = chain->count > 0 && !chain->links[0].has_cause;

	if (mutex < 0 || (!is_host_work && !is_plain_wait)) {
		return;
	}
	memmove(&chain->links[1], &chain->links[0], (size_t)chain->count * sizeof(chain->links[0]));
	chain->links[0] = (struct link){.kind = GAP_VIA_INSIDE,
		.object = world_object_name(chain->world, mutex),
		.has_cause = true,
		.cause = CAUSE_GPU_MUTEX,
		.queue = -1};
	chain->count++;
}

static void conclude(struct chain *chain, struct end end)
{
	struct truth_charge *out = chain->out;
	bool is_direct = chain->count == 0;
	int naming = -1;

	if (charges_pop(chain, &end)) {
		return;
	}
	if (end.is_untraced) {
		end.cause = CAUSE_CPU_PHASE;
		end.name = "not traced";
	}
	put_inside_mutex(chain, &end);
	for (int i = 0; i < chain->count; i++) {
		naming = chain->links[i].has_cause ? i : naming;
	}
	charge_plain(out, end.cause);
	if (end.is_untraced && naming < 0) {
		out->cause = CAUSE_UNKNOWN;
	}
	out->phase = end.name;
	out->holder_tid = is_direct || end.holder < 0 ? 0 : world_tid(end.holder);
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

/* ---- Following threads (rules 4, 6, 7) ---- */

static void follow(struct chain *chain, int thread, uint64_t anchor_ns);

static bool push_link(struct chain *chain, int thread, struct link link)
{
	if (chain->count >= GAP_VIA_MAX) {
		charge_plain(chain->out, CAUSE_UNKNOWN);
		chain->out->phase = "too deep";
		return false;
	}
	chain->threads[chain->count] = thread;
	chain->links[chain->count++] = link;
	return true;
}

static void hand_over(struct chain *chain)
{
	conclude(chain, (struct end){.cause = CAUSE_CPU_PHASE, .name = "handover", .holder = -1});
}

/* Goes on in the thread that ended the wait, unless it waits on this chain already. */
static void follow_ender(struct chain *chain, int thread, uint64_t anchor_ns)
{
	for (int i = 0; i < chain->count; i++) {
		if (chain->threads[i] == thread) {
			charge_plain(chain->out, CAUSE_UNKNOWN);
			chain->out->phase = "cycle";
			return;
		}
	}
	follow(chain, thread, anchor_ns);
}

static void follow_lock(struct chain *chain, int thread, const struct activity *wait)
{
	size_t count;
	const struct hold *holds = world_holds(chain->world, wait->object, &count);
	uint64_t end_ns = wait->to_ns;
	uint64_t before_ns = UINT64_MAX;
	bool is_gpu_mutex = strncmp(wait->name, "gpu_mutex", 9) == 0;
	bool wants_writer = wait->wait_kind != 0;

	if (!push_link(chain, thread,
		    (struct link){.kind = GAP_VIA_LOCK,
			    .object = wait->name,
			    .has_cause = true,
			    .cause = is_gpu_mutex ? CAUSE_GPU_MUTEX : CAUSE_LOCK,
			    .queue = -1})) {
		return;
	}
	for (;;) {
		const struct hold *holder = NULL;
		uint64_t until_ns;

		for (size_t i = 0; i < count; i++) {
			bool is_candidate =
				holds[i].thread != thread && holds[i].from_ns < before_ns &&
				holds[i].to_ns <= wait->to_ns && holds[i].to_ns > wait->from_ns &&
				!(wants_writer && holds[i].is_shared);

			if (is_candidate && (!holder || holds[i].to_ns > holder->to_ns)) {
				holder = &holds[i];
			}
		}
		until_ns = holder && holder->to_ns < end_ns ? holder->to_ns : end_ns;
		if (!holder || chain->y_ns > until_ns) {
			hand_over(chain);
			return;
		}
		if (chain->y_ns > holder->from_ns) {
			follow_ender(chain, holder->thread, until_ns);
			return;
		}
		end_ns = holder->from_ns;
		before_ns = holder->from_ns;
		wants_writer = false;
	}
}

static void follow_wait(struct chain *chain, int thread, const struct activity *wait)
{
	static const struct {
		enum gap_via_kind kind;
		bool has_cause;
		enum cause cause;
	} kinds[] = {
		[GAPTRACE_WAIT_BARRIER] = {GAP_VIA_BARRIER, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_JOIN] = {GAP_VIA_JOIN, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_CONDITION] = {GAP_VIA_CONDITION, false, CAUSE_UNKNOWN},
		[GAPTRACE_WAIT_BUDGET] = {GAP_VIA_BUDGET, true, CAUSE_BUDGET},
		[GAPTRACE_WAIT_PACER] = {GAP_VIA_PACER, true, CAUSE_PACING},
		[GAPTRACE_WAIT_SLEEP] = {GAP_VIA_SLEEP, true, CAUSE_PACING},
	};
	struct link link = {.object = wait->name, .queue = -1};

	if (wait->kind == ACTIVITY_POP) {
		link.kind = GAP_VIA_QUEUE;
		link.queue = wait->object;
		link.item = wait->item;
	} else {
		link.kind = kinds[wait->wait_kind].kind;
		link.has_cause = kinds[wait->wait_kind].has_cause;
		link.cause = kinds[wait->wait_kind].cause;
	}
	/* After the push a pop only has yet to wake up: its queue no longer lacks the item. */
	if (wait->ender >= 0 && chain->y_ns > wait->act_ns) {
		link.queue = wait->kind == ACTIVITY_POP ? -1 : link.queue;
	}
	if (!push_link(chain, thread, link)) {
		return;
	}
	if (wait->ender < 0) {
		conclude(chain,
			(struct end){.cause = CAUSE_PACING,
				.name = wait->wait_kind == GAPTRACE_WAIT_PACER ? "pacer" : "sleep",
				.holder = thread});
	} else if (chain->y_ns > wait->act_ns) {
		hand_over(chain);
	} else {
		follow_ender(chain, wait->ender, wait->act_ns);
	}
}

static const struct world_operation *running_copy(
	const struct world *world, int device, int stream, uint64_t y_ns)
{
	for (size_t i = 0; i < world_operation_count(world); i++) {
		const struct world_operation *operation = &world_operations(world)[i];

		if (!operation->is_kernel && operation->device == device &&
			operation->stream == stream &&
			covers(operation->start_ns, operation->end_ns, y_ns)) {
			return operation;
		}
	}
	return NULL;
}

static enum cause copy_cause(bool is_pageable)
{
	return is_pageable ? CAUSE_COPY_PAGEABLE : CAUSE_COPY_PINNED;
}

/* Rule 3. */
static void conclude_call(struct chain *chain, int thread, const struct activity *call)
{
	struct end end = {.cause = CAUSE_DRIVER, .name = call->name, .holder = thread};
	const struct world_operation *copy = NULL;

	if (strstr(call->name, "Synchronize")) {
		copy = running_copy(chain->world, call->device, call->stream, chain->y_ns);
		if (copy) {
			end.cause = copy_cause(copy->is_pageable);
			end.name = "htod";
		}
	} else if (strstr(call->name, "Memcpy")) {
		end.cause = copy_cause(call->is_pageable);
		end.name = "htod";
	} else if (strstr(call->name, "Malloc")) {
		end.cause = CAUSE_ALLOC;
	}
	conclude(chain, end);
}

/* Rule 5. */
static void conclude_run(struct chain *chain, int thread, const struct activity *run)
{
	struct end end = {.cause = CAUSE_CPU_PHASE, .name = run ? run->name : "", .holder = thread};

	if (end.name[0] == '\0' && run && run->task >= 0) {
		end.name = "task";
	}
	if (end.name[0] == '\0') {
		end.is_untraced = true;
	} else if (strcmp(end.name, "synthesize") == 0) {
		end.cause = CAUSE_SYNTHESIS;
	} else if (strcmp(end.name, "release_abc") == 0) {
		end.cause = CAUSE_FREE;
	}
	conclude(chain, end);
}

static const struct activity *activity_at(const struct world *world, int thread, uint64_t y_ns)
{
	size_t count;
	const struct activity *history = world_history(world, thread, &count);

	for (size_t i = 0; i < count; i++) {
		if (covers(history[i].from_ns, history[i].to_ns, y_ns)) {
			return &history[i];
		}
	}
	return NULL;
}

/* What a thread is in at y, whatever tasks it ran on the way. */
static void follow_thread(struct chain *chain, int thread)
{
	const struct activity *activity = activity_at(chain->world, thread, chain->y_ns);

	switch (activity ? activity->kind : ACTIVITY_RUN) {
	case ACTIVITY_RUN:
		conclude_run(chain, thread, activity);
		return;
	case ACTIVITY_CALL:
		conclude_call(chain, thread, activity);
		return;
	case ACTIVITY_LOCK:
		follow_lock(chain, thread, activity);
		return;
	case ACTIVITY_POP:
	case ACTIVITY_WAIT:
		follow_wait(chain, thread, activity);
		return;
	case ACTIVITY_IDLE:
		conclude_run(chain, thread, NULL);
		return;
	}
}

/* The task a thread is in at an instant: begun before it and ended at it or later; -1 none. */
static int task_at(const struct world *world, int thread, uint64_t y_ns)
{
	for (int task = 0; task < world_task_count(world); task++) {
		const struct task *fact = world_task(world, task);

		if (fact->runner == thread && covers(fact->begin_ns, fact->end_ns, y_ns)) {
			return task;
		}
	}
	return -1;
}

/* Rule 7. */
static void follow(struct chain *chain, int thread, uint64_t anchor_ns)
{
	int number = task_at(chain->world, thread, anchor_ns);
	const struct task *task = number < 0 ? NULL : world_task(chain->world, number);
	const struct activity *activity;

	chain->front = chain->count == 0 ? thread : chain->front;
	if (!task || chain->y_ns > task->begin_ns) {
		follow_thread(chain, thread);
		return;
	}
	if (chain->y_ns <= task->submitted_ns) {
		follow(chain, task->submitter, task->submitted_ns);
		return;
	}
	if (!push_link(chain, -1,
		    (struct link){.kind = GAP_VIA_POOL,
			    .object = task->pool_name,
			    .has_cause = true,
			    .cause = CAUSE_POOL,
			    .queue = -1})) {
		return;
	}
	activity = activity_at(chain->world, thread, chain->y_ns);
	if (!activity || activity->kind == ACTIVITY_IDLE) {
		hand_over(chain);
	} else {
		follow_thread(chain, thread);
	}
}

/* ---- Gaps ---- */

/* The kernel of another GPU that starts first at y or later, within the gap; -1 none. */
static int next_kernel(const struct world *world, const struct truth_gap *gap, uint64_t y_ns)
{
	const struct world_operation *all = world_operations(world);
	int found = -1;

	for (size_t i = 0; i < world_operation_count(world); i++) {
		if (all[i].is_kernel && all[i].device != (int)gap->gap.device &&
			all[i].start_ns >= y_ns && all[i].start_ns < gap->gap.end_ns &&
			(found < 0 || all[i].start_ns < all[found].start_ns)) {
			found = (int)i;
		}
	}
	return found;
}

/* Rule 9: nothing ended the gap. */
static void charge_edge(const struct world *world, const struct truth_gap *gap, uint64_t y_ns,
	struct truth_charge *out)
{
	int own = (int)gap->gap.device;
	int next = next_kernel(world, gap, y_ns);
	struct truth_gap like_next = *gap;
	bool is_elsewhere = false;

	for (size_t i = 0; i < world_operation_count(world); i++) {
		const struct world_operation *operation = &world_operations(world)[i];

		is_elsewhere = is_elsewhere ||
			       (operation->device != own &&
				       covers(operation->start_ns, operation->end_ns, y_ns));
	}
	for (int queue = 0; queue < world_object_count(world); queue++) {
		int device = world_queue_device(world, queue);

		is_elsewhere = is_elsewhere ||
			       (device >= 0 && device != own && has_item(world, queue, y_ns));
	}
	if (!is_outstanding(world, y_ns)) {
		charge_plain(out, CAUSE_NO_WORK);
	} else if (is_elsewhere) {
		charge_plain(out, CAUSE_IMBALANCE);
	} else if (next >= 0) {
		/* What kept that kernel kept this GPU too. */
		like_next.ender = next;
		like_next.gap.end_ns = world_operations(world)[next].start_ns;
		truth_charge_at(world, &like_next, y_ns, out);
	} else if (!is_outstanding(world, gap->gap.end_ns + 1)) {
		charge_plain(out, CAUSE_NO_WORK);
	} else {
		charge_plain(out, CAUSE_UNKNOWN);
		out->phase = "edge";
	}
}

void truth_charge_at(const struct world *world, const struct truth_gap *gap, uint64_t y_ns,
	struct truth_charge *out_charge)
{
	const struct world_operation *ender;
	const struct world_operation *copy;
	struct chain chain = {.world = world, .y_ns = y_ns, .out = out_charge};

	if (gap->ender < 0) {
		charge_edge(world, gap, y_ns, out_charge);
		return;
	}
	ender = &world_operations(world)[gap->ender];
	if (y_ns > ender->call_end_ns) {
		copy = running_copy(world, ender->device, ender->stream, y_ns);
		charge_plain(out_charge, copy ? copy_cause(copy->is_pageable) : CAUSE_LAUNCH);
		out_charge->object = copy ? "htod" : "cudaLaunchKernel";
		out_charge->phase = out_charge->object;
		return;
	}
	follow(&chain, ender->issuer,
		ender->call_end_ns < gap->gap.end_ns ? ender->call_end_ns : gap->gap.end_ns);
}

static int compare_operations(const void *a, const void *b)
{
	const struct world_operation *left = *(const struct world_operation *const *)a;
	const struct world_operation *right = *(const struct world_operation *const *)b;

	return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

struct truth_gap *truth_gaps(const struct world *world, int device, size_t *out_count)
{
	size_t count = world_operation_count(world);
	const struct world_operation *all = world_operations(world);
	const struct world_operation **kernels = calloc(count + 1, sizeof(*kernels));
	struct truth_gap *gaps = calloc(count + 2, sizeof(*gaps));
	size_t kernel_count = 0;
	size_t gap_count = 0;
	uint64_t begin_ns;
	uint64_t window_end_ns;

	assert(kernels && gaps);
	world_window(world, &begin_ns, &window_end_ns);
	for (size_t i = 0; i < count; i++) {
		if (all[i].is_kernel && all[i].device == device) {
			kernels[kernel_count++] = &all[i];
		}
	}
	qsort(kernels, kernel_count, sizeof(*kernels), compare_operations);
	for (size_t i = 0; i < kernel_count; i++) {
		const struct world_operation *kernel = kernels[i];

		if (kernel->start_ns > begin_ns) {
			gaps[gap_count++] = (struct truth_gap){
				.gap = {.device = (uint32_t)device,
					.begin_ns = begin_ns,
					.end_ns = kernel->start_ns,
					.edge = i == 0 ? GAP_BEFORE_FIRST : GAP_INNER,
					.has_ender = true,
					.ender = {.pid = world_pid(),
						.context = 1,
						.stream = (uint32_t)kernel->stream,
						.correlation = kernel->correlation,
						.start_ns = kernel->start_ns}},
				.ender = (int)(kernel - all)};
		}
		begin_ns = kernel->end_ns > begin_ns ? kernel->end_ns : begin_ns;
	}
	if (window_end_ns > begin_ns) {
		gaps[gap_count++] = (struct truth_gap){
			.gap = {.device = (uint32_t)device,
				.begin_ns = begin_ns,
				.end_ns = window_end_ns,
				.edge = kernel_count == 0 ? GAP_SILENT : GAP_AFTER_LAST},
			.ender = -1};
	}
	free(kernels);
	*out_count = gap_count;
	return gaps;
}

/* ---- Cuts ---- */

struct cut_list {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t *cuts;
	size_t count;
	size_t capacity;
};

static void cut_at(struct cut_list *list, uint64_t time_ns)
{
	if (!covers(list->begin_ns, list->end_ns, time_ns)) {
		return;
	}
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 256;
		list->cuts = realloc(list->cuts, list->capacity * sizeof(*list->cuts));
		assert(list->cuts);
	}
	list->cuts[list->count++] = time_ns;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a;
	uint64_t right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

uint64_t *truth_cuts(
	const struct world *world, uint64_t begin_ns, uint64_t end_ns, size_t *out_count)
{
	struct cut_list list = {.begin_ns = begin_ns, .end_ns = end_ns};
	size_t kept = 0;

	/* Everything that changes in the world is an event, or the begin or end of an operation. */
	for (size_t i = 0; i < world_event_count(world); i++) {
		const struct event *event = &world_events(world)[i];

		cut_at(&list, event->time_ns);
		if (event->kind == EVENT_GPU_API) {
			cut_at(&list, event->api.start_ns);
		}
	}
	for (size_t i = 0; i < world_operation_count(world); i++) {
		cut_at(&list, world_operations(world)[i].start_ns);
		cut_at(&list, world_operations(world)[i].end_ns);
	}
	cut_at(&list, end_ns);
	qsort(list.cuts, list.count, sizeof(*list.cuts), compare_times);
	for (size_t i = 0; i < list.count; i++) {
		if (kept == 0 || list.cuts[i] != list.cuts[kept - 1]) {
			list.cuts[kept++] = list.cuts[i];
		}
	}
	*out_count = kept;
	return list.cuts;
}
