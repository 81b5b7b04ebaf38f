/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/graph.h"

#include "analysis/plugin/index_files.h"
#include "analysis/plugin/metadata_packets.h"
#include "analysis/plugin/plugin_find.h"
#include "analysis/plugin/salvage.h"
#include "analysis/plugin/sink_streams.h"
#include "analysis/plugin/trial.h"
#include "trace/base/line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A directory and the logical trace that it is part of. */
struct member {
	const char *path;
	char *group;            /* the trace's UUID; NULL: a trace of its own, or unreadable */
	struct salvage salvage; /* read instead of `path` when a stream of the trace is cut */
	bool is_readable;
	bool is_added;
};

struct graph {
	const struct input_list *inputs;
	struct feed *feed;
	struct diag first_reason;
	struct member *members;
	const bt_plugin *ctf;
	bt_graph *graph;
	const bt_component_source **sources; /* borrowed from the graph */
	size_t source_count;
};

static enum status note_unreadable(struct graph *graph, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum status note_unreadable(struct graph *graph, const char *format, ...)
{
	struct diag line = {""};
	va_list arguments;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is right above. */
	line_format(line.line, sizeof(line.line), format, arguments);
	va_end(arguments);
	if (!graph->first_reason.line[0]) {
		graph->first_reason = line;
	}
	return analyzer_add_unreadable(graph->feed->analyzer, line.line);
}

/* Metadata that is missing, and so a trace that nothing can read: said with the mend. */
static enum status check_metadata(struct graph *graph, struct member *member)
{
	char *path = NULL;
	struct stat facts;
	struct diag reason = {""};
	enum status status = STATUS_OK;

	if (asprintf(&path, "%s/metadata", member->path) < 0) {
		return STATUS_NO_MEMORY;
	}
	member->is_readable = false;
	if (stat(path, &facts) != 0) {
		status = note_unreadable(graph, "%s: %s", path, strerror(errno));
	} else if (facts.st_size == 0) {
		status = note_unreadable(graph,
			"%s: empty, so nothing of this trace can be read: the recorder was killed, "
			"or the disk was full, before it was written; copy the metadata file of "
			"another recording of the same programs over it",
			path);
	} else if (metadata_packets_check(path, &reason) != STATUS_OK) {
		status = note_unreadable(graph, "%s", reason.line);
	} else {
		member->is_readable = true;
	}
	free(path);
	return status;
}

static const bt_component_class_source *source_class(const struct graph *graph)
{
	return bt_plugin_borrow_source_component_class_by_name_const(graph->ctf, "fs");
}

/* Asks source.ctf.fs which logical trace a directory belongs to. */
static enum status find_group(struct graph *graph, struct member *member)
{
	bt_value *params = bt_value_map_create();
	const bt_value *result = NULL;
	const bt_value *group;
	bt_query_executor *executor = NULL;
	enum status status = STATUS_OK;
	char reason[TRIAL_REASON_BYTES];

	if (!params ||
		bt_value_map_insert_string_entry(params, "type", "directory") !=
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK ||
		bt_value_map_insert_string_entry(params, "input", member->path) !=
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) {
		bt_value_put_ref(params);
		return STATUS_NO_MEMORY;
	}
	executor = bt_query_executor_create(
		bt_component_class_source_as_component_class_const(source_class(graph)),
		"babeltrace.support-info", params);
	if (!executor) {
		status = STATUS_NO_MEMORY;
	} else if (bt_query_executor_query(executor, &result) !=
			   BT_QUERY_EXECUTOR_QUERY_STATUS_OK ||
		   !bt_value_is_map(result)) {
		trial_take_reason(reason);
		member->is_readable = false;
		status = note_unreadable(graph,
			"%s/metadata: %s; it may be cut short: copy the metadata file of another "
			"recording of the same programs over it",
			member->path, reason);
	} else {
		group = bt_value_map_borrow_entry_value_const(result, "group");
		if (group && bt_value_is_string(group)) {
			member->group = strdup(bt_value_string_get(group));
			status = member->group ? STATUS_OK : STATUS_NO_MEMORY;
		}
	}
	bt_value_put_ref(result);
	bt_query_executor_put_ref(executor);
	bt_value_put_ref(params);
	return status;
}

static bool is_same_trace(const struct member *a, const struct member *b)
{
	return a == b || (a->group && b->group && strcmp(a->group, b->group) == 0);
}

/* The parameters of a source for the trace of `first`: all its directories. */
static bt_value *source_params(struct graph *graph, const struct member *first)
{
	bt_value *params = bt_value_map_create();
	bt_value *paths = NULL;

	if (!params || bt_value_map_insert_empty_array_entry(params, "inputs", &paths) !=
			       BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK) {
		bt_value_put_ref(params);
		return NULL;
	}
	for (size_t i = 0; i < graph->inputs->count; i++) {
		struct member *member = &graph->members[i];

		if (!member->is_readable || !is_same_trace(first, member)) {
			continue;
		}
		member->is_added = true;
		if (bt_value_array_append_string_element(paths,
			    member->salvage.directory ? member->salvage.directory : member->path) !=
			BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK) {
			bt_value_put_ref(params);
			return NULL;
		}
	}
	return params;
}

static enum status on_cut(void *context, const struct salvage_cut *cut)
{
	struct graph *graph = context;
	const struct analyzer_loss loss = {
		.kind = ANALYZER_LOST_PACKETS,
		.count = 1,
		.has_range = cut->has_range,
		.begin_ns = cut->begin_ns,
		.end_ns = cut->end_ns,
	};
	const enum status status = note_unreadable(graph,
		"%s: cut short: its last %llu bytes are no whole packet and were not read",
		cut->path, (unsigned long long)cut->lost_bytes);

	return status == STATUS_OK ? analyzer_add_loss(graph->feed->analyzer, &loss) : status;
}

/* Mends what can be mended in the trace of `first`; false: nothing. `failure` says what could not.
 */
static bool salvage(struct graph *graph, const struct member *first, struct diag *failure)
{
	const struct salvage_listener listener = {graph, on_cut};
	bool is_mended = false;

	for (size_t i = 0; i < graph->inputs->count; i++) {
		struct member *member = &graph->members[i];

		if (member->is_readable && is_same_trace(first, member) &&
			salvage_make(member->path, &listener, &member->salvage, failure) ==
				STATUS_OK) {
			is_mended = true;
		}
	}
	return is_mended;
}

static enum status on_missing(void *context, const char *stream, uint64_t packet_count)
{
	return note_unreadable(context,
		"%s: %" PRIu64
		" packets that its index has are not there; copy the recording again, "
		"with all its files",
		stream, packet_count);
}

/* Whether a folder of the trace of `first` is such. */
static bool any_folder(
	const struct graph *graph, const struct member *first, bool (*is_such)(const char *folder))
{
	for (size_t i = 0; i < graph->inputs->count; i++) {
		if (graph->members[i].is_readable && is_same_trace(first, &graph->members[i]) &&
			is_such(graph->members[i].path)) {
			return true;
		}
	}
	return false;
}

/* Parameters that source.ctf.fs accepts for the trace of `first`, mended if need be; or none. */
static enum status find_params(
	struct graph *graph, const struct member *first, bt_value **out_params)
{
	bt_value *params = source_params(graph, first);
	char reason[TRIAL_REASON_BYTES] = "a packet has no length";
	char again[TRIAL_REASON_BYTES];
	struct diag failure = {""};
	bool is_good = false;
	enum status status = params ? STATUS_OK : STATUS_NO_MEMORY;

	/* Else the trial would not end: it would take all memory, or wait for an index's writer. */
	if (status == STATUS_OK && !any_folder(graph, first, plain_files_are_endless) &&
		!any_folder(graph, first, index_files_are_damaged)) {
		status = trial_open(source_class(graph), params, &is_good, reason);
	}
	if (status == STATUS_OK && !is_good && salvage(graph, first, &failure) &&
		!failure.line[0]) {
		bt_value_put_ref(params);
		params = source_params(graph, first);
		status = params ? trial_open(source_class(graph), params, &is_good, again)
				: STATUS_NO_MEMORY;
	}
	/* Not the damaged one instead: babeltrace2 would abort, or not end. */
	if (status == STATUS_OK && is_good && !failure.line[0]) {
		*out_params = MOVE(params);
		return STATUS_OK;
	}
	bt_value_put_ref(params);
	if (status != STATUS_OK || failure.line[0] == '\0') {
		return status == STATUS_OK ? note_unreadable(graph, "%s: %s", first->path, reason)
					   : status;
	}
	return note_unreadable(graph, "%s: %s", first->path, failure.line);
}

static enum status add_source(struct graph *graph, const struct member *member, struct diag *diag)
{
	const bt_component_source *source = NULL;
	bt_value *params = NULL;
	enum status status = find_params(graph, member, &params);
	char name[32];
	char reason[TRIAL_REASON_BYTES];

	if (status != STATUS_OK || !params) {
		return status;
	}
	(void)snprintf(name, sizeof(name), "source%zu", graph->source_count);
	if (bt_graph_add_source_component(graph->graph, source_class(graph), name, params,
		    BT_LOGGING_LEVEL_NONE, &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		graph->sources[graph->source_count++] = source;
	} else {
		trial_take_reason(reason);
		status = diag_set(diag, STATUS_BAD_INPUT, "%s: %s", member->path, reason);
	}
	bt_value_put_ref(params);
	return status;
}

static bool connect_port(
	const struct graph *graph, const bt_port_output *output, const bt_port_input *input)
{
	return bt_graph_connect_ports(graph->graph, output, input, NULL) ==
	       BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

/* Every stream of every source to a port of its own: no muxer. */
static enum status connect(const struct graph *graph, const bt_component_sink *sink)
{
	bool is_connected = true;
	uint64_t input = 0;

	for (size_t i = 0; i < graph->source_count && is_connected; i++) {
		const bt_component_source *source = graph->sources[i];
		const uint64_t count = bt_component_source_get_output_port_count(source);

		for (uint64_t port = 0; port < count && is_connected; port++) {
			is_connected = connect_port(graph,
				bt_component_source_borrow_output_port_by_index_const(source, port),
				bt_component_sink_borrow_input_port_by_index_const(sink, input++));
		}
	}
	return is_connected ? STATUS_OK : STATUS_NO_MEMORY;
}

/* The files of all traces that are in the graph. */
static enum status scan_files(const struct graph *graph, struct plain_files *files)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < graph->inputs->count && status == STATUS_OK; i++) {
		const struct member *member = &graph->members[i];

		if (member->is_readable && member->is_added) {
			status = plain_files_scan(files,
				member->salvage.directory ? member->salvage.directory
							  : member->path,
				member->path);
		}
	}
	return status;
}

/* Packets that another file was put behind: babeltrace2 reads them as if they were the stream's. */
static enum status note_order(struct graph *graph, const struct plain_files *files)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < files->count && status == STATUS_OK; i++) {
		const struct plain_file *file = &files->files[i];
		const char *name = strrchr(file->path, '/') + 1;
		char *path = NULL;

