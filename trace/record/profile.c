/* SPDX-License-Identifier: MIT */
#include "trace/record/profile.h"

#include "trace/record/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHANNEL_SECTION "channel "
/* LTTng's lower limit is a page; a power of two, as LTTng demands. */
#define SUBBUFFER_BYTES_MIN 4096ULL
#define SUBBUFFER_BYTES_MAX (1ULL << 30)
#define SUBBUFFER_COUNT_MAX 1024ULL
/* A flush costs a packet per CPU and channel: under 10 ms it would be most of the trace. */
#define FLUSH_US_MIN 10000ULL
#define FLUSH_US_MAX 600000000ULL

/* What the line handler fills in; libinih tells the line of the first error only at the end. */
struct profile_parser {
	struct profile *profile;
	bool has_failed;
	struct diag problem;
};

#define PROBLEM(parser, ...)                                                                       \
	problem_set((parser), diag_set(&(parser)->problem, STATUS_BAD_USE, __VA_ARGS__))

static int problem_set(struct profile_parser *parser, enum status status)
{
	parser->has_failed = status != STATUS_OK;
	return 0;
}

static bool is_name(const char *name, const char *more)
{
	if (!*name || strlen(name) >= PROFILE_NAME_BYTES_MAX) {
		return false;
	}
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr(more, *name)) {
			return false;
		}
	}
	return true;
}

static bool is_power_of_two(uint64_t value)
{
	return value && (value & (value - 1)) == 0;
}

static struct profile_channel *channel_of(struct profile_parser *parser, const char *name)
{
	struct profile *profile = parser->profile;
	struct profile_channel *channel;

	for (size_t i = 0; i < profile->channel_count; i++) {
		if (strcmp(profile->channels[i].name, name) == 0) {
			return &profile->channels[i];
		}
	}
	/* LTTng keeps the metadata itself in a channel of that name. */
	if (!is_name(name, "_-") || strcmp(name, "metadata") == 0) {
		(void)PROBLEM(parser, "'%s' cannot be a channel name", name);
		return NULL;
	}
	if (profile->channel_count == PROFILE_CHANNEL_COUNT_MAX) {
		(void)PROBLEM(parser, "more than %d channels", PROFILE_CHANNEL_COUNT_MAX);
		return NULL;
	}
	channel = &profile->channels[profile->channel_count++];
	(void)snprintf(channel->name, sizeof(channel->name), "%s", name);
	return channel;
}

/* LTTng would refuse the second, with the recording half set up. */
static bool has_event(const struct profile_channel *channel, const struct profile_event *event)
{
	for (size_t i = 0; i < channel->event_count; i++) {
		if (strcmp(channel->events[i].name, event->name) == 0 &&
			strcmp(channel->events[i].filter, event->filter) == 0) {
			return true;
		}
	}
	return false;
}

/* "gaptrace:lock_acquire if wait_ns > 0": a name, perhaps a filter in LTTng's language. */
static int event_add(
	struct profile_parser *parser, struct profile_channel *channel, const char *value)
{
	struct profile_event *event;
	const char *filter = strstr(value, " if ");
	size_t name_bytes = filter ? (size_t)(filter - value) : strlen(value);

	if (channel->event_count == PROFILE_EVENT_COUNT_MAX) {
		return PROBLEM(parser, "more than %d events in channel '%s'",
			PROFILE_EVENT_COUNT_MAX, channel->name);
	}
	event = &channel->events[channel->event_count];
	if (name_bytes >= sizeof(event->name)) {
		return PROBLEM(parser, "event name '%.40s...' is too long", value);
	}
	memcpy(event->name, value, name_bytes);
	event->name[name_bytes] = '\0';
	while (name_bytes && event->name[name_bytes - 1] == ' ') {
		event->name[--name_bytes] = '\0';
	}
	if (!is_name(event->name, "_:*.-") || !strchr(event->name, ':')) {
		return PROBLEM(parser, "'%s' is no event name: write PROVIDER:EVENT or PROVIDER:*",
			event->name);
	}
	(void)snprintf(event->filter, sizeof(event->filter), "%s", filter ? filter + 4 : "");
	if (has_event(channel, event)) {
		return PROBLEM(
			parser, "event = %s stands in channel '%s' already", value, channel->name);
	}
	channel->event_count++;
	return 1;
}

