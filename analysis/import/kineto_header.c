/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_header.h"

#include "analysis/import/kineto_number.h"
#include "trace/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum kineto_header_key find_key(const char *name)
{
	static const struct {
		const char *name;
		enum kineto_header_key key;
	} keys[] = {
		{"traceEvents", KINETO_HEADER_EVENTS},
		{"baseTimeNanoseconds", KINETO_HEADER_BASE},
		{"deviceProperties", KINETO_HEADER_DEVICES},
		{"computeProperties", KINETO_HEADER_DEVICES}, /* before 2021 */
		{"distributedInfo", KINETO_HEADER_DISTRIBUTED},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, name) == 0) {
			return keys[i].key;
		}
	}
	return KINETO_HEADER_OTHER;
}

bool kineto_header_is_list(struct kineto_header *header, uint32_t depth)
{
	if (depth == 2 && header->is_object && header->key == KINETO_HEADER_EVENTS) {
		header->has_named_list = true;
		return true;
	}
	return depth == 1;
}

/* The device of that ordinal, or NULL when there are too many. */
static struct kineto_device *get_device(struct kineto_trace *trace, int64_t ordinal)
{
	struct kineto_device *device;

	for (uint32_t i = 0; i < trace->device_count; i++) {
		if (trace->devices[i].ordinal == ordinal) {
			return &trace->devices[i];
		}
	}
	if (trace->device_count == DEVICE_COUNT_MAX) {
		return NULL;
	}
	device = &trace->devices[trace->device_count++];
	device->ordinal = (int32_t)ordinal;
	return device;
}

void kineto_header_use_device(struct kineto_trace *trace, int32_t ordinal)
{
	struct kineto_device *device = get_device(trace, ordinal);

	if (device) {
		device->is_used = true;
	}
}

/* An object of deviceProperties has ended. */
static void end_device(struct kineto_header *header, struct kineto_trace *trace)
{
	struct kineto_device *device = header->device >= 0 && header->device <= INT32_MAX
					       ? get_device(trace, header->device)
					       : NULL;

	if (device) {
		(void)snprintf(device->name, sizeof(device->name), "%s", header->device_name);
	}
	header->device = -1;
	header->device_name[0] = '\0';
}

static void take_device(struct kineto_header *header, enum kineto_token token, const char *text)
{
	if (token == KINETO_NUMBER && strcmp(header->inner, "id") == 0) {
		if (!kineto_number_integer(text, &header->device)) {
			header->device = -1;
		}
	} else if (token == KINETO_STRING && strcmp(header->inner, "name") == 0) {
		(void)snprintf(header->device_name, sizeof(header->device_name), "%s", text);
	}
}

static void take_distributed(
	const struct kineto_header *header, struct kineto_trace *trace, const char *text)
{
	int64_t number;

	if (!kineto_number_integer(text, &number)) {
		return;
	}
	if (strcmp(header->inner, "rank") == 0) {
		trace->rank = number;
		trace->has_rank = true;
	} else if (strcmp(header->inner, "world_size") == 0) {
		trace->world_size = number;
	}
}

void kineto_header_take_base(struct kineto_trace *trace, const char *text)
{
	uint64_t base_ns;

	if (kineto_number_unsigned(text, &base_ns) && base_ns != 0) {
		trace->has_base = true;
		trace->base_ns = base_ns;
	}
}

static void take_inner(struct kineto_header *header, struct kineto_trace *trace,
	enum kineto_token token, uint32_t depth, const char *text)
{
	if (token == KINETO_KEY) {
		(void)snprintf(header->inner, sizeof(header->inner), "%.*s",
			(int)sizeof(header->inner) - 1, text);
	} else if (header->key == KINETO_HEADER_DEVICES && depth == 3) {
		if (token == KINETO_BEGIN_OBJECT) {
			header->device = -1;
		} else if (token == KINETO_END_OBJECT) {
			end_device(header, trace);
		} else {
			take_device(header, token, text);
		}
	} else if (header->key == KINETO_HEADER_DISTRIBUTED && depth == 2 &&
		   token == KINETO_NUMBER) {
		take_distributed(header, trace, text);
	}
}

void kineto_header_take(struct kineto_header *header, struct kineto_trace *trace,
	enum kineto_token token, uint32_t depth, const char *text)
{
	if (depth > 1) {
		take_inner(header, trace, token, depth, text);
	} else if (token == KINETO_BEGIN_OBJECT) {
		header->is_object = true;
	} else if (token == KINETO_KEY) {
		header->key = find_key(text);
	} else if (token == KINETO_NUMBER && header->key == KINETO_HEADER_BASE) {
		kineto_header_take_base(trace, text);
	}
}

/* "thread 1102 (python3)" is what Kineto makes of python3. */
static char *copy_thread_name(const char *label)
{
	const char *begin = strncmp(label, "thread ", 7) == 0 ? strchr(label, '(') : NULL;
	size_t length;

	begin = begin ? begin + 1 : label;
	length = strlen(begin);
	if (begin != label && length > 0 && begin[length - 1] == ')') {
		length--;
	}
	return strndup(begin, length);
}

static enum status add_thread(struct kineto_trace *trace, const struct kineto_row *row)
{
	struct kineto_thread thread = {
		.pid = (int32_t)row->pid.value, .tid = (int32_t)row->tid.value};

	if (trace->thread_count == KINETO_THREAD_COUNT_MAX) {
		return STATUS_OK;
	}
	if (!ARRAY_MAKE_ROOM(trace->threads, trace->thread_count, trace->thread_capacity, 64)) {
		return STATUS_NO_MEMORY;
	}
	thread.name = copy_thread_name(row->label);
	if (!thread.name) {
		return STATUS_NO_MEMORY;
	}
	trace->threads[trace->thread_count++] = thread;
	return STATUS_OK;
}

enum status kineto_header_take_metadata(struct kineto_trace *trace, const struct kineto_row *row)
{
	if (!row->pid.is_there || row->pid.is_text || row->label[0] == '\0') {
		return STATUS_OK;
	}
	/* The tracks of devices are told as processes of small numbers, with the same name. */
	if (strcmp(row->name, "process_name") == 0 && trace->process_name[0] == '\0') {
		(void)snprintf(trace->process_name, sizeof(trace->process_name), "%s", row->label);
	}
	if (strcmp(row->name, "thread_name") == 0 && row->tid.is_there && !row->tid.is_text) {
		return add_thread(trace, row);
	}
	return STATUS_OK;
}
