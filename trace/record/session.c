/* SPDX-License-Identifier: MIT */
#include "trace/record/session.h"

#include "gaptrace/schema.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <ctype.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A service's last buffers go out at disk speed: 8 GiB at 200 MB/s take 40 s. */
#define STOP_LIMIT_NS (60 * NS_PER_S)
/* What remains then is the session daemon's own work, of milliseconds. */
#define DESTROY_LIMIT_MS 30000
/*
 * With all data written one thing keeps a session from its end: whoever dies between taking room in
 * a buffer and filling it leaves a buffer of that CPU that is never whole, and LTTng waits for it.
 */
#define TORN_EVENT                                                                                 \
	"a traced program was killed, or stands still, in the middle of an event: the last "       \
	"events on its CPU, of every program, are not in the recording"
#define STOP_POLL_MS 20
/* Without it metadata is written only when the session stops, and a killed daemon leaves none. */
#define METADATA_FLUSH_US 500000
/* LTTng's own defaults for that channel. */
#define METADATA_SUBBUFFER_BYTES 4096
#define METADATA_SUBBUFFER_COUNT 2
/* Bit 63 of the discarded count comes set at times (lttng-tools 2.13); the rest is right. */
#define COUNT_MASK (~(1ULL << 63))

DEFINE_AUTO(struct lttng_handle, lttng_destroy_handle)
DEFINE_AUTO(struct lttng_channel, lttng_channel_destroy)
DEFINE_AUTO(struct lttng_event, lttng_event_destroy)
DEFINE_AUTO(struct lttng_session_descriptor, lttng_session_descriptor_destroy)
DEFINE_AUTO(struct lttng_destruction_handle, lttng_destruction_handle_destroy)

static struct lttng_domain ust_domain(void)
{
	return (struct lttng_domain){.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID};
}

/* liblttng-ctl gives negative codes, or positive ones where it gives LTTNG_OK. */
static enum status fail(int code, struct diag *diag, const char *what)
{
	int error = code < 0 ? -code : code;
	enum status status = STATUS_UNAVAILABLE;

	if (error == LTTNG_ERR_EXIST_SESS) {
		status = STATUS_EXISTS;
	} else if (error == LTTNG_ERR_SESS_NOT_FOUND || error == LTTNG_ERR_NO_SESSION) {
		status = STATUS_NOT_FOUND;
	} else if (error == LTTNG_ERR_EPERM || error == LTTNG_ERR_CREATE_DIR_FAIL) {
		status = STATUS_PERMISSION;
	} else if (error == LTTNG_ERR_NOMEM) {
		status = STATUS_NO_MEMORY;
	} else if (error == LTTNG_ERR_INVALID || error == LTTNG_ERR_FILTER_INVAL ||
		   error == LTTNG_ERR_INVALID_CHANNEL_NAME) {
		status = STATUS_BAD_USE;
	}
	return diag_set(
		diag, status, "%s: the session daemon says: %s", what, lttng_strerror(-error));
}

bool session_name_is_valid(const char *name)
{
	if (!isalnum((unsigned char)*name) || strlen(name) >= SESSION_NAME_BYTES_MAX) {
		return false;
	}
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("._-", *name)) {
			return false;
		}
	}
	return true;
}

static enum status event_enable(struct lttng_handle *handle, const struct profile_channel *channel,
	const struct profile_event *wanted, struct diag *diag)
{
	AUTO(lttng_event_destroy) struct lttng_event *event = lttng_event_create();
	int code;

	if (!event) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	event->loglevel = -1;
	(void)snprintf(event->name, sizeof(event->name), "%s", wanted->name);

	/* Never with exclusions: lttng-sessiond 2.13 crashes when it lists an event that has one.
	 */
	code = lttng_enable_event_with_filter(
		handle, event, channel->name, *wanted->filter ? wanted->filter : NULL);
	return code < 0 ? fail(code, diag, wanted->name) : STATUS_OK;
}

static enum status channel_create(struct lttng_handle *handle, const char *name,
	const struct profile_channel *wanted, struct diag *diag)
{
	struct lttng_domain domain = ust_domain();
	AUTO(lttng_channel_destroy) struct lttng_channel *channel = lttng_channel_create(&domain);
	int code;

	if (!channel) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	(void)snprintf(channel->name, sizeof(channel->name), "%s", name);
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = wanted->subbuffer_bytes;
	channel->attr.num_subbuf = wanted->subbuffer_count;
	channel->attr.switch_timer_interval = (unsigned int)wanted->flush_us;
	channel->attr.output = LTTNG_EVENT_MMAP;

	code = lttng_enable_channel(handle, channel);
	return code < 0 ? fail(code, diag, name) : STATUS_OK;
}

