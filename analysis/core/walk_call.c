/* SPDX-License-Identifier: MIT */
#include "analysis/core/walk_call.h"

#include "analysis/core/walk_names.h"

#include <string.h>

/* A call that is nested in another one is looked for among so many that ended after it. */
#define NESTED_CALLS_MAX 8

void walk_calls_init(struct walk_calls *calls)
{
	*calls = (struct walk_calls){0};
	walk_slab_init(&calls->slab, sizeof(struct walk_call));
	walk_ring_init(&calls->arrivals, sizeof(struct walk_call *));
	walk_slab_init(&calls->firsts, sizeof(struct walk_call_first));
}

void walk_calls_finish(struct walk_calls *calls)
{
	walk_slab_finish(&calls->slab);
	walk_map_finish(&calls->by_correlation);
	walk_ring_finish(&calls->arrivals);
	walk_map_finish(&calls->first);
	walk_slab_finish(&calls->firsts);
}

struct word {
	const char *text;
	enum walk_call_category category;
};

/* The first that occurs in a call's name decides: cudaFreeHost, cuMemHostAlloc, simLaunch:ntt. */
static const struct word words[] = {
	{"MallocAsync", WALK_CALL_ALLOC},
	{"Synchronize", WALK_CALL_SYNC},
	{"Launch", WALK_CALL_LAUNCH},
	{"Memcpy", WALK_CALL_COPY},
	{"Memset", WALK_CALL_LAUNCH}, /* on the device, as a kernel would */
	{"Unregister", WALK_CALL_FREE},
	{"Free", WALK_CALL_FREE},
	{"MemRelease", WALK_CALL_FREE},
	{"TrimTo", WALK_CALL_FREE},
	{"Alloc", WALK_CALL_ALLOC},
	{"Malloc", WALK_CALL_ALLOC},
	{"alloc", WALK_CALL_ALLOC},
	{"HostRegister", WALK_CALL_ALLOC},
	{"MemCreate", WALK_CALL_ALLOC},
};

static enum walk_call_category find_category(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strstr(name, words[i].text)) {
			return words[i].category;
		}
	}
	return WALK_CALL_OTHER;
}

enum walk_call_category walk_call_category(const char *name)
{
	struct walk_name_facts *facts = walk_names_facts(name);

	if (facts->call_category == 0) {
		facts->call_category = (uint8_t)(find_category(name) + 1);
	}
	return (enum walk_call_category)(facts->call_category - 1);
}

static void release(struct walk_calls *calls, struct walk_call *call)
{
	/* In the table by number, on its thread by time: gone when both have let it go. */
	if (!call->is_in_lane && !call->is_in_map) {
		walk_slab_give_back(&calls->slab, call);
	}
}

static void forget_oldest(struct walk_calls *calls)
{
	struct walk_call *call;

	memcpy(&call, walk_ring_at(&calls->arrivals, 0), sizeof(struct walk_call *));
	walk_ring_drop_front(&calls->arrivals, 1);
	/* A number used twice has a newer call in its place by now. */
	if (walk_map_find(&calls->by_correlation, (uint32_t)call->pid, call->correlation) == call) {
		(void)walk_map_remove(
			&calls->by_correlation, (uint32_t)call->pid, call->correlation);
	}
	call->is_in_map = false;
	release(calls, call);
}

static struct walk_call *new_call(struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	struct walk_call *call = walk_slab_take(&calls->slab);

	if (call) {
		*call = (struct walk_call){.pid = pid,
			.correlation = correlation,
			.name = "",
			.first_kernel_ns = UINT64_MAX};
	}
	return call;
}

/* A new one in the table, in the place of an older one of the same number. */
static struct walk_call *enter_map(
	struct walk_calls *calls, struct walk_map_entry *entry, int32_t pid, uint64_t correlation)
{
	struct walk_call *call = new_call(calls, pid, correlation);

	if (!call || walk_ring_push(&calls->arrivals, &call) != STATUS_OK) {
		return NULL;
	}
	walk_map_fill(&calls->by_correlation, entry, (uint32_t)pid, correlation, call);
	call->is_in_map = true;
	if (calls->arrivals.count > WALK_CALL_COUNT_MAX) {
		forget_oldest(calls);
	}
	return call;
}

struct walk_call *walk_calls_get(struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	struct walk_map_entry *entry =
		walk_map_reserve(&calls->by_correlation, (uint32_t)pid, correlation);

	if (!entry) {
		return NULL;
	}
	return entry->value ? entry->value : enter_map(calls, entry, pid, correlation);
}

/* The call that a record is of: a number used twice is taken over by the newer one. */
static struct walk_call *call_of(struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	struct walk_map_entry *entry;
	struct walk_call *call;

	if (correlation == 0) {
		return new_call(calls, pid, 0);
	}
	entry = walk_map_reserve(&calls->by_correlation, (uint32_t)pid, correlation);
	if (!entry) {
		return NULL;
	}
	call = entry->value;
	if (call && call->has_record && calls->keeps_first) {
		return new_call(calls, pid, correlation); /* the driver's, inside the runtime's */
	}
	return call && !call->has_record ? call : enter_map(calls, entry, pid, correlation);
}

