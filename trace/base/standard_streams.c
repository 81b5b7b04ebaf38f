/* SPDX-License-Identifier: MIT */
#include "trace/base/standard_streams.h"

#include "trace/base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void standard_streams_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0) {
			/* Gives the lowest number that is free, which is this one. */
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		}
	}
}

int standard_streams_finish(const char *program, int exit_code)
{
	if (fflush(stdout) == 0 && !ferror(stdout)) {
		return exit_code;
	}
	(void)fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
	return exit_code ? exit_code : status_exit_code(STATUS_IO);
}
