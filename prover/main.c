/* SPDX-License-Identifier: MIT */
/* proverd: reads the command line, wires the modules, and waits for the signal to stop. */
#include "gaptrace/gaptrace.h"
#include "prover/config.h"
#include "prover/device_loss.h"
#include "prover/http_api.h"
#include "prover/listener.h"
#include "prover/lock_registry.h"
#include "prover/log.h"
#include "prover/paths.h"
#include "prover/pipeline.h"
#include "prover/startup.h"
#include "prover/truth.h"
#include "trace/base/clock.h"
#include "trace/base/standard_streams.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct options {
	const char *config_path;
	const char *counters_path;
	const char *socket;
	const char *listen;
	const char *state_dir;
	bool checks_config;
	bool prints_config;
};

struct daemon_state {
	struct config config;
	char state_dir[PATH_MAX];
	struct listener listener;
	struct pipeline *pipeline;
	struct http_api *api;
	int signal_fd;
	int idle_fd; /* written when a drained pipeline is idle */
};

static const char usage[] =
	"usage: proverd [--config FILE] [--socket PATH | --listen 127.0.0.1:PORT]\n"
	"               [--state-dir DIR] [--counters FILE]\n"
	"       proverd [--config FILE] --check-config | --print-config\n"
	"       proverd --help | --version\n"
	"\n"
	"Proves jobs of many Groth16 proofs on its devices; 'prove' is its client. See "
	"proverd(8).\n";

enum option_code {
	OPTION_CHECK = 256,
	OPTION_COUNTERS,
	OPTION_PRINT,
	OPTION_VERSION
};

static const struct option long_options[] = {
	{"config", required_argument, NULL, 'c'},
	{"socket", required_argument, NULL, 's'},
	{"listen", required_argument, NULL, 'l'},
	{"state-dir", required_argument, NULL, 'd'},
	{"counters", required_argument, NULL, OPTION_COUNTERS},
	{"check-config", no_argument, NULL, OPTION_CHECK},
	{"print-config", no_argument, NULL, OPTION_PRINT},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

/* Empty as by an unset variable; taken for none, another place would be served or written to. */
static bool check_empty(const struct options *options, int *out_exit_code)
{
	const struct {
		const char *name;
		const char *value;
	} given[] = {
		{"config", options->config_path},
		{"counters", options->counters_path},
		{"socket", options->socket},
		{"listen", options->listen},
		{"state-dir", options->state_dir},
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i].value && given[i].value[0] == '\0') {
			(void)fprintf(stderr,
				"proverd: --%s is empty; give it a value, or leave it out\n",
				given[i].name);
			*out_exit_code = status_exit_code(STATUS_BAD_USE);
			return false;
		}
	}
	return true;
}

/* Fills `options`; gives false with the exit code when the program is over already. */
static bool parse_options(int argc, char **argv, struct options *options, int *out_exit_code)
{
	int code = 0;

	*out_exit_code = 0;
	while ((code = getopt_long(argc, argv, "c:s:l:d:h", long_options, NULL)) != -1) {
		switch (code) {
		case 'c':
			options->config_path = optarg;
			break;
		case 's':
			options->socket = optarg;
			break;
		case 'l':
			options->listen = optarg;
			break;
		case 'd':
			options->state_dir = optarg;
			break;
		case OPTION_COUNTERS:
			options->counters_path = optarg;
			break;
		case OPTION_CHECK:
			options->checks_config = true;
			break;
		case OPTION_PRINT:
			options->prints_config = true;
			break;
		case 'h':
			(void)fputs(usage, stdout);
			return false;
		case OPTION_VERSION:
			(void)puts("proverd " PROVERD_VERSION);
			return false;
		default:
			(void)fputs(usage, stderr);
			*out_exit_code = status_exit_code(STATUS_BAD_USE);
			return false;
		}
	}
	if (optind < argc || (options->socket && options->listen)) {
		(void)fprintf(stderr, "proverd: %s\n%s",
			optind < argc ? "it takes no arguments but options"
				      : "--socket and --listen exclude each other",
			usage);
		*out_exit_code = status_exit_code(STATUS_BAD_USE);
		return false;
	}
	return check_empty(options, out_exit_code);
}

