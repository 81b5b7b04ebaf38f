/* SPDX-License-Identifier: MIT */
/*
 * One LTTng session with a profile's channels, driven through liblttng-ctl. All state lives in the
 * session daemon under the session's name, so whoever stops a session need not have started it.
 * Buffers are per user and discard; every event carries vpid and vtid. Metadata and unfinished
 * sub-buffers are written out at intervals, so that what was recorded stays readable whoever dies.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"
#include "trace/record/profile.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Long enough for any use, short enough for a line of `--stop`'s complaint. */
#define SESSION_NAME_BYTES_MAX 128

struct session_settings {
	const char *name;
	const char *output; /* absolute */
	const struct profile *profile;
};

struct session_channel {
	char name[PROFILE_NAME_BYTES_MAX];
	uint64_t subbuffer_bytes;
	uint64_t subbuffer_count;
	uint64_t discarded_events;
	uint64_t lost_packets;
};

/* What a session was like when it ended. */
struct session_end {
	size_t channel_count;
	struct session_channel channels[PROFILE_CHANNEL_COUNT_MAX];
	bool is_flushed; /* all data was written out before the session was destroyed */
};

/* Letters, digits, '.', '_' and '-', and no '.' or '-' first. */
bool session_name_is_valid(const char *name);

/* Creates and starts; on failure nothing is left of it. */
MUST_CHECK enum status session_start(const struct session_settings *settings, struct diag *diag);

/*
 * The output folder of a session that records our events. STATUS_NOT_FOUND names the sessions
 * there are; STATUS_BAD_USE: it is somebody else's kind of session.
 */
MUST_CHECK enum status session_find(
	const char *name, char (*out_output)[PATH_MAX], struct diag *diag);

/* A session that records our events now, as another does: each gets the processes of both. */
struct session_other {
	char name[SESSION_NAME_BYTES_MAX];
	char output[PATH_MAX];
};

/* How many there are beside `name`, and one of them; 0 when the daemon cannot be asked. */
size_t session_count_others(const char *name, struct session_other *out_other);

/* Stops, waits until the data is written, counts losses, destroys. */
MUST_CHECK enum status session_stop(
	const char *name, struct session_end *out_end, struct diag *diag);

/* How many sessions the daemon has; negative when it cannot be asked. */
int session_count(void);

/* Running processes with trace points of ours; 0 when that cannot be told. */
size_t session_count_processes(void);
