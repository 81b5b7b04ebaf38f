/* SPDX-License-Identifier: MIT */
#include "prover/http_api.h"

#include "prover/http_origin.h"
#include "prover/job_json.h"
#include "prover/log.h"
#include "prover/metrics.h"
#include "prover/status_page.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Handlers only copy tables, but may wait for the tracker meanwhile; two keep each other company.
 */
#define HTTP_THREADS 2

/* Clients of one host: more than wait for proofs at once, less than would exhaust descriptors. */
#define HTTP_CONNECTIONS_MAX 512

/* A client that says nothing for so long has gone. */
#define HTTP_TIMEOUT_S 30

/* What one connection may buffer: headers and the first part of a body. */
#define HTTP_CONNECTION_BYTES 65536

struct http_api {
	struct pipeline *pipeline;
	struct MHD_Daemon *daemon;
	bool is_tcp;
};

/* A request on its way in, and the answer to it. */
struct request {
	struct http_api *api;
	char *body;
	size_t body_size;
	bool is_too_large;
	enum status refusal; /* of what its headers say, whatever it asks for */
	const char *url;
	uint64_t id;   /* the first number in the path */
	uint64_t part; /* and the second */
	char kind[16];
	bool delivers; /* with this answer the client has all that there is of job `id` */

	struct diag diag;
	char *text; /* of the answer */
	const char *content_type;
	unsigned int code;
};

struct route {
	const char *method;
	const char *pattern; /* '#' is the job, '%' the partition, '*' a word */
	enum status (*handle)(struct request *request);
};

static enum status handle_submit(struct request *request)
{
	struct pipeline *pipeline = request->api->pipeline;
	struct job_request job = {.partition_count = 0};
	uint64_t id = 0;
	enum status status = STATUS_OK;

	if (request->is_too_large) {
		return diag_set(&request->diag, STATUS_TOO_LARGE,
			"the body is larger than the %" PRIu64 " bytes that a request may have",
			pipeline->config.daemon.body_bytes_max);
	}
	status = job_json_parse(pipeline, request->body ? request->body : "", request->body_size,
		&request->diag, &job);
	if (status == STATUS_OK) {
		status = pipeline_submit(pipeline, &job, &request->diag, &id);
	}
	/* Empty by now when the pipeline took it. */
	job_request_finish(&job);
	if (status != STATUS_OK) {
		return status;
	}
	request->code = MHD_HTTP_ACCEPTED;
	return asprintf(&request->text, "{\"id\":%" PRIu64 ",\"simulated\":%s}", id,
		       pipeline_is_simulated(pipeline) ? "true" : "false") < 0
		       ? STATUS_NO_MEMORY
		       : STATUS_OK;
}

static enum status handle_jobs(struct request *request)
{
	return status_page_jobs(request->api->pipeline, &request->text);
}

static enum status handle_job(struct request *request)
{
	struct pipeline *pipeline = request->api->pipeline;
	enum job_state state = JOB_QUEUED;
	enum status status = status_page_job(pipeline, request->id, &request->text, &state);

	if (status == STATUS_NOT_FOUND) {
		return diag_set(&request->diag, status, "there is no job %" PRIu64, request->id);
	}
	/* By what the page says: the job may be over by now, and the client not know it. */
	if (status == STATUS_OK && state != JOB_QUEUED && state != JOB_RUNNING &&
		(state != JOB_DONE || pipeline_is_simulated(pipeline))) {
		request->delivers = true;
	}
	return status;
}

static enum status handle_proof(struct request *request)
{
	enum status status = status_page_proofs(
		request->api->pipeline, request->id, &request->diag, &request->text);

	if (status == STATUS_OK) {
		request->delivers = true;
	}
	return status;
}

static enum status handle_partition_proof(struct request *request)
{
	return status_page_partition(request->api->pipeline, request->id, request->part,
		STATUS_PAGE_PROOF, &request->diag, &request->text);
}

static enum status handle_partition_public(struct request *request)
{
	return status_page_partition(request->api->pipeline, request->id, request->part,
		STATUS_PAGE_PUBLIC, &request->diag, &request->text);
}

static enum status handle_job_key(struct request *request)
{
	return status_page_verification_key(
		request->api->pipeline, request->id, &request->diag, &request->text);
}

static enum status handle_key(struct request *request)
{
	enum job_kind kind = JOB_FILES;
	enum status status = STATUS_NOT_FOUND;

	if (job_kind_find(request->kind, &kind)) {
		status = srs_manager_verification_key(
			request->api->pipeline->srs_manager, kind, &request->text);
	}
	if (status != STATUS_OK) {
		return diag_set(&request->diag, status, "there is no built-in key '%s' here",
			request->kind);
	}
	return status;
}

