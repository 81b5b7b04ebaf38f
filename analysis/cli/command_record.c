/* SPDX-License-Identifier: MIT */
/* Records a command, or starts and stops the recording of daemons that run already. */
#include "analysis/cli/command.h"
#include "analysis/cli/record_options.h"
#include "analysis/cli/record_print.h"
#include "trace/base/standard_streams.h"
#include "trace/record/buffers.h"
#include "trace/record/child.h"
#include "trace/record/daemon.h"
#include "trace/record/output.h"
#include "trace/record/profile.h"
#include "trace/record/session.h"
#include "trace/record/watch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How soon a full disk or a dead session daemon is seen; four looks a second cost nothing. */
#define LOOK_INTERVAL_MS 250
/* A traced command waits this long at its start to be known to the session daemon. */
#define REGISTER_TIMEOUT_MS "3000"
#define CUPTI_LIBRARY       "libgaptrace-cupti.so"
/* liblttng-ctl waits for ever. A start takes milliseconds; a stop may flush for two minutes. */
#define START_LIMIT_S 30
#define STOP_LIMIT_S  180
/* Of STATUS_UNAVAILABLE, for a signal handler. */
#define EXIT_DAEMON_STUCK 69

/* A session of ours, from its start to its end. */
struct recording {
	char name[SESSION_NAME_BYTES_MAX];
	struct output output;
	bool is_running;
	bool has_company;   /* another recording beside it was told of */
	enum status status; /* the first thing that went wrong with it */
	struct session_end end;
	bool has_end;
};

/* A stuck session daemon would hang us, with every signal that could end us blocked. */
static void on_alarm(int signal)
{
	/* It waits some seconds for each traced program that stands still; which one, it does not
	 * tell, and cannot be asked now. */
	static const char line[] = "gaptrace record: the session daemon does not answer: let "
				   "traced programs that are stopped (T in ps) go on, or end them, "
				   "else restart it; lttng list has what is left\n";

	(void)signal;
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0) {
		/* There is nobody to tell. */
	}
	_exit(EXIT_DAEMON_STUCK);
}

static int fail(enum status status, const struct diag *diag)
{
	record_say("%s", diag->line);
	return status_exit_code(status);
}

static enum status buffers_prepare(struct profile *profile, struct diag *diag)
{
	struct buffers_room room;
	bool is_reduced = false;
	enum status status = buffers_measure_room(&room, diag);

	if (status == STATUS_OK) {
		status = buffers_fit(profile, &room, &is_reduced, diag);
	}
	if (status == STATUS_OK) {
		record_say_buffers(profile, buffers_bytes(profile, room.cpu_count), is_reduced);
	}
	return status;
}

/* Looked for where it begins and where it ends: one that came and went between saw this one. */
static void recording_say_others(struct recording *recording)
{
	struct session_other other;
	size_t count = recording->has_company ? 0 : session_count_others(recording->name, &other);

	if (count) {
		record_say_other(&other, count);
		recording->has_company = true;
	}
}

/* Everything up to the running session; on failure nothing is left of it. */
static enum status recording_start(struct recording *recording,
	const struct record_options *options, struct profile *profile, struct diag *diag)
{
	struct daemon_lock lock;
	bool is_daemon_started = false;
	bool is_daemon_stopped;
	enum status status;

	status = output_prepare(options->output, &recording->output, diag);
	if (status != STATUS_OK) {
		return status;
	}
	/* From here to alarm(0) we talk to the session daemon, which may be stuck. */
	(void)alarm(START_LIMIT_S);
	status = buffers_prepare(profile, diag);
	if (status == STATUS_OK) {
		record_say_room(profile, recording->output.path);
		/* Without it another gaptrace, which ends a daemon that is idle, could end this
		 * one between these two steps. */
		daemon_lock_acquire(&lock);
		status = daemon_ensure(&is_daemon_started, diag);
		if (status == STATUS_OK) {
			status = session_start(&(struct session_settings){.name = recording->name,
						       .output = recording->output.path,
						       .profile = profile},
				diag);
		}
		daemon_lock_release(&lock);
	}
	if (status == STATUS_OK) {
		output_unlock(&recording->output);
		recording_say_others(recording);
	} else {
		/* The daemon, if this start was the only reason for it. */
		daemon_stop_if_idle(&is_daemon_stopped);
		(void)alarm(0);
		output_abandon(&recording->output);
		return status;
	}
	(void)alarm(0);
	recording->is_running = true;
	if (is_daemon_started) {
		record_say("started a session daemon; it ends with the last recording");
	}
	return STATUS_OK;
}

