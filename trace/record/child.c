/* SPDX-License-Identifier: MIT */
#include "trace/record/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What execvp takes when there is no PATH. */
#define PATH_DEFAULT "/bin:/usr/bin"

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

enum status child_init(struct child *child, struct diag *diag)
{
	sigset_t mask;

	*child = (struct child){.signal_fd = -1};
	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++) {
		(void)sigaddset(&mask, forwarded[i]);
	}
	/* Whoever started us may ignore it, and then there would be no exit code to wait for. */
	(void)signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &mask, &child->mask_before) != 0) {
		return diag_set(diag, status_from_errno(errno), "signals: %s", strerror(errno));
	}
	child->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (child->signal_fd < 0) {
		return diag_set(diag, status_from_errno(errno), "signals: %s", strerror(errno));
	}
	return STATUS_OK;
}

void child_finish(struct child *child)
{
	if (child->signal_fd >= 0) {
		(void)close(child->signal_fd);
		child->signal_fd = -1;
	}
	(void)sigprocmask(SIG_SETMASK, &child->mask_before, NULL);
}

static int check_file(const char *path)
{
	struct stat file;

	if (stat(path, &file) != 0) {
		return errno;
	}
	if (S_ISDIR(file.st_mode)) {
		return EISDIR;
	}
	return access(path, X_OK) == 0 ? 0 : errno;
}

/* The search of execvp: the first that can be run, else the best reason why none can. */
static int search_path(const char *name)
{
	const char *path = getenv("PATH");
	int result = ENOENT;

	/* A folder of PATH that may not be searched holds no such command, as in a shell. */
	for (const char *at = path ? path : PATH_DEFAULT; at; at = strchr(at, ':')) {
		char candidate[PATH_MAX];
		size_t length;
		int error;

		at += *at == ':';
		length = strcspn(at, ":");
		if (snprintf(candidate, sizeof(candidate), "%.*s%s%s", (int)length, at,
			    length ? "/" : "./", name) >= (int)sizeof(candidate)) {
			continue;
		}
		error = check_file(candidate);
		if (!error) {
			return 0;
		}
		if (error == EACCES && access(candidate, F_OK) == 0) {
			result = error;
		}
	}
	return result;
}

int child_check(const char *name, struct diag *diag)
{
	int error = ENOENT;
	enum status status;

	if (*name) {
		error = strchr(name, '/') ? check_file(name) : search_path(name);
	}
	if (!error) {
		return 0;
	}
	status = diag_set(diag, status_from_errno(error), "%s: %s", *name ? name : "''",
		error == ENOENT && !strchr(name, '/') ? "no such command" : strerror(error));
	return status == STATUS_NOT_FOUND ? 127 : 126;
}

/* A terminal sends its signals to this group, and only this group may read from it. */
static bool is_foreground(void)
{
	int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool is_ours = terminal >= 0 && tcgetpgrp(terminal) == getpgrp();

	if (terminal >= 0) {
		(void)close(terminal);
	}
	return is_ours;
}

enum status child_start(struct child *child, char *const *argv, struct diag *diag)
{
	posix_spawnattr_t attributes;
	int error = posix_spawnattr_init(&attributes);

	assert(child->signal_fd >= 0 && argv[0]);

	if (error) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: %s", argv[0], strerror(error));
	}
	(void)posix_spawnattr_setsigmask(&attributes, &child->mask_before);
	/*
	 * `kill %1` of a shell signals the whole group of a background job: a command in that group
	 * would get the signal twice, and many take the second as "at once".
	 */
	child->has_own_group = !is_foreground();
	(void)posix_spawnattr_setpgroup(&attributes, 0);
	(void)posix_spawnattr_setflags(
		&attributes, (short)(POSIX_SPAWN_SETSIGMASK |
				     (child->has_own_group ? POSIX_SPAWN_SETPGROUP : 0)));
	error = posix_spawnp(&child->pid, argv[0], NULL, &attributes, argv, environ);
	(void)posix_spawnattr_destroy(&attributes);
	if (error) {
		return diag_set(diag, status_from_errno(error), "%s: %s", argv[0], strerror(error));
	}
	return STATUS_OK;
}

static void reap(struct child *child)
{
	int wait_status;

	if (waitpid(child->pid, &wait_status, WNOHANG) != child->pid) {
		return;
	}
	if (WIFEXITED(wait_status)) {
		child->has_ended = true;
		child->exit_code = WEXITSTATUS(wait_status);
	} else if (WIFSIGNALED(wait_status)) {
		child->has_ended = true;
		child->exit_code = 128 + WTERMSIG(wait_status);
	}
}

void child_wait(struct child *child, int limit_ms)
{
	struct pollfd arrival = {.fd = child->signal_fd, .events = POLLIN};
	struct signalfd_siginfo info;

	if (child->has_ended || poll(&arrival, 1, limit_ms) <= 0) {
		return;
	}
	while (read(child->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		/* A terminal's signal went to its whole process group, perhaps the command's too.
		 */
		bool has_it = info.ssi_code == SI_KERNEL && !child->has_own_group;

		if (info.ssi_signo != SIGCHLD && !has_it) {
			(void)kill(child->pid, (int)info.ssi_signo);
		}
	}
	reap(child);
}

int child_pending_signal(void)
{
	sigset_t pending;

	if (sigpending(&pending) != 0) {
		return 0;
	}
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++) {
		if (sigismember(&pending, forwarded[i]) == 1) {
			return forwarded[i];
		}
	}
	return 0;
}
