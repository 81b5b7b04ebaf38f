/* SPDX-License-Identifier: MIT */
/* What the parts of the reader of the daemon's log share. */
#pragma once

#include "analysis/import/cuzk_clock.h"
#include "analysis/import/cuzk_files.h"
#include "analysis/import/cuzk_lines.h"
#include "analysis/import/cuzk_native.h"
#include "analysis/import/cuzk_starts.h"
#include "analysis/import/cuzk_timeline.h"
#include "analysis/import/cuzk_tracing.h"
#include "analysis/import/cuzk_turns.h"
#include "analysis/import/cuzk_work.h"
#include "analysis/import/event_sorter.h"
#include "analysis/import/import.h"

/* The log names no process and no threads. These stand for them. */
#define CUZK_PID            1
#define CUZK_TID_DISPATCHER 10
#define CUZK_TID_SYNTHESIS  100000
#define CUZK_TID_FINALIZER  200000
#define CUZK_TID_FINISH     300000
#define CUZK_TID_PREP       400000
#define CUZK_TID_WORKER     2000000

/* The daemon's one GPU queue and the locks it shares, as objects. */
#define CUZK_QUEUE   1
#define CUZK_TRACKER 2
#define CUZK_BUDGET  3
#define CUZK_MUTEX   16   /* and the GPU's number */
#define CUZK_PREP    1000 /* and the worker's */

/* Lanes of one kind at a time: syntheses are limited by memory to some dozens. */
#define CUZK_LANE_COUNT 256

/* Two workers on each of as many GPUs as a report can have, twice over. */
#define CUZK_WORKER_COUNT_MAX 256 /* lines of further workers are counted and left out */

struct cuzk_lane {
	bool is_named;
	uint64_t item;    /* of a synthesis under way; 0: free */
	uint64_t free_ns; /* of a finalizer */
};

struct cuzk_worker {
	bool is_seen;
	bool is_named;
	bool has_gpu;    /* a line said which */
	bool is_proving; /* its GPU_START came, and no prove_start line yet */
	int32_t gpu;
	uint64_t free_ns; /* since when it waits for work, as far as is known */
	uint64_t item;    /* that it picked up last; 0: none */
	uint64_t proved;  /* the job in one piece that it proved last; 0: none */
};

/* The lines of one finalizer, which it writes one after another with the tracker in hand. */
struct cuzk_finalizer {
	bool has_trim;
	uint64_t trim_begin_ns;
	uint64_t trim_end_ns;
	uint64_t job;
	int32_t partition;
	uint64_t assembled_ns; /* CUZK_NO_TIME: not its job's last partition */
	uint64_t checked_ns;
};

struct cuzk_counts {
	uint64_t timeline;
	uint64_t bad_timeline;
	uint64_t tracing;
	uint64_t json;      /* tracing lines in a form that is not read */
	uint64_t untimed;   /* tracing lines before the engine's beginning, or of no known clock */
	uint64_t while_set; /* tracing lines of the time when UTC was set */
	uint64_t pickups;
	uint64_t starts;
	uint64_t of_other_starts; /* lines of the daemon's earlier runs */
	uint64_t starts_without_end;
	uint64_t ends_without_start;
	uint64_t claims;
	uint64_t narrowed; /* claims that the native lines narrow */
	uint64_t of_other_workers;
};

struct cuzk_reader {
	struct import_reader reader;
	struct cuzk_lines *lines;
	struct cuzk_clock *clock;
	struct event_sorter *sorter;
	struct cuzk_work work;
	struct cuzk_native native;
	struct cuzk_finalizer finalizer;
	struct cuzk_lane syntheses[CUZK_LANE_COUNT];
	struct cuzk_lane finalizers[CUZK_LANE_COUNT];
	struct cuzk_worker workers[CUZK_WORKER_COUNT_MAX];
	bool is_dispatcher_named;
	bool are_gpus_known; /* of every worker */
	bool is_merged;      /* one file has lines of both streams */
	bool has_enqueued;   /* the log says when jobs come */
	bool has_returns;    /* the log says when workers become free */
	bool has_tracing_only;
	bool is_sorted;
	uint64_t first_utc_ns;
	uint64_t enqueued_ns; /* UTC of the first job since the last TIMELINE line; or CUZK_NO_TIME
			       */
	uint64_t first_ns;    /* of the log: nothing is told before it */
	uint64_t last_ns;
	struct cuzk_starts starts;
	struct cuzk_turns turns;
	struct cuzk_dates dates[CUZK_FILE_COUNT_MAX];
	size_t anew_file; /* where the last beginning is, and its line there */
	uint64_t anew_line;
	uint64_t file_line; /* the first line of the file that is surveyed */
	size_t kinds_file;  /* of the file that is surveyed, and which kinds of lines it has */
	uint32_t kinds;
	uint64_t line; /* its number, which orders what happened in one millisecond */
	uint64_t budget_wait_ns;
	uint32_t depth; /* of the GPU queue */
	struct cuzk_counts counts;
	char text[DIAG_LINE_BYTES_MAX];
};

