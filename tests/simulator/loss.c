/* SPDX-License-Identifier: MIT */
#include "tests/simulator/loss.h"

#include <assert.h>
#include <stdlib.h>

#define CPUS 4

/* A thread stays on its CPU for about so long. */
#define CPU_NS 1048576

/* Events of a packet, and of one loss. */
#define PACKET_EVENTS 32
#define LOST_MAX      48

#define LOSSES_MAX 64

/* How often the collector says up to where it has told all. */
#define WATERMARK_NS 1000000

/* Losses lie in the middle of the run, where gaps are. */
struct draft {
	const struct world *world;
	uint64_t random;
	struct event *events; /* the world's, with watermarks */
	size_t count;
	bool *is_lost;
	struct analyzer_loss losses[LOSSES_MAX];
	uint64_t loss_count;
	uint64_t begin_ns;
};

const char *loss_kind_name(enum loss_kind kind)
{
	static const char *const names[] = {"none", "discarded", "bursts", "storm", "packets",
		"cut", "late", "blind", "records", "clock"};

	return names[kind];
}

/* splitmix64 */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint64_t draw(struct draft *draft, uint64_t below)
{
	draft->random += 0x9e3779b97f4a7c15ULL;
	return below ? mix(draft->random) % below : 0;
}

/* Threads wander from CPU to CPU. */
static uint32_t cpu_of(const struct event *event)
{
	return (uint32_t)(mix((uint32_t)event->tid * 0x9e3779b97f4a7c15ULL ^
				  event->time_ns / CPU_NS) %
			  CPUS);
}

/* The least start of what is still to be told at `now_ns`: an operation that runs holds it back. */
static uint64_t complete_until(const struct draft *draft, size_t from, int device, uint64_t now_ns)
{
	uint64_t least_ns = now_ns;

	for (size_t i = from; i < world_event_count(draft->world); i++) {
		const struct event_operation *operation =
			event_operation(&world_events(draft->world)[i]);

		if (operation && operation->device == device && operation->start_ns < least_ns) {
			least_ns = operation->start_ns;
		}
	}
	return least_ns;
}

static void add_event(struct draft *draft, const struct event *event)
{
	draft->events[draft->count++] = *event;
}

static void add_watermarks(struct draft *draft, size_t from, uint64_t now_ns)
{
	for (int device = 0; device < world_device_count(draft->world); device++) {
		add_event(draft, &(struct event){.kind = EVENT_GPU_WATERMARK,
					 .time_ns = now_ns,
					 .pid = world_pid(),
					 .tid = world_tid(-1),
					 .watermark = {.device = device,
						 .complete_until_ns = complete_until(
							 draft, from, device, now_ns)}});
	}
}

static void copy_events(struct draft *draft)
{
	const size_t count = world_event_count(draft->world);
	const struct event *events = world_events(draft->world);
	const uint64_t last_ns = events[count - 1].time_ns;
	const size_t most =
		count + (last_ns / WATERMARK_NS + 2) * (size_t)world_device_count(draft->world);
	uint64_t next_ns = WATERMARK_NS;

	draft->events = calloc(most, sizeof(*draft->events));
	draft->is_lost = calloc(most, sizeof(*draft->is_lost));
	assert(draft->events && draft->is_lost);
	for (size_t i = 0; i < count; i++) {
		for (; next_ns <= events[i].time_ns; next_ns += WATERMARK_NS) {
			add_watermarks(draft, i, next_ns);
		}
		add_event(draft, &events[i]);
		/* The collector's thread tells of operations. */
		if (event_operation(&events[i])) {
			draft->events[draft->count - 1].tid = world_tid(-1);
		}
	}
}

/* ---- Streams ---- */

/* The next event of the CPU from `i` on; the count when there is none. */
static size_t next_of(const struct draft *draft, uint32_t cpu, size_t i)
{
	while (i < draft->count && cpu_of(&draft->events[i]) != cpu) {
		i++;
	}
	return i;
}