static enum status channel_set_up(
	struct lttng_handle *handle, const struct profile_channel *channel, struct diag *diag)
{
	static const enum lttng_event_context_type contexts[] = {
		LTTNG_EVENT_CONTEXT_VPID, LTTNG_EVENT_CONTEXT_VTID};
	enum status status = channel_create(handle, channel->name, channel, diag);

	for (size_t i = 0; status == STATUS_OK && i < channel->event_count; i++) {
		status = event_enable(handle, channel, &channel->events[i], diag);
	}
	for (size_t i = 0; status == STATUS_OK && i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		struct lttng_event_context context = {.ctx = contexts[i]};
		int code = lttng_add_context(handle, &context, NULL, channel->name);

		if (code < 0) {
			status = fail(code, diag, channel->name);
		}
	}
	return status;
}

static enum status session_set_up(const struct session_settings *settings, struct diag *diag)
{
	struct lttng_domain domain = ust_domain();
	AUTO(lttng_destroy_handle)
	struct lttng_handle *handle = lttng_create_handle(settings->name, &domain);
	const struct profile_channel metadata = {
		.subbuffer_bytes = METADATA_SUBBUFFER_BYTES,
		.subbuffer_count = METADATA_SUBBUFFER_COUNT,
		.flush_us = METADATA_FLUSH_US,
	};
	enum status status;
	int code;

	if (!handle) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	status = channel_create(handle, "metadata", &metadata, diag);
	for (size_t i = 0; status == STATUS_OK && i < settings->profile->channel_count; i++) {
		status = channel_set_up(handle, &settings->profile->channels[i], diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	code = lttng_start_tracing(settings->name);
	return code < 0 ? fail(code, diag, settings->name) : STATUS_OK;
}

enum status session_start(const struct session_settings *settings, struct diag *diag)
{
	AUTO(lttng_session_descriptor_destroy)
	struct lttng_session_descriptor *descriptor =
		lttng_session_descriptor_local_create(settings->name, settings->output);
	enum lttng_error_code code;
	enum status status;

	assert(settings->output[0] == '/');

	if (!descriptor) {
		return diag_set(diag, STATUS_BAD_USE, "LTTng does not take the session '%s' in %s",
			settings->name, settings->output);
	}
	code = lttng_create_session_ext(descriptor);
	if (code == LTTNG_ERR_EXIST_SESS) {
		return diag_set(diag, STATUS_EXISTS,
			"a session '%s' exists already: take another name, or end it with "
			"gaptrace record --stop %s",
			settings->name, settings->name);
	}
	if (code != LTTNG_OK) {
		return fail((int)code, diag, settings->output);
	}
	status = session_set_up(settings, diag);
	if (status != STATUS_OK) {
		(void)lttng_destroy_session_no_wait(settings->name);
	}
	return status;
}

static bool has_our_events(struct lttng_handle *handle, const char *channel)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);
	bool is_ours = false;

	for (int i = 0; i < count && !is_ours; i++) {
		is_ours =
			strncmp(events[i].name, GAPTRACE_PROVIDER, strlen(GAPTRACE_PROVIDER)) == 0;
	}
	free(events);
	return is_ours;
}

static bool is_our_session(const char *name)
{
	struct lttng_domain domain = ust_domain();
	AUTO(lttng_destroy_handle) struct lttng_handle *handle = lttng_create_handle(name, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	bool is_ours = false;

	for (int i = 0; i < count && !is_ours; i++) {
		is_ours = has_our_events(handle, channels[i].name);
	}
	free(channels);
	return is_ours;
}

static enum status not_found(
	const char *name, const struct lttng_session *sessions, int count, struct diag *diag)
{
	char names[DIAG_LINE_BYTES_MAX] = "";

	for (int i = 0; i < count; i++) {
		size_t used = strlen(names);

		(void)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
			sessions[i].name);
	}
	return diag_set(diag, STATUS_NOT_FOUND, "no session '%s'; %s%s", name,
		count > 0 ? "there are: " : "there is none at all", names);
}

enum status session_find(const char *name, char (*out_output)[PATH_MAX], struct diag *diag)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	enum status status = STATUS_OK;
	int found = 0;

	if (count < 0) {
		return fail(count, diag, name);
	}
	while (found < count && strcmp(sessions[found].name, name) != 0) {
		found++;
	}
	if (found == count) {
		status = not_found(name, sessions, count, diag);
	} else if (!is_our_session(name)) {
		status = diag_set(diag, STATUS_BAD_USE,
			"session '%s' records none of gaptrace's events: end it with lttng destroy",
			name);
	} else {
		(void)snprintf(*out_output, sizeof(*out_output), "%s", sessions[found].path);
	}
	free(sessions);
	return status;
}

