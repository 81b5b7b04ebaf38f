/* SPDX-License-Identifier: MIT */
#include "prover/client_http.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Proofs of the largest job are some megabytes; more is no answer of ours. */
#define CLIENT_ANSWER_BYTES_MAX (256u << 20)

/* To connect; answers may take as long as the daemon needs to start. */
#define CLIENT_CONNECT_TIMEOUT_S 10L

struct client_http {
	CURL *curl;
	char base[256];  /* "http://127.0.0.1:9821"; of a socket "http://proverd" */
	char where[256]; /* for messages */
	char error[CURL_ERROR_SIZE];
	bool has_answered;
};

struct body {
	char *text;
	size_t size;
};

static size_t on_bytes(char *bytes, size_t size, size_t count, void *user)
{
	struct body *body = user;
	size_t added = size * count;
	char *grown = NULL;

	/* 0 bytes taken is an error to curl, which ends the transfer. */
	if (body->size + added > CLIENT_ANSWER_BYTES_MAX) {
		return 0;
	}
	grown = realloc(body->text, body->size + added + 1);
	if (!grown) {
		return 0;
	}
	memcpy(grown + body->size, bytes, added);
	body->text = grown;
	body->size += added;
	body->text[body->size] = '\0';
	return added;
}

enum status client_http_create(
	const struct client_http_address *address, struct client_http **out_client)
{
	struct client_http *client = calloc(1, sizeof(*client));

	assert(address && out_client);

	if (client) {
		client->curl = curl_easy_init();
	}
	if (!client || !client->curl) {
		free(client);
		return STATUS_NO_MEMORY;
	}
	if (address->host_port) {
		(void)snprintf(client->base, sizeof(client->base), "http://%s", address->host_port);
		(void)snprintf(client->where, sizeof(client->where), "%s", address->host_port);
	} else {
		(void)snprintf(client->base, sizeof(client->base), "http://proverd");
		(void)snprintf(client->where, sizeof(client->where), "%s", address->socket);
		(void)curl_easy_setopt(client->curl, CURLOPT_UNIX_SOCKET_PATH, address->socket);
	}
	(void)curl_easy_setopt(client->curl, CURLOPT_ERRORBUFFER, client->error);
	(void)curl_easy_setopt(client->curl, CURLOPT_CONNECTTIMEOUT, CLIENT_CONNECT_TIMEOUT_S);
	/* No SIGALRM for time-outs: callers may have threads. */
	(void)curl_easy_setopt(client->curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(client->curl, CURLOPT_WRITEFUNCTION, on_bytes);
	/* Never through a proxy: the daemon is on this host. */
	(void)curl_easy_setopt(client->curl, CURLOPT_PROXY, "");
	*out_client = client;
	return STATUS_OK;
}

void client_http_destroy(struct client_http *client)
{
	if (!client) {
		return;
	}
	curl_easy_cleanup(client->curl);
	free(client);
}

/* Why there is no answer. */
static enum status tell_failure(
	const struct client_http *client, CURLcode result, struct diag *diag)
{
	const char *reason = client->error[0] != '\0' ? client->error : curl_easy_strerror(result);
	long error = 0;

	/* Of a failed connect curl names a host and a port, which a socket does not have. */
	if (result == CURLE_COULDNT_CONNECT &&
		curl_easy_getinfo(client->curl, CURLINFO_OS_ERRNO, &error) == CURLE_OK && error) {
		reason = strerror((int)error);
	}
	if (error == EACCES) {
		return diag_set(diag, STATUS_PERMISSION,
			"%s: %s; only the user of the daemon may connect", client->where, reason);
	}
	return diag_set(diag, STATUS_UNAVAILABLE, "%s: %s; %s", client->where, reason,
		client->has_answered ? "proverd was there, but no longer answers"
				     : "is proverd running there?");
}

enum status client_http_request(struct client_http *client, const char *path, const char *body,
	struct diag *diag, struct client_http_answer *out_answer)
{
	struct curl_slist *headers = NULL;
	struct body received = {.text = NULL};
	char url[512];
	long code = 0;
	CURLcode result = CURLE_OK;

	(void)snprintf(url, sizeof(url), "%s%s", client->base, path);
	client->error[0] = '\0';
	(void)curl_easy_setopt(client->curl, CURLOPT_URL, url);
	(void)curl_easy_setopt(client->curl, CURLOPT_WRITEDATA, &received);
	if (body) {
		headers = curl_slist_append(NULL, "Content-Type: application/json");
		(void)curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, body);
	} else {
		(void)curl_easy_setopt(client->curl, CURLOPT_HTTPGET, 1L);
	}
	(void)curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, headers);
	result = curl_easy_perform(client->curl);
	curl_slist_free_all(headers);
	if (result != CURLE_OK) {
		free(received.text);
		return tell_failure(client, result, diag);
	}
	client->has_answered = true;
	/* An empty body is an answer. */
	if (!received.text) {
		received.text = calloc(1, 1);
	}
	(void)curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &code);
	*out_answer = (struct client_http_answer){
		.code = code, .text = received.text, .size = received.size};
	return received.text ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status client_http_status(const struct client_http_answer *answer, struct diag *diag)
{
	json_t *json = NULL;
	const char *words = NULL;
	enum status status = STATUS_INTERNAL;

	if (answer->code >= 200 && answer->code < 300) {
		return STATUS_OK;
	}
	/* Several statuses share a code; the first of the table with this one will do. */
	for (int i = STATUS_COUNT - 1; i > 0; i--) {
		if (status_http_code((enum status)i) == answer->code) {
			status = (enum status)i;
		}
	}
	/* Of several with this code, what the daemon means by it: it stops. */
	if (answer->code == 503) {
		status = STATUS_STOPPED;
	}
	json = json_loadb(answer->text, answer->size, 0, NULL);
	words = json_string_value(json_object_get(json, "error"));
	status = diag_set(
		diag, status, "%s (HTTP %ld)", words ? words : "no reason given", answer->code);
	json_decref(json);
	return status;
}
