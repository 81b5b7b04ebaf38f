/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_set.h"

#include "analysis/core/event_fields.h"
#include "analysis/core/merge_heap.h"
#include "analysis/import/import_devices.h"
#include "analysis/import/import_digest.h"
#include "analysis/import/import_ids.h"
#include "analysis/import/import_shift.h"
#include "trace/base/line.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often watermarks come: what waits for one is small, and few of a hundred events are ours. */
#define WATERMARK_EVERY 4096

/*
 * Times beyond this are no times: 2116 for a clock that counts from 1970. It leaves room for what
 * babeltrace2 adds to them in 63 bits.
 */
#define TIME_NS_MAX (1ULL << 62)

/* The process of a file that names none: one of its own, since correlations are unique in it alone.
 */
#define NAMELESS_PID (-1)

/* The names of all threads that one event may bring, a device, the event and notes about it. */
#define QUEUE_COUNT 13

struct set_file {
	char *name;
	struct import_reader *reader;
	uint64_t shift_ns;
	struct event head; /* its next event */
};

struct import_set {
	struct set_file files[IMPORT_FILE_COUNT_MAX];
	size_t file_count;
	struct merge_head heads[IMPORT_FILE_COUNT_MAX];
	struct merge_heap heap;
	struct import_ids ids;
	struct import_devices devices;
	struct import_digest digests[IMPORT_FILE_COUNT_MAX];
	/* What one event of a file became. Texts that are ours lie beside it. */
	struct event queue[QUEUE_COUNT];
	char texts[QUEUE_COUNT][DIAG_LINE_BYTES_MAX];
	size_t first;
	size_t count;
	bool has_begun;
	bool has_taken; /* the earliest head was handed out: it is to be replaced */
	bool has_ended;
	bool told_clocks;
	uint64_t last_ns;
	uint64_t since_watermark; /* events */
	size_t next_watermark;    /* of the devices' users */
	size_t watermark_count;   /* the users of the round under way */
	uint64_t out_of_time;     /* events left out, as the next */
	uint64_t out_of_devices;
};

enum status import_set_create(struct import_set **out_set)
{
	struct import_set *set = calloc(1, sizeof(*set));

	if (!set) {
		return STATUS_NO_MEMORY;
	}
	set->heap.heads = set->heads;
	*out_set = set;
	return STATUS_OK;
}

enum status import_set_add(struct import_set *set, const char *name, struct import_reader **reader)
{
	struct set_file *file = &set->files[set->file_count];

	assert(!set->has_begun);

	if (set->file_count == IMPORT_FILE_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	file->name = strdup(name);
	if (!file->name) {
		return STATUS_NO_MEMORY;
	}
	line_clean(file->name, strlen(file->name));
	file->reader = MOVE(*reader);
	set->file_count++;
	return STATUS_OK;
}

static bool has_epoch(const struct import_reader *reader)
{
	return reader->has_epoch && reader->epoch_ns < TIME_NS_MAX;
}

bool import_set_epoch(const struct import_set *set, uint64_t *out_epoch_ns)
{
	uint64_t epoch_ns = UINT64_MAX;

	for (size_t i = 0; i < set->file_count; i++) {
		if (!has_epoch(set->files[i].reader)) {
			return false;
		}
		if (set->files[i].reader->epoch_ns < epoch_ns) {
			epoch_ns = set->files[i].reader->epoch_ns;
		}
	}
	*out_epoch_ns = epoch_ns;
	return set->file_count > 0;
}

/* Gets the next event of a file, on the common clock. */
static enum status read_head(
	struct import_set *set, struct set_file *file, bool *out_has_event, struct diag *diag)
{
	size_t twin;

