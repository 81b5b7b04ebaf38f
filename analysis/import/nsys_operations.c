/* SPDX-License-Identifier: MIT */
/* What devices did: kernels, copies, memsets, and graphs that were traced as a whole. */
#include "analysis/import/nsys_reader.h"

#include <stdio.h>

#define BIT(column) (1U << (column))

/* The first columns of every table of operations. */
enum operation_column {
	OP_START,
	OP_END,
	OP_DEVICE,
	OP_CONTEXT,
	OP_STREAM,
	OP_CORRELATION,
	OP_PROCESS,
	OP_COLUMN_COUNT,
};

#define OP_COLUMNS                                                                                 \
	"start", "end", "deviceId", "?contextId", "streamId", "correlationId", "globalPid"
#define OP_NEEDED (BIT(OP_START) | BIT(OP_END) | BIT(OP_DEVICE))

enum kernel_column {
	KERNEL_NAME = OP_COLUMN_COUNT,
	KERNEL_SHORT_NAME,
	KERNEL_GRAPH,
	KERNEL_NODE,
};

enum copy_column {
	COPY_BYTES = OP_COLUMN_COUNT,
	COPY_KIND,
	COPY_SOURCE,
	COPY_TARGET,
};

enum memset_column {
	MEMSET_BYTES = OP_COLUMN_COUNT,
	MEMSET_MEMORY,
};

enum graph_column {
	GRAPH_ID = OP_COLUMN_COUNT,
};

