/* SPDX-License-Identifier: MIT */
#include "analysis/import/event_sorter_record.h"

#include <string.h>

static size_t storage_bytes(enum field_storage storage)
{
	switch (storage) {
	case FIELD_U64:
	case FIELD_DURATION:
	case FIELD_TIME:
	case FIELD_STATE:
		return sizeof(uint64_t);
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_TID:
	case FIELD_WORK:
		return sizeof(uint32_t);
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_STRING:
		break;
	}
	return sizeof(const char *);
}

/* A field's bytes; of a name, the address of the one that is kept. */
static enum status pack_field(const struct event *event, const struct event_field *field,
	struct walk_names *names, unsigned char *bytes)
{
	const char *name;

	memcpy(bytes, (const char *)event + field->offset, storage_bytes(field->storage));
	if (field->storage != FIELD_STRING) {
		return STATUS_OK;
	}
	memcpy(&name, bytes, sizeof(name));
	name = walk_names_keep(names, name);
	memcpy(bytes, &name, sizeof(name));
	return name ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status event_record_pack(const struct event *event, uint64_t order, struct walk_names *names,
	unsigned char *bytes, size_t *out_size)
{
	const struct event_field *field = event_fields_of(event->kind)->fields;
	struct event_record record = {
		.time_ns = event->time_ns,
		.order = order,
		.pid = event->pid,
		.tid = event->tid,
		.kind = event->kind,
		.size = sizeof(record),
	};

	for (; field->name; field++) {
		const enum status status = pack_field(event, field, names, bytes + record.size);

		if (status != STATUS_OK) {
			return status;
		}
		record.size += (uint32_t)storage_bytes(field->storage);
	}
	memcpy(bytes, &record, sizeof(record));
	*out_size = record.size;
	return STATUS_OK;
}

void event_record_unpack(const unsigned char *bytes, struct event *out_event, uint64_t *out_order)
{
	const struct event_field *field;
	struct event_record record;

	memcpy(&record, bytes, sizeof(record));
	*out_event = (struct event){
		.kind = (enum event_kind)record.kind,
		.time_ns = record.time_ns,
		.pid = record.pid,
		.tid = record.tid,
	};
	*out_order = record.order;
	bytes += sizeof(record);
	for (field = event_fields_of(out_event->kind)->fields; field->name; field++) {
		const size_t size = storage_bytes(field->storage);

		memcpy((char *)out_event + field->offset, bytes, size);
		bytes += size;
	}
}