	for (;;) {
		const enum status status = file->reader->operations->next(
			file->reader, &file->head, out_has_event, diag);

		if (status != STATUS_OK || !*out_has_event) {
			return status;
		}
		if (file->shift_ns > 0) {
			import_shift_event(&file->head, file->shift_ns);
		}
		if (import_digest_add(set->digests, set->file_count, (size_t)(file - set->files),
			    &file->head, &twin)) {
			return diag_set(diag, STATUS_BAD_USE,
				"%s and %s are of one recording: name one of them",
				set->files[twin].name, file->name);
		}
		if (file->head.time_ns < TIME_NS_MAX) {
			return STATUS_OK;
		}
		set->out_of_time++;
	}
}

static enum status begin(struct import_set *set, struct diag *diag)
{
	enum status status = STATUS_OK;
	uint64_t epoch_ns = 0;
	const bool is_dated = import_set_epoch(set, &epoch_ns);

	set->has_begun = true;
	set->told_clocks = is_dated || set->file_count == 1;
	for (size_t i = 0; i < set->file_count && status == STATUS_OK; i++) {
		struct set_file *file = &set->files[i];
		bool has_event = false;

		if (is_dated) {
			file->shift_ns = file->reader->epoch_ns - epoch_ns;
		}
		status = read_head(set, file, &has_event, diag);
		if (status == STATUS_OK && has_event) {
			merge_heap_add(&set->heap, (struct merge_head){file->head.time_ns, i});
		}
	}
	return status;
}

/* A place in the queue, and the room for its text. */
static struct event *enqueue(struct import_set *set, const struct event *event, char **out_text)
{
	const size_t place = set->first + set->count;

	assert(place < QUEUE_COUNT);

	set->count++;
	set->queue[place] = *event;
	*out_text = set->texts[place];
	return &set->queue[place];
}

/* A line about the input as a whole. */
static void enqueue_note(struct import_set *set, enum event_note_kind kind, uint64_t count,
	const char *format, const char *value)
{
	const struct event note = {.kind = EVENT_IMPORT_NOTE,
		.time_ns = set->last_ns,
		.note = {.kind = kind, .count = count}};
	char *text;
	struct event *event = enqueue(set, &note, &text);

	/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): the formats stand in this file. */
	(void)snprintf(text, DIAG_LINE_BYTES_MAX, format, value);
	event->note.text = text;
}

/* The name of the first file whose time 0 has no date. */
static const char *undated_name(const struct import_set *set)
{
	for (size_t i = 0; i < set->file_count; i++) {
		if (!has_epoch(set->files[i].reader)) {
			return set->files[i].name;
		}
	}
	return "";
}

static enum status replace_id(struct import_set *set, size_t file, int32_t pid, int32_t *id)
{
	const int32_t original = *id;
	bool is_new_number = false;
	const enum status status =
		import_ids_get(&set->ids, (uint32_t)file, original, id, &is_new_number);
	struct event name = {.kind = EVENT_STATE, .time_ns = set->last_ns, .pid = pid};
	struct event *event;
	char *text;

	if (status != STATUS_OK || !is_new_number || original == NAMELESS_PID) {
		return status;
	}
	name.tid = *id;
	name.state.subject = GAPTRACE_STATE_THREAD;
	name.state.tid = *id;
	name.state.work = (struct event_work){.partition = GAPTRACE_NONE, .device = GAPTRACE_NONE};
	event = enqueue(set, &name, &text);
	(void)snprintf(text, NAME_BYTES_MAX, "thread %d of %s", original, set->files[file].name);
	event->state.name = text;
	return STATUS_OK;
}

/* Numbers of processes and threads that are those of this file alone. */
static enum status separate(struct import_set *set, size_t file, struct event *event)
{
	const struct event_fields *fields = event_fields_of(event->kind);
	enum status status;

	if (event->pid == 0 && event->kind != EVENT_IMPORT_NOTE) {
		event->pid = NAMELESS_PID;
	}
	status = replace_id(set, file, event->pid, &event->pid);

	if (status == STATUS_OK) {
		status = replace_id(set, file, event->pid, &event->tid);
	}
	for (size_t i = 0; i < EVENT_FIELD_COUNT_MAX && fields->fields[i].name; i++) {
		void *field = (char *)event + fields->fields[i].offset;

		if (status == STATUS_OK && fields->fields[i].storage == FIELD_TID) {
			status = replace_id(set, file, event->pid, field);
		}
	}
	return status;
}

