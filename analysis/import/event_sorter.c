/* SPDX-License-Identifier: MIT */
#include "analysis/import/event_sorter.h"

#include "analysis/import/event_sorter_record.h"
#include "analysis/import/event_sorter_runs.h"
#include "trace/base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Grown by doubling from here, so that a small file costs little. */
#define BUFFER_BYTES_MIN 65536

/* Where a record lies, with what it is sorted by, so that sorting touches no record. */
struct place {
	uint64_t time_ns;
	uint64_t order;
	size_t offset; /* grows with the order of adding */
};

struct event_sorter {
	size_t memory_bytes;
	struct walk_names names;
	unsigned char *bytes;
	size_t used_bytes;
	size_t capacity_bytes;
	struct place *places;
	size_t place_count;
	size_t place_capacity;
	size_t next_place; /* when nothing was spilled */
	bool is_finished;
	struct event_sorter_runs *runs; /* NULL: nothing was spilled */
};

enum status event_sorter_create(size_t memory_bytes, struct event_sorter **out_sorter)
{
	struct event_sorter *sorter = calloc(1, sizeof(*sorter));

	if (!sorter) {
		return STATUS_NO_MEMORY;
	}
	sorter->memory_bytes = memory_bytes;
	*out_sorter = sorter;
	return STATUS_OK;
}

void event_sorter_destroy(struct event_sorter *sorter)
{
	if (!sorter) {
		return;
	}
	event_sorter_runs_destroy(sorter->runs);
	walk_names_finish(&sorter->names);
	free(sorter->bytes);
	free(sorter->places);
	free(sorter);
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	if (a->time_ns != b->time_ns) {
		return a->time_ns < b->time_ns ? -1 : 1;
	}
	if (a->order != b->order) {
		return a->order < b->order ? -1 : 1;
	}
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Much of a trace is in order already: sorting it then would be work for nothing. */
static void sort(struct event_sorter *sorter)
{
	size_t i = 1;

	while (i < sorter->place_count &&
		compare_places(&sorter->places[i - 1], &sorter->places[i]) < 0) {
		i++;
	}
	if (i < sorter->place_count) {
		qsort(sorter->places, sorter->place_count, sizeof(*sorter->places), compare_places);
	}
}

static enum status spill(struct event_sorter *sorter, struct diag *diag)
{
	enum status status = STATUS_OK;

	if (!sorter->runs) {
		status = event_sorter_runs_create(&sorter->runs, diag);
	}
	if (status == STATUS_OK) {
		status = event_sorter_runs_begin(sorter->runs);
	}
	sort(sorter);
	for (size_t i = 0; i < sorter->place_count && status == STATUS_OK; i++) {
		const unsigned char *bytes = sorter->bytes + sorter->places[i].offset;
		struct event_record record;

		memcpy(&record, bytes, sizeof(record));
		status = event_sorter_runs_write(sorter->runs, bytes, record.size, diag);
	}
	if (status == STATUS_OK) {
		status = event_sorter_runs_end(sorter->runs, diag);
	}
	sorter->place_count = 0;
	sorter->used_bytes = 0;
	return status;
}

static enum status make_room(struct event_sorter *sorter)
{
	if (sorter->capacity_bytes - sorter->used_bytes < EVENT_RECORD_BYTES_MAX) {
		const size_t capacity =
			sorter->capacity_bytes ? sorter->capacity_bytes * 2 : BUFFER_BYTES_MIN;
		unsigned char *bytes = realloc(sorter->bytes, capacity);

		if (!bytes) {
			return STATUS_NO_MEMORY;
		}
		sorter->bytes = bytes;
		sorter->capacity_bytes = capacity;
	}
	if (!ARRAY_MAKE_ROOM(sorter->places, sorter->place_count, sorter->place_capacity,
		    BUFFER_BYTES_MIN / sizeof(struct place))) {
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

enum status event_sorter_add(
	struct event_sorter *sorter, const struct event *event, uint64_t order, struct diag *diag)
{
	enum status status = STATUS_OK;
	size_t size = 0;

	assert(!sorter->is_finished);
	if (sorter->place_count > 0 &&
		sorter->used_bytes + EVENT_RECORD_BYTES_MAX +
				(sorter->place_count + 1) * sizeof(struct place) >
			sorter->memory_bytes) {
		status = spill(sorter, diag);
	}
	if (status == STATUS_OK) {
		status = make_room(sorter);
	}
	if (status == STATUS_OK) {
		status = event_record_pack(
			event, order, &sorter->names, sorter->bytes + sorter->used_bytes, &size);
	}
	if (status != STATUS_OK) {
		return status;
	}
	sorter->places[sorter->place_count++] = (struct place){
		.time_ns = event->time_ns,
		.order = order,
		.offset = sorter->used_bytes,
	};
	sorter->used_bytes += size;
	return STATUS_OK;
}

enum status event_sorter_finish(struct event_sorter *sorter, struct diag *diag)
{
	enum status status;

	assert(!sorter->is_finished);
	sorter->is_finished = true;
	if (!sorter->runs) {
		sort(sorter);
		return STATUS_OK;
	}
	status = spill(sorter, diag);
	/* The merge has its own buffers. */
	free(sorter->bytes);
	free(sorter->places);
	sorter->bytes = NULL;
	sorter->places = NULL;
	return status == STATUS_OK
		       ? event_sorter_runs_start(sorter->runs, sorter->memory_bytes, diag)
		       : status;
}

enum status event_sorter_next(struct event_sorter *sorter, struct event *out_event,
	uint64_t *out_order, bool *out_has_event, struct diag *diag)
{
	const unsigned char *record = NULL;

	assert(sorter->is_finished);
	if (sorter->runs) {
		const enum status status = event_sorter_runs_next(sorter->runs, &record, diag);

		if (status != STATUS_OK) {
			return status;
		}
	} else if (sorter->next_place < sorter->place_count) {
		record = sorter->bytes + sorter->places[sorter->next_place++].offset;
	}
	*out_has_event = record != NULL;
	if (record) {
		event_record_unpack(record, out_event, out_order);
	}
	return STATUS_OK;
}

size_t event_sorter_run_count(const struct event_sorter *sorter)
{
	return sorter->runs ? event_sorter_runs_count(sorter->runs) : 0;
}

uint64_t event_sorter_refused_count(const struct event_sorter *sorter)
{
	return sorter->names.refused_count;
}
