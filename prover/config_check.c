/* SPDX-License-Identifier: MIT */
#include "prover/config_check.h"

#include "prover/config_keys.h"
#include "prover/heap_chunks.h"
#include "prover/job.h"
#include "prover/listener.h"
#include "prover/nearest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What stands between the words of a list. */
#define LIST_BLANKS " \t,"

struct check {
	const struct config *config;
	const char *name;
	const int *set_line;
	struct diag *diag;
};

/* The line where a key is set, 0 for one that is not. */
static int line_of(const struct check *check, const char *section, const char *name)
{
	for (uint32_t i = 0; i < config_key_count; i++) {
		if (strcmp(config_keys[i].section, section) == 0 &&
			strcmp(config_keys[i].name, name) == 0) {
			return check->set_line[i];
		}
	}
	return 0;
}

/* The line that an operator wrote last is the one to change. */
static int later(int left, int right)
{
	return left > right ? left : right;
}

#define CHECK_FAIL(check, line, format, ...)                                                       \
	diag_set((check)->diag, STATUS_BAD_INPUT, "%s:%d: " format, (check)->name, (line),         \
		__VA_ARGS__)

static enum status check_pacer(const struct check *check)
{
	const struct config_scheduler *scheduler = &check->config->scheduler;

	if (scheduler->pacer_interval_min_ms <= scheduler->pacer_interval_max_ms) {
		return STATUS_OK;
	}
	return CHECK_FAIL(check,
		later(line_of(check, "scheduler", "pacer_interval_min_ms"),
			line_of(check, "scheduler", "pacer_interval_max_ms")),
		"[scheduler] pacer_interval_min_ms = %" PRIu64
		" is above pacer_interval_max_ms = %" PRIu64,
		scheduler->pacer_interval_min_ms, scheduler->pacer_interval_max_ms);
}

static enum status check_address(const struct check *check)
{
	const struct config_daemon *daemon = &check->config->daemon;
	const size_t path_bytes_max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;
	const int socket_line = line_of(check, "daemon", "socket");
	const int listen_line = line_of(check, "daemon", "listen");
	struct diag reason = {.line = ""};

	if (daemon->socket[0] != '\0' && daemon->listen[0] != '\0') {
		return CHECK_FAIL(check, later(socket_line, listen_line),
			"[daemon] socket and listen exclude each other; %s is set in line %d",
			socket_line < listen_line ? "socket" : "listen",
			socket_line < listen_line ? socket_line : listen_line);
	}
	/* bind() would refuse it as well, but without file and line. */
	if (strlen(daemon->socket) > path_bytes_max) {
		return CHECK_FAIL(check, socket_line,
			"[daemon] socket: a unix socket's path has at most %zu bytes",
			path_bytes_max);
	}
	if (daemon->listen[0] != '\0' && listener_check_tcp(daemon->listen, &reason) != STATUS_OK) {
		return CHECK_FAIL(check, listen_line, "[daemon] listen = %s", reason.line);
	}
	return STATUS_OK;
}

/* One word of [jobs] kinds. */
static enum status check_kind(const struct check *check, const char *word)
{
	const int line = line_of(check, "jobs", "kinds");
	struct nearest nearest = NEAREST_NONE;

	for (int i = 0; i < JOB_KIND_COUNT; i++) {
		const char *kind = job_kind_name((enum job_kind)i);

		/* No built-in circuit. */
		if (i == JOB_FILES) {
			continue;
		}
		if (strcmp(word, kind) == 0) {
			return STATUS_OK;
		}
		nearest_offer(&nearest, word, kind);
	}
	if (strcmp(word, job_kind_name(JOB_FILES)) == 0) {
		return CHECK_FAIL(check, line,
			"[jobs] kinds: '%s' is no built-in circuit; set file_root to serve it",
			word);
	}
	if (nearest.word) {
		return CHECK_FAIL(check, line,
			"[jobs] kinds: unknown kind '%s'; did you mean '%s'?", word, nearest.word);
	}
	return CHECK_FAIL(check, line, "[jobs] kinds: unknown kind '%s'; there are %s and %s", word,
		job_kind_name(JOB_MERKLE), job_kind_name(JOB_SQUARING));
}

