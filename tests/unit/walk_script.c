/* SPDX-License-Identifier: MIT */
#include "walk_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX   16
#define LINE_BYTES  512
#define DEVICES_MAX 4

struct line {
	char text[LINE_BYTES];
	char *words[WORDS_MAX]; /* those without '=' */
	size_t word_count;
	char *fields[WORDS_MAX]; /* those with */
	size_t field_count;
};

static const char *word(const struct line *line, size_t i)
{
	return i < line->word_count ? line->words[i] : "";
}

static bool has_word(const struct line *line, const char *wanted)
{
	for (size_t i = 0; i < line->word_count; i++) {
		if (strcmp(line->words[i], wanted) == 0) {
			return true;
		}
	}
	return false;
}

static uint64_t field_or(const struct line *line, const char *name, uint64_t otherwise)
{
	const size_t bytes = strlen(name);

	for (size_t i = 0; i < line->field_count; i++) {
		if (strncmp(line->fields[i], name, bytes) == 0 && line->fields[i][bytes] == '=') {
			return strtoull(line->fields[i] + bytes + 1, NULL, 10);
		}
	}
	return otherwise;
}

static uint64_t field(const struct line *line, const char *name)
{
	return field_or(line, name, 0);
}

/* An identity made from a name; 1 would do, but two names must differ. */
static uint64_t identity(const char *name)
{
	uint64_t hash = 14695981039346656037ULL;

	for (; *name; name++) {
		hash = (hash ^ (unsigned char)*name) * 1099511628211ULL;
	}
	return hash;
}

static struct event_work work_of(const struct line *line)
{
	return (struct event_work){
		.job = field(line, "job"),
		.partition = (int32_t)field_or(line, "part", UINT32_MAX),
		.device = (int32_t)field_or(line, "dev", UINT32_MAX),
	};
}

static struct event_operation operation_of(const struct line *line)
{
	return (struct event_operation){
		.device = (int32_t)field(line, "dev"),
		.context = 1,
		.stream = (uint32_t)field_or(line, "stream", 1),
		.correlation = field(line, "corr"),
		.start_ns = field(line, "start"),
		.end_ns = field(line, "end"),
	};
}

static const char *const wait_kinds[] = {
	"barrier", "join", "condition", "budget", "pacer", "sleep", "backpressure"};

static enum gaptrace_wait_kind wait_kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(wait_kinds) / sizeof(wait_kinds[0]); i++) {
		if (strcmp(wait_kinds[i], name) == 0) {
			return (enum gaptrace_wait_kind)i;
		}
	}
	fail_msg("no wait kind '%s'", name);
	return GAPTRACE_WAIT_BARRIER;
}

struct verb {
	const char *name;
	enum event_kind kind;
	void (*fill)(const struct line *line, struct event *event);
};

static void fill_lock(const struct line *line, struct event *event)
{
	event->lock.lock = identity(word(line, 3));
	event->lock.name = word(line, 3);
	event->lock.mode =
		has_word(line, "shared") ? GAPTRACE_LOCK_SHARED : GAPTRACE_LOCK_EXCLUSIVE;
	event->lock.wait_ns = field(line, "wait");
	if (event->kind == EVENT_LOCK_RELEASE) {
		event->lock.hold_ns = field_or(line, "hold", GAPTRACE_UNKNOWN);
	}
}

static void fill_queue(const struct line *line, struct event *event)
{
	event->queue.queue = identity(word(line, 3));
	event->queue.name = word(line, 3);
	event->queue.item = identity(word(line, 4));
	event->queue.work = work_of(line);
	event->queue.depth = (uint32_t)field(line, "depth");
	event->queue.wait_ns = field_or(line, "wait", GAPTRACE_UNKNOWN);
}

static void fill_task(const struct line *line, struct event *event)
{
	event->task.pool = identity(word(line, 3));
	event->task.name = word(line, 3);
	event->task.task = identity(word(line, 4));
	event->task.kind = word(line, 5);
	event->task.work = work_of(line);
	event->task.queued_ns = field_or(line, "queued", GAPTRACE_UNKNOWN);
	event->task.run_ns = field_or(line, "run", GAPTRACE_UNKNOWN);
	event->task.run_delay_ns = field_or(line, "delay", GAPTRACE_UNKNOWN);
}

static void fill_wait(const struct line *line, struct event *event)
{
	event->wait.kind = wait_kind_of(word(line, 3));
	event->wait.object = identity(word(line, 4));
	event->wait.name = word(line, 4);
	event->wait.wait_ns = field_or(line, "wait", GAPTRACE_UNKNOWN);
}