static void tell(struct draft *draft, struct analyzer_loss loss)
{
	loss.has_range = true;
	draft->losses[draft->loss_count++] = loss;
}

/* From a random event of a CPU on, so many are lost; what is told begins where its last packet
 * ended, and ends where the packet does that comes next, or with the hole when packets are lost. */
static void lose_run(struct draft *draft, enum analyzer_loss_kind kind, size_t most)
{
	const size_t first = draft->count / 8 + draw(draft, draft->count * 3 / 4);
	const uint32_t cpu = cpu_of(&draft->events[first]);
	const size_t lost_count = 1 + draw(draft, most);
	const size_t rest = kind == ANALYZER_LOST_EVENTS ? 1 + draw(draft, PACKET_EVENTS) : 1;
	struct analyzer_loss loss = {.kind = kind, .count = lost_count};
	size_t i = first;

	for (size_t k = first; k > 0 && loss.begin_ns == 0; k--) {
		if (cpu_of(&draft->events[k - 1]) == cpu && !draft->is_lost[k - 1]) {
			loss.begin_ns = draft->events[k - 1].time_ns;
		}
	}
	for (size_t k = 0; k < lost_count && i < draft->count; k++) {
		draft->is_lost[i] = true;
		loss.end_ns = draft->events[i].time_ns + 1;
		i = next_of(draft, cpu, i + 1);
	}
	for (size_t k = 0; k < rest && i < draft->count; k++) {
		loss.end_ns = draft->events[i].time_ns;
		i = next_of(draft, cpu, i + 1);
	}
	tell(draft, loss);
}

static void cut_stream(struct draft *draft)
{
	const size_t first = draft->count / 4 + draw(draft, draft->count / 2);
	const uint32_t cpu = cpu_of(&draft->events[first]);
	struct analyzer_loss loss = {.kind = ANALYZER_LOST_PACKETS,
		.count = 1,
		.begin_ns = draft->events[first].time_ns,
		.end_ns = draft->events[draft->count - 1].time_ns + 1};

	for (size_t i = next_of(draft, cpu, first + 1); i < draft->count;
		i = next_of(draft, cpu, i + 1)) {
		draft->is_lost[i] = true;
	}
	tell(draft, loss);
}

/* Some of what is told within a stretch of time, before the event of the flush that says so. */
static void drop_records(struct draft *draft)
{
	size_t flush = draft->count / 4 + draw(draft, draft->count / 2);
	uint64_t dropped_count = 0;
	uint64_t since_ns;

	while (flush < draft->count && draft->events[flush].kind != EVENT_GPU_WATERMARK) {
		flush++;
	}
	if (flush >= draft->count) {
		return;
	}
	since_ns = draft->events[flush].time_ns - WATERMARK_NS;
	for (size_t i = flush; i > 0 && draft->events[i - 1].time_ns > since_ns; i--) {
		if (event_operation(&draft->events[i - 1]) && draw(draft, 2) == 0) {
			draft->is_lost[i - 1] = true;
			dropped_count++;
		}
	}
	if (dropped_count > 0) {
		/* In the place of one of them, which is lost anyway, but for its time. */
		for (size_t i = flush; i > 0; i--) {
			if (draft->is_lost[i - 1]) {
				draft->is_lost[i - 1] = false;
				draft->events[i - 1] = (struct event){.kind = EVENT_GPU_DROPPED,
					.time_ns = draft->events[i - 1].time_ns,
					.pid = world_pid(),
					.tid = world_tid(-1),
					.dropped = {
						.device = GAPTRACE_NONE, .count = dropped_count}};
				break;
			}
		}
	}
}

/* ---- A clock that is off ---- */

/* Slowly to and fro: it is what is left when stamps were converted by pairs. */
static uint64_t off_by(const struct draft *draft, uint64_t time_ns)
{
	static const uint64_t period_ns = 8ULL * 1024 * LOSS_CLOCK_NS;
	const uint64_t at_ns = (time_ns + draft->random % period_ns) % period_ns;
	const uint64_t half_ns = period_ns / 2;
	const uint64_t rise_ns = at_ns < half_ns ? at_ns : period_ns - at_ns;

	/* From -LOSS_CLOCK_NS to LOSS_CLOCK_NS, which is added to what all are early by. */
	return time_ns + rise_ns * 2 * LOSS_CLOCK_NS / half_ns - LOSS_CLOCK_NS;
}

