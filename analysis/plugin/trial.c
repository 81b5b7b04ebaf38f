/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What babeltrace2 2.0 says when the metadata was not written to its end. */
#define UNDESCRIBED_STREAM "No stream class with ID of stream class ID"

/* And of an event whose number is in no metadata, as when it is damaged. */
#define UNDESCRIBED_EVENT "No event class with ID of event class ID"

/* In words for who recorded it: babeltrace2's are for who debugs it, with addresses of objects. */
static void make_readable(char reason[TRIAL_REASON_BYTES])
{
	char *address = strstr(reason, "-addr=0x");

	if (strncmp(reason, UNDESCRIBED_STREAM, strlen(UNDESCRIBED_STREAM)) == 0) {
		(void)snprintf(reason, TRIAL_REASON_BYTES,
			"its metadata does not describe all of its streams: the recorded program "
			"or the recorder ended before it was written; copy the metadata file of "
			"another recording of the same programs over it");
		return;
	}
	if (strncmp(reason, UNDESCRIBED_EVENT, strlen(UNDESCRIBED_EVENT)) == 0) {
		(void)snprintf(reason, TRIAL_REASON_BYTES, "an event of no known class");
		return;
	}
	while (address && address > reason && address[-1] != ' ') {
		address--;
	}
	while (address && address > reason && strchr(" :,", address[-1])) {
		address--;
	}
	if (address && address > reason) {
		*address = '\0';
	}
}

void trial_take_reason(char out_reason[TRIAL_REASON_BYTES])
{
	const bt_error *error = bt_current_thread_take_error();

	(void)snprintf(out_reason, TRIAL_REASON_BYTES, "cannot be read");
	if (!error) {
		return;
	}
	if (bt_error_get_cause_count(error) > 0) {
		(void)snprintf(out_reason, TRIAL_REASON_BYTES, "%s",
			bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
		make_readable(out_reason);
	}
	bt_error_release(error);
}

/* In a child: opens the trace in a graph that nobody runs, and writes why it failed. */
_Noreturn static void try_open(
	const bt_component_class_source *source, const bt_value *params, int report)
{
	char reason[TRIAL_REASON_BYTES] = "";
	bt_graph *trial = bt_graph_create(0);
	const bool is_good =
		trial && bt_graph_add_source_component(trial, source, "trial", params,
				 BT_LOGGING_LEVEL_NONE, NULL) == BT_GRAPH_ADD_COMPONENT_STATUS_OK;

	if (!is_good) {
		trial_take_reason(reason);
		(void)!write(report, reason, strlen(reason));
	}
	_exit(is_good ? 0 : 1);
}

enum status trial_open(const bt_component_class_source *source, const bt_value *params,
	bool *out_can, char out_reason[TRIAL_REASON_BYTES])
{
	int ends[2];
	int result = 0;
	ssize_t length;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		return status_from_errno(errno);
	}
	child = fork();
	if (child == 0) {
		const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		(void)dup2(null, STDERR_FILENO);
		try_open(source, params, ends[1]);
	}
	(void)close(ends[1]);
	length = child > 0 ? read(ends[0], out_reason, TRIAL_REASON_BYTES - 1) : 0;
	out_reason[length > 0 ? length : 0] = '\0';
	(void)close(ends[0]);
	if (child < 0 || waitpid(child, &result, 0) != child) {
		return status_from_errno(errno);
	}
	*out_can = WIFEXITED(result) && WEXITSTATUS(result) == 0;
	if (!*out_can && out_reason[0] == '\0') {
		(void)snprintf(out_reason, TRIAL_REASON_BYTES,
			"babeltrace2's CTF reader cannot cope with its metadata");
	}
	return STATUS_OK;
}