/* cuzk_emit.c: events into the sorter. `rank` orders what one line tells of one instant. */
MUST_CHECK enum status cuzk_emit(
	struct cuzk_reader *reader, struct event *event, uint32_t rank, struct diag *diag);
MUST_CHECK enum status cuzk_emit_note(struct cuzk_reader *reader, enum event_note_kind kind,
	uint64_t begin_ns, uint64_t end_ns, struct diag *diag, const char *format, ...)
	__attribute__((format(printf, 6, 7)));
MUST_CHECK enum status cuzk_emit_name(struct cuzk_reader *reader, uint64_t time_ns, int32_t tid,
	const char *name, struct diag *diag);

/* A range on a thread. `work` may be NULL. */
struct cuzk_range {
	int32_t tid;
	const char *name;
	uint64_t begin_ns;
	uint64_t end_ns;
	const struct event_work *work;
};
MUST_CHECK enum status cuzk_emit_range(
	struct cuzk_reader *reader, const struct cuzk_range *range, struct diag *diag);

/* A lock that a thread waited for since wait_ns, and had from acquire_ns to release_ns. */
struct cuzk_hold {
	int32_t tid;
	uint64_t lock;
	const char *name;
	uint64_t wait_ns;
	uint64_t acquire_ns;
	uint64_t release_ns;
};
MUST_CHECK enum status cuzk_emit_hold(
	struct cuzk_reader *reader, const struct cuzk_hold *hold, struct diag *diag);

/* A claim that a device worked, with the call that began it. */
struct cuzk_claim {
	int32_t worker;
	uint64_t correlation;
	const char *name;
	uint64_t begin_ns;
	uint64_t end_ns;
};
MUST_CHECK enum status cuzk_emit_claim(
	struct cuzk_reader *reader, const struct cuzk_claim *claim, struct diag *diag);

/* The worker's place; NULL when there are too many. */
struct cuzk_worker *cuzk_reader_worker(struct cuzk_reader *reader, int32_t worker);

/* cuzk_steps.c and cuzk_messages.c: what lines become. */
MUST_CHECK enum status cuzk_step_add(
	struct cuzk_reader *reader, const struct cuzk_timeline *timeline, struct diag *diag);
MUST_CHECK enum status cuzk_message_add(struct cuzk_reader *reader,
	const struct cuzk_tracing *tracing, uint64_t time_ns, struct diag *diag);
/* cuzk_notes.c: what is said of the log, before its events and behind them. */
MUST_CHECK enum status cuzk_notes_first(struct cuzk_reader *reader, struct diag *diag);
MUST_CHECK enum status cuzk_notes_last(struct cuzk_reader *reader, struct diag *diag);

/* The job came then. */
MUST_CHECK enum status cuzk_message_submit(
	struct cuzk_reader *reader, struct cuzk_job *job, uint64_t time_ns, struct diag *diag);
/* The log ended. */
MUST_CHECK enum status cuzk_messages_end(struct cuzk_reader *reader, struct diag *diag);

/* Lines may be out of order, or damaged. */
static inline uint64_t cuzk_since(uint64_t begin_ns, uint64_t end_ns)
{
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static inline uint64_t cuzk_before(uint64_t time_ns, uint64_t duration_ns)
{
	return time_ns > duration_ns ? time_ns - duration_ns : 0;
}
