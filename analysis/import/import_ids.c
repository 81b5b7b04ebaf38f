/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_ids.h"

/* Where new numbers begin: far above what Linux (2^22) and the exporters (2^24) hand out. */
#define ID_FIRST_NEW (1 << 30)

/*
 * Numbers remembered: a million threads in one job means that something else was taken for thread
 * numbers. Those past it keep their own.
 */
#define ID_COUNT_MAX (1u << 20)

/* The tables keep pointers; a number is one more than itself, since NULL means nothing. */
static void *pack(uint64_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static uint64_t unpack(const void *value)
{
	return (uint64_t)(uintptr_t)value - 1;
}

/* A number that no file uses. */
static int32_t find_new(struct import_ids *ids)
{
	if (ids->next < ID_FIRST_NEW) {
		ids->next = ID_FIRST_NEW;
	}
	while (walk_map_find(&ids->owners, (uint32_t)ids->next, 0)) {
		ids->next++;
	}
	return ids->next++;
}

enum status import_ids_get(
	struct import_ids *ids, uint32_t file, int32_t id, int32_t *out_id, bool *out_is_new_number)
{
	const void *known = walk_map_find(&ids->assigned, file, (uint32_t)id);
	const void *owner = walk_map_find(&ids->owners, (uint32_t)id, 0);
	int32_t assigned = id;
	enum status status;

	*out_is_new_number = false;
	if (id == 0 || (!known && ids->assigned.count >= ID_COUNT_MAX)) {
		*out_id = id;
		return STATUS_OK;
	}
	if (known) {
		*out_id = (int32_t)(uint32_t)unpack(known);
		return STATUS_OK;
	}
	if (owner && unpack(owner) != file) {
		assigned = find_new(ids);
	}
	status = walk_map_put(&ids->assigned, file, (uint32_t)id, pack((uint32_t)assigned));
	if (status == STATUS_OK) {
		status = walk_map_put(&ids->owners, (uint32_t)assigned, 0, pack(file));
	}
	if (status == STATUS_OK) {
		*out_id = assigned;
		*out_is_new_number = assigned != id;
	}
	return status;
}

void import_ids_finish(struct import_ids *ids)
{
	walk_map_finish(&ids->assigned);
	walk_map_finish(&ids->owners);
	*ids = (struct import_ids){0};
}
