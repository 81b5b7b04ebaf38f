/* SPDX-License-Identifier: MIT */
/* Spans, and the two that have events of their own: prove_start and prove_finish. */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/thread.h"
#include "trace/emit/tracepoints.h"
#include "trace/emit/usage.h"

static inline struct gaptrace_span begin(const char *name, struct gaptrace_work work,
	int32_t worker, bool is_wanted, enum nvtx_range_category category)
{
	struct gaptrace_span span = {
		.name = name, .work = work, .worker = worker, .tid = thread_tid()};

	if (is_wanted) {
		span.begin_ns = clock_now_ns();
		usage_begin(span.begin_ns, &span.begin_cpu_ns, &span.begin_run_delay_ns);
	}
	span.nvtx_range = nvtx_range_start(category, name);
	return span;
}

static struct sample_usage usage_of(const struct gaptrace_span *span)
{
	return usage_end(span->begin_ns, span->tid, span->begin_cpu_ns, span->begin_run_delay_ns);
}

struct gaptrace_span gaptrace_span_begin(const char *name, struct gaptrace_work work)
{
	struct gaptrace_span span = begin(
		name, work, GAPTRACE_NONE, WANTED(span_begin) || WANTED(span_end), NVTX_RANGE_SPAN);

	if (WANTED(span_begin)) {
		EMIT(span_begin, &span);
	}
	return span;
}

void gaptrace_span_end(const struct gaptrace_span *span)
{
	nvtx_range_end(span->nvtx_range);
	if (WANTED(span_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(span_end, span, &usage);
	}
}

struct gaptrace_span gaptrace_prove_start_begin(struct gaptrace_work work, int32_t worker)
{
	struct gaptrace_span span = begin("prove_start", work, worker,
		WANTED(prove_start_begin) || WANTED(prove_start_end), NVTX_RANGE_PROVE);

	if (WANTED(prove_start_begin)) {
		EMIT(prove_start_begin, &span);
	}
	return span;
}

void gaptrace_prove_start_end(const struct gaptrace_span *span)
{
	nvtx_range_end(span->nvtx_range);
	if (WANTED(prove_start_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(prove_start_end, span, &usage);
	}
}

struct gaptrace_span gaptrace_prove_finish_begin(struct gaptrace_work work, int32_t worker)
{
	struct gaptrace_span span = begin("prove_finish", work, worker,
		WANTED(prove_finish_begin) || WANTED(prove_finish_end), NVTX_RANGE_PROVE);

	if (WANTED(prove_finish_begin)) {
		EMIT(prove_finish_begin, &span);
	}
	return span;
}

void gaptrace_prove_finish_end(const struct gaptrace_span *span)
{
	nvtx_range_end(span->nvtx_range);
	if (WANTED(prove_finish_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(prove_finish_end, span, &usage);
	}
}
