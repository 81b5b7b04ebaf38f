/* SPDX-License-Identifier: MIT */
/* The client's side of the daemon's HTTP interface: one connection, one request at a time. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stddef.h>

struct client_http;

/* One of the two is given: a unix socket's path, or HOST:PORT. */
struct client_http_address {
	const char *socket;
	const char *host_port;
};

MUST_CHECK enum status client_http_create(
	const struct client_http_address *address, struct client_http **out_client);

/* Accepts NULL. */
void client_http_destroy(struct client_http *client);
DEFINE_AUTO(struct client_http, client_http_destroy)

struct client_http_answer {
	long code;
	char *text; /* ends in a zero byte that `size` does not count; freed by the caller */
	size_t size;
};

/*
 * Sends a request, a POST of `body` or a GET without one, and gives the answer, whatever its code.
 * UNAVAILABLE or PERMISSION, with the reason, when there is none.
 */
MUST_CHECK enum status client_http_request(struct client_http *client, const char *path,
	const char *body, struct diag *diag, struct client_http_answer *out_answer);

/* The status that an answer's code stands for, with the daemon's own words in `diag`. */
MUST_CHECK enum status client_http_status(
	const struct client_http_answer *answer, struct diag *diag);