/* Nobody knows whether device 0 of one file is device 0 of another. */
static void note_nameless(struct import_set *set, size_t file, int32_t ordinal)
{
	char names[DIAG_LINE_BYTES_MAX];
	size_t other;

	if (!import_devices_ask(&set->devices, file, ordinal, &other)) {
		return;
	}
	(void)snprintf(names, sizeof(names), "%.100s and %.100s both tell of a device %" PRId32,
		set->files[other].name, set->files[file].name, ordinal);
	enqueue_note(set, EVENT_NOTE_FACT, 0,
		"%s without a UUID: each counts as a GPU of its own; if they are one, each seems "
		"idle while the other works",
		names);
}

/* What nothing but the set knows of a device: an identity where its file has none. */
static enum status describe(struct import_set *set, size_t file, const struct event *event)
{
	const struct import_user user = {event->pid, event->device.device};
	struct event told = *event;
	char uuid[NAME_BYTES_MAX];
	enum status status;
	struct event *queued;
	char *text;

	if (import_devices_has(&set->devices, user)) {
		return STATUS_OK;
	}
	(void)snprintf(uuid, sizeof(uuid), "%s", event->device.uuid ? event->device.uuid : "");
	if (!uuid[0]) {
		(void)snprintf(uuid, sizeof(uuid), "%s:%d", set->files[file].name, user.ordinal);
		note_nameless(set, file, user.ordinal);
	}
	status = import_devices_add(&set->devices, user, uuid);
	if (status != STATUS_OK) {
		return status;
	}
	queued = enqueue(set, &told, &text);
	(void)snprintf(text, DIAG_LINE_BYTES_MAX, "%s", uuid);
	queued->device.uuid = text;
	return STATUS_OK;
}

/* Tells of a device before its first operation; whether the event itself is to follow. */
static enum status introduce(
	struct import_set *set, size_t file, const struct event *event, bool *out_follows)
{
	const struct event_operation *operation = event_operation(event);
	struct event device = {.kind = EVENT_GPU_DEVICE,
		.time_ns = event->time_ns,
		.pid = event->pid,
		.tid = event->tid,
		.device = {.uuid = "", .name = "", .link = ""}};
	enum status status = STATUS_OK;

	*out_follows = true;
	if (event->kind == EVENT_GPU_DEVICE) {
		*out_follows = false;
		status = describe(set, file, event);
	} else if (operation) {
		device.device.device = operation->device;
		status = describe(set, file, &device);
	}
	if (status == STATUS_OVER_LIMIT) {
		set->out_of_devices += event->kind != EVENT_GPU_DEVICE;
		*out_follows = false;
		status = STATUS_OK;
	}
	return status;
}

/* Texts that would be ambiguous in the company of other files. */
static void name_file(
	struct import_set *set, size_t file, int32_t original_tid, struct event *event, char *text)
{
	const char *name = set->files[file].name;

	if (event->kind == EVENT_IMPORT_NOTE) {
		(void)snprintf(text, DIAG_LINE_BYTES_MAX, "%.128s: %s", name, event->note.text);
		event->note.text = text;
	} else if (event->kind == EVENT_STATE && event->state.subject == GAPTRACE_STATE_THREAD &&
		   event->state.tid != original_tid) {
		(void)snprintf(text, NAME_BYTES_MAX, "%.128s (%d of %s)", event->state.name,
			original_tid, name);
		event->state.name = text;
	}
}

/* Puts what the head of a file becomes into the queue. */
static enum status convert(struct import_set *set, size_t file)
{
	struct event event = set->files[file].head;
	const int32_t original_tid = event.kind == EVENT_STATE ? event.state.tid : 0;
	enum status status = STATUS_OK;
	bool follows = true;
	struct event *queued;
	char *text;