/* Keeps the order by end: records of one thread come nearly in order. */
static enum status enter_lane(struct walk_lane *lane, struct walk_call *call)
{
	const struct walk_lane_call entry = {.end_ns = call->end_ns, .call = call};
	size_t i = lane->calls.count;

	while (i > 0) {
		const struct walk_lane_call *before = walk_ring_at(&lane->calls, i - 1);

		if (before->end_ns < call->end_ns ||
			(before->end_ns == call->end_ns &&
				before->call->start_ns >= call->start_ns)) {
			break;
		}
		i--;
	}
	call->is_in_lane = true;
	return walk_ring_insert(&lane->calls, i, &entry);
}

enum status walk_calls_note_first(struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	struct walk_call_first *first = walk_map_find(&calls->first, (uint32_t)pid, 0);
	enum status status = STATUS_OK;

	if (!first) {
		first = walk_slab_take(&calls->firsts);
		if (!first) {
			return STATUS_NO_MEMORY;
		}
		first->correlation = correlation;
		status = walk_map_put(&calls->first, (uint32_t)pid, 0, first);
	}
	if (correlation < first->correlation) {
		first->correlation = correlation;
	}
	return status;
}

bool walk_calls_began_after(const struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	const struct walk_call_first *first = walk_map_find(&calls->first, (uint32_t)pid, 0);

	return first && correlation != 0 && correlation < first->correlation;
}

struct walk_call *walk_calls_add(
	struct walk_calls *calls, struct walk_lane *lane, const struct walk_call *record)
{
	struct walk_call *call = call_of(calls, record->pid, record->correlation);

	if (!call) {
		return NULL;
	}
	call->start_ns = record->start_ns;
	call->end_ns = record->end_ns > record->start_ns ? record->end_ns : record->start_ns;
	call->name = record->name;
	call->category = record->category;
	call->lane = lane->self;
	call->has_record = true;
	return enter_lane(lane, call) == STATUS_OK ? call : NULL;
}

const struct walk_call *walk_calls_find(
	const struct walk_calls *calls, int32_t pid, uint64_t correlation)
{
	const struct walk_call *call =
		walk_map_find(&calls->by_correlation, (uint32_t)pid, correlation);

	return call && call->has_record ? call : NULL;
}

const struct walk_call *walk_calls_at(const struct walk_lane *lane, uint64_t y_ns)
{
	/* Calls by end: the innermost around y is the first that ends at y or later and began
	 * before it. */
	const size_t first = walk_ring_below(&lane->calls, y_ns);

	for (size_t i = first; i < lane->calls.count && i - first < NESTED_CALLS_MAX; i++) {
		const struct walk_lane_call *entry = walk_ring_at(&lane->calls, i);

		if (entry->call->start_ns < y_ns) {
			return entry->call;
		}
	}
	return NULL;
}

uint64_t walk_calls_end_before(const struct walk_lane *lane, uint64_t y_ns)
{
	const size_t i = walk_ring_below(&lane->calls, y_ns);
	const struct walk_lane_call *entry;

	if (i == 0) {
		return 0;
	}
	entry = walk_ring_at(&lane->calls, i - 1);
	return entry->end_ns;
}

void walk_calls_prune_lane(struct walk_calls *calls, struct walk_lane *lane, uint64_t forget_ns)
{
	while (lane->calls.count > 0) {
		const struct walk_lane_call *entry = walk_ring_at(&lane->calls, 0);
		struct walk_call *call = entry->call;

		if (entry->end_ns >= forget_ns) {
			return;
		}
		walk_lane_forget(lane, entry->end_ns);
		walk_ring_drop_front(&lane->calls, 1);
		call->is_in_lane = false;
		release(calls, call);
	}
}

static bool is_still_wanted(const struct walk_call *call, uint64_t forget_ns)
{
	const bool issues = call->category == WALK_CALL_LAUNCH || call->category == WALK_CALL_COPY;
	const uint64_t end_ns = call->has_record ? call->end_ns : call->last_end_ns;

	if (end_ns >= forget_ns || call->last_end_ns >= forget_ns) {
		return true;
	}
	/* What it issued, or the call itself, may still be told. */
	return (!call->has_record || (issues && call->operation_count == 0)) &&
	       end_ns + WALK_CALL_KEEP_NS >= forget_ns;
}

void walk_calls_prune(struct walk_calls *calls, uint64_t forget_ns, size_t count_max)
{
	/* In order of arrival: the first that is still wanted ends the search. */
	for (; calls->arrivals.count > 0 && count_max > 0; count_max--) {
		struct walk_call *call;

		memcpy(&call, walk_ring_at(&calls->arrivals, 0), sizeof(struct walk_call *));
		if (is_still_wanted(call, forget_ns)) {
			return;
		}
		forget_oldest(calls);
	}
}