static int channel_key(struct profile_parser *parser, struct profile_channel *channel,
	const char *name, const char *value)
{
	uint64_t number;

	if (strcmp(name, "event") == 0) {
		return event_add(parser, channel, value);
	}
	if (strcmp(name, "subbuffer_size") == 0) {
		if (!quantity_parse_bytes(value, &number) || !is_power_of_two(number) ||
			number < SUBBUFFER_BYTES_MIN || number > SUBBUFFER_BYTES_MAX) {
			return PROBLEM(parser,
				"subbuffer_size = %s: a power of two from 4K to 1G is needed",
				value);
		}
		channel->subbuffer_bytes = number;
		return 1;
	}
	if (strcmp(name, "subbuffer_count") == 0) {
		if (!quantity_parse_count(value, &number) || !is_power_of_two(number) ||
			number < 2 || number > SUBBUFFER_COUNT_MAX) {
			return PROBLEM(parser,
				"subbuffer_count = %s: a power of two from 2 to 1024 is needed",
				value);
		}
		channel->subbuffer_count = number;
		return 1;
	}
	if (strcmp(name, "flush_interval") == 0) {
		if (!quantity_parse_us(value, &number) || number > FLUSH_US_MAX ||
			(number && number < FLUSH_US_MIN)) {
			return PROBLEM(parser,
				"flush_interval = %s: 0s, or from 10ms to 600s, is needed", value);
		}
		channel->flush_us = number;
		return 1;
	}
	return PROBLEM(parser,
		"no key '%s' in a channel: there are event, subbuffer_size, "
		"subbuffer_count and flush_interval",
		name);
}

static int line_handle(void *user, const char *section, const char *name, const char *value)
{
	struct profile_parser *parser = user;
	struct profile_channel *channel;

	if (parser->has_failed) {
		return 1;
	}
	if (strcmp(section, "recording") == 0) {
		if (strcmp(name, "expected_rate") != 0) {
			return PROBLEM(
				parser, "no key '%s' in [recording]: there is expected_rate", name);
		}
		if (!quantity_parse_bytes(value, &parser->profile->expected_rate)) {
			return PROBLEM(parser,
				"expected_rate = %s: bytes a second are needed, as 2M", value);
		}
		return 1;
	}
	if (strncmp(section, CHANNEL_SECTION, strlen(CHANNEL_SECTION)) != 0) {
		return PROBLEM(parser,
			"key '%s' is in section [%s]: there are [recording] and [channel NAME]",
			name, section);
	}
	channel = channel_of(parser, section + strlen(CHANNEL_SECTION));
	return channel ? channel_key(parser, channel, name, value) : 0;
}

struct profile_source {
	FILE *file;
	int line_count;
	bool is_no_text; /* its last line is too long, or has a zero byte */
};

/* libinih takes the rest of a long line for a line of its own; this one ends there. */
static char *line_read(char *line, int capacity, void *user)
{
	struct profile_source *source = user;
	size_t length;

	if (source->is_no_text || !fgets(line, capacity, source->file)) {
		return NULL;
	}
	source->line_count++;
	length = strlen(line);
	if (length == 0 || (line[length - 1] != '\n' && !feof(source->file))) {
		source->is_no_text = true;
		return NULL;
	}
	return line;
}

