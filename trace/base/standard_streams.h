/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started with some of them closed. */
#pragma once

#include "trace/base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * First thing in main(): the next file or socket to be opened would take a closed one's number, and
 * with it whatever is said. Opened the wrong way round, so that using them fails as it did.
 */
static inline void standard_streams_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0) {
			/* Gives the lowest number that is free, which is this one. */
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		}
	}
}

/* Last thing in main(): the exit code, which is an error's when something printed got lost. */
static inline int standard_streams_finish(const char *program, int exit_code)
{
	if (fflush(stdout) == 0 && !ferror(stdout)) {
		return exit_code;
	}
	(void)fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
	return exit_code ? exit_code : status_exit_code(STATUS_IO);
}
