/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/cover.h"

#include "trace/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *environment_text(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

static bool knows_packets(const bt_stream *stream)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);

	return bt_stream_class_supports_packets(class) &&
	       bt_stream_class_packets_have_beginning_default_clock_snapshot(class) &&
	       bt_stream_class_packets_have_end_default_clock_snapshot(class);
}

static enum status add_session(struct cover *cover, char **name, struct cover_session **out_session)
{
	if (!ARRAY_MAKE_ROOM(cover->sessions, cover->count, cover->capacity, 4)) {
		return STATUS_NO_MEMORY;
	}
	cover->sessions[cover->count] = (struct cover_session){.name = MOVE(*name)};
	*out_session = &cover->sessions[cover->count++];
	return STATUS_OK;
}

/* The session of a stream, made when it is not known; NULL when it has none. */
static enum status find_session(
	struct cover *cover, const bt_stream *stream, struct cover_session **out_session)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	const char *domain = environment_text(trace, "domain");
	const char *name = environment_text(trace, "trace_name");
	const char *creation = environment_text(trace, "trace_creation_datetime");
	const char *host = environment_text(trace, "hostname");
	enum status status = STATUS_OK;
	char *key = NULL;

	*out_session = NULL;
	if (cover->is_off || (domain && strcmp(domain, "kernel") == 0)) {
		return STATUS_OK;
	}
	if (!name || !creation || !knows_packets(stream)) {
		cover->is_off = true;
		return STATUS_OK;
	}
	if (asprintf(&key, "%s\n%s\n%s", name, creation, host ? host : "") < 0) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < cover->count && !*out_session; i++) {
		if (strcmp(cover->sessions[i].name, key) == 0) {
			*out_session = &cover->sessions[i];
		}
	}
	if (!*out_session) {
		status = add_session(cover, &key, out_session);
	}
	free(key);
	return status;
}

/* All clocks of one session are the host's: any of their classes will do. */
static void note_time(struct cover_session *session, const bt_stream *stream, uint64_t value)
{
	if (!session->clock_class) {
		session->clock_class = bt_stream_class_borrow_default_clock_class_const(
			bt_stream_borrow_class_const(stream));
		bt_clock_class_get_ref(session->clock_class);
		session->begin = value;
		session->end = value;
	}
	session->begin = value < session->begin ? value : session->begin;
	session->end = value > session->end ? value : session->end;
}

static enum status note_packet(
	struct cover *cover, const bt_packet *packet, const bt_clock_snapshot *snapshot)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(packet);
	struct cover_session *session = NULL;
	const enum status status = find_session(cover, stream, &session);

	if (status == STATUS_OK && session) {
		note_time(session, stream, bt_clock_snapshot_get_value(snapshot));
		cover->has_new |= !session->is_entered;
	}
	return status;
}

static enum status note_stream(struct cover *cover, const bt_stream *stream, bool is_begin)
{
	struct cover_session *session = NULL;
	const enum status status = find_session(cover, stream, &session);

	if (session && is_begin) {
		session->open_count++;
	} else if (session && session->open_count > 0) {
		session->open_count--;
	}
	return status;
}

enum status cover_note(struct cover *cover, const bt_message *message)
{
	/* Before anything else: where it is off, packets may have no times to ask for. */
	if (cover->is_off) {
		return STATUS_OK;
	}
	switch ((int)bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return note_stream(
			cover, bt_message_stream_beginning_borrow_stream_const(message), true);
	case BT_MESSAGE_TYPE_STREAM_END:
		return note_stream(
			cover, bt_message_stream_end_borrow_stream_const(message), false);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return note_packet(cover, bt_message_packet_beginning_borrow_packet_const(message),
			bt_message_packet_beginning_borrow_default_clock_snapshot_const(message));
	case BT_MESSAGE_TYPE_PACKET_END:
		return note_packet(cover, bt_message_packet_end_borrow_packet_const(message),
			bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	default:
		return STATUS_OK;
	}
}

enum status cover_note_end(struct cover *cover, const bt_stream *stream, uint64_t end)
{
	struct cover_session *session = NULL;
	const enum status status = find_session(cover, stream, &session);

	if (status == STATUS_OK && session) {
		note_time(session, stream, end);
	}
	return status == STATUS_OK ? note_stream(cover, stream, false) : status;
}

static enum status to_ns(
	struct decoder *decoder, const struct cover_session *session, struct interval *out_times)
{
	size_t clock = 0;
	const enum status status = decoder_clock(decoder, session->clock_class, &clock);

	if (status == STATUS_OK) {
		out_times->begin_ns = decoder_clock_ns(decoder, clock, session->begin);
		out_times->end_ns = decoder_clock_ns(decoder, clock, session->end);
	}
	return status;
}

/* From the end of all sessions that began no later, if none of them goes on, to its begin. */
static enum status find_pause(const struct cover *cover, struct decoder *decoder,
	const struct cover_session *session, struct interval *out_pause)
{
	struct interval own = {0};
	struct interval pause = {0};
	bool has_before = false;
	enum status status = to_ns(decoder, session, &own);

	for (size_t i = 0; i < cover->count && status == STATUS_OK; i++) {
		const struct cover_session *other = &cover->sessions[i];
		struct interval times = {0};

		if (other == session || !other->clock_class) {
			continue;
		}
		status = to_ns(decoder, other, &times);
		if (status != STATUS_OK || times.begin_ns > own.begin_ns) {
			continue;
		}
		if (other->open_count > 0) {
			return STATUS_OK;
		}
		has_before = true;
		pause.begin_ns = times.end_ns > pause.begin_ns ? times.end_ns : pause.begin_ns;
	}
	pause.end_ns = own.begin_ns;
	if (status == STATUS_OK && has_before && pause.begin_ns < pause.end_ns) {
		*out_pause = pause;
	}
	return status;
}

/* A session that was entered, or has no packet yet, is none to enter. */
static enum status enter(struct cover *cover, struct decoder *decoder,
	struct cover_session *session, struct interval *out_pause)
{
	if (session->is_entered || !session->clock_class) {
		return STATUS_OK;
	}
	session->is_entered = true;
	return find_pause(cover, decoder, session, out_pause);
}

enum status cover_enter(struct cover *cover, struct decoder *decoder, const bt_stream *stream,
	struct interval *out_pause)
{
	struct cover_session *session = NULL;
	enum status status = STATUS_OK;

	*out_pause = (struct interval){0};
	if (cover->is_off) {
		return STATUS_OK;
	}
	if (stream) {
		status = find_session(cover, stream, &session);
		return status == STATUS_OK && session ? enter(cover, decoder, session, out_pause)
						      : status;
	}
	cover->has_new = false;
	for (size_t i = 0; i < cover->count && status == STATUS_OK; i++) {
		status = enter(cover, decoder, &cover->sessions[i], out_pause);
	}
	return status;
}

void cover_finish(struct cover *cover)
{
	for (size_t i = 0; i < cover->count; i++) {
		bt_clock_class_put_ref(cover->sessions[i].clock_class);
		free(cover->sessions[i].name);
	}
	free(cover->sessions);
	*cover = (struct cover){0};
}
