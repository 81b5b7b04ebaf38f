/* SPDX-License-Identifier: MIT */
/* prove: submits jobs to proverd, shows how they get on, fetches and verifies their proofs. */
#include "prover/client_http.h"
#include "prover/client_options.h"
#include "prover/client_proofs.h"
#include "prover/paths.h"
#include "trace/base/clock.h"
#include "trace/base/standard_streams.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Between two looks at the jobs: short beside a proof, long beside an answer. */
#define POLL_NS (100 * NS_PER_MS)

/* After a daemon said that it has jobs enough. */
#define RETRY_NS (500 * NS_PER_MS)

#define BAR_CELLS 30

/* A job that failed on the daemon. */
#define EXIT_JOB_FAILED 1

struct job {
	uint64_t id;
	uint64_t partition_count;
	uint64_t done_count;
	bool is_over;
};

struct session {
	const struct client_options *options;
	struct client_http *client;
	struct job *jobs;
	uint64_t submitted_count;
	uint64_t over_count;
	uint64_t failed_count;
	uint64_t verified_count; /* proofs */
	uint64_t begin_ns;
	bool is_terminal;
	bool is_simulated;
};

static void nap(uint64_t duration_ns)
{
	struct timespec duration = clock_timespec(duration_ns);

	(void)nanosleep(&duration, NULL);
}

/* The body of job `index`; each has its own seed, so that no two prove the same. */
static char *job_body(const struct client_options *options, uint64_t index)
{
	json_t *json =
		json_pack("{s:s, s:s}", "kind", options->kind, "priority", options->priority);
	char *text = NULL;

	if (options->key) {
		json_t *witnesses = json_array();

		for (uint32_t i = 0; i < options->witness_count; i++) {
			(void)json_array_append_new(witnesses, json_string(options->witnesses[i]));
		}
		(void)json_object_set_new(json, "key", json_string(options->key));
		(void)json_object_set_new(json, "witnesses", witnesses);
	} else {
		/* prove(1) promises this numbering, so that proofs can be made again. */
		uint64_t seed = options->seed + index * options->partition_count;

		(void)json_object_set_new(
			json, "partitions", json_integer((json_int_t)options->partition_count));
		(void)json_object_set_new(json, "seed", json_integer((json_int_t)(seed)));
	}
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	return text;
}

static enum status read_submitted(
	struct session *session, const struct client_http_answer *answer, struct diag *diag)
{
	/* What is no JSON has no id: the job is then looked for as 0, which there is not. */
	json_t *json = json_loadb(answer->text, answer->size, 0, NULL);
	struct job *job = &session->jobs[session->submitted_count];

	job->id = (uint64_t)json_integer_value(json_object_get(json, "id"));
	job->partition_count = session->options->key ? session->options->witness_count
						     : session->options->partition_count;
	session->is_simulated =
		session->is_simulated || json_is_true(json_object_get(json, "simulated"));
	session->submitted_count++;
	json_decref(json);
	/* Whatever becomes of it, proofs of an earlier job are not this one's. */
	return session->options->out_folder
		       ? client_proofs_remove_earlier(session->options->out_folder, job->id, diag)
		       : STATUS_OK;
}

/* Submits the next job; OVER_LIMIT when the daemon has enough for now. */
static enum status submit_next(struct session *session, struct diag *diag)
{
	char *body = job_body(session->options, session->submitted_count);
	struct client_http_answer answer = {.text = NULL};
	enum status status = STATUS_NO_MEMORY;

	if (body) {
		status = client_http_request(session->client, "/jobs", body, diag, &answer);
	}
	if (status == STATUS_OK) {
		status = client_http_status(&answer, diag);
	}
	if (status == STATUS_OK) {
		status = read_submitted(session, &answer, diag);
	}
	free(answer.text);
	free(body);
	return status;
}

static void show_bar(const struct session *session)
{
	uint64_t total = 0;
	uint64_t done = 0;
	char bar[BAR_CELLS + 1];
	double elapsed_s = (double)(clock_now_ns() - session->begin_ns) / NS_PER_S;

	if (!session->is_terminal) {
		return;
	}
	for (uint64_t i = 0; i < session->options->job_count; i++) {
		const struct job *job = &session->jobs[i];

		/* Of jobs not submitted yet, what they will have. */
		total += job->partition_count ? job->partition_count
					      : session->options->partition_count;
		done += job->done_count;
	}
	for (uint64_t i = 0; i < BAR_CELLS; i++) {
		bar[i] = total > 0 && i * total < done * BAR_CELLS ? '#' : '.';
	}
	bar[BAR_CELLS] = '\0';
	(void)fprintf(stderr,
		"\r[%s] %" PRIu64 "/%" PRIu64 " partitions, %" PRIu64 "/%" PRIu64 " jobs, %.1f s ",
		bar, done, total, session->over_count, session->options->job_count, elapsed_s);
}

