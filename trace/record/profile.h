/* SPDX-License-Identifier: MIT */
/*
 * A recording profile: which events go to which channel, and how large the buffers are. Read from
 * an INI file; see trace/profiles/full.conf for the format. A profile is plain data once loaded.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* One for frequent events, one for keyframes, and room for two of a user's own. */
#define PROFILE_CHANNEL_COUNT_MAX 4
/* Every event of the schema by name, and some of other providers. */
#define PROFILE_EVENT_COUNT_MAX 64
/* LTTng's own limit for event names is 256; none of a pattern's use comes near. */
#define PROFILE_NAME_BYTES_MAX 96
/* libinih reads lines of at most 200 bytes, and the name comes first. */
#define PROFILE_FILTER_BYTES_MAX 200

/* A tracepoint name, in which '*' stands for anything; the filter is "" for none. */
struct profile_event {
	char name[PROFILE_NAME_BYTES_MAX];
	char filter[PROFILE_FILTER_BYTES_MAX];
};

struct profile_channel {
	char name[PROFILE_NAME_BYTES_MAX];
	uint64_t subbuffer_bytes;
	uint64_t subbuffer_count;
	uint64_t flush_us; /* unfinished sub-buffers are written out this often; 0: never */
	size_t event_count;
	struct profile_event events[PROFILE_EVENT_COUNT_MAX];
};

struct profile {
	char path[PATH_MAX];
	uint64_t expected_rate; /* bytes a second of a busy service; 0: not known */
	size_t channel_count;
	struct profile_channel channels[PROFILE_CHANNEL_COUNT_MAX];
};

/* Reads one file. A wrong line gives STATUS_BAD_USE and "path:line: what" in `diag`. */
MUST_CHECK enum status profile_load(
	const char *path, struct profile **out_profile, struct diag *diag);

/*
 * Loads a profile by name: NAME.conf in $GAPTRACE_PROFILE_DIR, else in ../share/gaptrace/profiles
 * beside the running program. A name with a '/' is a path.
 */
MUST_CHECK enum status profile_find(
	const char *name, struct profile **out_profile, struct diag *diag);

/* Accepts NULL. */
void profile_destroy(struct profile *profile);
DEFINE_AUTO(struct profile, profile_destroy)
