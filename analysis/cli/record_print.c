/* SPDX-License-Identifier: MIT */
#include "analysis/cli/record_print.h"

#include "analysis/cli/record_options.h"
#include "trace/base/line.h"
#include "trace/record/quantity.h"
#include "trace/record/watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void record_say(const char *format, ...)
{
	char line[2 * PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	line_format(line, sizeof(line), format, arguments);
	va_end(arguments);
	/* One write: the command prints to the same terminal at the same time. */
	(void)fprintf(stderr, "gaptrace record: %s\n", line);
}

void record_say_help(void)
{
	(void)printf(
		"usage: gaptrace record [-o DIR] [--profile P] [--gpu] -- COMMAND [ARGUMENT...]\n"
		"       gaptrace record --start NAME [-o DIR] [--profile P]\n"
		"       gaptrace record --stop NAME\n"
		"\n"
		"Records the trace points of every traced process of this user: while COMMAND "
		"runs,\n"
		"from its first event on, or from --start to --stop. Of two recordings at the "
		"same\n"
		"time each holds the processes of both.\n"
		"\n"
		"  -o, --output DIR  where to (default: gaptrace-<UTC time> in this folder)\n"
		"  --profile P       minimal, full, or the path of a file (default: %s)\n"
		"  --gpu             record CUDA activity of COMMAND, too\n"
		"\n"
		"The exit code is COMMAND's; see gaptrace-record(1) for the others.\n",
		RECORD_PROFILE_DEFAULT);
}

void record_say_buffers(const struct profile *profile, uint64_t bytes, bool is_reduced)
{
	char total[16];
	char size[16];

	if (!is_reduced) {
		return;
	}
	quantity_print_bytes(bytes, total, sizeof(total));
	quantity_print_bytes(profile->channels[0].subbuffer_bytes, size, sizeof(size));
	record_say("warning: memory is short, so buffers are smaller than %s says (%" PRIu64
		   " x %s for channel '%s', %s in all): events may be lost",
		profile->path, profile->channels[0].subbuffer_count, size,
		profile->channels[0].name, total);
}

void record_say_room(const struct profile *profile, const char *output)
{
	uint64_t free_bytes = 0;
	uint64_t left_s;

	/* A guess from the profile, before anything is measured; the watch measures later on. */
	if (!profile->expected_rate || output_free_bytes(output, &free_bytes, NULL) != STATUS_OK) {
		return;
	}
	left_s = free_bytes / profile->expected_rate;
	if (left_s < WATCH_WARN_S) {
		record_say("warning: a busy service fills the disk of %s in about %" PRIu64 " s",
			output, left_s);
	}
}

void record_say_other(const struct session_other *other, size_t count)
{
	char more[32] = "";

	if (count > 1) {
		(void)snprintf(more, sizeof(more), " and %zu more", count - 1);
	}
	record_say("another recording runs now, %s%s, in %s: each holds the traced processes of "
		   "both",
		other->name, more, other->output);
}

/* The files count what the tracer dropped, the daemon what it knows of: neither alone is trusted.
 */
static void losses_add(const struct recorded *recorded, const struct session_end *end,
	uint64_t *out_events, uint64_t *out_packets)
{
	uint64_t events = 0;
	uint64_t packets = 0;

	for (size_t i = 0; end && i < end->channel_count; i++) {
		events += end->channels[i].discarded_events;
		packets += end->channels[i].lost_packets;
	}
	*out_events = events > recorded->discarded_events ? events : recorded->discarded_events;
	*out_packets = packets > recorded->lost_packets ? packets : recorded->lost_packets;
}

static void losses_explain(const struct session_end *end)
{
	for (size_t i = 0; end && i < end->channel_count; i++) {
		const struct session_channel *channel = &end->channels[i];
		char size[16];

		if (!channel->discarded_events && !channel->lost_packets) {
			continue;
		}
		quantity_print_bytes(channel->subbuffer_bytes, size, sizeof(size));
		record_say("lost in channel '%s': %" PRIu64 " events, %" PRIu64
			   " packets; its buffers, %" PRIu64 " x %s for each CPU, were full",
			channel->name, channel->discarded_events, channel->lost_packets,
			channel->subbuffer_count, size);
	}
	record_say("to lose none, record less (--profile minimal), or copy a profile, make its "
		   "subbuffer_size larger and give its path with --profile");
}

enum status record_say_summary(const char *output, const struct session_end *end, bool is_whole)
{
	struct recorded recorded;
	struct diag diag = {.line = ""};
	enum status status = recorded_inspect(output, &recorded, &diag);
	uint64_t lost_events;
	uint64_t lost_packets;
	char size[16];

	if (status != STATUS_OK) {
		record_say("%s", diag.line);
		return status;
	}
	losses_add(&recorded, end, &lost_events, &lost_packets);
	quantity_print_bytes(recorded.bytes, size, sizeof(size));
	if (!recorded.is_readable) {
		record_say("%s in %s cannot be read as it is: %s", size, output,
			recorded.problem.line);
		return STATUS_IO;
	}
	/* Streams without an event are more often a mistake than a quiet service. */
	if (!recorded.event_bytes) {
		record_say("nothing was recorded in %s%s", output,
			is_whole ? ": no process of this user has gaptrace's trace points, or none "
				   "found libgaptrace-lttng.so"
				 : "");
		return STATUS_NOT_FOUND;
	}
	if (end && !end->is_flushed) {
		/* Then nobody can say that none was lost. */
		record_say("warning: the last buffers were not written within a minute");
		is_whole = false;
	}
	if (lost_events || lost_packets) {
		losses_explain(end);
		record_say("recorded %s in %" PRIu64 " streams, LOST %" PRIu64
			   " events and %" PRIu64 " packets: %s",
			size, recorded.stream_count, lost_events, lost_packets, output);
		return STATUS_OK;
	}
	record_say("recorded %s in %" PRIu64 " streams, %s: %s", size, recorded.stream_count,
		is_whole ? "no events lost" : "up to then, and nothing after it", output);
	return STATUS_OK;
}