static enum status handle_status(struct request *request)
{
	return status_page_status(request->api->pipeline, &request->text);
}

static enum status handle_metrics(struct request *request)
{
	request->content_type = "text/plain; version=0.0.4";
	return metrics_format(request->api->pipeline, &request->text);
}

static const struct route routes[] = {
	{"POST", "/jobs", handle_submit},
	{"GET", "/jobs", handle_jobs},
	{"GET", "/jobs/#", handle_job},
	{"GET", "/jobs/#/proof", handle_proof},
	{"GET", "/jobs/#/verification_key.json", handle_job_key},
	{"GET", "/jobs/#/partitions/%/proof.json", handle_partition_proof},
	{"GET", "/jobs/#/partitions/%/public.json", handle_partition_public},
	{"GET", "/keys/*/verification_key.json", handle_key},
	{"GET", "/status", handle_status},
	{"GET", "/metrics", handle_metrics},
};

#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

/* A number of at most 18 digits, which fits int64_t, as JSON has it; NULL when there is none. */
static const char *match_number(const char *url, uint64_t *out_value)
{
	size_t length = strspn(url, "0123456789");

	if (length == 0 || length > 18) {
		return NULL;
	}
	*out_value = strtoull(url, NULL, 10);
	return url + length;
}

/* A word that fits `kind`; NULL when there is none. */
static const char *match_word(const char *url, struct request *request)
{
	size_t length = strcspn(url, "/");

	if (length == 0 || length >= sizeof(request->kind)) {
		return NULL;
	}
	memcpy(request->kind, url, length);
	request->kind[length] = '\0';
	return url + length;
}

static bool match(const char *pattern, const char *url, struct request *request)
{
	for (; *pattern != '\0' && url; pattern++) {
		switch (*pattern) {
		case '#':
			url = match_number(url, &request->id);
			break;
		case '%':
			url = match_number(url, &request->part);
			break;
		case '*':
			url = match_word(url, request);
			break;
		default:
			url = *url == *pattern ? url + 1 : NULL;
			break;
		}
	}
	return url && *url == '\0';
}

/* Finds who answers. Fills `allowed` with the methods that the path knows. Every route that fits
 * the path is looked at, for the Allow header of a 405. */
static const struct route *find_route(
	struct request *request, const char *method, char *allowed, size_t size)
{
	const struct route *found = NULL;

	allowed[0] = '\0';
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		size_t used = strlen(allowed);

		if (!match(routes[i].pattern, request->url, request)) {
			continue;
		}
		(void)snprintf(
			allowed + used, size - used, "%s%s", used ? ", " : "", routes[i].method);
		if (strcmp(routes[i].method, method) == 0) {
			found = &routes[i];
		}
	}
	return found;
}

static char *error_text(enum status status, const struct diag *diag)
{
	json_t *json = json_pack(
		"{s:s}", "error", diag->line[0] != '\0' ? diag->line : status_text(status));
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static enum MHD_Result send_answer(
	struct MHD_Connection *connection, struct request *request, const char *allowed)
{
	const char *text = request->text ? request->text : "{\"error\":\"out of memory\"}";
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;

	if (!response) {
		return MHD_NO;
	}
	(void)MHD_add_response_header(
		response, MHD_HTTP_HEADER_CONTENT_TYPE, request->content_type);
	if (request->code == MHD_HTTP_METHOD_NOT_ALLOWED) {
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allowed);
	}
	/* Seconds: a partition takes longer, but one may end any time. */
	if (request->code == MHD_HTTP_TOO_MANY_REQUESTS ||
		request->code == MHD_HTTP_SERVICE_UNAVAILABLE) {
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	}
	result = MHD_queue_response(connection, request->code, response);
	MHD_destroy_response(response);
	return result;
}

static enum status handle(
	struct request *request, const struct route *route, const char *method, const char *allowed)
{
	if (request->refusal != STATUS_OK) {
		return request->refusal;
	}
	if (route) {
		return route->handle(request);
	}
	if (allowed[0] != '\0') {
		return diag_set(&request->diag, STATUS_BAD_USE,
			"%s does not allow %s; it allows %s", request->url, method, allowed);
	}
	return diag_set(&request->diag, STATUS_NOT_FOUND, "there is no %s", request->url);
}

static enum MHD_Result answer(
	struct MHD_Connection *connection, struct request *request, const char *method)
{
	char allowed[32];
	const struct route *route = find_route(request, method, allowed, sizeof(allowed));
	const bool is_method_wrong = request->refusal == STATUS_OK && !route && allowed[0] != '\0';
	enum status status = STATUS_OK;