static enum status check_kinds(const struct check *check)
{
	const char *at = check->config->jobs.kinds;
	uint32_t count = 0;
	enum status status = STATUS_OK;

	for (at += strspn(at, LIST_BLANKS); *at != '\0' && status == STATUS_OK;
		at += strspn(at, LIST_BLANKS)) {
		const size_t length = strcspn(at, LIST_BLANKS);
		char word[CONFIG_TEXT_BYTES_MAX];

		memcpy(word, at, length);
		word[length] = '\0';
		status = check_kind(check, word);
		at += length;
		count++;
	}
	if (status == STATUS_OK && count == 0 && check->config->jobs.file_root[0] == '\0') {
		return CHECK_FAIL(check, line_of(check, "jobs", "kinds"),
			"[jobs] kinds is empty and so is file_root: no job could be served; write "
			"%s, %s or both",
			job_kind_name(JOB_MERKLE), job_kind_name(JOB_SQUARING));
	}
	return status;
}

static enum status check_file_root(const struct check *check)
{
	const char *path = check->config->jobs.file_root;
	struct stat info;

	if (path[0] == '\0') {
		return STATUS_OK;
	}
	if (stat(path, &info) != 0) {
		return CHECK_FAIL(check, line_of(check, "jobs", "file_root"),
			"[jobs] file_root = %s: %s", path, strerror(errno));
	}
	if (!S_ISDIR(info.st_mode)) {
		return CHECK_FAIL(check, line_of(check, "jobs", "file_root"),
			"[jobs] file_root = %s is no directory", path);
	}
	return STATUS_OK;
}

/* The model knows no witness, and no rate for it. */
static enum status check_evaluate(const struct check *check)
{
	if (check->config->synthesis.evaluate == CONFIG_EVALUATE_HOST ||
		check->config->gpu.kind != CONFIG_DEVICE_SIM) {
		return STATUS_OK;
	}
	return CHECK_FAIL(check,
		later(line_of(check, "synthesis", "evaluate"), line_of(check, "gpu", "kind")),
		"[synthesis] evaluate = device needs a device that makes proofs; [gpu] kind = %s "
		"makes none",
		"sim");
}

/* What the host can give without swapping; all that it has where the kernel does not tell. */
static uint64_t available_bytes(void)
{
	static const char label[] = "MemAvailable:";
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kibibytes = 0;
	char line[128];

	while (file && kibibytes == 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, label, strlen(label)) == 0) {
			kibibytes = strtoull(line + strlen(label), NULL, 10);
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return kibibytes > 0 ? kibibytes * 1024
			     : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The chunks are touched: too many of them would bring the OOM killer at the start. */
static enum status check_heap(const struct check *check)
{
	const uint64_t count = check->config->memory.heap_chunks;
	const uint64_t room = count > 0 ? available_bytes() : 0;

	if (count <= room / HEAP_CHUNK_BYTES) {
		return STATUS_OK;
	}
	return CHECK_FAIL(check, line_of(check, "memory", "heap_chunks"),
		"[memory] heap_chunks = %" PRIu64 " takes %" PRIu64 " MiB and the host has %" PRIu64
		" MiB to give; %" PRIu64 " would fit",
		count, count * HEAP_CHUNK_BYTES >> 20, room >> 20, room / HEAP_CHUNK_BYTES);
}

enum status config_check(
	const struct config *config, const char *name, const int *set_line, struct diag *diag)
{
	static enum status (*const checks[])(const struct check *) = {check_pacer, check_address,
		check_kinds, check_file_root, check_evaluate, check_heap};
	const struct check check = {
		.config = config, .name = name, .set_line = set_line, .diag = diag};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && status == STATUS_OK; i++) {
		status = checks[i](&check);
	}
	return status;
}