static void bend_clock(struct draft *draft)
{
	for (size_t i = 0; i < draft->count; i++) {
		struct event *event = &draft->events[i];
		struct event_operation *operation = event->kind == EVENT_GPU_KERNEL
							    ? &event->kernel.operation
							    : &event->copy.operation;

		if (event_operation(event)) {
			operation->start_ns = off_by(draft, operation->start_ns);
			operation->end_ns = off_by(draft, operation->end_ns);
		} else if (event->kind == EVENT_GPU_WATERMARK) {
			event->watermark.complete_until_ns -= LOSS_CLOCK_NS;
		}
	}
}

/* ---- A recording that begins late ---- */

struct keyframe {
	const struct draft *draft;
	struct loss_item *items;
	size_t count;
	uint64_t time_ns;
};

static struct event *keyframe_add(struct keyframe *keyframe, enum event_kind kind)
{
	struct loss_item *item = &keyframe->items[keyframe->count++];

	item->event = (struct event){.kind = kind,
		.time_ns = keyframe->time_ns,
		.pid = world_pid(),
		.tid = world_tid(-1)};
	return &item->event;
}

static void keyframe_queue(struct keyframe *keyframe, int queue, uint64_t address, size_t before)
{
	const struct event *events = keyframe->draft->events;
	uint64_t depth = 0;
	struct event *line;

	for (size_t i = 0; i < before; i++) {
		if ((events[i].kind == EVENT_QUEUE_PUSH || events[i].kind == EVENT_QUEUE_POP) &&
			events[i].queue.queue == address) {
			depth = events[i].queue.depth;
		}
	}
	line = keyframe_add(keyframe, EVENT_STATE);
	line->state.subject = GAPTRACE_STATE_QUEUE;
	line->state.object = address;
	line->state.name = world_object_name(keyframe->draft->world, queue);
	line->state.work = (struct event_work){
		0, GAPTRACE_NONE, world_queue_device(keyframe->draft->world, queue)};
	line->state.value = depth;
}

static void keyframe_jobs(struct keyframe *keyframe)
{
	const struct world *world = keyframe->draft->world;
	struct event *line;
	uint64_t open_count = 0;

	for (uint64_t job = 0; job < WORLD_JOBS_MAX; job++) {
		if (world_job_submitted_ns(world, job) < keyframe->time_ns &&
			world_job_ended_ns(world, job) >= keyframe->time_ns) {
			line = keyframe_add(keyframe, EVENT_STATE);
			line->state.subject = GAPTRACE_STATE_JOB;
			line->state.name = "proof";
			line->state.work = (struct event_work){job, GAPTRACE_NONE, GAPTRACE_NONE};
			line->state.since_ns = world_job_submitted_ns(world, job);
			open_count++;
		}
	}
	line = keyframe_add(keyframe, EVENT_STATE);
	line->state.subject = GAPTRACE_STATE_PROCESS;
	line->state.name = GAPTRACE_STATE_OPEN_JOBS;
	line->state.work = (struct event_work){0, GAPTRACE_NONE, GAPTRACE_NONE};
	line->state.value = open_count;
}

/* As the daemon tells it: devices, queues, jobs. */
static void keyframe_write(struct keyframe *keyframe, size_t before)
{
	const struct world *world = keyframe->draft->world;

	for (int device = 0; device < world_device_count(world); device++) {
		struct event *line = keyframe_add(keyframe, EVENT_GPU_DEVICE);
		const uint64_t time_ns = line->time_ns;

		*line = world_events(world)[device];
		line->time_ns = time_ns;
	}
	for (int object = 0; object < world_object_count(world); object++) {
		uint64_t address = 0;

		for (size_t i = 0; i < keyframe->draft->count && address == 0; i++) {
			const struct event *event = &keyframe->draft->events[i];

			if (event->kind == EVENT_QUEUE_POP_WAIT &&
				event->queue.name == world_object_name(world, object) &&
				event->queue.work.device == world_queue_device(world, object)) {
				address = event->queue.queue;
			}
		}
		if (address != 0) {
			keyframe_queue(keyframe, object, address, before);
		}
	}
	keyframe_jobs(keyframe);
}