	request->content_type = "application/json";
	request->code = MHD_HTTP_OK;
	status = handle(request, route, method, allowed);
	if (status != STATUS_OK) {
		free(request->text);
		request->text = error_text(status, &request->diag);
		request->content_type = "application/json";
		request->code = is_method_wrong ? MHD_HTTP_METHOD_NOT_ALLOWED
						: (unsigned int)status_http_code(status);
		log_info("%s %s: %u: %s", method, request->url, request->code,
			request->diag.line[0] != '\0' ? request->diag.line : status_text(status));
	} else {
		log_debug("%s %s: %u", method, request->url, request->code);
	}
	return send_answer(connection, request, allowed);
}

/* Keeps a body up to the limit; of a larger one only that it was too large. */
static void collect(struct request *request, const char *bytes, size_t size)
{
	uint64_t limit = request->api->pipeline->config.daemon.body_bytes_max;
	char *grown = NULL;

	if (request->is_too_large || request->body_size + size > limit) {
		request->is_too_large = true;
		return;
	}
	grown = realloc(request->body, request->body_size + size);
	if (!grown) {
		request->is_too_large = true;
		return;
	}
	memcpy(grown + request->body_size, bytes, size);
	request->body = grown;
	request->body_size += size;
}

/* What is announced to be too large need not be waited for. */
static bool announces_too_much(const struct http_api *api, struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	/* A number too large for the type gives its maximum, and MHD refuses what is none. */
	return length && strtoull(length, NULL, 10) > api->pipeline->config.daemon.body_bytes_max;
}

/* MHD decides what its handler takes. */
/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters,readability-function-size) */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *bytes, size_t *size, void **state)
{
	static _Thread_local bool is_named;
	struct request *request = *state;

	(void)version;
	if (!is_named) {
		gaptrace_thread_name("http");
		is_named = true;
	}
	/* First call of a request: its headers are there. Then one for each piece of the body,
	 * and a last one without. */
	if (!request) {
		request = calloc(1, sizeof(*request));
		if (!request) {
			return MHD_NO;
		}
		request->api = context;
		request->url = url;
		*state = request;
		request->is_too_large = announces_too_much(context, connection);
		request->refusal =
			http_origin_check(connection, request->api->is_tcp, &request->diag);
		/* Without waiting for a body that nobody will read. */
		return request->is_too_large || request->refusal != STATUS_OK
			       ? answer(connection, request, method)
			       : MHD_YES;
	}
	if (*size > 0) {
		collect(request, bytes, *size);
		*size = 0;
		return MHD_YES;
	}
	request->url = url;
	return answer(connection, request, method);
}

static void deliver(struct pipeline *pipeline, uint64_t id)
{
	AUTO(job_unref) struct job *job = tracker_find(&pipeline->tracker, id);

	if (job) {
		tracker_deliver(&pipeline->tracker, job);
	}
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
	enum MHD_RequestTerminationCode code)
{
	struct request *request = *state;

	(void)context;
	(void)connection;
	if (request) {
		/* Only now: a daemon that waits for this stops as soon as it is told. */
		if (request->delivers && code == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
			deliver(request->api->pipeline, request->id);
		}
		free(request->body);
		free(request->text);
		free(request);
		*state = NULL;
	}
}

static void on_log(void *context, const char *format, va_list arguments)
{
	char line[256];

	(void)context;
	(void)vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	log_debug("http: %s", line);
}

enum status http_api_start(
	struct pipeline *pipeline, int *listen_fd, struct diag *diag, struct http_api **out_api)
{
	struct http_api *api = calloc(1, sizeof(*api));
	struct sockaddr address = {.sa_family = AF_UNSPEC};
	socklen_t address_size = sizeof(address);

	assert(pipeline && listen_fd && out_api);

	if (!api) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	api->pipeline = pipeline;
	api->is_tcp = getsockname(*listen_fd, &address, &address_size) != 0 ||
		      address.sa_family != AF_UNIX;
	errno = 0;
	api->daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL,
		on_request, api, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_LISTEN_SOCKET,
		*listen_fd, MHD_OPTION_THREAD_POOL_SIZE, HTTP_THREADS, MHD_OPTION_CONNECTION_LIMIT,
		HTTP_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, HTTP_TIMEOUT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_CONNECTION_BYTES,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
	if (!api->daemon) {
		const int error = errno;

		free(api);
		return diag_set(diag, STATUS_UNAVAILABLE,
			"the HTTP server does not start: %s; does 'ulimit -n' leave it "
			"descriptors?",
			error != 0 ? strerror(error) : "libmicrohttpd does not say why");
	}
	/* MHD closes it from now on. */
	*listen_fd = -1;
	*out_api = api;
	return STATUS_OK;
}

void http_api_stop(struct http_api *api)
{
	if (!api) {
		return;
	}
	MHD_stop_daemon(api->daemon);
	free(api);
}