		if (!file->goes_back) {
			continue;
		}
		graph->feed->is_order_told = true;
		/* The user's file, also when a mended copy of its folder is read. */
		if (asprintf(&path, "%s/%s", files->folders[file->folder].name, name) < 0) {
			return STATUS_NO_MEMORY;
		}
		status = note_unreadable(graph, FEED_ORDER_LINE, path);
		free(path);
	}
	return status;
}

/* With the user's folder where a text begins with the mended copy of it. */
static enum status note_stop(struct graph *graph, const char *text)
{
	const char *folder = "";

	for (size_t i = 0; i < graph->inputs->count && !*folder; i++) {
		const char *copy = graph->members[i].salvage.directory;

		if (copy && strncmp(text, copy, strlen(copy)) == 0) {
			folder = graph->members[i].path;
			text += strlen(copy);
		}
	}
	return note_unreadable(graph, STOP_LINE, folder, text);
}

static enum status run(struct graph *graph, struct sink_streams *streams)
{
	const bt_component_sink *sink = NULL;
	bt_graph_run_status run_status;
	char reason[TRIAL_REASON_BYTES];
	enum status status;

	for (size_t i = 0; i < graph->source_count; i++) {
		streams->input_count +=
			bt_component_source_get_output_port_count(graph->sources[i]);
	}
	if (streams->input_count == 0) {
		return STATUS_OK; /* traces without a single stream */
	}
	status = scan_files(graph, &streams->files);
	if (status == STATUS_OK) {
		status = note_order(graph, &streams->files);
	}
	if (status == STATUS_OK) {
		status = lacks_find(&graph->feed->lacks, &streams->files, graph->feed->analyzer);
	}
	if (status == STATUS_OK) {
		status = sink_streams_add(streams, graph->graph, &sink);
	}
	if (status == STATUS_OK) {
		status = connect(graph, sink);
	}
	if (status != STATUS_OK) {
		return status;
	}
	do {
		run_status = bt_graph_run(graph->graph);
	} while (run_status == BT_GRAPH_RUN_STATUS_AGAIN);