static void say(const struct session *session, const char *line)
{
	(void)fprintf(stderr, "%s%s\n", session->is_terminal ? "\r\033[K" : "", line);
}

static enum status take_proofs(struct session *session, const struct job *job, struct diag *diag)
{
	AUTO(client_proofs_destroy) struct client_proofs *proofs = NULL;
	enum status status = client_proofs_fetch(session->client, job->id, diag, &proofs);

	/* A short list would pass every check of what is in it. */
	if (status == STATUS_OK && client_proofs_count(proofs) != job->partition_count) {
		status = diag_set(diag, STATUS_INVALID_PROOF,
			"job %" PRIu64 ": %u proofs of %" PRIu64 " partitions", job->id,
			client_proofs_count(proofs), job->partition_count);
	}
	if (status == STATUS_OK && session->options->verifies) {
		/* Of files one witness may be named twice, and others may agree in public. */
		status = client_proofs_verify(proofs, !session->options->key, diag);
		session->verified_count += client_proofs_count(proofs);
	}
	if (status == STATUS_OK && session->options->out_folder) {
		status = client_proofs_write(proofs, session->options->out_folder, diag);
	}
	return status;
}

/* What a job's page says; the proofs as soon as it is done. */
static enum status read_page(
	struct session *session, struct job *job, const json_t *page, struct diag *diag)
{
	const char *state = json_string_value(json_object_get(page, "state"));
	const char *reason = json_string_value(json_object_get(page, "error"));
	char line[DIAG_LINE_BYTES_MAX + 64];
	double seconds = json_real_value(json_object_get(page, "duration_seconds"));

	job->done_count = (uint64_t)json_integer_value(json_object_get(page, "partitions_done"));
	if (!state) {
		return diag_set(diag, STATUS_BAD_INPUT, "job %" PRIu64 ": no state", job->id);
	}
	if (strcmp(state, "queued") == 0 || strcmp(state, "running") == 0) {
		return STATUS_OK;
	}
	job->is_over = true;
	session->over_count++;
	if (strcmp(state, "done") != 0) {
		session->failed_count++;
		(void)snprintf(line, sizeof(line), "job %" PRIu64 " %s: %s", job->id, state,
			reason ? reason : "");
		say(session, line);
		return STATUS_OK;
	}
	if (!session->is_terminal) {
		(void)snprintf(line, sizeof(line),
			"job %" PRIu64 " done: %" PRIu64 " partition%s in %.3f s", job->id,
			job->done_count, job->done_count == 1 ? "" : "s", seconds);
		say(session, line);
	}
	/* At once: a daemon forgets its oldest jobs, and one that stops waits only a while. */
	return session->is_simulated ? STATUS_OK : take_proofs(session, job, diag);
}

static enum status look_at(struct session *session, struct job *job, struct diag *diag)
{
	struct client_http_answer answer = {.text = NULL};
	char path[64];
	json_t *page = NULL;
	enum status status = STATUS_OK;

	(void)snprintf(path, sizeof(path), "/jobs/%" PRIu64, job->id);
	status = client_http_request(session->client, path, NULL, diag, &answer);
	if (status == STATUS_OK) {
		status = client_http_status(&answer, diag);
	}
	if (status == STATUS_OK) {
		page = json_loadb(answer.text, answer.size, 0, NULL);
		status = read_page(session, job, page, diag);
		json_decref(page);
	}
	free(answer.text);
	return status;
}

/* As many as the daemon takes; what it has no room for is tried again after a while. */
static enum status submit_some(struct session *session, uint64_t *retry_ns, struct diag *diag)
{
	enum status status = STATUS_OK;

	while (session->submitted_count < session->options->job_count &&
		clock_now_ns() >= *retry_ns && status == STATUS_OK) {
		status = submit_next(session, diag);
	}
	/* The daemon's 429. */
	if (status == STATUS_OVER_LIMIT) {
		*retry_ns = clock_now_ns() + RETRY_NS;
		status = STATUS_OK;
	}
	return status;
}

