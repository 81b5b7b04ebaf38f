/* SPDX-License-Identifier: MIT */
#include "trace/record/daemon.h"

#include "trace/record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSTEM_FOLDER "/var/run/lttng"
#define MARK_NAME     "GAPTRACE_STARTED_SESSIOND"
#define MARK          MARK_NAME "=1"
/* An environment is at most a few pages; the mark comes first or last, never past this. */
#define ENVIRONMENT_BYTES_MAX (1U << 20)
/* A daemon with no session ends in milliseconds; on a loaded machine in a second or two. One whose
 * last session could not end (session.c) does not end either, and then has nothing left to write.
 */
#define STOP_LIMIT_MS 10000

/* As liblttng-ctl finds it; NULL when there is none. Borrowed, from the environment or libc. */
static const char *home_folder(void)
{
	const char *home = getenv("LTTNG_HOME");
	const struct passwd *user = NULL;

	if (!home || !*home) {
		home = getenv("HOME");
	}
	if (!home) {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	return home;
}

static bool own_folder(char *folder, size_t capacity)
{
	const char *home = NULL;

	if (geteuid() == 0) {
		return snprintf(folder, capacity, SYSTEM_FOLDER) < (int)capacity;
	}
	home = home_folder();
	return home && snprintf(folder, capacity, "%s/.lttng", home) < (int)capacity;
}

enum status daemon_export_home(struct diag *diag)
{
	const char *home = NULL;

	if (geteuid() == 0 || getenv("LTTNG_HOME") || getenv("HOME")) {
		return STATUS_OK;
	}
	home = home_folder();
	return !home || setenv("LTTNG_HOME", home, 0) == 0
		       ? STATUS_OK
		       : diag_set(diag, STATUS_NO_MEMORY, "out of memory");
}

/* As liblttng-ctl does: a member of the group `tracing` gets root's daemon when there is one. */
static bool uses_somebody_elses(void)
{
	return geteuid() != 0 && access(SYSTEM_FOLDER "/client-lttng-sessiond", W_OK) == 0;
}

void daemon_lock_acquire(struct daemon_lock *lock)
{
	char folder[PATH_MAX];

	lock->fd = -1;
	if (!own_folder(folder, sizeof(folder)) || folder[0] != '/') {
		return;
	}
	/* As the session daemon makes it: of two recorders that are the first one is to wait. */
	(void)mkdir(folder, S_IRWXU | S_IXGRP | S_IXOTH);
	lock->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock->fd >= 0) {
		while (flock(lock->fd, LOCK_EX) != 0 && errno == EINTR) {
		}
	}
}

void daemon_lock_release(struct daemon_lock *lock)
{
	if (lock->fd >= 0) {
		(void)close(lock->fd);
		lock->fd = -1;
	}
}

bool daemon_is_alive(void)
{
	return lttng_session_daemon_alive() == 1;
}

/* The last line that a failed start printed. */
static void last_line(int fd, char *line, size_t capacity)
{
	ssize_t length = pread(fd, line, capacity - 1, 0);
	char *newline;

	line[length > 0 ? length : 0] = '\0';
	while ((newline = strrchr(line, '\n')) && !newline[1]) {
		*newline = '\0';
	}
	if (newline) {
		memmove(line, newline + 1, strlen(newline + 1) + 1);
	}
}

/* A session daemon that cannot make its sockets there ends without a word. */
static enum status check_folder(struct diag *diag)
{
	/* The longest of their names. */
	static const char longest[] = "/ustconsumerd64/command";
	const size_t bytes_max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - sizeof(longest);
	char folder[PATH_MAX];

	if (!own_folder(folder, sizeof(folder))) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"a session daemon needs a home directory: set LTTNG_HOME");
	}
	if (folder[0] != '/') {
		return diag_set(diag, STATUS_BAD_USE,
			"a session daemon's folder cannot be %s: LTTNG_HOME or HOME must be an "
			"absolute path",
			folder);
	}
	if (strlen(folder) > bytes_max) {
		return diag_set(diag, STATUS_BAD_USE,
			"a session daemon's folder may have %zu bytes, for its sockets' sake, and "
			"%s has %zu: set LTTNG_HOME to a shorter path",
			bytes_max, folder, strlen(folder));
	}
	return STATUS_OK;
}