	if (run_status == BT_GRAPH_RUN_STATUS_OK) {
		return STATUS_OK;
	}
	trial_take_reason(reason);
	if (streams->status != STATUS_OK) {
		return streams->status;
	}
	if (run_status == BT_GRAPH_RUN_STATUS_MEMORY_ERROR) {
		return STATUS_NO_MEMORY;
	}
	return note_stop(graph, streams->reason.line[0] ? streams->reason.line : reason);
}

static enum status set_up(struct graph *graph, struct diag *diag)
{
	const enum status status = plugin_find("ctf", diag, &graph->ctf);

	if (status != STATUS_OK) {
		return status;
	}
	graph->members = calloc(graph->inputs->count, sizeof(*graph->members));
	graph->sources = calloc(graph->inputs->count, sizeof(const bt_component_source *));
	graph->graph = bt_graph_create(0);
	if (!graph->members || !graph->sources || !graph->graph) {
		return STATUS_NO_MEMORY;
	}
	return source_class(graph)
		       ? STATUS_OK
		       : diag_set(diag, STATUS_UNAVAILABLE, "babeltrace2 lacks source.ctf.fs");
}

static enum status read_all(struct graph *graph, struct sink_streams *streams, struct diag *diag)
{
	enum status status = set_up(graph, diag);