static enum status read_config(
	const struct options *options, struct diag *diag, struct config *config)
{
	config_init(config);
	if (options->config_path) {
		return config_read(options->config_path, diag, config);
	}
	return STATUS_OK;
}

/* Options before the file, the file before the built-in places. */
static const char *choose(const char *option, const char *configured)
{
	return option ? option : configured;
}

static enum status open_listener(
	struct daemon_state *daemon, const struct options *options, struct diag *diag)
{
	const char *listen = choose(options->listen, daemon->config.daemon.listen);
	const char *socket = choose(options->socket, daemon->config.daemon.socket);
	char path[PATH_MAX];
	char folder[PATH_MAX];
	enum status status = STATUS_OK;

	/* A socket on the command line wins over a port in the file. */
	if (listen[0] != '\0' && !options->socket) {
		return listener_open_tcp(listen, diag, &daemon->listener);
	}
	if (socket[0] != '\0') {
		return listener_open_unix(socket, diag, &daemon->listener);
	}
	status = paths_socket(daemon->state_dir, diag, path, sizeof(path));
	if (status == STATUS_OK) {
		/* dirname() writes into what it is given. */
		(void)snprintf(folder, sizeof(folder), "%s", path);
		status = paths_make_dir(dirname(folder), diag);
	}
	if (status == STATUS_OK) {
		status = listener_open_unix(path, diag, &daemon->listener);
	}
	return status;
}

static enum status find_state_dir(
	struct daemon_state *daemon, const struct options *options, struct diag *diag)
{
	const char *chosen = choose(options->state_dir, daemon->config.daemon.state_dir);
	enum status status = STATUS_OK;

	if (chosen[0] != '\0') {
		(void)snprintf(daemon->state_dir, sizeof(daemon->state_dir), "%s", chosen);
	} else {
		status = paths_state_dir(diag, daemon->state_dir, sizeof(daemon->state_dir));
	}
	if (status == STATUS_OK) {
		status = paths_make_dir(daemon->state_dir, diag);
	}
	return status;
}

/* Before any thread starts, so that all threads leave these signals to the main one. */
static enum status open_signals(struct daemon_state *daemon, struct diag *diag)
{
	sigset_t signals;

	/* A client that goes away must not end the daemon. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	/* Past a limit on file sizes a write fails like any other, and is told. */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
	daemon->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	daemon->idle_fd = eventfd(0, EFD_CLOEXEC);
	if (daemon->signal_fd < 0 || daemon->idle_fd < 0) {
		return diag_set(diag, status_from_errno(errno), "cannot wait for signals: %s",
			strerror(errno));
	}
	return STATUS_OK;
}

/* Found out now, not when a run of days has ended. */
static enum status check_counters(const char *path, struct diag *diag)
{
	FILE *file = fopen(path, "ae");

	if (!file || fclose(file) != 0) {
		return diag_set(diag, status_from_errno(errno),
			"--counters %s: cannot be written: %s", path, strerror(errno));
	}
	return STATUS_OK;
}

static enum status start(
	struct daemon_state *daemon, const struct options *options, struct diag *diag)
{
	AUTO(startup_end) struct startup *startup = NULL;
	enum status status = open_signals(daemon, diag);

	if (status == STATUS_OK && options->counters_path) {
		status = check_counters(options->counters_path, diag);
	}
	if (status == STATUS_OK) {
		status = find_state_dir(daemon, options, diag);
	}
	/* First of what others can see: two daemons must not even begin to share a place. */
	if (status == STATUS_OK) {
		status = open_listener(daemon, options, diag);
	}
	if (status == STATUS_OK) {
		status = startup_begin(daemon->signal_fd, &daemon->listener, diag, &startup);
	}
	if (status == STATUS_OK) {
		status = pipeline_create(
			&daemon->config, daemon->state_dir, diag, &daemon->pipeline);
	}
	/* From here on signals are the main thread's again. */
	startup_end(MOVE(startup));
	if (status == STATUS_OK) {
		status = http_api_start(daemon->pipeline, &daemon->listener.fd, diag, &daemon->api);
	}
	return status;
}

