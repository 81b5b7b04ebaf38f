/* SPDX-License-Identifier: MIT */
/* The command line of `prove`. */
#pragma once

#include "prover/client_http.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The daemon's own limit of partitions is at most this. */
#define CLIENT_WITNESSES_MAX 4096

/* With "http://" before it in 256 bytes; names of this host are much shorter. */
#define CLIENT_HOST_PORT_BYTES_MAX 240

struct client_options {
	struct client_http_address address;
	char socket[PATH_MAX];
	uint64_t job_count;
	uint64_t partition_count;
	uint64_t seed;
	const char *kind;
	const char *priority;
	const char *out_folder;
	const char *key;
	const char *witnesses[CLIENT_WITNESSES_MAX];
	uint32_t witness_count;
	bool verifies;
};

/*
 * Fills `options`, whose strings are borrowed from `argv`. False, with the exit code, when the
 * program is over already: help was asked for, or something is wrong and has been said.
 */
bool client_options_parse(
	int argc, char **argv, struct client_options *options, int *out_exit_code);
