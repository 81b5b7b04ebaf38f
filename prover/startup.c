/* SPDX-License-Identifier: MIT */
#include "prover/startup.h"

#include "gaptrace/gaptrace.h"
#include "prover/listener.h"
#include "prover/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct startup {
	/* Borrowed until startup_end(). */
	struct listener *listener;
	int signal_fd;
	int end_fd; /* written when the daemon serves */
	pthread_t thread;
};

/* Making a key may take minutes, and whoever ignores SIGTERM meanwhile gets SIGKILL. */
static void *startup_run(void *argument)
{
	struct startup *startup = argument;
	struct pollfd fds[] = {{.fd = startup->end_fd, .events = POLLIN},
		{.fd = startup->signal_fd, .events = POLLIN}};

	gaptrace_thread_name("startup");
	while (poll(fds, 2, -1) < 0 && errno == EINTR) {
	}
	/* The signal stays unread, for the main thread, when the daemon serves already. */
	if (fds[0].revents == 0 && fds[1].revents != 0) {
		log_info("stopped before it served");
		listener_close(startup->listener);
		/* The start is in the middle of something: only the process as a whole can end. */
		_exit(0);
	}
	gaptrace_thread_end();
	return NULL;
}

enum status startup_begin(
	int signal_fd, struct listener *listener, struct diag *diag, struct startup **out_startup)
{
	struct startup *startup = calloc(1, sizeof(*startup));
	int error = 0;

	if (!startup) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	startup->signal_fd = signal_fd;
	startup->listener = listener;
	startup->end_fd = eventfd(0, EFD_CLOEXEC);
	error = startup->end_fd < 0 ? errno
				    : pthread_create(&startup->thread, NULL, startup_run, startup);
	if (error != 0) {
		if (startup->end_fd >= 0) {
			(void)close(startup->end_fd);
		}
		free(startup);
		return diag_set(diag, status_from_errno(error), "cannot watch for signals: %s",
			strerror(error));
	}
	*out_startup = startup;
	return STATUS_OK;
}

void startup_end(struct startup *startup)
{
	if (!startup) {
		return;
	}
	/* Fails only for a counter that is full, and this one is empty. */
	(void)eventfd_write(startup->end_fd, 1);
	(void)pthread_join(startup->thread, NULL);
	(void)close(startup->end_fd);
	free(startup);
}
