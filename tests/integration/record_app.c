/* SPDX-License-Identifier: MIT */
/*
 * A small traced program to be recorded: `record_app COUNT PAUSE_US EXIT_CODE [LAST_FILE [HOLD]]`
 * emits COUNT spans, numbered by their job from 1, and a keyframe with each hundredth. COUNT 0 goes
 * on until SIGTERM or SIGINT, and then the exit code is EXIT_CODE; with KILL for that it kills
 * itself. The last number stands in LAST_FILE at every moment, even after SIGKILL. After the span
 * HOLD it waits for SIGUSR1.
 */
#include "gaptrace/gaptrace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
}

static uint64_t *last_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(uint64_t)) == 0) {
		map = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (map == MAP_FAILED) {
		perror(path);
		exit(70);
	}
	(void)close(fd);
	return map;
}

static void step(uint64_t number)
{
	struct gaptrace_work work = {.job = number, .partition = 0, .device = GAPTRACE_NONE};
	struct gaptrace_span span = gaptrace_span_begin("step", work);

	gaptrace_span_end(&span);
	if (number % 100 == 1) {
		gaptrace_state(&(struct gaptrace_state){.subject = GAPTRACE_STATE_PROCESS,
			.name = "record_app",
			.work = work,
			.tid = GAPTRACE_NONE,
			.value = number});
	}
}

static void wait_for_usr1(void)
{
	sigset_t usr1;
	int number;

	(void)sigemptyset(&usr1);
	(void)sigaddset(&usr1, SIGUSR1);
	(void)sigwait(&usr1, &number);
}

int main(int argc, char **argv)
{
	sigset_t usr1;
	uint64_t hold = 0;
	uint64_t unshared = 0;
	uint64_t *last = &unshared;
	uint64_t count;
	long pause_ns;

	if (argc < 4) {
		fprintf(stderr, "usage: record_app COUNT PAUSE_US EXIT_CODE [LAST_FILE [HOLD]]\n");
		return 2;
	}
	count = strtoull(argv[1], NULL, 10);
	pause_ns = strtol(argv[2], NULL, 10) * 1000;
	if (argc > 4) {
		last = last_map(argv[4]);
	}
	if (argc > 5) {
		hold = strtoull(argv[5], NULL, 10);
		(void)sigemptyset(&usr1);
		(void)sigaddset(&usr1, SIGUSR1);
		(void)sigprocmask(SIG_BLOCK, &usr1, NULL);
	}
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	for (uint64_t number = 1; (!count || number <= count) && !stop_signal; number++) {
		step(number);
		*(volatile uint64_t *)last = number;
		if (number == hold) {
			wait_for_usr1();
		}
		if (pause_ns) {
			struct timespec pause = {.tv_nsec = pause_ns};

			(void)nanosleep(&pause, NULL);
		}
	}
	if (stop_signal) {
		printf("stopped by %d\n", (int)stop_signal);
	}
	if (strcmp(argv[3], "KILL") == 0) {
		(void)raise(SIGKILL);
	}
	return (int)strtol(argv[3], NULL, 10);
}
