/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_device.h"

/* Branches of one graph. Copies side by side share the link, so few graphs have as many. */
#define SIDE_BY_SIDE_OPERATIONS_MAX 8

void walk_devices_init(struct walk_devices *devices)
{
	*devices = (struct walk_devices){0};
	walk_slab_init(&devices->streams, sizeof(struct walk_stream));
	walk_ring_init(&devices->waits, sizeof(struct walk_stream_wait));
	for (size_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		walk_ring_init(&devices->busy[i], sizeof(struct walk_busy));
	}
}

void walk_devices_finish(struct walk_devices *devices)
{
	for (size_t i = 0; i < devices->by_stream.capacity; i++) {
		struct walk_stream *stream = devices->by_stream.entries[i].value;

		if (stream) {
			walk_ring_finish(&stream->operations);
		}
	}
	for (size_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		walk_ring_finish(&devices->busy[i]);
	}
	walk_ring_finish(&devices->waits);
	walk_map_finish(&devices->by_ordinal);
	walk_map_finish(&devices->by_stream);
	walk_slab_finish(&devices->streams);
}

enum status walk_devices_map(
	struct walk_devices *devices, int32_t pid, int32_t ordinal, uint32_t device)
{
	/* The table holds pointers that are never followed: an index as a distance from nothing. */
	return walk_map_put(&devices->by_ordinal, (uint32_t)pid, (uint32_t)ordinal,
		/* 0 is "none", so indices are kept one higher. */
		(void *)((uintptr_t)device + 1));
}

bool walk_devices_index(
	const struct walk_devices *devices, int32_t pid, int32_t ordinal, uint32_t *out_device)
{
	const uintptr_t index =
		(uintptr_t)walk_map_find(&devices->by_ordinal, (uint32_t)pid, (uint32_t)ordinal);

	if (index == 0) {
		return false;
	}
	*out_device = (uint32_t)(index - 1);
	return true;
}

static uint64_t context_key(const struct walk_stream_name *name)
{
	return (uint64_t)(uint32_t)name->pid << 32 | name->context;
}

static uint64_t stream_key(const struct walk_stream_name *name)
{
	return (uint64_t)name->device << 32 | name->stream;
}

static struct walk_stream *find_stream(
	const struct walk_devices *devices, const struct walk_stream_name *name)
{
	return walk_map_find(&devices->by_stream, context_key(name), stream_key(name));
}

static struct walk_stream *get_stream(
	struct walk_devices *devices, const struct walk_stream_name *name)
{
	struct walk_stream *stream = find_stream(devices, name);

	if (stream) {
		return stream;
	}
	stream = walk_slab_take(&devices->streams);
	if (!stream) {
		return NULL;
	}
	*stream = (struct walk_stream){.name = *name};
	walk_ring_init(&stream->operations, sizeof(struct walk_operation));
	if (walk_map_put(&devices->by_stream, context_key(name), stream_key(name), stream) !=
		STATUS_OK) {
		walk_slab_give_back(&devices->streams, stream);
		return NULL;
	}
	return stream;
}

/* Devices tell of operations about when they end, so this is nearly always an append. */
static enum status insert_by_end(struct walk_ring *ring, uint64_t end_ns, const void *item)
{
	size_t i = ring->count;
	uint64_t last_ns;

	if (i > 0) {
		last_ns = *(uint64_t *)walk_ring_at(ring, i - 1);
		i = last_ns <= end_ns ? i : walk_ring_below(ring, end_ns);
	}
	return walk_ring_insert(ring, i, item);
}

/* A union: what touches becomes one. */
static enum status add_busy(struct walk_ring *ring, uint64_t begin_ns, uint64_t end_ns)
{
	struct walk_busy added = {.begin_ns = begin_ns, .end_ns = end_ns};
	size_t first = walk_ring_below(ring, begin_ns);
	size_t after = first;