static void fill_wake(const struct line *line, struct event *event)
{
	event->wait.object = identity(word(line, 3));
	event->wait.name = word(line, 3);
}

static void fill_span(const struct line *line, struct event *event)
{
	event->span.name = word(line, 3);
	event->span.work = work_of(line);
	event->span.begin_tid = (int32_t)field(line, "begin_thread");
	event->span.duration_ns = field_or(line, "dur", GAPTRACE_UNKNOWN);
	event->span.run_delay_ns = field_or(line, "delay", GAPTRACE_UNKNOWN);
}

static void fill_start(const struct line *line, struct event *event)
{
	fill_span(line, event);
	event->span.name = "prove_start";
}

static void fill_trim(const struct line *line, struct event *event)
{
	event->malloc_trim.duration_ns = field_or(line, "dur", GAPTRACE_UNKNOWN);
}

static void fill_budget(const struct line *line, struct event *event)
{
	event->budget.budget = identity(word(line, 3));
	event->budget.work = work_of(line);
	event->budget.bytes = field(line, "bytes");
	event->budget.used = field(line, "used");
	event->budget.limit = field(line, "limit");
	event->budget.wait_ns = field(line, "wait");
}

static void fill_buffer(const struct line *line, struct event *event)
{
	event->buffer.kind =
		has_word(line, "pinned") ? GAPTRACE_BUFFER_PINNED : GAPTRACE_BUFFER_ABC;
	event->buffer.duration_ns = field(line, "dur");
}

static void fill_job(const struct line *line, struct event *event)
{
	event->job.job = strtoull(word(line, 3), NULL, 10);
	event->job.kind = "proof";
	event->job.duration_ns = field_or(line, "dur", GAPTRACE_UNKNOWN);
}

static void fill_kernel(const struct line *line, struct event *event)
{
	event->kernel.operation = operation_of(line);
	event->kernel.name = "kernel";
	event->kernel.graph = (uint32_t)field(line, "graph");
}

static void fill_copy(const struct line *line, struct event *event)
{
	event->copy.operation = operation_of(line);
	event->copy.kind =
		strcmp(word(line, 3), "dtoh") == 0 ? GAPTRACE_COPY_DTOH : GAPTRACE_COPY_HTOD;
	event->copy.source_memory =
		has_word(line, "pageable") ? GAPTRACE_MEMORY_PAGEABLE : GAPTRACE_MEMORY_PINNED;
	event->copy.target_memory = GAPTRACE_MEMORY_DEVICE;
	event->copy.bytes = field(line, "bytes");
	event->copy.is_async = true;
}

static void fill_api(const struct line *line, struct event *event)
{
	event->api.name = word(line, 3);
	event->api.tid = event->tid;
	event->api.correlation = field(line, "corr");
	event->api.start_ns = field(line, "start");
	event->api.end_ns = field(line, "end");
}

static void fill_sync(const struct line *line, struct event *event)
{
	event->sync.operation = operation_of(line);
	event->sync.event_stream = (uint32_t)field(line, "event_stream");
	event->sync.kind = GAPTRACE_SYNC_STREAM;
	if (strcmp(word(line, 3), "device") == 0) {
		event->sync.kind = GAPTRACE_SYNC_DEVICE;
	} else if (strcmp(word(line, 3), "event") == 0) {
		event->sync.kind = GAPTRACE_SYNC_EVENT;
	} else if (strcmp(word(line, 3), "wait_event") == 0) {
		event->sync.kind = GAPTRACE_SYNC_STREAM_WAIT_EVENT;
	}
}

static void fill_overhead(const struct line *line, struct event *event)
{
	event->overhead.kind = strcmp(word(line, 3), "command_buffer_full") == 0
				       ? GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL
				       : GAPTRACE_OVERHEAD_MODULE_LOADING;
	event->overhead.tid = event->tid;
	event->overhead.start_ns = field(line, "start");
	event->overhead.end_ns = field(line, "end");
}

static void fill_dropped(const struct line *line, struct event *event)
{
	event->dropped.device = GAPTRACE_NONE;
	event->dropped.count = field(line, "count");
}

static void fill_state(const struct line *line, struct event *event)
{
	event->state.tid = event->tid;
	event->state.name = word(line, 4);
	event->state.work = work_of(line);
	event->state.since_ns = field(line, "since");
	event->state.object = identity(word(line, 4));
	event->state.value = field(line, "value");
	event->state.subject = GAPTRACE_STATE_THREAD;
	if (strcmp(word(line, 3), "job") == 0) {
		event->state.subject = GAPTRACE_STATE_JOB;
	} else if (strcmp(word(line, 3), "queue") == 0) {
		event->state.subject = GAPTRACE_STATE_QUEUE;
	} else if (strcmp(word(line, 3), "open_jobs") == 0) {
		event->state.subject = GAPTRACE_STATE_PROCESS;
		event->state.name = GAPTRACE_STATE_OPEN_JOBS;
	}
}