/* Waits until the pipeline is idle and its results are fetched, or nobody wants them. */
static void *drain_run(void *argument)
{
	struct daemon_state *daemon = argument;
	struct tracker *tracker = &daemon->pipeline->tracker;
	uint64_t one = 1;

	gaptrace_thread_name("drain");
	while (!tracker_wait_idle(tracker, clock_now_ns() + 3600 * NS_PER_S)) {
	}
	tracker_wait_delivered(
		tracker, clock_now_ns() + daemon->config.daemon.drain_ms * NS_PER_MS);
	if (write(daemon->idle_fd, &one, sizeof(one)) != sizeof(one)) {
		log_error("cannot tell that the jobs are done: %s", strerror(errno));
	}
	gaptrace_thread_end();
	return NULL;
}

enum wakeup {
	WAKEUP_SIGNAL,
	WAKEUP_IDLE,
	WAKEUP_LOST
};

/* Blocks until a signal arrives, the drained pipeline is idle, or no device is left. `lost_fd` -1:
 * the last is known of already. */
static enum wakeup wait_for_wakeup(const struct daemon_state *daemon, int lost_fd)
{
	struct pollfd fds[] = {{.fd = daemon->signal_fd, .events = POLLIN},
		{.fd = daemon->idle_fd, .events = POLLIN}, {.fd = lost_fd, .events = POLLIN}};
	struct signalfd_siginfo info;

