/* SPDX-License-Identifier: MIT */
#include "prover/client_options.h"

#include "trace/base/utf8.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A client keeps all its jobs in memory until the last is done. */
#define JOBS_MAX 10000

static const char usage[] =
	"usage: prove [--socket PATH | --connect HOST:PORT] [--kind merkle|squaring] [--jobs N]\n"
	"             [--partitions N] [--seed N] [--priority low|normal|high|critical]\n"
	"             [--verify] [-o DIR]\n"
	"       prove ... --kind files --key FILE --witness FILE... [--jobs N] [--verify] [-o "
	"DIR]\n"
	"       prove --help | --version\n"
	"\n"
	"Submits jobs to proverd and waits for their proofs. See prove(1).\n";

enum option_code {
	OPTION_KEY = 256,
	OPTION_SEED,
	OPTION_VERIFY,
	OPTION_VERSION,
	OPTION_WITNESS,
};

static const struct option long_options[] = {
	{"socket", required_argument, NULL, 's'},
	{"connect", required_argument, NULL, 'c'},
	{"jobs", required_argument, NULL, 'j'},
	{"partitions", required_argument, NULL, 'n'},
	{"kind", required_argument, NULL, 'k'},
	{"priority", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"key", required_argument, NULL, OPTION_KEY},
	{"witness", required_argument, NULL, OPTION_WITNESS},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"verify", no_argument, NULL, OPTION_VERIFY},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static bool parse_number(const char *name, const char *text, uint64_t maximum, uint64_t *out_value)
{
	char *end = NULL;

	errno = 0;
	*out_value = strtoull(text, &end, 10);
	/* Digits only: strtoull alone would take signs, blanks and an empty text. */
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *out_value > maximum) {
		(void)fprintf(stderr, "prove: --%s: '%s' is no number up to %" PRIu64 "\n", name,
			text, maximum);
		return false;
	}
	return true;
}

static bool add_witness(struct client_options *options, const char *path)
{
	if (options->witness_count == CLIENT_WITNESSES_MAX) {
		(void)fprintf(stderr, "prove: more than %d witnesses; use several jobs\n",
			CLIENT_WITNESSES_MAX);
		return false;
	}
	options->witnesses[options->witness_count] = path;
	options->witness_count++;
	return true;
}

/* One option; false, with a message, when it is wrong. */
static bool take_option(struct client_options *options, int code)
{
	switch (code) {
	case 's':
		options->address.socket = optarg;
		return true;
	case 'c':
		options->address.host_port = optarg;
		return true;
	case 'j':
		return parse_number("jobs", optarg, JOBS_MAX, &options->job_count);
	case 'n':
		/* The daemon's own limit is lower and told by it. */
		return parse_number("partitions", optarg, 1000000, &options->partition_count);
	case 'k':
		options->kind = optarg;
		return true;
	case 'p':
		options->priority = optarg;
		return true;
	case 'o':
		options->out_folder = optarg;
		return true;
	case OPTION_KEY:
		options->key = optarg;
		return true;
	case OPTION_WITNESS:
		return add_witness(options, optarg);
	case OPTION_SEED:
		/* A JSON integer is signed here. */
		return parse_number("seed", optarg, INT64_MAX, &options->seed);
	case OPTION_VERIFY:
		options->verifies = true;
		return true;
	default:
		return false;
	}
}

/* Whether all of a request's texts can be said in JSON, which has no other encoding. */
static bool check_text(const char *name, const char *text)
{
	for (const char *at = text; *at != '\0'; at += utf8_length(at)) {
		if (utf8_length(at) == 0) {
			(void)fprintf(stderr,
				"prove: --%s is no UTF-8, as which the daemon is told; rename it\n",
				name);
			return false;
		}
	}
	return true;
}

static bool check_texts(const struct client_options *options)
{
	bool are_right = check_text("kind", options->kind) &&
			 check_text("priority", options->priority) &&
			 (!options->key || check_text("key", options->key));

	for (uint32_t i = 0; i < options->witness_count && are_right; i++) {
		are_right = check_text("witness", options->witnesses[i]);
	}
	return are_right;
}