static void fill_switch(const struct line *line, struct event *event)
{
	event->sched_switch.previous_tid = (int32_t)field(line, "from");
	event->sched_switch.next_tid = (int32_t)field(line, "to");
	event->sched_switch.previous_state = has_word(line, "blocked") ? 1 : 0;
	if (has_word(line, "away")) {
		event->sched_switch.previous_state = GAPTRACE_UNKNOWN;
	}
}

static void fill_source(const struct line *line, struct event *event)
{
	event->note.kind = EVENT_NOTE_SOURCE;
	event->note.text = word(line, 3);
}

static void fill_os_call(const struct line *line, struct event *event)
{
	event->os_call.name = word(line, 3);
	event->os_call.tid = event->tid;
	event->os_call.start_ns = event->time_ns;
	event->os_call.end_ns = field(line, "end");
}

static void fill_waking(const struct line *line, struct event *event)
{
	event->sched_waking.woken_tid = (int32_t)field(line, "of");
}

static const struct verb verbs[] = {
	{"lock_wait", EVENT_LOCK_WAIT, fill_lock},
	{"lock_acquire", EVENT_LOCK_ACQUIRE, fill_lock},
	{"lock_release", EVENT_LOCK_RELEASE, fill_lock},
	{"push", EVENT_QUEUE_PUSH, fill_queue},
	{"pop_wait", EVENT_QUEUE_POP_WAIT, fill_queue},
	{"pop", EVENT_QUEUE_POP, fill_queue},
	{"submit", EVENT_TASK_SUBMIT, fill_task},
	{"task_begin", EVENT_TASK_BEGIN, fill_task},
	{"task_end", EVENT_TASK_END, fill_task},
	{"wait_begin", EVENT_WAIT_BEGIN, fill_wait},
	{"wait_end", EVENT_WAIT_END, fill_wait},
	{"wake", EVENT_WAKE, fill_wake},
	{"span_begin", EVENT_SPAN_BEGIN, fill_span},
	{"span_end", EVENT_SPAN_END, fill_span},
	{"start_begin", EVENT_PROVE_START_BEGIN, fill_start},
	{"start_end", EVENT_PROVE_START_END, fill_start},
	{"trim_begin", EVENT_MALLOC_TRIM_BEGIN, fill_trim},
	{"trim_end", EVENT_MALLOC_TRIM_END, fill_trim},
	{"reserve", EVENT_BUDGET_RESERVE, fill_budget},
	{"release", EVENT_BUDGET_RELEASE, fill_budget},
	{"alloc", EVENT_BUFFER_ALLOC, fill_buffer},
	{"free", EVENT_BUFFER_FREE, fill_buffer},
	{"job_submit", EVENT_JOB_SUBMIT, fill_job},
	{"job_end", EVENT_JOB_END, fill_job},
	{"state", EVENT_STATE, fill_state},
	{"kernel", EVENT_GPU_KERNEL, fill_kernel},
	{"copy", EVENT_GPU_MEMCPY, fill_copy},
	{"memset", EVENT_GPU_MEMSET, fill_copy},
	{"api", EVENT_GPU_API, fill_api},
	{"sync", EVENT_GPU_SYNC, fill_sync},
	{"overhead", EVENT_GPU_OVERHEAD, fill_overhead},
	{"dropped", EVENT_GPU_DROPPED, fill_dropped},
	{"switch", EVENT_SCHED_SWITCH, fill_switch},
	{"waking", EVENT_SCHED_WAKING, fill_waking},
	{"source", EVENT_IMPORT_NOTE, fill_source},
	{"os", EVENT_IMPORT_OS_CALL, fill_os_call},
};

static void split(const char *begin, size_t bytes, struct line *line)
{
	char *next = NULL;

	*line = (struct line){0};
	assert_true(bytes < LINE_BYTES);
	memcpy(line->text, begin, bytes);
	for (char *text = strtok_r(line->text, " \t", &next); text;
		text = strtok_r(NULL, " \t", &next)) {
		assert_true(line->word_count < WORDS_MAX && line->field_count < WORDS_MAX);
		if (strchr(text, '=')) {
			line->fields[line->field_count++] = text;
		} else {
			line->words[line->word_count++] = text;
		}
	}
}