/* Room for the lines of a keyframe. */
#define KEYFRAME_LINES (WORLD_OBJECTS_MAX + WORLD_JOBS_MAX + WORLD_DEVICES_MAX + 1)

/* ---- The whole ---- */

static void lose(struct draft *draft, enum loss_kind kind)
{
	size_t first;

	switch (kind) {
	case LOSS_BURSTS:
		lose_run(draft, ANALYZER_LOST_EVENTS, LOST_MAX / 4);
		lose_run(draft, ANALYZER_LOST_EVENTS, LOST_MAX / 4);
		lose_run(draft, ANALYZER_LOST_EVENTS, LOST_MAX / 4);
		return;
	case LOSS_STORM:
		for (int i = 0; i < LOSSES_MAX; i++) {
			lose_run(draft, ANALYZER_LOST_EVENTS, 1);
		}
		return;
	case LOSS_DISCARDED:
		lose_run(draft, ANALYZER_LOST_EVENTS, LOST_MAX);
		return;
	case LOSS_PACKETS:
		lose_run(draft, ANALYZER_LOST_PACKETS, 3 * PACKET_EVENTS);
		return;
	case LOSS_CUT:
		cut_stream(draft);
		return;
	case LOSS_RECORDS:
		drop_records(draft);
		return;
	case LOSS_CLOCK:
		bend_clock(draft);
		return;
	case LOSS_LATE:
	case LOSS_BLIND:
		first = draft->count / 8 + draw(draft, draft->count / 2);
		draft->begin_ns = draft->events[first].time_ns;
		for (size_t i = 0; i < draft->count; i++) {
			draft->is_lost[i] = draft->events[i].time_ns < draft->begin_ns;
		}
		return;
	case LOSS_NONE:
	case LOSS_KIND_COUNT:
		return;
	}
}

static int compare_losses(const void *a, const void *b)
{
	const struct analyzer_loss *left = a;
	const struct analyzer_loss *right = b;

	return (left->begin_ns > right->begin_ns) - (left->begin_ns < right->begin_ns);
}

struct loss_trace loss_apply(const struct world *world, enum loss_kind kind, uint64_t seed)
{
	struct draft draft = {.world = world, .random = mix(seed + 1) + kind};
	struct keyframe keyframe = {.draft = &draft};
	struct loss_trace trace;
	size_t told = 0;

	copy_events(&draft);
	lose(&draft, kind);
	qsort(draft.losses, draft.loss_count, sizeof(draft.losses[0]), compare_losses);
	trace = (struct loss_trace){.begin_ns = draft.begin_ns,
		.items = calloc(
			draft.count + draft.loss_count + KEYFRAME_LINES, sizeof(struct loss_item))};
	assert(trace.items);
	keyframe.items = trace.items;
	keyframe.time_ns = draft.begin_ns;
	for (size_t i = 0; i < draft.count; i++) {
		if (draft.is_lost[i]) {
			continue;
		}
		if (kind == LOSS_LATE && trace.count == 0) {
			keyframe_write(&keyframe, i);
			trace.count = keyframe.count;
		}
		while (told < draft.loss_count &&
			draft.losses[told].begin_ns < draft.events[i].time_ns) {
			trace.items[trace.count++] =
				(struct loss_item){.is_loss = true, .loss = draft.losses[told++]};
		}
		trace.items[trace.count++] = (struct loss_item){.event = draft.events[i]};
	}
	free(draft.events);
	free(draft.is_lost);
	return trace;
}
