/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_devices.h"

#include "trace/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool import_devices_has(struct import_devices *devices, struct import_user user)
{
	/* Operations of one device come in rows. */
	for (size_t i = 0; i < devices->count; i++) {
		const size_t place = (devices->last + i) % devices->count;

		if (devices->users[place].pid == user.pid &&
			devices->users[place].ordinal == user.ordinal) {
			devices->last = place;
			return true;
		}
	}
	return false;
}

static enum status add_uuid(struct import_devices *devices, const char *uuid)
{
	for (size_t i = 0; i < devices->uuid_count; i++) {
		if (strcmp(devices->uuids[i], uuid) == 0) {
			return STATUS_OK;
		}
	}
	if (devices->uuid_count == IMPORT_GPU_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	(void)snprintf(devices->uuids[devices->uuid_count++], NAME_BYTES_MAX, "%s", uuid);
	return STATUS_OK;
}

enum status import_devices_add(
	struct import_devices *devices, struct import_user user, const char *uuid)
{
	enum status status;

	if (devices->count == IMPORT_USER_COUNT_MAX) {
		return STATUS_OVER_LIMIT;
	}
	status = add_uuid(devices, uuid);
	if (status != STATUS_OK) {
		return status;
	}
	if (!ARRAY_MAKE_ROOM(devices->users, devices->count, devices->capacity, 16)) {
		return STATUS_NO_MEMORY;
	}
	devices->users[devices->count++] = user;
	return STATUS_OK;
}

bool import_devices_ask(
	struct import_devices *devices, size_t file, int32_t ordinal, size_t *out_other)
{
	size_t *first;

	if (devices->has_asked || ordinal < 0 || ordinal >= DEVICE_COUNT_MAX) {
		return false;
	}
	first = &devices->nameless[ordinal];
	if (*first == 0) {
		*first = file + 1;
	}
	devices->has_asked = *first != file + 1;
	*out_other = *first - 1;
	return devices->has_asked;
}

void import_devices_finish(struct import_devices *devices)
{
	free(devices->users);
	*devices = (struct import_devices){0};
}
