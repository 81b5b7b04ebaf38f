/* SPDX-License-Identifier: MIT */
/* The devices' events: calls, what they issued, and what was waited for. */
#include "analysis/core/walk_add.h"
#include "analysis/core/walk_doubt.h"

static const char *copy_label(const struct event *event)
{
	static const char *const labels[] = {
		[GAPTRACE_COPY_UNKNOWN] = "copy",
		[GAPTRACE_COPY_HTOD] = "htod",
		[GAPTRACE_COPY_DTOH] = "dtoh",
		[GAPTRACE_COPY_DTOD] = "dtod",
		[GAPTRACE_COPY_HTOH] = "htoh",
		[GAPTRACE_COPY_PTOP] = "ptop",
	};
	const size_t kind = (size_t)event->copy.kind;

	if (event->kind == EVENT_GPU_MEMSET) {
		return "memset";
	}
	return kind < sizeof(labels) / sizeof(labels[0]) && labels[kind] ? labels[kind] : "copy";
}

/* Whether the kernel seems to have been issued before the recording began. */
static bool seems_outside(const struct walk_process *process, const struct event_operation *where)
{
	return !process->has_calls ||
	       walk_process_began_before(process, where->start_ns, where->correlation);
}

/* Of an imported trace: the first that is known of a process must have been issued before it. */
static enum status count_outside(
	struct walk *walk, int32_t pid, const struct event_operation *where, struct walk_call *call)
{
	struct walk_process *process = walk_imports_get(&walk->imports, pid);

	if (!process) {
		return STATUS_NO_MEMORY;
	}
	process->outside_count += seems_outside(process, where);
	call->outside_count += seems_outside(process, where);
	return STATUS_OK;
}

/* Its call came after all. */
static enum status take_back_outside(struct walk *walk, int32_t pid, struct walk_call *call)
{
	struct walk_process *process = walk_imports_get(&walk->imports, pid);

	if (!process) {
		return STATUS_NO_MEMORY;
	}
	process->outside_count -= call->outside_count;
	call->outside_count = 0;
	return STATUS_OK;
}

/* What was issued joins its call, whichever of the two was told first. */
static enum status join_call(struct walk *walk, const struct event *event,
	const struct event_operation *where, const struct walk_copy *copy)
{
	const bool is_kernel = event->kind == EVENT_GPU_KERNEL;
	struct walk_call *call;

	/* 0 is no number: its call cannot be found. */
	if (where->correlation == 0) {
		walk->counts.unjoined_operations += is_kernel;
		return STATUS_OK;
	}
	call = walk_calls_get(&walk->calls, event->pid, where->correlation);
	if (!call) {
		return STATUS_NO_MEMORY;
	}
	if (call->operation_count == 0 || where->start_ns < call->first_start_ns) {
		call->first_start_ns = where->start_ns;
	}
	if (is_kernel && where->start_ns < call->first_kernel_ns) {
		call->first_kernel_ns = where->start_ns;
	}
	if (where->end_ns > call->last_end_ns) {
		call->last_end_ns = where->end_ns;
	}
	call->operation_count++;
	if (copy) {
		call->has_copy = true;
		call->copy = *copy;
	}
	/* Records of operations and of calls come in either order, so both sides look for the
	 * other. */
	if (call->has_record) {
		walk->counts.joined_operations += is_kernel;
		walk->counts.before_launch += where->start_ns < call->start_ns;
	} else {
		walk->counts.unjoined_operations += is_kernel;
		call->unjoined_count += is_kernel;
		if (is_kernel && walk->imports.is_on) {
			return count_outside(walk, event->pid, where, call);
		}
	}
	return STATUS_OK;
}

static enum status add_kernel(struct walk *walk, const struct event *event)
{
	const struct event_operation *where = &event->kernel.operation;
	const struct walk_operation operation = {
		.start_ns = where->start_ns,
		.end_ns = where->end_ns,
		.correlation = where->correlation,
		.graph = event->kernel.graph,
	};
	/* Without a label: that is what tells kernels from copies. */
	const enum status status = walk_devices_add(&walk->devices, event->pid, where, &operation);

	return status == STATUS_OK ? join_call(walk, event, where, NULL) : status;
}

static enum status add_copy(struct walk *walk, const struct event *event)
{
	const struct event_operation *where = &event->copy.operation;
	const struct walk_copy copy = {
		.bytes = event->copy.bytes,
		.label = copy_label(event),
		.is_pageable = event->copy.source_memory == GAPTRACE_MEMORY_PAGEABLE ||
			       event->copy.target_memory == GAPTRACE_MEMORY_PAGEABLE,
	};
	const struct walk_operation operation = {
		.start_ns = where->start_ns,
		.end_ns = where->end_ns,
		.correlation = where->correlation,
		.bytes = copy.bytes,
		.label = copy.label,
		.is_pageable = copy.is_pageable,
	};
	const enum status status = walk_devices_add(&walk->devices, event->pid, where, &operation);

	return status == STATUS_OK ? join_call(walk, event, where, &copy) : status;
}