static enum status profile_check(const struct profile *profile, struct diag *diag)
{
	if (!profile->channel_count) {
		return diag_set(
			diag, STATUS_BAD_USE, "%s: no [channel NAME] section", profile->path);
	}
	for (size_t i = 0; i < profile->channel_count; i++) {
		const struct profile_channel *channel = &profile->channels[i];
		const char *missing = NULL;

		if (!channel->event_count) {
			missing = "event";
		} else if (!channel->subbuffer_bytes) {
			missing = "subbuffer_size";
		} else if (!channel->subbuffer_count) {
			missing = "subbuffer_count";
		}
		if (missing) {
			return diag_set(diag, STATUS_BAD_USE, "%s: channel '%s' has no %s",
				profile->path, channel->name, missing);
		}
	}
	return STATUS_OK;
}

enum status profile_load(const char *path, struct profile **out_profile, struct diag *diag)
{
	AUTO(profile_destroy) struct profile *profile = calloc(1, sizeof(*profile));
	struct profile_parser parser = {.profile = profile};
	struct profile_source source = {.file = NULL};
	struct stat facts;
	enum status status;
	int line;

	if (!profile) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
	}
	if (snprintf(profile->path, sizeof(profile->path), "%s", path) >=
		(int)sizeof(profile->path)) {
		return diag_set(diag, STATUS_BAD_USE, "the profile's path is too long");
	}
	source.file = fopen(path, "re");
	if (!source.file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	line = ini_parse_stream(line_read, &source, line_handle, &parser);
	if (ferror(source.file)) {
		const bool is_folder =
			fstat(fileno(source.file), &facts) == 0 && S_ISDIR(facts.st_mode);

		(void)fclose(source.file);
		return is_folder
			       ? diag_set(diag, STATUS_BAD_USE, "%s: a folder, not a profile", path)
			       : diag_set(diag, STATUS_IO, "%s: cannot be read", path);
	}
	(void)fclose(source.file);

	if (parser.has_failed) {
		return diag_set(diag, STATUS_BAD_USE, "%s:%d: %s", path, line, parser.problem.line);
	}
	if (line) {
		return diag_set(diag, STATUS_BAD_USE, "%s:%d: neither [section] nor key = value",
			path, line);
	}
	if (source.is_no_text) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s:%d: a line is longer than 198 bytes, or no text", path,
			source.line_count);
	}
	status = profile_check(profile, diag);
	if (status != STATUS_OK) {
		return status;
	}
	*out_profile = MOVE(profile);
	return STATUS_OK;
}

/* DIR/../share/gaptrace/profiles for the program DIR/gaptrace: installed and build tree alike. */
static bool default_directory(char *directory, size_t capacity)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	if (length < 0) {
		return false;
	}
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (!slash) {
		return false;
	}
	*slash = '\0';
	return snprintf(directory, capacity, "%s/../share/gaptrace/profiles", program) <
	       (int)capacity;
}

enum status profile_find(const char *name, struct profile **out_profile, struct diag *diag)
{
	const char *variable = getenv("GAPTRACE_PROFILE_DIR");
	char directory[PATH_MAX];
	char path[PATH_MAX];
	enum status status;

	if (strchr(name, '/')) {
		status = profile_load(name, out_profile, diag);
		return status == STATUS_NOT_FOUND ? STATUS_BAD_USE : status;
	}
	if (variable && *variable) {
		(void)snprintf(directory, sizeof(directory), "%s", variable);
	} else if (!default_directory(directory, sizeof(directory))) {
		return diag_set(diag, STATUS_NOT_FOUND,
			"the folder of profiles is not known: set GAPTRACE_PROFILE_DIR");
	}
	if (snprintf(path, sizeof(path), "%s/%s.conf", directory, name) >= (int)sizeof(path)) {
		return diag_set(diag, STATUS_BAD_USE, "the profile's path is too long");
	}
	status = profile_load(path, out_profile, diag);
	if (status == STATUS_NOT_FOUND) {
		return diag_set(diag, STATUS_BAD_USE,
			"no profile '%s' in %s: there are minimal and full, or give a path with a "
			"'/', or set GAPTRACE_PROFILE_DIR",
			name, directory);
	}
	return status;
}

void profile_destroy(struct profile *profile)
{
	free(profile);
}
