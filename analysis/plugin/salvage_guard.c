/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/salvage_guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

void salvage_guard_clear(const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL) {
		(void)unlinkat(dirfd(entries), entry->d_name, 0);
	}
	if (entries) {
		(void)closedir(entries);
		(void)rmdir(folder);
	}
}

/* Out of reach of the terminal's signals, and of whoever waits for the end of our output. */
_Noreturn static void keep_watch(const char *folder, int fd)
{
	char byte;
	ssize_t got;

	(void)setsid();
	if (fd > 0) {
		(void)close_range(0, (unsigned int)fd - 1, 0);
	}
	(void)close_range((unsigned int)fd + 1, UINT_MAX, 0);
	do {
		got = read(fd, &byte, 1);
	} while (got > 0 || (got < 0 && errno == EINTR));
	salvage_guard_clear(folder);
	_exit(0);
}

void salvage_guard_start(const char *folder, struct salvage_guard *out_guard)
{
	int ends[2];
	pid_t child;

	*out_guard = (struct salvage_guard){.pid = 0};
	if (pipe2(ends, O_CLOEXEC) != 0) {
		return;
	}
	child = fork();
	if (child == 0) {
		keep_watch(folder, ends[0]);
	}
	(void)close(ends[0]);
	if (child < 0) {
		(void)close(ends[1]);
		return;
	}
	*out_guard = (struct salvage_guard){.pid = child, .fd = ends[1]};
}

void salvage_guard_stop(struct salvage_guard *guard)
{
	if (guard->pid == 0) {
		return;
	}
	(void)close(guard->fd);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	*guard = (struct salvage_guard){.pid = 0};
}