	if (event.time_ns < set->last_ns) {
		event.time_ns = set->last_ns;
	}
	set->last_ns = event.time_ns;
	if (set->file_count > 1) {
		status = separate(set, file, &event);
	}
	/* Whoever counts events without a thread must not count records of devices. */
	if (event.tid == 0 && event.kind >= EVENT_GPU_DEVICE && event.kind <= EVENT_GPU_DROPPED) {
		event.tid = event.pid;
	}
	if (status == STATUS_OK) {
		status = introduce(set, file, &event, &follows);
	}
	if (status != STATUS_OK || !follows) {
		return status;
	}
	queued = enqueue(set, &event, &text);
	if (set->file_count > 1) {
		name_file(set, file, original_tid, queued, text);
	}
	if (!set->told_clocks) {
		set->told_clocks = true;
		enqueue_note(set, EVENT_NOTE_FACT, 0,
			"%s does not tell the date of its time 0: the times of the files are "
			"compared as they stand",
			undated_name(set));
	}
	return STATUS_OK;
}

static struct event watermark(const struct import_set *set, struct import_user user)
{
	return (struct event){
		.kind = EVENT_GPU_WATERMARK,
		.time_ns = set->last_ns,
		.pid = user.pid,
		.tid = user.pid,
		.watermark = {.device = user.ordinal, .complete_until_ns = set->last_ns},
	};
}

static void begin_watermarks(struct import_set *set)
{
	set->since_watermark = 0;
	set->next_watermark = 0;
	set->watermark_count = set->devices.count;
}

static void enqueue_lost(struct import_set *set, uint64_t count, const char *format)
{
	char text[32];

	if (count > 0) {
		(void)snprintf(text, sizeof(text), "%" PRIu64, count);
		enqueue_note(set, EVENT_NOTE_LOST, count, format, text);
	}
}

/* All files are read: what was left out, and the last watermarks. */
static void end(struct import_set *set)
{
	set->has_ended = true;
	enqueue_lost(set, set->out_of_time, "%s records with times beyond any clock were left out");
	enqueue_lost(set, set->out_of_devices,
		"%s operations of more devices than a report holds were left out");
	begin_watermarks(set);
}

/* Goes on by one event of a file; ends when there is none. */
static enum status step(struct import_set *set, struct diag *diag)
{
	bool has_event = true;
	enum status status = STATUS_OK;

	set->first = 0;
	if (!set->has_begun) {
		status = begin(set, diag);
	} else if (set->has_taken) {
		struct set_file *file = &set->files[set->heap.heads[0].input];

		status = read_head(set, file, &has_event, diag);
		if (status == STATUS_OK && has_event) {
			merge_heap_move_first(&set->heap, file->head.time_ns);
		} else if (status == STATUS_OK) {
			merge_heap_remove_first(&set->heap);
		}
	}
	set->has_taken = status == STATUS_OK && set->heap.count > 0;
	if (status != STATUS_OK) {
		return status;
	}
	if (!set->has_taken) {
		end(set);
		return STATUS_OK;
	}
	if (++set->since_watermark >= WATERMARK_EVERY) {
		begin_watermarks(set);
	}
	return convert(set, set->heap.heads[0].input);
}

enum status import_set_next(
	struct import_set *set, struct event *out_event, bool *out_has_event, struct diag *diag)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK && set->count == 0 &&
		set->next_watermark == set->watermark_count && !set->has_ended) {
		status = step(set, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	*out_has_event = true;
	if (set->count > 0) {
		*out_event = set->queue[set->first++];
		set->count--;
	} else if (set->next_watermark < set->watermark_count) {
		*out_event = watermark(set, set->devices.users[set->next_watermark++]);
	} else {
		*out_has_event = false;
	}
	return STATUS_OK;
}

void import_set_destroy(struct import_set *set)
{
	if (!set) {
		return;
	}
	for (size_t i = 0; i < set->file_count; i++) {
		import_reader_destroy(set->files[i].reader);
		free(set->files[i].name);
	}
	import_ids_finish(&set->ids);
	import_devices_finish(&set->devices);
	free(set);
}
