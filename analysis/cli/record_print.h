/* SPDX-License-Identifier: MIT */
/* What `gaptrace record` tells its user, on standard error, since standard output is the command's.
 */
#pragma once

#include "trace/record/output.h"
#include "trace/record/recorded.h"
#include "trace/record/session.h"

#include <stdbool.h>

/* One line, headed by the program's name. */
void record_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void record_say_help(void);

/* What the buffers take, and that they were made smaller. */
void record_say_buffers(const struct profile *profile, uint64_t bytes, bool is_reduced);

/* Warns when the profile's expected rate fills the disk soon. */
void record_say_room(const struct profile *profile, const char *output);

/* Names a recording that runs beside this one, which the operator may not know of. */
void record_say_other(const struct session_other *other, size_t count);

/*
 * The last line of a recording: how much, what was lost, where. `end` is NULL when the session
 * daemon could not be asked; `is_whole` is false when the recording ended before it should have.
 * Gives the status that the files themselves deserve.
 */
MUST_CHECK enum status record_say_summary(
	const char *output, const struct session_end *end, bool is_whole);
