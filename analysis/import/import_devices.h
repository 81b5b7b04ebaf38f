/* SPDX-License-Identifier: MIT */
/*
 * The devices of a set of files: who told of each, and the identity of those whose file knows none.
 * As many as a report can hold; more come only from damaged files. All zero is an empty table.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/limits.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* (process, ordinal) pairs: every process of a host may use every device, as in the engine. */
#define IMPORT_USER_COUNT_MAX 4096

/* One place of the engine's table has to stay free for a device whose identity is not told yet. */
#define IMPORT_GPU_COUNT_MAX (DEVICE_COUNT_MAX - 1)

/* A device as one process numbers it. */
struct import_user {
	int32_t pid;
	int32_t ordinal;
};

struct import_devices {
	struct import_user *users;
	size_t count;
	size_t capacity;
	size_t last; /* who was found last */
	char uuids[IMPORT_GPU_COUNT_MAX][NAME_BYTES_MAX];
	size_t uuid_count;
	/* For each ordinal which file, counted from 1, told of it without a UUID; 0: none. */
	size_t nameless[DEVICE_COUNT_MAX];
	bool has_asked;
};

bool import_devices_has(struct import_devices *devices, struct import_user user);

/* Adds a user of the device `uuid`; OVER_LIMIT when a report could not hold it. */
MUST_CHECK enum status import_devices_add(
	struct import_devices *devices, struct import_user user, const char *uuid);

/*
 * A file tells of a device without a UUID: true, once for all files, when another one did of the
 * same ordinal, since the two may be one.
 */
bool import_devices_ask(
	struct import_devices *devices, size_t file, int32_t ordinal, size_t *out_other);

void import_devices_finish(struct import_devices *devices);
