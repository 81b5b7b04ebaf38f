/* SPDX-License-Identifier: MIT */
/*
 * A host that does to libraries what hosts do, while it is recorded: `rough_host FILE MODE` waits
 * for a recording and for the file, then forks beside busy threads, cancels a thread in the middle
 * of events, exits under running threads, runs more threads than it has descriptors, or names a
 * thread from a buffer it uses again. Exit 0 when the library did it no harm.
 */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* As long as a busy machine may take to start a daemon and a session. */
#define WAIT_MS_MAX 120000

#define BUSY_THREAD_COUNT 3
#define CHILD_COUNT       100

/* Enough to fill sub-buffers many times over. */
#define CANCEL_EVENT_COUNT 50000

/* Threads at once, of a host that may open this many files, and the files it wants itself. */
#define CROWD_COUNT 80
#define OWN_COUNT   40

/* Long enough for a span to be measured. */
#define SPAN_NS NS_PER_MS

static const struct gaptrace_work no_work = GAPTRACE_NO_WORK;
static struct gaptrace_mutex mutex;
static bool is_stopping;
static bool is_finished;
static pthread_barrier_t barrier;

static int wait_for_recording(const char *path)
{
	for (int i = 0; i < WAIT_MS_MAX; i++) {
		if (gaptrace_is_recording() && access(path, F_OK) == 0) {
			return 0;
		}
		(void)usleep(1000);
	}
	(void)fputs("nothing records\n", stderr);
	return 1;
}

static void measured_span(const char *name)
{
	struct gaptrace_span span = gaptrace_span_begin(name, no_work);
	uint64_t end_ns = clock_now_ns() + SPAN_NS;

	while (clock_now_ns() < end_ns) {
		continue;
	}
	gaptrace_span_end(&span);
}

/* Names itself each time, as a new thread would, and takes what a fork must not tear. */
static void *be_busy(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&is_stopping, __ATOMIC_RELAXED)) {
		gaptrace_thread_name("busy");
		gaptrace_mutex_lock(&mutex);
		gaptrace_mutex_unlock(&mutex);
		gaptrace_keyframe();
		gaptrace_thread_end();
	}
	return NULL;
}

static int start_busy(pthread_t *threads)
{
	for (int i = 0; i < BUSY_THREAD_COUNT; i++) {
		if (pthread_create(&threads[i], NULL, be_busy, NULL) != 0) {
			return 1;
		}
	}
	return 0;
}

/* A thread that LTTng does not know yet, in a child. */
static void *emit_in_child(void *unused)
{
	(void)unused;
	gaptrace_thread_name("child");
	measured_span("child");
	return NULL;
}

static int child(void)
{
	pthread_t thread;

	gaptrace_thread_name("child");
	measured_span("child");
	gaptrace_keyframe();
	return pthread_create(&thread, NULL, emit_in_child, NULL) != 0 ||
	       pthread_join(thread, NULL) != 0;
}

/* Every other child leaves by exit, whose destructors are LTTng's, too. They do not bear that the
 * child had threads of its own: it must leave by _exit then. */
static int fork_beside_threads(void)
{
	pthread_t threads[BUSY_THREAD_COUNT];

	if (start_busy(threads) != 0) {
		return 1;
	}
	for (int i = 0; i < CHILD_COUNT; i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			if (i % 2 == 0) {
				exit(0);
			}
			_exit(child());
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
			(void)fprintf(stderr, "child %d ended with status %d\n", i, status);
			return 1;
		}
	}
	__atomic_store_n(&is_stopping, true, __ATOMIC_RELAXED);
	for (int i = 0; i < BUSY_THREAD_COUNT; i++) {
		(void)pthread_join(threads[i], NULL);
	}
	return 0;
}

/* Is cancelled before its first event: it must reach its own next cancellation point. */
static void *emit_cancelled(void *unused)
{
	(void)unused;
	(void)pthread_cancel(pthread_self());
	errno = EXDEV;
	for (int i = 0; i < CANCEL_EVENT_COUNT && errno == EXDEV; i++) {
		gaptrace_mutex_lock(&mutex);
		gaptrace_mutex_unlock(&mutex);
	}
	measured_span("cancelled");
	(void)gaptrace_malloc_trim(0);
	gaptrace_thread_end();
	is_finished = errno == EXDEV;
	pthread_testcancel();
	return NULL;
}

static int cancel_in_events(void)
{
	pthread_t thread;
	void *result = NULL;

	if (pthread_create(&thread, NULL, emit_cancelled, NULL) != 0 ||
		pthread_join(thread, &result) != 0) {
		return 1;
	}
	if (!is_finished || result != PTHREAD_CANCELED) {
		(void)fputs("cancelled inside an event, or errno was changed\n", stderr);
		return 1;
	}
	return 0;
}

static int exit_under_threads(void)
{
	pthread_t threads[BUSY_THREAD_COUNT];

	if (start_busy(threads) != 0) {
		return 1;
	}
	measured_span("exit");
	exit(0);
}

static void *be_one_of_many(void *unused)
{
	(void)unused;
	measured_span("crowd");
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	return NULL;
}

static int open_own(void)
{
	int fds[OWN_COUNT];
	int count = 0;

	while (count < OWN_COUNT && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
		count++;
	}
	if (count < OWN_COUNT) {
		(void)fprintf(stderr, "only %d of %d descriptors are left\n", count, OWN_COUNT);
	}
	for (int i = 0; i < count; i++) {
		(void)close(fds[i]);
	}
	return count < OWN_COUNT;
}

/* Twice: the descriptors of the first crowd must have come back. */
static int run_crowds(void)
{
	struct rlimit limit = {.rlim_cur = CROWD_COUNT, .rlim_max = CROWD_COUNT};
	pthread_t threads[CROWD_COUNT];
	int error = setrlimit(RLIMIT_NOFILE, &limit);

	for (int crowd = 0; crowd < 2 && !error; crowd++) {
		(void)pthread_barrier_init(&barrier, NULL, CROWD_COUNT + 1);
		for (int i = 0; i < CROWD_COUNT; i++) {
			if (pthread_create(&threads[i], NULL, be_one_of_many, NULL) != 0) {
				return 1;
			}
		}
		(void)pthread_barrier_wait(&barrier);
		error = open_own();
		(void)pthread_barrier_wait(&barrier);
		for (int i = 0; i < CROWD_COUNT; i++) {
			(void)pthread_join(threads[i], NULL);
		}
		(void)pthread_barrier_destroy(&barrier);
	}
	return error;
}

/* The name's memory is the host's again as soon as the call is over. */
static int name_thread_from_buffer(void)
{
	char name[32] = "composed";

	gaptrace_thread_name(name);
	memset(name, 'x', sizeof(name) - 1);
	gaptrace_keyframe();
	return 0;
}

int main(int argc, char **argv)
{
	/* clang-format off */
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{"fork", fork_beside_threads},
		{"cancel", cancel_in_events},
		{"exit", exit_under_threads},
		{"crowd", run_crowds},
		{"name", name_thread_from_buffer},
	};
	/* clang-format on */

	if (argc != 3 || gaptrace_mutex_init(&mutex, "mutex") != 0 ||
		wait_for_recording(argv[1]) != 0) {
		return 2;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[2], modes[i].name) == 0) {
			return modes[i].run();
		}
	}
	return 2;
}