	/* No handler is installed; a debugger or a stop may interrupt all the same. */
	while (poll(fds, 3, -1) < 0 && errno == EINTR) {
	}
	if (fds[0].revents != 0 && read(daemon->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		return WAKEUP_SIGNAL;
	}
	return fds[2].revents != 0 ? WAKEUP_LOST : WAKEUP_IDLE;
}

static void serve(struct daemon_state *daemon)
{
	const enum wakeup wakeup = wait_for_wakeup(daemon, daemon->pipeline->lost_fd);
	pthread_t drain;

	/* Before it is told: whoever reads so gets no job in any more. */
	tracker_drain(&daemon->pipeline->tracker);
	if (wakeup == WAKEUP_LOST) {
		log_error("stopping: no device is left, and only another process can have them "
			  "back");
	} else {
		log_info("stopping: no new jobs, the accepted ones are finished; a second signal "
			 "cancels them");
	}
	if (pthread_create(&drain, NULL, drain_run, daemon) != 0) {
		log_error("no thread to wait for the jobs with: cancelling them");
		pipeline_cancel(daemon->pipeline);
		return;
	}
	/* With nothing left to cancel, as at a third one, it ends the wait for clients. */
	while (wait_for_wakeup(daemon, -1) == WAKEUP_SIGNAL) {
		if (tracker_wait_idle(&daemon->pipeline->tracker, 0)) {
			log_warning("stopping at once: clients are not waited for any more");
		} else {
			log_warning("stopping at once: the jobs are cancelled");
		}
		pipeline_cancel(daemon->pipeline);
	}
	(void)pthread_join(drain, NULL);
}

/* What only the living pipeline can tell, while its counters are still to be completed. */
static json_t *truths(struct pipeline *pipeline)
{
	json_t *devices = json_array();

	for (uint32_t i = 0; i < pipeline->device_count; i++) {
		(void)json_array_append_new(devices, truth_device(pipeline, i));
	}
	return json_pack("{s:o, s:o}", "clocks", truth_pipeline(pipeline), "devices", devices);
}

/* The counters of the whole run in one line, exact to the last lock taken before it. Takes
 * `json`. */
static void write_counters(const char *path, const struct pipeline_counters *counters, json_t *json)
{
	FILE *file = fopen(path, "we");
	bool is_written = false;

	(void)json_object_update_new(
		json, json_pack("{s:I, s:I, s:I, s:I, s:I}", "lock_acquire",
			      (json_int_t)counters->lock_acquires, "queue_pop",
			      (json_int_t)counters->queue_pops, "prove_start",
			      (json_int_t)counters->prove_starts, "prove_finish",
			      (json_int_t)counters->prove_finishes, "malloc_trim",
			      (json_int_t)counters->malloc_trims));
	if (file) {
		is_written = json_dumpf(json, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF;
		is_written = fclose(file) == 0 && is_written;
	}
	if (!is_written) {
		log_error("%s: the counters cannot be written: %s", path, strerror(errno));
	}
	json_decref(json);
}

static void stop(struct daemon_state *daemon, const struct options *options)
{
	struct pipeline_counters counters = {0};
	json_t *json = NULL;

	/* Nobody may ask a pipeline that is being taken down. */
	http_api_stop(daemon->api);
	if (daemon->pipeline) {
		pipeline_stop(daemon->pipeline);
		counters = pipeline_counters(daemon->pipeline);
		json = truths(daemon->pipeline);
		pipeline_destroy(daemon->pipeline);
		/* Again, since destroying took locks, which the trace has. */
		counters.lock_acquires = lock_registry_acquire_count();
	}
	if (options->counters_path && daemon->pipeline) {
		write_counters(options->counters_path, &counters, json);
	} else {
		json_decref(json);
	}
	listener_close(&daemon->listener);
	(void)close(daemon->signal_fd);
	(void)close(daemon->idle_fd);
}

static int run(const struct options *options, const struct config *config)
{
	struct daemon_state daemon = {.config = *config,
		.listener = {.fd = -1, .lock_fd = -1},
		.signal_fd = -1,
		.idle_fd = -1};
	struct diag diag = {.line = ""};
	enum status status = STATUS_OK;
	enum status exit_status = STATUS_OK;

	log_set_level((enum log_level)config->daemon.log_level);
	gaptrace_thread_name("proverd");
	status = start(&daemon, options, &diag);
	if (status == STATUS_OK) {
		log_info("serving %s with %" PRIu64 " %s device%s, %u workers; state in %s",
			daemon.listener.name, config->gpu.count, daemon.pipeline->ops->name,
			config->gpu.count == 1 ? "" : "s", pipeline_worker_count(daemon.pipeline),
			daemon.state_dir);
		if (pipeline_is_simulated(daemon.pipeline)) {
			log_warning("the devices are simulated: jobs take time but get no proofs");
		}
		serve(&daemon);
		/* A supervisor that starts what failed anew does the right thing. */
		exit_status = device_loss_has_all(daemon.pipeline) ? STATUS_UNAVAILABLE : STATUS_OK;
	} else {
		exit_status = status;
		(void)fprintf(stderr, "proverd: %s\n", diag.line);
	}
	stop(&daemon, options);
	if (status == STATUS_OK) {
		log_info("stopped");
	}
	return status_exit_code(exit_status);
}

int main(int argc, char **argv)
{
	struct options options = {.config_path = NULL};
	struct config config;
	struct diag diag = {.line = ""};
	int exit_code = 0;
	enum status status = STATUS_OK;

	standard_streams_open();
	if (!parse_options(argc, argv, &options, &exit_code)) {
		return standard_streams_finish("proverd", exit_code);
	}
	status = read_config(&options, &diag, &config);
	if (status != STATUS_OK) {
		(void)fprintf(stderr, "proverd: %s\n", diag.line);
		return status_exit_code(status);
	}
	if (options.prints_config) {
		return status_exit_code(config_print(&config, stdout));
	}
	if (options.checks_config) {
		return 0;
	}
	return run(&options, &config);
}