	while (after < ring->count) {
		const struct walk_busy *busy = walk_ring_at(ring, after);

		if (busy->begin_ns > end_ns) {
			break;
		}
		added.begin_ns = busy->begin_ns < added.begin_ns ? busy->begin_ns : added.begin_ns;
		added.end_ns = busy->end_ns > added.end_ns ? busy->end_ns : added.end_ns;
		after++;
	}
	/* Touches none: goes between its neighbours. */
	if (after == first) {
		return walk_ring_insert(ring, first, &added);
	}
	*(struct walk_busy *)walk_ring_at(ring, first) = added;
	for (size_t i = after; i < ring->count; i++) {
		*(struct walk_busy *)walk_ring_at(ring, first + 1 + i - after) =
			*(struct walk_busy *)walk_ring_at(ring, i);
	}
	/* What the new one swallowed. */
	ring->count -= after - first - 1;
	return STATUS_OK;
}

enum status walk_devices_add(struct walk_devices *devices, int32_t pid,
	const struct event_operation *where, const struct walk_operation *operation)
{
	struct walk_stream_name name = {
		.pid = pid, .context = where->context, .stream = where->stream};
	struct walk_stream *stream;
	enum status status;

	/* What takes no time explains none. */
	if (operation->end_ns <= operation->start_ns ||
		!walk_devices_index(devices, pid, where->device, &name.device)) {
		return STATUS_OK;
	}
	stream = get_stream(devices, &name);
	if (!stream) {
		return STATUS_NO_MEMORY;
	}
	status = insert_by_end(&stream->operations, operation->end_ns, operation);
	devices->operation_count++;
	if (status == STATUS_OK && name.device < DEVICE_COUNT_MAX) {
		status = add_busy(
			&devices->busy[name.device], operation->start_ns, operation->end_ns);
	}
	return status;
}

enum status walk_devices_add_wait(struct walk_devices *devices, const struct walk_stream_wait *wait)
{
	return insert_by_end(&devices->waits, wait->end_ns, wait);
}

/*
 * Operations of one stream follow one another, but for the nodes of a graph, which may run side by
 * side: what runs at y is looked for among so many that end at y or later.
 */
static const struct walk_operation *stream_at(
	const struct walk_stream *stream, uint64_t y_ns, uint64_t *from_ns)
{
	const size_t first = walk_ring_below(&stream->operations, y_ns);
	const struct walk_operation *operation;

	for (size_t i = first;
		i < stream->operations.count && i - first < SIDE_BY_SIDE_OPERATIONS_MAX; i++) {
		operation = walk_ring_at(&stream->operations, i);
		if (operation->start_ns < y_ns) {
			*from_ns = operation->start_ns > *from_ns ? operation->start_ns : *from_ns;
			return operation;
		}
	}
	if (first > 0) {
		operation = walk_ring_at(&stream->operations, first - 1);
		*from_ns = operation->end_ns > *from_ns ? operation->end_ns : *from_ns;
	}
	return NULL;
}

const struct walk_operation *walk_devices_at(const struct walk_devices *devices,
	const struct walk_stream_name *name, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_stream *stream = find_stream(devices, name);

	return stream ? stream_at(stream, y_ns, from_ns) : NULL;
}

const struct walk_operation *walk_devices_before(
	const struct walk_devices *devices, const struct walk_stream_name *name, uint64_t y_ns)
{
	const struct walk_stream *stream = find_stream(devices, name);
	const size_t count = stream ? walk_ring_below(&stream->operations, y_ns) : 0;

	return count > 0 ? walk_ring_at(&stream->operations, count - 1) : NULL;
}