/* NULL, -1 (the whole context) and what does not fit are all "no particular one". */
static uint32_t read_small(const struct nsys_table *table, int column)
{
	int64_t value;

	if (!nsys_table_integer(table, column, &value)) {
		return 0;
	}
	return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* False when nobody knows which device it ran on; stamps that are none are for the engine to
 * count: it gets them as they are. */
static bool read_operation(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, struct event_operation *to)
{
	const struct nsys_table *table = &stream->table;
	int64_t device;

	if (!nsys_table_integer(table, OP_DEVICE, &device) || device < 0 || device > INT32_MAX) {
		stream->useless_count++;
		return false;
	}
	*to = (struct event_operation){
		.device = (int32_t)device,
		.context = read_small(table, OP_CONTEXT),
		.stream = read_small(table, OP_STREAM),
		.correlation = nsys_table_number(table, OP_CORRELATION),
		.start_ns = event->time_ns,
	};
	if (!nsys_reader_end(reader, stream, OP_END, &to->end_ns)) {
		to->end_ns = 0;
	}
	event->pid = nsys_pid(nsys_table_number(table, OP_PROCESS));
	return true;
}

static enum status convert_kernel(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	const struct nsys_table *table = &stream->table;
	const int name = nsys_table_is_null(table, KERNEL_NAME) ? KERNEL_SHORT_NAME : KERNEL_NAME;
	int64_t node;

	event->kind = EVENT_GPU_KERNEL;
	*out_has_event = read_operation(reader, stream, event, &event->kernel.operation);
	if (!*out_has_event) {
		return STATUS_OK;
	}
	event->kernel.graph = read_small(table, KERNEL_GRAPH);
	/* Without a graph's number its node's has it above 32 bits; any but 0 says "in a graph". */
	if (event->kernel.graph == 0 && nsys_table_integer(table, KERNEL_NODE, &node)) {
		event->kernel.graph = (uint64_t)node >> 32 ? (uint32_t)((uint64_t)node >> 32) : 1;
	}
	return nsys_reader_name(reader, table, name, &event->kernel.name);
}

/* nsys counts its memory kinds from pageable, CUPTI and gaptrace from unknown. */
static enum gaptrace_memory_kind memory_kind(const struct nsys_table *table, int column)
{
	static const enum gaptrace_memory_kind kinds[] = {
		[0] = GAPTRACE_MEMORY_PAGEABLE,
		[1] = GAPTRACE_MEMORY_PINNED,
		[2] = GAPTRACE_MEMORY_DEVICE,
		[3] = GAPTRACE_MEMORY_ARRAY,
		[4] = GAPTRACE_MEMORY_MANAGED,
		[5] = GAPTRACE_MEMORY_DEVICE_STATIC,
		[6] = GAPTRACE_MEMORY_MANAGED_STATIC,
		[7] = GAPTRACE_MEMORY_UNKNOWN,
	};
	int64_t value;

	return nsys_table_integer(table, column, &value) && value >= 0 &&
			       value < (int64_t)(sizeof(kinds) / sizeof(kinds[0]))
		       ? kinds[value]
		       : GAPTRACE_MEMORY_UNKNOWN;
}

/* Copies to and from arrays are copies like others; those of unified memory are migrations. */
static enum gaptrace_copy_kind copy_kind(const struct nsys_table *table)
{
	static const enum gaptrace_copy_kind kinds[] = {
		[0] = GAPTRACE_COPY_UNKNOWN,
		[1] = GAPTRACE_COPY_HTOD,
		[2] = GAPTRACE_COPY_DTOH,
		[3] = GAPTRACE_COPY_HTOD, /* host to array */
		[4] = GAPTRACE_COPY_DTOH, /* array to host */
		[5] = GAPTRACE_COPY_DTOD, /* array to array, and with the device */
		[6] = GAPTRACE_COPY_DTOD,
		[7] = GAPTRACE_COPY_DTOD,
		[8] = GAPTRACE_COPY_DTOD,
		[9] = GAPTRACE_COPY_HTOH,
		[10] = GAPTRACE_COPY_PTOP,
		[11] = GAPTRACE_COPY_HTOD, /* unified memory */
		[12] = GAPTRACE_COPY_DTOH,
		[13] = GAPTRACE_COPY_DTOD,
	};
	int64_t value;

	return nsys_table_integer(table, COPY_KIND, &value) && value >= 0 &&
			       value < (int64_t)(sizeof(kinds) / sizeof(kinds[0]))
		       ? kinds[value]
		       : GAPTRACE_COPY_UNKNOWN;
}

static enum status convert_copy(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	event->kind = EVENT_GPU_MEMCPY;
	*out_has_event = read_operation(reader, stream, event, &event->copy.operation);
	event->copy.bytes = nsys_table_number(&stream->table, COPY_BYTES);
	event->copy.kind = copy_kind(&stream->table);
	event->copy.source_memory = memory_kind(&stream->table, COPY_SOURCE);
	event->copy.target_memory = memory_kind(&stream->table, COPY_TARGET);
	return STATUS_OK;
}

static enum status convert_memset(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	event->kind = EVENT_GPU_MEMSET;
	*out_has_event = read_operation(reader, stream, event, &event->copy.operation);
	event->copy.bytes = nsys_table_number(&stream->table, MEMSET_BYTES);
	event->copy.target_memory = memory_kind(&stream->table, MEMSET_MEMORY);
	return STATUS_OK;
}

static enum status convert_graph(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	event->kind = EVENT_GPU_KERNEL;
	*out_has_event = read_operation(reader, stream, event, &event->kernel.operation);
	event->kernel.graph = read_small(&stream->table, GRAPH_ID);
	(void)snprintf(
		reader->text, sizeof(reader->text), "graph %u", (unsigned)event->kernel.graph);
	event->kernel.name = reader->text;
	return STATUS_OK;
}

const struct nsys_source nsys_operation_sources[4] = {
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
			.columns = {OP_COLUMNS, "graphId"}},
		.needed = OP_NEEDED,
		.is_device = true,
		.convert = convert_graph,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_KERNEL",
			.columns = {OP_COLUMNS, "demangledName", "shortName|mangledName",
				"?graphId", "?graphNodeId"}},
		.needed = OP_NEEDED,
		.is_device = true,
		.convert = convert_kernel,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_MEMCPY",
			.columns = {OP_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind"}},
		.needed = OP_NEEDED,
		.is_device = true,
		.convert = convert_copy,
	},
	{
		.shape = {.table = "CUPTI_ACTIVITY_KIND_MEMSET",
			.columns = {OP_COLUMNS, "bytes", "?memKind"}},
		.needed = OP_NEEDED,
		.is_device = true,
		.convert = convert_memset,
	},
};