static void recording_fail(struct recording *recording, enum status status)
{
	if (recording->status == STATUS_OK) {
		recording->status = status;
	}
}

static void recording_stop(struct recording *recording)
{
	struct diag diag = {.line = ""};
	bool is_daemon_stopped;
	enum status status;

	if (!recording->is_running) {
		return;
	}
	/* First, so that a failure on the way is not tried again. */
	recording->is_running = false;
	(void)alarm(STOP_LIMIT_S);
	recording_say_others(recording);
	status = session_stop(recording->name, &recording->end, &diag);
	if (status == STATUS_OK) {
		recording->has_end = true;
	} else {
		record_say("the recording did not end well: %s", diag.line);
		recording_fail(recording, status);
	}
	daemon_stop_if_idle(&is_daemon_stopped);
	(void)alarm(0);
}

/* The last words, and what the recording deserves. */
static enum status recording_finish(struct recording *recording)
{
	enum status status;

	recording_stop(recording);
	status = record_say_summary(recording->output.path,
		recording->has_end ? &recording->end : NULL, recording->status == STATUS_OK);
	recording_fail(recording, status);
	if (recording->has_end && recording->end.is_flushed && recording->status == STATUS_OK) {
		output_mark_ended(&recording->output);
	}
	return recording->status;
}

static void recording_look(struct recording *recording, struct watch *watch)
{
	switch (watch_look(watch)) {
	case WATCH_NOTHING:
		return;
	case WATCH_DISK_SOON_FULL:
		record_say("warning: at this rate the disk of %s is full in %" PRIu64 " s",
			recording->output.path, watch->left_s);
		return;
	case WATCH_DISK_FULL:
		record_say("the disk of %s is all but full: the recording ends here, the command "
			   "goes on",
			recording->output.path);
		recording_fail(recording, STATUS_NO_SPACE);
		recording_stop(recording);
		return;
	case WATCH_DAEMON_GONE:
		record_say(
			"the session daemon ended: the recording ends here, the command goes on");
		recording_fail(recording, STATUS_UNAVAILABLE);
		recording->is_running = false;
		return;
	}
}