const struct walk_operation *walk_devices_anywhere_at(const struct walk_devices *devices,
	const struct walk_stream_name *name, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_stream *own = find_stream(devices, name);
	const struct walk_operation *found = NULL;

	if (own) {
		return stream_at(own, y_ns, from_ns);
	}
	/* Every device of the process: a wait may be for a stream of another one. */
	for (size_t i = 0; i < devices->by_stream.capacity; i++) {
		const struct walk_stream *stream = devices->by_stream.entries[i].value;
		const struct walk_operation *operation;

		if (!stream || stream->name.pid != name->pid ||
			stream->name.context != name->context ||
			stream->name.stream != name->stream) {
			continue;
		}
		operation = stream_at(stream, y_ns, from_ns);
		found = operation ? operation : found;
	}
	return found;
}

/* Of two that run at once the copy, then what began last; then by number, so that the table's order
 * does not decide. */
static bool counts_before(const struct walk_operation *a, const struct walk_operation *b)
{
	if (!a->label != !b->label) {
		return a->label != NULL;
	}
	return a->start_ns != b->start_ns ? a->start_ns > b->start_ns
					  : a->correlation > b->correlation;
}

const struct walk_operation *walk_devices_any_at(const struct walk_devices *devices,
	const struct walk_stream_name *whose, uint64_t y_ns, uint64_t *from_ns)
{
	const struct walk_operation *found = NULL;

	for (size_t i = 0; i < devices->by_stream.capacity; i++) {
		const struct walk_stream *stream = devices->by_stream.entries[i].value;
		const struct walk_operation *operation;

		if (!stream || stream->name.device != whose->device ||
			stream->name.pid != whose->pid) {
			continue;
		}
		operation = stream_at(stream, y_ns, from_ns);
		if (operation && (!found || counts_before(operation, found))) {
			found = operation;
		}
	}
	return found;
}

static bool is_busy_at(const struct walk_ring *ring, uint64_t y_ns, uint64_t *from_ns)
{
	const size_t i = walk_ring_below(ring, y_ns);
	const struct walk_busy *busy;
	uint64_t boundary_ns = 0;
	bool is_busy = false;

	if (i > 0) {
		busy = walk_ring_at(ring, i - 1);
		boundary_ns = busy->end_ns;
	}
	if (i < ring->count) {
		busy = walk_ring_at(ring, i);
		is_busy = busy->begin_ns < y_ns;
		boundary_ns = is_busy ? busy->begin_ns : boundary_ns;
	}
	*from_ns = boundary_ns > *from_ns ? boundary_ns : *from_ns;
	return is_busy;
}

bool walk_devices_others_busy(
	const struct walk_devices *devices, uint32_t device, uint64_t y_ns, uint64_t *from_ns)
{
	bool is_busy = false;

	/* All are asked, also after a busy one, so that `from_ns` is where any of them changed. */
	for (uint32_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		if (i != device) {
			is_busy = is_busy_at(&devices->busy[i], y_ns, from_ns) || is_busy;
		}
	}
	return is_busy;
}

/* The first kernel of a stream that starts at y or later, NULL for none. */
static const struct walk_operation *first_kernel(const struct walk_stream *stream, uint64_t y_ns)
{
	for (size_t i = walk_ring_below(&stream->operations, y_ns); i < stream->operations.count;
		i++) {
		const struct walk_operation *operation = walk_ring_at(&stream->operations, i);

		if (!operation->label && operation->start_ns >= y_ns) {
			return operation;
		}
	}
	return NULL;
}

/* Of kernels that start together, the one of the lower device and correlation. */
static bool is_earlier(const struct walk_operation *a, uint32_t a_device,
	const struct walk_operation *b, uint32_t b_device)
{
	if (a->start_ns != b->start_ns) {
		return a->start_ns < b->start_ns;
	}
	return a_device != b_device ? a_device < b_device : a->correlation < b->correlation;
}