/* Spawns it, with every signal as a daemon expects it, and waits until it is ready. */
static int daemon_spawn(const char *program, int output_fd, int *out_wait_status)
{
	char *const arguments[] = {
		(char[]){"lttng-sessiond"}, (char[]){"--daemonize"}, (char[]){"--no-kernel"}, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int error;

	(void)sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions) != 0) {
		return ENOMEM;
	}
	if (posix_spawnattr_init(&attributes) != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return ENOMEM;
	}
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, output_fd, 1);
	}
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, output_fd, 2);
	}
	if (!error && setenv(MARK_NAME, "1", 1) != 0) {
		error = errno;
	}
	if (!error) {
		error = posix_spawnp(&pid, program, &actions, &attributes, arguments, environ);
	}
	(void)unsetenv(MARK_NAME);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (error) {
		return error;
	}
	while (waitpid(pid, out_wait_status, 0) < 0) {
		if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

enum status daemon_ensure(bool *out_is_started, struct diag *diag)
{
	const char *program = getenv("LTTNG_SESSIOND_PATH");
	char line[DIAG_LINE_BYTES_MAX] = "";
	int wait_status = 0;
	int output_fd;
	int error;
	enum status status = STATUS_OK;

	if (daemon_is_alive()) {
		*out_is_started = false;
		return STATUS_OK;
	}
	status = check_folder(diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (!program || !*program) {
		program = "lttng-sessiond";
	}
	output_fd = memfd_create("lttng-sessiond", MFD_CLOEXEC);
	if (output_fd < 0) {
		return diag_set(
			diag, status_from_errno(errno), "memfd_create: %s", strerror(errno));
	}
	error = daemon_spawn(program, output_fd, &wait_status);
	last_line(output_fd, line, sizeof(line));
	(void)close(output_fd);

	if (error == ENOENT) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"no session daemon runs, and there is no %s to start: install the package "
			"lttng-tools",
			program);
	}
	if (error) {
		return diag_set(diag, STATUS_UNAVAILABLE, "%s cannot be started: %s", program,
			strerror(error));
	}
	/* Somebody else may have started one in the meantime: then that one serves. */
	if (!daemon_is_alive()) {
		return diag_set(diag, STATUS_UNAVAILABLE,
			"no session daemon runs, and %s does not start: %s", program,
			*line ? line : "it says nothing");
	}
	*out_is_started = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
	return STATUS_OK;
}

static pid_t daemon_pid(void)
{
	char folder[PATH_MAX];
	char path[PATH_MAX];
	char line[32] = "";
	FILE *file;
	long pid;

	if (!own_folder(folder, sizeof(folder)) ||
		snprintf(path, sizeof(path), "%s/lttng-sessiond.pid", folder) >=
			(int)sizeof(path)) {
		return 0;
	}
	file = fopen(path, "re");
	if (!file) {
		return 0;
	}
	if (!fgets(line, sizeof(line), file)) {
		line[0] = '\0';
	}
	(void)fclose(file);
	pid = strtol(line, NULL, 10);
	return pid > 1 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static bool has_mark(pid_t pid)
{
	char path[64];
	char *environment = malloc(ENVIRONMENT_BYTES_MAX);
	bool is_found = false;
	size_t length = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%ld/environ", (long)pid);
	file = fopen(path, "re");
	if (file && environment) {
		length = fread(environment, 1, ENVIRONMENT_BYTES_MAX, file);
	}
	for (size_t at = 0; at + sizeof(MARK) <= length && !is_found;) {
		is_found = memcmp(environment + at, MARK, sizeof(MARK)) == 0;
		at += strnlen(environment + at, length - at) + 1;
	}
	if (file) {
		(void)fclose(file);
	}
	free(environment);
	return is_found;
}

/* Signals the process of a pidfd, and waits for its end. */
static bool end_by(struct pollfd *end, int signal)
{
	return syscall(SYS_pidfd_send_signal, end->fd, signal, NULL, 0) == 0 &&
	       poll(end, 1, STOP_LIMIT_MS) == 1;
}

void daemon_stop_if_idle(bool *out_is_stopped)
{
	struct daemon_lock lock;
	struct pollfd end = {.fd = -1, .events = POLLIN};
	pid_t pid;

	*out_is_stopped = false;
	if (uses_somebody_elses()) {
		return;
	}
	daemon_lock_acquire(&lock);
	pid = daemon_pid();
	if (pid && session_count() == 0) {
		/* The descriptor names the process for good, so a reused pid is never signalled. */
		end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	}
	if (end.fd >= 0) {
		if (has_mark(pid)) {
			*out_is_stopped = end_by(&end, SIGTERM) || end_by(&end, SIGKILL);
		}
		(void)close(end.fd);
	}
	daemon_lock_release(&lock);
}
