/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_digest.h"

#include "trace/base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, const struct event *event)
{
	const struct event_operation *operation = event_operation(event);

	if (event->kind == EVENT_GPU_DEVICE) {
		return event->device.uuid
			       ? hash_bytes(hash, event->device.uuid, strlen(event->device.uuid))
			       : hash;
	}
	hash = hash_bytes(hash, &event->pid, sizeof(event->pid));
	hash = hash_bytes(hash, &operation->device, sizeof(operation->device));
	hash = hash_bytes(hash, &operation->correlation, sizeof(operation->correlation));
	hash = hash_bytes(hash, &operation->start_ns, sizeof(operation->start_ns));
	return hash_bytes(hash, &operation->end_ns, sizeof(operation->end_ns));
}

bool import_digest_add(struct import_digest *digests, size_t count, size_t index,
	const struct event *event, size_t *out_twin)
{
	struct import_digest *digest = &digests[index];
	bool is_operation;

	if (digest->count == IMPORT_DIGEST_COUNT) {
		return false;
	}
	is_operation = event_operation(event) != NULL;
	if (!is_operation && event->kind != EVENT_GPU_DEVICE) {
		return false;
	}
	digest->hash = mix(digest->hash ? digest->hash : HASH_START, event);
	digest->count += is_operation;
	for (size_t i = 0; i < count && digest->count == IMPORT_DIGEST_COUNT; i++) {
		if (i != index && digests[i].count == IMPORT_DIGEST_COUNT &&
			digests[i].hash == digest->hash) {
			*out_twin = i;
			return true;
		}
	}
	return false;
}