const struct walk_operation *walk_devices_next_kernel(const struct walk_devices *devices,
	uint32_t device, struct walk_between between, struct walk_stream_name *out_name)
{
	const struct walk_operation *found = NULL;

	for (size_t i = 0; i < devices->by_stream.capacity; i++) {
		const struct walk_stream *stream = devices->by_stream.entries[i].value;
		const struct walk_operation *kernel;

		if (!stream || stream->name.device == device) {
			continue;
		}
		kernel = first_kernel(stream, between.begin_ns);
		if (kernel && kernel->start_ns < between.end_ns &&
			(!found ||
				is_earlier(kernel, stream->name.device, found, out_name->device))) {
			found = kernel;
			*out_name = stream->name;
		}
	}
	return found;
}

struct sweep {
	struct walk_devices *devices;
	uint64_t forget_ns;
};

static bool keeps_stream(void *context, void *value)
{
	const struct sweep *sweep = context;
	struct walk_stream *stream = value;
	const size_t old_count = walk_ring_below(&stream->operations, sweep->forget_ns);

	/* All that it ever ran is forgotten. */
	if (old_count == stream->operations.count) {
		sweep->devices->operation_count -= old_count;
		walk_ring_finish(&stream->operations);
		walk_slab_give_back(&sweep->devices->streams, stream);
		return false;
	}
	/* Of what is old one stays: it tells since when the stream has been idle. */
	if (old_count > 1) {
		sweep->devices->operation_count -= old_count - 1;
		walk_ring_drop_front(&stream->operations, old_count - 1);
	}
	return true;
}

/* What of a stream is about to be forgotten has passed the waits that were told before it. */
static void note_passed(struct walk_stream *stream, uint64_t forget_ns)
{
	const size_t count = walk_ring_below(&stream->operations, forget_ns);

	for (size_t i = 0; i < count; i++) {
		const struct walk_operation *operation = walk_ring_at(&stream->operations, i);

		if (operation->correlation > stream->passed_correlation) {
			stream->passed_correlation = operation->correlation;
		}
	}
}

/* Whether a kernel that is still to come may have stood behind that wait: none of those behind it
 * has ended. */
static bool may_hold_up(
	const struct walk_devices *devices, const struct walk_stream_wait *wait, uint64_t forget_ns)
{
	const struct walk_stream_name name = {.pid = wait->pid,
		.device = wait->device,
		.context = wait->context,
		.stream = wait->stream};
	const struct walk_stream *stream = find_stream(devices, &name);

	return wait->correlation != 0 && wait->end_ns + WALK_CALL_KEEP_NS >= forget_ns &&
	       (!stream || stream->passed_correlation < wait->correlation);
}

/* A wait told by a call is over long before what it is for: only those that are passed go. */
static void sweep_waits(struct walk_devices *devices, uint64_t forget_ns)
{
	struct walk_ring *waits = &devices->waits;
	const size_t old_count = walk_ring_below(waits, forget_ns);
	size_t kept = old_count;

	for (size_t i = old_count; i > 0 && old_count - kept < WALK_OLD_WAITS_MAX; i--) {
		const struct walk_stream_wait *wait = walk_ring_at(waits, i - 1);

		if (may_hold_up(devices, wait, forget_ns)) {
			kept--;
			*(struct walk_stream_wait *)walk_ring_at(waits, kept) = *wait;
		}
	}
	walk_ring_drop_front(waits, kept);
}

void walk_devices_sweep(struct walk_devices *devices, uint64_t forget_ns)
{
	struct sweep sweep = {.devices = devices, .forget_ns = forget_ns};

	for (size_t i = 0; i < devices->by_stream.capacity; i++) {
		if (devices->by_stream.entries[i].value) {
			note_passed(devices->by_stream.entries[i].value, forget_ns);
		}
	}
	sweep_waits(devices, forget_ns);
	walk_map_sweep(&devices->by_stream, keeps_stream, &sweep);
	for (size_t i = 0; i < DEVICE_COUNT_MAX; i++) {
		walk_ring_drop_front(
			&devices->busy[i], walk_ring_below(&devices->busy[i], forget_ns));
	}
}
