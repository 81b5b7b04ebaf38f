/* SPDX-License-Identifier: MIT */
/*
 * A traced program that is killed in the middle of its first event: once that has its place in a
 * buffer LTTng asks for the process's id, which is the context vpid. It ends with 1 if it lives on.
 */
#include "gaptrace/gaptrace.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t is_armed;

/* Stands before libc's, for every library of the process. */
__attribute__((visibility("default"))) pid_t getpid(void)
{
	pid_t pid = (pid_t)syscall(SYS_getpid);

	if (is_armed) {
		(void)kill(pid, SIGKILL);
	}
	return pid;
}

int main(void)
{
	struct gaptrace_work work = GAPTRACE_NO_WORK;
	struct gaptrace_span span;

	is_armed = true;
	span = gaptrace_span_begin("step", work);
	gaptrace_span_end(&span);
	return 1;
}
