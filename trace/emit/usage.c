/* SPDX-License-Identifier: MIT */
#include "trace/emit/usage.h"

#include "gaptrace/schema.h"
#include "trace/base/clock.h"
#include "trace/emit/host_guard.h"
#include "trace/emit/thread.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEDSTAT_PATH "/proc/thread-self/schedstat"

/* Three numbers of at most 20 digits and what separates them. */
#define SCHEDSTAT_BYTES_MAX 64

/* Reads one decimal number and the `end` byte after it; gives NULL when that is not there. */
static const char *parse_number(const char *text, char end, uint64_t *out_value)
{
	uint64_t value = 0;
	const char *digit = text;

	while (*digit >= '0' && *digit <= '9' && digit - text < 20) {
		value = value * 10 + (uint64_t)(*digit - '0');
		digit++;
	}
	if (digit == text || *digit != end) {
		return NULL;
	}
	*out_value = value;
	return digit + 1;
}

/* Files kept open by all threads. */
static uint32_t file_count;

/* Takes one of the descriptors that the host can spare. */
static bool file_reserve(void)
{
	struct rlimit limit;
	uint32_t count_max = USAGE_FILE_COUNT_MAX;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
		return false;
	}
	if (limit.rlim_cur / USAGE_FILE_SHARE < count_max) {
		count_max = (uint32_t)(limit.rlim_cur / USAGE_FILE_SHARE);
	}
	if (__atomic_fetch_add(&file_count, 1, __ATOMIC_RELAXED) < count_max) {
		return true;
	}
	(void)__atomic_fetch_sub(&file_count, 1, __ATOMIC_RELAXED);
	return false;
}

static void file_release(void)
{
	(void)__atomic_fetch_sub(&file_count, 1, __ATOMIC_RELAXED);
}

/* -1 when there is none to be had; the thread does not ask again. */
static int schedstat_open(void)
{
	struct stat file;
	int fd;

	thread_self.schedstat_fd = -1;
	if (!thread_watch() || !file_reserve()) {
		return -1;
	}
	fd = open(SCHEDSTAT_PATH, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &file) != 0) {
		(void)close(fd);
		fd = -1;
	}
	if (fd < 0) {
		file_release();
		return -1;
	}
	thread_self.schedstat_fd = fd + 1;
	thread_self.file_inode = file.st_ino;
	thread_self.file_device = file.st_dev;
	return fd;
}

/*
 * Nanoseconds the calling thread was runnable but not running. The file's first number, the CPU
 * time, is not used: the kernel brings it up to date only at ticks.
 */
static uint64_t read_run_delay_ns(void)
{
	char text[SCHEDSTAT_BYTES_MAX];
	const char *next = text;
	uint64_t run_ns;
	uint64_t run_delay_ns;
	uint64_t slice_count;
	ssize_t length;
	int fd = thread_self.schedstat_fd - 1;

	if (thread_self.schedstat_fd == 0) {
		fd = schedstat_open();
	}
	if (fd < 0) {
		return GAPTRACE_UNKNOWN;
	}
	length = pread(fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	next = parse_number(next, ' ', &run_ns);
	next = next ? parse_number(next, ' ', &run_delay_ns) : NULL;
	next = next ? parse_number(next, '\n', &slice_count) : NULL;
	if (!next || *next) {
		/* The host closed our file: its number may stand for another one now. */
		thread_self.schedstat_fd = -1;
		file_release();
		return GAPTRACE_UNKNOWN;
	}
	return run_delay_ns;
}

static void usage_read(uint64_t now_ns)
{
	struct host_guard guard = host_guard_begin();

	thread_self.usage_read_ns = now_ns;
	thread_self.usage_cpu_ns = clock_thread_cpu_ns();
	thread_self.usage_run_delay_ns = read_run_delay_ns();
	host_guard_end(&guard);
}

void usage_begin(uint64_t now_ns, uint64_t *out_cpu_ns, uint64_t *out_run_delay_ns)
{
	if (now_ns - thread_self.usage_read_ns > USAGE_STALE_NS) {
		usage_read(now_ns);
	}
	*out_cpu_ns = thread_self.usage_cpu_ns;
	*out_run_delay_ns = thread_self.usage_run_delay_ns;
}

static uint64_t difference(uint64_t begin, uint64_t end, uint64_t limit)
{
	if (begin == GAPTRACE_UNKNOWN || end == GAPTRACE_UNKNOWN || end < begin) {
		return GAPTRACE_UNKNOWN;
	}
	return end - begin < limit ? end - begin : limit;
}

struct sample_usage usage_end(const struct usage_mark *mark)
{
	struct sample_usage usage = {GAPTRACE_UNKNOWN, GAPTRACE_UNKNOWN, GAPTRACE_UNKNOWN};
	uint64_t now_ns;
	uint64_t rest_ns;

	if (mark->begin_ns == 0) {
		return usage;
	}
	now_ns = clock_now_ns();
	usage.duration_ns = now_ns - mark->begin_ns;
	if (usage.duration_ns < USAGE_SPAN_NS_MIN || mark->tid != thread_tid()) {
		return usage;
	}
	usage_read(now_ns);
	/* Once more: what delayed the reading must not count as delay and be no part of the span.
	 */
	usage.duration_ns = clock_now_ns() - mark->begin_ns;
	usage.cpu_ns = difference(mark->cpu_ns, thread_self.usage_cpu_ns, usage.duration_ns);
	rest_ns = usage.duration_ns - (usage.cpu_ns == GAPTRACE_UNKNOWN ? 0 : usage.cpu_ns);
	usage.run_delay_ns =
		difference(mark->run_delay_ns, thread_self.usage_run_delay_ns, rest_ns);
	return usage;
}

void usage_close(void)
{
	struct host_guard guard = host_guard_begin();
	struct stat file;
	int fd = thread_self.schedstat_fd - 1;

	if (fd >= 0) {
		if (fstat(fd, &file) == 0 && file.st_ino == thread_self.file_inode &&
			file.st_dev == thread_self.file_device) {
			(void)close(fd);
		}
		file_release();
	}
	host_guard_end(&guard);
	thread_self.schedstat_fd = 0;
	thread_self.usage_read_ns = 0;
}