static void add_line(struct walk *walk, const struct line *line)
{
	struct event event = {.pid = (int32_t)field_or(line, "pid", WALK_SCRIPT_PID)};

	event.time_ns = strtoull(word(line, 0), NULL, 10);
	event.tid = (int32_t)strtol(word(line, 1), NULL, 10);
	if (strcmp(word(line, 2), "untrusted") == 0) {
		assert_int_equal(walk_add_untrusted(walk, field(line, "begin"), field(line, "end"),
					 "lost events"),
			STATUS_OK);
		return;
	}
	if (strcmp(word(line, 2), "forget") == 0) {
		walk_forget_before(walk, event.time_ns);
		return;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(word(line, 2), verbs[i].name) == 0) {
			event.kind = verbs[i].kind;
			verbs[i].fill(line, &event);
			assert_int_equal(walk_add(walk, &event), STATUS_OK);
			return;
		}
	}
	fail_msg("no event '%s'", word(line, 2));
}

void walk_script_add(struct walk *walk, const char *script)
{
	while (*script) {
		const size_t bytes = strcspn(script, "\n");
		struct line line;

		split(script, bytes, &line);
		if (line.word_count > 0 && line.words[0][0] != '#') {
			add_line(walk, &line);
		}
		script += bytes + (script[bytes] == '\n');
	}
}

struct walk *walk_script_run(const char *script)
{
	struct walk *walk = NULL;

	assert_int_equal(walk_create(&walk), STATUS_OK);
	for (int32_t i = 0; i < DEVICES_MAX; i++) {
		assert_int_equal(walk_add_device(walk, WALK_SCRIPT_PID, i, (uint32_t)i), STATUS_OK);
		assert_int_equal(
			walk_add_device(walk, WALK_SCRIPT_OTHER_PID, i, (uint32_t)i), STATUS_OK);
	}
	walk_script_add(walk, script);
	return walk;
}

static void put(char text[WALK_SCRIPT_BYTES], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(char text[WALK_SCRIPT_BYTES], const char *format, ...)
{
	const size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text + used, WALK_SCRIPT_BYTES - used, format, arguments);
	va_end(arguments);
}

static void put_name(char text[WALK_SCRIPT_BYTES], const char *name)
{
	const size_t used = strlen(text);

	put(text, "%s", name[0] ? name : "-");
	for (char *c = text + used; *c; c++) {
		*c = *c == ' ' ? '_' : *c;
	}
}

static void put_part(char text[WALK_SCRIPT_BYTES], const struct gap_part *part)
{
	put(text, "%s%llu-%llu %s ", part->is_apportioned ? "~" : "",
		(unsigned long long)part->from_ns, (unsigned long long)part->to_ns,
		cause_name(part->cause));
	put_name(text, part->object);
	put(text, " ");
	put_name(text, part->phase);
	put(text, " %d>%d", part->thread_tid, part->holder_tid);
	for (uint32_t i = 0; i < part->via_count; i++) {
		put(text, "%s%s:", i == 0 ? " via " : " ", gap_via_kind_name(part->via[i].kind));
		put_name(text, part->via[i].object);
	}
	put(text, "\n");
}

void walk_script_explain(
	struct walk *walk, struct walk_script_gap wanted, char out_text[WALK_SCRIPT_BYTES])
{
	struct gap_part_list list = {0};
	const struct gap gap = {
		.device = wanted.device,
		.begin_ns = wanted.begin_ns,
		.end_ns = wanted.end_ns,
		.edge = wanted.correlation != 0 ? GAP_INNER : GAP_AFTER_LAST,
		.has_ender = wanted.correlation != 0,
		.ender = {.pid = WALK_SCRIPT_PID,
			.context = 1,
			.stream = wanted.stream != 0 ? wanted.stream : 1,
			.correlation = wanted.correlation,
			.start_ns = wanted.end_ns,
			.graph = wanted.graph},
	};

	assert_int_equal(walk_explain(walk, &gap, &list), STATUS_OK);
	out_text[0] = '\0';
	for (uint32_t i = 0; i < list.count; i++) {
		put_part(out_text, &list.parts[i]);
	}
	gap_part_list_finish(&list);
	assert_int_equal(walk_counts(walk).internal_errors, 0);
}

void walk_script_expect(const char *script, struct walk_script_gap gap, const char *expected)
{
	struct walk *walk = walk_script_run(script);
	char text[WALK_SCRIPT_BYTES];

	walk_script_explain(walk, gap, text);
	walk_destroy(walk);
	if (strcmp(text, expected) != 0) {
		fail_msg("\nexpected:\n%sgot:\n%s", expected, text);
	}
}
