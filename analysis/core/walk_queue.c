/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_queue.h"

void walk_queues_init(struct walk_queues *queues)
{
	*queues = (struct walk_queues){0};
	walk_slab_init(&queues->slab, sizeof(struct walk_queue));
	walk_slab_init(&queues->items, sizeof(struct walk_item));
}

void walk_queues_finish(struct walk_queues *queues)
{
	for (size_t i = 0; i < queues->by_id.capacity; i++) {
		struct walk_queue *queue = queues->by_id.entries[i].value;

		if (queue) {
			walk_map_finish(&queue->items);
			walk_ring_finish(&queue->turns);
		}
	}
	walk_map_finish(&queues->by_id);
	walk_slab_finish(&queues->slab);
	walk_slab_finish(&queues->items);
}

struct walk_queue *walk_queues_find(const struct walk_queues *queues, int32_t pid, uint64_t id)
{
	return walk_map_find(&queues->by_id, (uint32_t)pid, id);
}

/* By (process, address): an address alone may be another process's queue. */
struct walk_queue *walk_queues_get(
	struct walk_queues *queues, int32_t pid, uint64_t id, const char *name)
{
	struct walk_queue *queue = walk_queues_find(queues, pid, id);

	if (queue) {
		return queue;
	}
	queue = walk_slab_take(&queues->slab);
	if (!queue) {
		return NULL;
	}
	*queue = (struct walk_queue){
		.pid = pid, .id = id, .name = name, .device = GAPTRACE_NONE, .queues = queues};
	walk_ring_init(&queue->turns, sizeof(struct walk_queue_turn));
	if (walk_map_put(&queues->by_id, (uint32_t)pid, id, queue) != STATUS_OK) {
		walk_slab_give_back(&queues->slab, queue);
		return NULL;
	}
	return queue;
}

struct sweep {
	struct walk_queues *queues;
	uint64_t before_ns;
};

static bool keeps_item(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_item *item = value;

	if (item->time_ns < sweep->before_ns) {
		walk_slab_give_back(&sweep->queues->items, item);
		return false;
	}
	return true;
}

/* The time of the oldest item of a queue, or `otherwise_ns` when that is older. */
static uint64_t oldest_ns(const struct walk_queue *queue, uint64_t otherwise_ns)
{
	uint64_t least_ns = otherwise_ns;

	for (size_t i = 0; i < queue->items.capacity; i++) {
		const struct walk_item *item = queue->items.entries[i].value;

		if (item && item->time_ns < least_ns) {
			least_ns = item->time_ns;
		}
	}
	return least_ns;
}

/* Pops were lost: forgets what was pushed before half the time since the oldest item. */
static void drop_old_items(struct walk_queues *queues, uint64_t now_ns)
{
	struct sweep sweep = {.queues = queues};
	uint64_t least_ns = now_ns;

	for (size_t i = 0; i < queues->by_id.capacity; i++) {
		if (queues->by_id.entries[i].value) {
			least_ns = oldest_ns(queues->by_id.entries[i].value, least_ns);
		}
	}
	sweep.before_ns = least_ns + (now_ns - least_ns) / 2 + 1;
	for (size_t i = 0; i < queues->by_id.capacity; i++) {
		struct walk_queue *queue = queues->by_id.entries[i].value;

		if (queue) {
			walk_map_sweep(&queue->items, keeps_item, &sweep);
		}
	}
}

void walk_queue_set_device(struct walk_queue *queue, int32_t device)
{
	/* docs/causes.md, rule 6: a queue is a device's as long as all its items name that one. */
	if (!queue->is_used) {
		queue->is_used = true;
		queue->device = device;
	} else if (queue->device != device) {
		queue->device = GAPTRACE_NONE;
		queue->is_shared = true;
	}
}

enum status walk_queues_push(struct walk_queues *queues, struct walk_queue *queue, uint64_t item,
	const struct walk_item *pushed)
{
	struct walk_item *kept = walk_map_find(&queue->items, item, 0);
	enum status status;

	/* Whose pops were lost would stay for ever. */
	if (!kept && queues->items.taken_count >= WALK_ITEM_COUNT_MAX) {
		drop_old_items(queues, pushed->time_ns);
	}
	if (!kept) {
		kept = walk_slab_take(&queues->items);
	}
	if (!kept) {
		return STATUS_NO_MEMORY;
	}
	/* An item's number that comes again while it is here: its pop was lost, the new push
	 * counts. */
	*kept = *pushed;
	status = walk_map_put(&queue->items, item, 0, kept);
	walk_queue_set_device(queue, pushed->work.device);
	return status;
}

