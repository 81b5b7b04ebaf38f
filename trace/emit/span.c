/* SPDX-License-Identifier: MIT */
/* Spans, and the two that have events of their own: prove_start and prove_finish. */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/nvtx_range.h"
#include "trace/emit/thread.h"
#include "trace/emit/tracepoints.h"
#include "trace/emit/usage.h"

/* A span that nobody wants: what its end may be asked for by a recording that begins meanwhile. */
static inline struct gaptrace_span unrecorded(
	const char *name, struct gaptrace_work work, int32_t worker)
{
	return (struct gaptrace_span){
		.name = name, .work = work, .worker = worker, .tid = thread_tid()};
}

/* The clock, the readings and the range at the begin of a wanted span; its event comes after. */
static void begin(struct gaptrace_span *span, bool is_timed, enum nvtx_range_category category)
{
	if (is_timed) {
		span->begin_ns = clock_now_ns();
		usage_begin(span->begin_ns, &span->begin_cpu_ns, &span->begin_run_delay_ns);
	}
	span->nvtx_range = nvtx_range_start(category, span->name);
}

static struct sample_usage usage_of(const struct gaptrace_span *span)
{
	const struct usage_mark mark = {.begin_ns = span->begin_ns,
		.cpu_ns = span->begin_cpu_ns,
		.run_delay_ns = span->begin_run_delay_ns,
		.tid = span->tid};

	return usage_end(&mark);
}

/* Each begin has its wanted case in a function of its own, to keep the other one short. */
static __attribute__((noinline)) struct gaptrace_span span_begin(
	const char *name, struct gaptrace_work work, bool is_timed)
{
	struct gaptrace_span span = unrecorded(name, work, GAPTRACE_NONE);

	begin(&span, is_timed, NVTX_RANGE_SPAN);
	if (WANTED(span_begin)) {
		EMIT(span_begin, &span);
	}
	return span;
}

struct gaptrace_span gaptrace_span_begin(const char *name, struct gaptrace_work work)
{
	/* Asked before anything else: with nothing recording this is all that a span costs. */
	bool is_timed = WANTED(span_begin) || WANTED(span_end);

	if (!is_timed && !nvtx_range_is_on()) {
		return unrecorded(name, work, GAPTRACE_NONE);
	}
	return span_begin(name, work, is_timed);
}

void gaptrace_span_end(const struct gaptrace_span *span)
{
	/* A range that never began is 0, which the tool is not told. */
	nvtx_range_end(span->nvtx_range);
	if (WANTED(span_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(span_end, span, &usage);
	}
}

static __attribute__((noinline)) struct gaptrace_span prove_start_begin(
	struct gaptrace_work work, int32_t worker, bool is_timed)
{
	struct gaptrace_span span = unrecorded("prove_start", work, worker);

	begin(&span, is_timed, NVTX_RANGE_PROVE);
	if (WANTED(prove_start_begin)) {
		EMIT(prove_start_begin, &span);
	}
	return span;
}

struct gaptrace_span gaptrace_prove_start_begin(struct gaptrace_work work, int32_t worker)
{
	bool is_timed = WANTED(prove_start_begin) || WANTED(prove_start_end);

	if (!is_timed && !nvtx_range_is_on()) {
		return unrecorded("prove_start", work, worker);
	}
	return prove_start_begin(work, worker, is_timed);
}

void gaptrace_prove_start_end(const struct gaptrace_span *span)
{
	nvtx_range_end(span->nvtx_range);
	if (WANTED(prove_start_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(prove_start_end, span, &usage);
	}
}

static __attribute__((noinline)) struct gaptrace_span prove_finish_begin(
	struct gaptrace_work work, int32_t worker, bool is_timed)
{
	struct gaptrace_span span = unrecorded("prove_finish", work, worker);

	begin(&span, is_timed, NVTX_RANGE_PROVE);
	if (WANTED(prove_finish_begin)) {
		EMIT(prove_finish_begin, &span);
	}
	return span;
}

struct gaptrace_span gaptrace_prove_finish_begin(struct gaptrace_work work, int32_t worker)
{
	bool is_timed = WANTED(prove_finish_begin) || WANTED(prove_finish_end);

	if (!is_timed && !nvtx_range_is_on()) {
		return unrecorded("prove_finish", work, worker);
	}
	return prove_finish_begin(work, worker, is_timed);
}

void gaptrace_prove_finish_end(const struct gaptrace_span *span)
{
	nvtx_range_end(span->nvtx_range);
	if (WANTED(prove_finish_end)) {
		struct sample_usage usage = usage_of(span);

		EMIT(prove_finish_end, span, &usage);
	}
}