/* DIR/../lib/libgaptrace-cupti.so for the program DIR/gaptrace. */
static enum status gpu_enable(struct diag *diag)
{
	char program[PATH_MAX];
	char library[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	program[length > 0 ? length : 0] = '\0';
	slash = strrchr(program, '/');
	if (slash) {
		*slash = '\0';
	}
	(void)snprintf(library, sizeof(library), "%s/../%s/%s", program, GAPTRACE_LIBRARY_DIR,
		CUPTI_LIBRARY);
	if (access(library, R_OK) != 0) {
		return diag_set(diag, STATUS_UNSUPPORTED,
			"--gpu: there is no %s: this gaptrace was installed without it", library);
	}
	if (getenv("CUDA_INJECTION64_PATH")) {
		return diag_set(diag, STATUS_BAD_USE,
			"--gpu: CUDA_INJECTION64_PATH is set already, and CUDA takes one library");
	}
	return setenv("CUDA_INJECTION64_PATH", library, 1) == 0
		       ? STATUS_OK
		       : diag_set(diag, STATUS_NO_MEMORY, "out of memory");
}

/* The command from its start to its end, with the recording looked after. */
static void command_wait(struct child *child, struct recording *recording)
{
	struct watch watch;
	/* A disk that cannot be looked at is no reason not to record. */
	bool is_watched = watch_init(&watch, recording->output.path, NULL) == STATUS_OK;

	while (!child->has_ended) {
		child_wait(child, recording->is_running ? LOOK_INTERVAL_MS : -1);
		if (is_watched && recording->is_running && !child->has_ended) {
			recording_look(recording, &watch);
		}
	}
}

static int command_run(struct child *child, struct recording *recording, char **command)
{
	struct diag diag = {.line = ""};
	enum status status;
	/* Ctrl-C while the session was being made: there is no command yet that it could be
	 * handed to. */
	int arrived = child_pending_signal();

	if (arrived) {
		recording_stop(recording);
		output_abandon(&recording->output);
		return 128 + arrived;
	}
	status = child_start(child, command, &diag);
	if (status != STATUS_OK) {
		recording_stop(recording);
		/* Nothing of the user's is in it: the command never ran. */
		output_abandon(&recording->output);
		(void)fail(status, &diag);
		return status == STATUS_NOT_FOUND ? 127 : 126;
	}
	command_wait(child, recording);

	status = recording_finish(recording);
	if (status != STATUS_OK) {
		record_say("the command's exit code was %d", child->exit_code);
		return status_exit_code(status);
	}
	return child->exit_code;
}

static int record_command(const struct record_options *options)
{
	AUTO(profile_destroy) struct profile *profile = NULL;
	struct recording recording = {.status = STATUS_OK};
	struct child child;
	struct diag diag = {.line = ""};
	enum status status = STATUS_OK;
	int code = child_check(options->command[0], &diag);

	if (code) {
		record_say("%s", diag.line);
		return code;
	}
	if (options->wants_gpu) {
		status = gpu_enable(&diag);
	}
	if (status == STATUS_OK) {
		status = daemon_export_home(&diag);
	}
	/* It may be a pipe that is slow to come, so before signals are the command's. */
	if (status == STATUS_OK) {
		status = profile_find(options->profile, &profile, &diag);
	}
	if (status == STATUS_OK) {
		status = child_init(&child, &diag);
	}
	if (status != STATUS_OK) {
		return fail(status, &diag);
	}
	(void)snprintf(recording.name, sizeof(recording.name), "gaptrace-%lld-%ld",
		(long long)time(NULL), (long)getpid());
	status = recording_start(&recording, options, profile, &diag);
	if (status != STATUS_OK) {
		child_finish(&child);
		return fail(status, &diag);
	}
	record_say("recording to %s (session %s)", recording.output.path, recording.name);
	/* Without overwriting: who sets it knows why. */
	(void)setenv("LTTNG_UST_REGISTER_TIMEOUT", REGISTER_TIMEOUT_MS, 0);
	code = command_run(&child, &recording, options->command);
	child_finish(&child);
	return code;
}

static int record_start(const struct record_options *options)
{
	AUTO(profile_destroy) struct profile *profile = NULL;
	struct recording recording = {.status = STATUS_OK};
	struct diag diag = {.line = ""};
	size_t process_count;
	enum status status;

	(void)snprintf(recording.name, sizeof(recording.name), "%s", options->session);
	status = profile_find(options->profile, &profile, &diag);
	if (status == STATUS_OK) {
		status = recording_start(&recording, options, profile, &diag);
	}
	if (status != STATUS_OK) {
		return fail(status, &diag);
	}
	(void)alarm(START_LIMIT_S);
	process_count = session_count_processes();
	(void)alarm(0);
	record_say("recording to %s; %zu traced process%s now; stop with gaptrace record --stop %s",
		recording.output.path, process_count, process_count == 1 ? " runs" : "es run",
		recording.name);
	if (process_count == 0) {
		record_say("a program with trace points that runs already is seen within some 5 s, "
			   "if it is this user's");
	}
	return 0;
}

static int record_stop(const struct record_options *options)
{
	struct recording recording = {.status = STATUS_OK};
	struct diag diag = {.line = ""};
	enum status status;

	if (!daemon_is_alive()) {
		record_say("no session daemon runs for this user, so there is no session '%s'",
			options->session);
		return status_exit_code(STATUS_NOT_FOUND);
	}
	(void)snprintf(recording.name, sizeof(recording.name), "%s", options->session);
	(void)alarm(START_LIMIT_S);
	status = session_find(options->session, &recording.output.path, &diag);
	if (status != STATUS_OK) {
		return fail(status, &diag);
	}
	recording.is_running = true;
	return status_exit_code(recording_finish(&recording));
}

int command_record(int argc, char **argv)
{
	struct record_options options;
	struct diag diag = {.line = ""};
	enum status status = record_options_parse(argc, argv, &options, &diag);

	if (status != STATUS_OK) {
		return fail(status, &diag);
	}
	(void)signal(SIGALRM, on_alarm);
	switch (options.mode) {
	case RECORD_COMMAND:
		return record_command(&options);
	case RECORD_START:
		return record_start(&options);
	case RECORD_STOP:
		return record_stop(&options);
	case RECORD_HELP:
		break;
	}
	record_say_help();
	return standard_streams_finish("gaptrace record", 0);
}
