/* SPDX-License-Identifier: MIT */
/* Jobs, and the keyframe: what a recording that starts in the middle must be told. */
#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"
#include "trace/emit/device.h"
#include "trace/emit/thread.h"
#include "trace/emit/tracepoints.h"

#include <errno.h>
#include <unistd.h>

void gaptrace_job_submit(struct gaptrace_job *job)
{
	job->submitted_ns = WANTED(job_submit) || WANTED(job_end) ? clock_now_ns() : 0;
	if (WANTED(job_submit)) {
		EMIT(job_submit, job);
	}
}

void gaptrace_job_begin(const struct gaptrace_job *job)
{
	if (WANTED(job_begin)) {
		EMIT(job_begin, job);
	}
}

void gaptrace_job_end(const struct gaptrace_job *job)
{
	if (WANTED(job_end)) {
		uint64_t duration_ns =
			job->submitted_ns ? clock_now_ns() - job->submitted_ns : GAPTRACE_UNKNOWN;

		EMIT(job_end, job, duration_ns);
	}
}

void gaptrace_state(const struct gaptrace_state *state)
{
	if (WANTED(state)) {
		EMIT(state, state);
	}
}

static void keyframe_thread(int32_t tid, const char *name)
{
	struct gaptrace_state state = {
		.subject = GAPTRACE_STATE_THREAD,
		.name = name,
		.work = GAPTRACE_NO_WORK,
		.tid = tid,
	};

	gaptrace_state(&state);
}

void gaptrace_keyframe(void)
{
	struct gaptrace_state process = {
		.subject = GAPTRACE_STATE_PROCESS,
		.name = program_invocation_short_name,
		.work = GAPTRACE_NO_WORK,
		.value = GAPTRACE_SCHEMA_VERSION,
	};

	/* Walking the names costs a lock, so not for nobody. */
	if (WANTED(state)) {
		process.tid = (int32_t)getpid();
		gaptrace_state(&process);
		thread_each_name(keyframe_thread);
	}
	device_repeat();
}