/* HOST:PORT; what else curl would take, a path or a scheme, is no place where proverd is. */
static bool check_host_port(const char *text)
{
	const char *colon = strrchr(text, ':');
	const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!colon || colon == text || digits == 0 || digits > 5 || colon[1 + digits] != '\0' ||
		strtoul(colon + 1, NULL, 10) > 65535 || strcspn(text, "/@?# ") != strlen(text) ||
		strlen(text) > CLIENT_HOST_PORT_BYTES_MAX) {
		(void)fprintf(stderr,
			"prove: --connect '%s' is no HOST:PORT, such as 127.0.0.1:9821\n", text);
		return false;
	}
	return true;
}

/* What each option alone cannot tell. */
static bool check_options(struct client_options *options, int argument_count)
{
	bool is_files = strcmp(options->kind, "files") == 0;

	if (argument_count > 0) {
		(void)fprintf(stderr, "prove: it takes no arguments but options\n");
		return false;
	}
	if (options->address.socket && options->address.host_port) {
		(void)fprintf(stderr, "prove: --socket and --connect exclude each other\n");
		return false;
	}
	if ((options->address.socket && options->address.socket[0] == '\0') ||
		(options->address.host_port && options->address.host_port[0] == '\0')) {
		(void)fprintf(stderr,
			"prove: --%s is empty; leave it out, or say where proverd is\n",
			options->address.socket ? "socket" : "connect");
		return false;
	}
	if (options->address.host_port && !check_host_port(options->address.host_port)) {
		return false;
	}
	if (options->job_count == 0 || options->partition_count == 0) {
		(void)fprintf(stderr, "prove: --%s 0 asks for no proof; write 1 or more\n",
			options->job_count == 0 ? "jobs" : "partitions");
		return false;
	}
	/* A JSON integer is signed here. */
	if (options->seed > INT64_MAX - options->job_count * options->partition_count) {
		(void)fprintf(stderr,
			"prove: --seed %" PRIu64 " leaves no numbers for all partitions\n",
			options->seed);
		return false;
	}
	if (options->out_folder && options->out_folder[0] == '\0') {
		(void)fprintf(stderr, "prove: --output is empty; name a folder\n");
		return false;
	}
	if (is_files && (!options->key || options->witness_count == 0)) {
		(void)fprintf(stderr, "prove: --kind files needs %s%s%s\n",
			options->key ? "" : "a --key",
			!options->key && options->witness_count == 0 ? " and " : "",
			options->witness_count == 0 ? "at least one --witness" : "");
		return false;
	}
	if (!is_files && (options->key || options->witness_count > 0)) {
		(void)fprintf(stderr, "prove: --key and --witness belong to --kind files\n");
		return false;
	}
	return check_texts(options);
}

bool client_options_parse(int argc, char **argv, struct client_options *options, int *out_exit_code)
{
	int code = 0;

	memset(options, 0, sizeof(*options));
	options->job_count = 1;
	options->partition_count = 1;
	options->kind = "merkle";
	options->priority = "normal";
	*out_exit_code = 0;
	while ((code = getopt_long(argc, argv, "s:c:j:n:k:p:o:h", long_options, NULL)) != -1) {
		if (code == 'h') {
			(void)fputs(usage, stdout);
			return false;
		}
		if (code == OPTION_VERSION) {
			(void)puts("prove " PROVERD_VERSION);
			return false;
		}
		if (!take_option(options, code)) {
			*out_exit_code = status_exit_code(STATUS_BAD_USE);
			(void)fputs(usage, stderr);
			return false;
		}
	}
	if (!check_options(options, argc - optind)) {
		*out_exit_code = status_exit_code(STATUS_BAD_USE);
		(void)fputs(usage, stderr);
		return false;
	}
	return true;
}