	/* All groups before the first source: one source takes every directory of its trace. */
	for (size_t i = 0; i < graph->inputs->count && status == STATUS_OK; i++) {
		struct member *member = &graph->members[i];

		member->path = graph->inputs->paths[i];
		status = check_metadata(graph, member);
		if (status == STATUS_OK && member->is_readable) {
			status = find_group(graph, member);
		}
		if (status == STATUS_OK && member->is_readable) {
			status = index_files_each_missing(
				member->path, &(struct index_files_listener){graph, on_missing});
		}
	}
	for (size_t i = 0; i < graph->inputs->count && status == STATUS_OK; i++) {
		struct member *member = &graph->members[i];

		if (member->is_readable && !member->is_added) {
			status = add_source(graph, member, diag);
		}
	}
	if (status == STATUS_OK && graph->source_count == 0) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s", graph->first_reason.line);
	}
	return status == STATUS_OK ? run(graph, streams) : status;
}

enum status graph_read(const struct input_list *inputs, struct feed *feed, struct diag *diag)
{
	struct graph graph = {.inputs = inputs, .feed = feed};
	struct sink_streams streams = {.feed = feed};
	const enum status status = read_all(&graph, &streams, diag);

	bt_graph_put_ref(graph.graph);
	plain_files_finish(&streams.files);
	bt_plugin_put_ref(graph.ctf);
	for (size_t i = 0; i < inputs->count && graph.members; i++) {
		free(graph.members[i].group);
		salvage_remove(&graph.members[i].salvage);
	}
	free(graph.sources);
	free(graph.members);
	return status;
}