bool walk_queues_pop(struct walk_queues *queues, struct walk_queue *queue, uint64_t item,
	struct walk_item *out_item)
{
	struct walk_item *kept = walk_map_remove(&queue->items, item, 0);

	if (!kept) {
		return false;
	}
	*out_item = *kept;
	walk_slab_give_back(&queues->items, kept);
	return true;
}

enum status walk_queue_begin(struct walk_queue *queue, uint64_t first_ns, bool has_work)
{
	const struct walk_queue_turn turn = {.time_ns = first_ns, .has_work = has_work};

	/* After a loss it may be the first that is known, and not the first there was. */
	return has_work && queue->turns.count == 0 && queue->queues->doubt_until_ns == 0
		       ? walk_ring_push(&queue->turns, &turn)
		       : STATUS_OK;
}

enum status walk_queue_set_depth(struct walk_queue *queue, uint64_t time_ns, uint32_t depth)
{
	const struct walk_queue_turn turn = {.time_ns = time_ns, .has_work = depth > 0};
	const struct walk_queue_turn *last;

	queue->last_ns = time_ns;
	if (queue->turns.count > 0) {
		last = walk_ring_at(&queue->turns, queue->turns.count - 1);
		/* Only turns between empty and not are kept: the depth itself explains nothing. But
		 * after a loss it must be known since when the queue was heard of again. */
		if (last->has_work == turn.has_work &&
			last->time_ns >= queue->queues->doubt_until_ns) {
			return STATUS_OK;
		}
	}
	return walk_ring_push(&queue->turns, &turn);
}

bool walk_queue_had_work(const struct walk_queue *queue, uint64_t y_ns, uint64_t *from_ns)
{
	const size_t i = walk_ring_below(&queue->turns, y_ns);
	const struct walk_queue_turn *turn;

	if (i == 0) {
		return false;
	}
	turn = walk_ring_at(&queue->turns, i - 1);
	/* The answer holds from here to y; callers cut their part there. */
	if (turn->time_ns > *from_ns) {
		*from_ns = turn->time_ns;
	}
	return turn->has_work;
}

void walk_queues_doubt(struct walk_queues *queues, uint64_t end_ns)
{
	if (end_ns > queues->doubt_until_ns) {
		queues->doubt_until_ns = end_ns;
	}
}

uint64_t walk_queue_known_at(const struct walk_queue *queue, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&queue->turns, y_ns);
	const struct walk_queue_turn *turn;

	if (i == 0) {
		return 0;
	}
	turn = walk_ring_at(&queue->turns, i - 1);
	return turn->time_ns;
}

const struct walk_queue *walk_queues_other_with_work(const struct walk_queues *queues, int32_t pid,
	int32_t device, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_queue *found = NULL;

	for (size_t i = 0; i < queues->by_id.capacity; i++) {
		const struct walk_queue *queue = queues->by_id.entries[i].value;

		if (!queue || queue->pid != pid || queue->device == GAPTRACE_NONE ||
			queue->device == device) {
			continue;
		}
		/* Of several, the one of the lowest device: the answer must not depend on the
		 * table. */
		if (walk_queue_had_work(queue, y_ns, from_ns) &&
			(!found || queue->device < found->device)) {
			found = queue;
		}
	}
	return found;
}

static bool keeps_queue(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_queue *queue = value;
	const size_t old_count = walk_ring_below(&queue->turns, sweep->before_ns);

	if (queue->items.count == 0 && queue->waiting_count == 0 &&
		queue->last_ns < sweep->before_ns && old_count == queue->turns.count) {
		walk_map_finish(&queue->items);
		walk_ring_finish(&queue->turns);
		walk_slab_give_back(&sweep->queues->slab, queue);
		return false;
	}
	/* The last old turn says what holds since. */
	if (old_count > 1) {
		walk_ring_drop_front(&queue->turns, old_count - 1);
	}
	return true;
}

void walk_queues_sweep(struct walk_queues *queues, uint64_t forget_ns)
{
	struct sweep sweep = {.queues = queues, .before_ns = forget_ns};

	walk_map_sweep(&queues->by_id, keeps_queue, &sweep);
}