static enum status look_at_all(struct session *session, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < session->submitted_count && status == STATUS_OK; i++) {
		if (!session->jobs[i].is_over) {
			status = look_at(session, &session->jobs[i], diag);
		}
	}
	return status;
}

/* Until all jobs are over. */
static enum status run_jobs(struct session *session, struct diag *diag)
{
	uint64_t retry_ns = 0;
	enum status status = STATUS_OK;

	for (;;) {
		status = submit_some(session, &retry_ns, diag);
		if (status == STATUS_OK) {
			status = look_at_all(session, diag);
		}
		if (status != STATUS_OK) {
			return status;
		}
		show_bar(session);
		if (session->over_count == session->options->job_count) {
			return STATUS_OK;
		}
		nap(POLL_NS);
	}
}

static int summarize(const struct session *session)
{
	uint64_t partitions = 0;
	double elapsed_s = (double)(clock_now_ns() - session->begin_ns) / NS_PER_S;

	for (uint64_t i = 0; i < session->submitted_count; i++) {
		partitions += session->jobs[i].done_count;
	}
	if (session->is_terminal) {
		(void)fputc('\n', stderr);
	}
	(void)printf("%" PRIu64 " of %" PRIu64 " jobs done, %" PRIu64
		     " partition%s in %.2f s (%.2f a second)\n",
		session->over_count - session->failed_count, session->options->job_count,
		partitions, partitions == 1 ? "" : "s", elapsed_s, (double)partitions / elapsed_s);
	if (session->is_simulated) {
		(void)printf("the daemon simulates: there are no proofs%s%s\n",
			session->options->out_folder ? ", and none were written to " : "",
			session->options->out_folder ? session->options->out_folder : "");
	} else if (session->options->verifies) {
		(void)printf("%" PRIu64 " proofs verified\n", session->verified_count);
	}
	if (session->failed_count > 0) {
		return EXIT_JOB_FAILED;
	}
	/* Who asks for verified proofs must not mistake a simulation for success. */
	return session->is_simulated && session->options->verifies
		       ? status_exit_code(STATUS_UNSUPPORTED)
		       : 0;
}

static enum status find_socket(struct client_options *options, struct diag *diag)
{
	char state_dir[PATH_MAX];
	enum status status = STATUS_OK;

	if (options->address.socket || options->address.host_port) {
		return STATUS_OK;
	}
	/* Without a state directory there may still be one for sockets. */
	status = paths_state_dir(diag, state_dir, sizeof(state_dir));
	status = paths_socket(status == STATUS_OK ? state_dir : NULL, diag, options->socket,
		sizeof(options->socket));
	options->address.socket = options->socket;
	return status;
}

static int run(struct client_options *options)
{
	AUTO(client_http_destroy) struct client_http *client = NULL;
	struct session session = {.options = options,
		.begin_ns = clock_now_ns(),
		.is_terminal = isatty(STDERR_FILENO) != 0};
	struct diag diag = {.line = ""};
	int exit_code = 0;
	enum status status = find_socket(options, &diag);

	if (status == STATUS_OK && options->out_folder) {
		status = client_proofs_make_folder(options->out_folder, &diag);
	}
	if (status == STATUS_OK) {
		status = client_http_create(&options->address, &client);
	}
	if (status == STATUS_OK) {
		session.client = client;
		session.jobs = calloc(options->job_count + 1, sizeof(*session.jobs));
		status = session.jobs ? run_jobs(&session, &diag) : STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		exit_code = summarize(&session);
	} else {
		(void)fprintf(stderr, "%sprove: %s\n", session.is_terminal ? "\r\033[K" : "",
			diag.line[0] != '\0' ? diag.line : status_text(status));
		exit_code = status_exit_code(status);
	}
	free(session.jobs);
	return exit_code;
}

int main(int argc, char **argv)
{
	struct client_options options = {
		.job_count = 1, .partition_count = 1, .kind = "merkle", .priority = "normal"};
	int exit_code = 0;

	standard_streams_open();
	if (!client_options_parse(argc, argv, &options, &exit_code)) {
		return standard_streams_finish("prove", exit_code);
	}
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		(void)fprintf(stderr, "prove: libcurl does not start\n");
		return status_exit_code(STATUS_INTERNAL);
	}
	exit_code = run(&options);
	curl_global_cleanup();
	return standard_streams_finish("prove", exit_code);
}