size_t session_count_others(const char *name, struct session_other *out_other)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	size_t other_count = 0;

	for (int i = 0; i < count; i++) {
		if (!sessions[i].enabled || strcmp(sessions[i].name, name) == 0 ||
			!is_our_session(sessions[i].name)) {
			continue;
		}
		if (other_count++ == 0) {
			(void)snprintf(out_other->name, sizeof(out_other->name), "%.*s",
				(int)sizeof(out_other->name) - 1, sessions[i].name);
			(void)snprintf(out_other->output, sizeof(out_other->output), "%s",
				sessions[i].path);
		}
	}
	free(sessions);
	return other_count;
}

static bool wait_until_written(const char *name)
{
	uint64_t end_ns = clock_now_ns() + STOP_LIMIT_NS;
	int pending = lttng_data_pending(name);

	while (pending > 0 && clock_now_ns() < end_ns) {
		/* LTTng has no descriptor to wait on for this. */
		(void)poll(NULL, 0, STOP_POLL_MS);
		pending = lttng_data_pending(name);
	}
	return pending == 0;
}

static void losses_read(const char *name, struct session_end *end)
{
	struct lttng_domain domain = ust_domain();
	AUTO(lttng_destroy_handle) struct lttng_handle *handle = lttng_create_handle(name, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;

	for (int i = 0; i < count && end->channel_count < PROFILE_CHANNEL_COUNT_MAX; i++) {
		struct session_channel *channel = &end->channels[end->channel_count];

		if (strcmp(channels[i].name, "metadata") == 0) {
			continue;
		}
		(void)snprintf(channel->name, sizeof(channel->name), "%.*s",
			(int)sizeof(channel->name) - 1, channels[i].name);
		channel->subbuffer_bytes = channels[i].attr.subbuf_size;
		channel->subbuffer_count = channels[i].attr.num_subbuf;
		if (lttng_channel_get_discarded_event_count(
			    &channels[i], &channel->discarded_events) == 0) {
			channel->discarded_events &= COUNT_MASK;
		}
		(void)lttng_channel_get_lost_packet_count(&channels[i], &channel->lost_packets);
		end->channel_count++;
	}
	free(channels);
}

enum status session_stop(const char *name, struct session_end *out_end, struct diag *diag)
{
	AUTO(lttng_destruction_handle_destroy) struct lttng_destruction_handle *destruction = NULL;
	struct session_end end = {.channel_count = 0};
	enum lttng_error_code result = LTTNG_OK;
	int code = lttng_stop_tracing_no_wait(name);

	if (code < 0 && code != -LTTNG_ERR_TRACE_ALREADY_STOPPED) {
		return fail(code, diag, name);
	}
	end.is_flushed = wait_until_written(name);
	losses_read(name, &end);

	result = lttng_destroy_session_ext(name, &destruction);
	if (result != LTTNG_OK) {
		return fail((int)result, diag, name);
	}
	if (lttng_destruction_handle_wait_for_completion(destruction, DESTROY_LIMIT_MS) !=
			LTTNG_DESTRUCTION_HANDLE_STATUS_COMPLETED ||
		lttng_destruction_handle_get_result(destruction, &result) !=
			LTTNG_DESTRUCTION_HANDLE_STATUS_OK) {
		return diag_set(diag, STATUS_UNAVAILABLE, "session '%s': %s", name,
			end.is_flushed ? TORN_EVENT : "the session daemon did not finish its end");
	}
	if (result != LTTNG_OK) {
		return fail((int)result, diag, name);
	}
	*out_end = end;
	return STATUS_OK;
}

int session_count(void)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);

	free(sessions);
	return count;
}

size_t session_count_processes(void)
{
	struct lttng_domain domain = ust_domain();
	AUTO(lttng_destroy_handle) struct lttng_handle *handle = lttng_create_handle("", &domain);
	struct lttng_event *events = NULL;
	int count = handle ? lttng_list_tracepoints(handle, &events) : 0;
	size_t process_count = 0;

	/* Every process of ours has each trace point once. */
	for (int i = 0; i < count; i++) {
		process_count += strcmp(events[i].name, GAPTRACE_PROVIDER ":state") == 0;
	}
	free(events);
	return process_count;
}