static enum status add_api(struct walk *walk, const struct event *event)
{
	const char *name = walk_names_keep(&walk->names, event->api.name);
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, event->api.tid);
	struct walk_call record = {
		.start_ns = event->api.start_ns,
		.end_ns = event->api.end_ns,
		.name = name,
		.pid = event->pid,
		.correlation = event->api.correlation,
	};
	struct walk_call *call;

	if (!name || !lane) {
		return STATUS_NO_MEMORY;
	}
	if (event->time_ns > lane->last_ns) {
		lane->last_ns = event->time_ns;
	}
	/* Two old ones go for each that comes, so that the table stays in the cache. */
	walk_calls_prune(&walk->calls, walk->lanes.forget_ns, 2);
	walk_calls_prune_lane(&walk->calls, lane, walk->lanes.forget_ns);
	record.category = walk_call_category(name);
	/* Of one that began before, others may have been issued while it lasted. */
	if (record.correlation != 0 &&
		walk_calls_note_first(&walk->calls, event->pid,
			record.start_ns >= walk->first_ns ? record.correlation : UINT64_MAX) !=
			STATUS_OK) {
		return STATUS_NO_MEMORY;
	}
	call = walk_calls_add(&walk->calls, lane, &record);
	if (!call) {
		return STATUS_NO_MEMORY;
	}
	/* They waited for this record. */
	walk->counts.joined_operations += call->unjoined_count;
	walk->counts.unjoined_operations -= call->unjoined_count;
	call->unjoined_count = 0;
	if (call->outside_count > 0) {
		return take_back_outside(walk, event->pid, call);
	}
	walk->counts.before_launch +=
		call->operation_count > 0 && call->first_start_ns < call->start_ns;
	return STATUS_OK;
}

static enum status add_sync(struct walk *walk, const struct event *event)
{
	const struct event_operation *where = &event->sync.operation;
	struct walk_stream_wait wait = {
		.start_ns = where->start_ns,
		/* Some tools give such a wait no length: then it ends where it begins, and rule
		 * 2 looks at the other stream. */
		.end_ns = where->end_ns > where->start_ns ? where->end_ns : where->start_ns,
		.pid = event->pid,
		.device = WALK_DEVICE_UNKNOWN,
		.context = where->context,
		.stream = where->stream,
		.event_stream = event->sync.event_stream,
		.correlation = where->correlation,
	};
	struct walk_call *call;

	if (event->sync.kind == GAPTRACE_SYNC_STREAM_WAIT_EVENT) {
		(void)walk_devices_index(&walk->devices, event->pid, where->device, &wait.device);
		return walk_devices_add_wait(&walk->devices, &wait);
	}
	if (where->correlation == 0) {
		return STATUS_OK;
	}
	call = walk_calls_get(&walk->calls, event->pid, where->correlation);
	if (!call) {
		return STATUS_NO_MEMORY;
	}
	call->has_sync = true;
	call->sync_kind = event->sync.kind;
	call->sync_device = where->device;
	call->sync_context = where->context;
	call->sync_stream =
		event->sync.kind == GAPTRACE_SYNC_EVENT ? event->sync.event_stream : where->stream;
	if (where->end_ns > call->last_end_ns) {
		call->last_end_ns = where->end_ns;
	}
	return STATUS_OK;
}

static enum status add_overhead(struct walk *walk, const struct event *event)
{
#define OVERHEAD_NAME(name, value, label) [value] = (label),
	static const char *const names[] = {GAPTRACE_OVERHEAD_KINDS(OVERHEAD_NAME)};
#undef OVERHEAD_NAME
	const size_t kind = (size_t)event->overhead.kind;
	struct walk_lane *lane = walk_lanes_get(&walk->lanes, event->pid, event->overhead.tid);
	const struct walk_call record = {
		.start_ns = event->overhead.start_ns,
		.end_ns = event->overhead.end_ns,
		.name = kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "overhead",
		.pid = event->pid,
		/* docs/causes.md, rule 3: it lies inside the call that it falls in. */
		.category = WALK_CALL_OVERHEAD,
	};

	if (!lane || !walk_calls_add(&walk->calls, lane, &record)) {
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

enum status walk_add_gpu(struct walk *walk, const struct event *event)
{
	switch ((int)event->kind) {
	case EVENT_GPU_KERNEL:
		walk_tellers_add(&walk->tellers, event);
		return add_kernel(walk, event);
	case EVENT_GPU_MEMCPY:
	case EVENT_GPU_MEMSET:
		walk_tellers_add(&walk->tellers, event);
		return add_copy(walk, event);
	case EVENT_GPU_WATERMARK:
		walk_tellers_add(&walk->tellers, event);
		return STATUS_OK;
	case EVENT_GPU_DROPPED:
		return walk_doubt_records(walk, event);
	case EVENT_GPU_API:
		return add_api(walk, event);
	case EVENT_GPU_SYNC:
		return add_sync(walk, event);
	case EVENT_GPU_OVERHEAD:
		return add_overhead(walk, event);
	default:
		return STATUS_OK;
	}
}
