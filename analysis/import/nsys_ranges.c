/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_ranges.h"

#include "trace/base/array.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(column) (1U << (column))

/* Domains with a name: a program has one for each of its libraries. */
#define DOMAIN_COUNT_MAX  512
#define DOMAIN_NAME_BYTES 64

#define THREAD_SLOT_COUNT 1024

enum event_type {
	TYPE_MARK = 34,
	TYPE_PUSH_POP = 59,
	TYPE_START_END = 60,
	TYPE_TEXT_PUSH_POP = 70, /* of NVTXT files that were imported into the report */
	TYPE_TEXT_START_END = 71,
	TYPE_DOMAIN = 75,
};

enum range_column {
	RANGE_START,
	RANGE_END,
	RANGE_TYPE,
	RANGE_THREAD,
	RANGE_END_THREAD,
	RANGE_TEXT,
	RANGE_TEXT_ID,
	RANGE_DOMAIN,
};

enum domain_column {
	DOMAIN_ID,
	DOMAIN_THREAD,
	DOMAIN_TEXT,
	DOMAIN_TEXT_ID,
};

/* A range that is open and whose end is known. */
struct range {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t number; /* of those that end at once the one that began last ends first */
	uint64_t thread;
	struct range *outer; /* the one of its thread that was open before it */
	struct range *inner;
	struct range *next; /* another thread's innermost, in its slot */
	char name[];
};

struct domain {
	int32_t pid;
	int64_t id;
	char name[DOMAIN_NAME_BYTES];
};

struct nsys_ranges {
	struct range **heap; /* by end */
	size_t count;
	size_t capacity;
	uint64_t number;
	struct range *told; /* the last that ended: its name is still in use */
	struct range *innermost[THREAD_SLOT_COUNT];
	struct domain domains[DOMAIN_COUNT_MAX];
	size_t domain_count;
	struct nsys_range_counts counts;
};

enum status nsys_ranges_create(struct nsys_ranges **out_ranges)
{
	struct nsys_ranges *ranges = calloc(1, sizeof(*ranges));

	if (!ranges) {
		return STATUS_NO_MEMORY;
	}
	*out_ranges = ranges;
	return STATUS_OK;
}

void nsys_ranges_destroy(struct nsys_ranges *ranges)
{
	if (!ranges) {
		return;
	}
	for (size_t i = 0; i < ranges->count; i++) {
		free(ranges->heap[i]);
	}
	free(ranges->heap);
	free(ranges->told);
	free(ranges);
}

static enum status read_text(struct nsys_reader *reader, const struct nsys_table *table,
	int text_column, int id_column, const char **out_text)
{
	const int column = nsys_table_is_null(table, text_column) ? id_column : text_column;

	return nsys_reader_name(reader, table, column, out_text);
}

static enum status add_domain(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	struct nsys_ranges *ranges = reader->ranges;
	struct domain *domain = &ranges->domains[ranges->domain_count];
	const char *name;
	enum status status;

	(void)context;
	if (ranges->domain_count == DOMAIN_COUNT_MAX ||
		!nsys_table_integer(table, DOMAIN_ID, &domain->id)) {
		return STATUS_OK;
	}
	status = read_text(reader, table, DOMAIN_TEXT, DOMAIN_TEXT_ID, &name);
	if (status == STATUS_OK && name[0] && strlen(name) < DOMAIN_NAME_BYTES) {
		domain->pid = nsys_pid(nsys_table_number(table, DOMAIN_THREAD));
		(void)snprintf(domain->name, sizeof(domain->name), "%s", name);
		ranges->domain_count++;
	}
	return status;
}

enum status nsys_ranges_read_domains(struct nsys_reader *reader, struct diag *diag)
{
	static const struct nsys_shape shape = {
		.table = "NVTX_EVENTS",
		.columns = {"domainId", "globalTid", "text", "?textId", "eventType"},
		.only = "eventType=75",
	};

	return nsys_rows_each(reader, &shape, add_domain, NULL, diag);
}

static const char *domain_name(const struct nsys_ranges *ranges, int32_t pid, int64_t id)
{
	for (size_t i = 0; i < ranges->domain_count; i++) {
		if (ranges->domains[i].id == id && ranges->domains[i].pid == pid) {
			return ranges->domains[i].name;
		}
	}
	return NULL;
}

static bool ends_before(const struct range *a, const struct range *b)
{
	return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->number > b->number;
}

static enum status push_heap(struct nsys_ranges *ranges, struct range *range)
{
	size_t i = ranges->count;

	if (!ARRAY_MAKE_ROOM(ranges->heap, ranges->count, ranges->capacity, 64)) {
		return STATUS_NO_MEMORY;
	}
	ranges->count++;
	for (; i > 0 && ends_before(range, ranges->heap[(i - 1) / 2]); i = (i - 1) / 2) {
		ranges->heap[i] = ranges->heap[(i - 1) / 2];
	}
	ranges->heap[i] = range;
	return STATUS_OK;
}

static struct range *pop_heap(struct nsys_ranges *ranges)
{
	struct range *first = ranges->heap[0];
	struct range *last = ranges->heap[--ranges->count];
	size_t i = 0;
	size_t child;

	while ((child = 2 * i + 1) < ranges->count) {
		if (child + 1 < ranges->count &&
			ends_before(ranges->heap[child + 1], ranges->heap[child])) {
			child++;
		}
		if (!ends_before(ranges->heap[child], last)) {
			break;
		}
		ranges->heap[i] = ranges->heap[child];
		i = child;
	}
	ranges->heap[i] = last;
	return first;
}

/* Where the list of the slot points to the innermost open range of the thread, or to its end. */
static struct range **find_thread(struct nsys_ranges *ranges, uint64_t thread)
{
	struct range **at =
		&ranges->innermost[(thread * 0x9e3779b97f4a7c15ULL >> 32) % THREAD_SLOT_COUNT];

	while (*at && (*at)->thread != thread) {
		at = &(*at)->next;
	}
	return at;
}

static void open_on_thread(struct nsys_ranges *ranges, struct range *range)
{
	struct range **at = find_thread(ranges, range->thread);

	range->outer = *at;
	range->next = NULL;
	if (*at) {
		range->next = (*at)->next;
		(*at)->inner = range;
	}
	*at = range;
}

static void close_on_thread(struct nsys_ranges *ranges, struct range *range)
{
	struct range **at;

	if (range->outer) {
		range->outer->inner = range->inner;
	}
	if (range->inner) {
		/* It crosses those that are still open in it. */
		range->inner->outer = range->outer;
		return;
	}
	at = find_thread(ranges, range->thread);
	assert(*at == range);
	if (range->outer) {
		range->outer->next = range->next;
	}
	*at = range->outer ? range->outer : range->next;
}

/* Whether a range is none of a thread's nested ones; then it was counted. */
static bool is_left_out(struct nsys_ranges *ranges, const struct nsys_table *table, uint64_t thread,
	uint64_t end_ns)
{
	const struct range *outer = *find_thread(ranges, thread);
	const bool is_crossing = outer && end_ns > outer->end_ns;
	const uint64_t type = nsys_table_number(table, RANGE_TYPE);
	const bool is_start_end = type == TYPE_START_END || type == TYPE_TEXT_START_END;
	int64_t end_thread;

	if (type == TYPE_MARK) {
		ranges->counts.marks++;
		return true;
	}
	if (is_start_end && nsys_table_integer(table, RANGE_END_THREAD, &end_thread) &&
		(uint64_t)end_thread != thread) {
		ranges->counts.across_threads++;
		return true;
	}
	if (is_start_end && (is_crossing || end_ns == UINT64_MAX)) {
		ranges->counts.overlapping++;
		return true;
	}
	if (ranges->count == NSYS_OPEN_RANGE_COUNT_MAX) {
		ranges->counts.too_many++;
		return true;
	}
	ranges->counts.crossing += is_crossing && end_ns != UINT64_MAX;
	return false;
}

static enum status open_range(
	struct nsys_ranges *ranges, const struct event *event, uint64_t thread, uint64_t end_ns)
{
	const size_t size = strlen(event->span.name) + 1;
	struct range *range = malloc(sizeof(*range) + size);

	if (!range) {
		return STATUS_NO_MEMORY;
	}
	*range = (struct range){
		.begin_ns = event->time_ns,
		.end_ns = end_ns,
		.number = ranges->number++,
		.thread = thread,
	};
	memcpy(range->name, event->span.name, size);
	if (push_heap(ranges, range) != STATUS_OK) {
		free(range);
		return STATUS_NO_MEMORY;
	}
	open_on_thread(ranges, range);
	return STATUS_OK;
}

static void fill_span(struct event *event, enum event_kind kind, uint64_t thread)
{
	event->kind = kind;
	event->pid = nsys_pid(thread);
	event->tid = nsys_tid(thread);
	event->span.work = (struct event_work){
		.partition = GAPTRACE_NONE,
		.device = GAPTRACE_NONE,
	};
	event->span.worker = GAPTRACE_NONE;
}

static enum status name_range(
	struct nsys_reader *reader, const struct nsys_table *table, struct event *event)
{
	const char *text;
	const char *domain;
	enum status status = read_text(reader, table, RANGE_TEXT, RANGE_TEXT_ID, &text);

	if (status != STATUS_OK) {
		return status;
	}
	domain = domain_name(
		reader->ranges, event->pid, (int64_t)nsys_table_number(table, RANGE_DOMAIN));
	if (!domain) {
		event->span.name = text;
		return STATUS_OK;
	}
	(void)snprintf(reader->text, sizeof(reader->text), "%s:%s", domain, text);
	event->span.name = reader->text;
	return STATUS_OK;
}

static enum status convert_range(struct nsys_reader *reader, struct nsys_stream *stream,
	struct event *event, bool *out_has_event)
{
	struct nsys_ranges *ranges = reader->ranges;
	const struct nsys_table *table = &stream->table;
	uint64_t end_ns = UINT64_MAX;
	int64_t thread;
	enum status status;

	*out_has_event = false;
	if (!nsys_table_integer(table, RANGE_THREAD, &thread)) {
		stream->useless_count++;
		return STATUS_OK;
	}
	if (nsys_table_number(table, RANGE_TYPE) != TYPE_MARK &&
		!nsys_table_is_null(table, RANGE_END) &&
		(!nsys_reader_end(reader, stream, RANGE_END, &end_ns) || end_ns < event->time_ns)) {
		stream->useless_count++;
		return STATUS_OK;
	}
	if (is_left_out(ranges, table, (uint64_t)thread, end_ns)) {
		return STATUS_OK;
	}
	fill_span(event, EVENT_SPAN_BEGIN, (uint64_t)thread);
	status = name_range(reader, table, event);
	*out_has_event = true;
	if (status != STATUS_OK || end_ns == UINT64_MAX) {
		ranges->counts.unended += end_ns == UINT64_MAX;
		return status;
	}
	return open_range(ranges, event, (uint64_t)thread, end_ns);
}

bool nsys_ranges_next_end(const struct nsys_ranges *ranges, uint64_t *out_end_ns)
{
	if (ranges->count == 0) {
		return false;
	}
	*out_end_ns = ranges->heap[0]->end_ns;
	return true;
}

void nsys_ranges_end(struct nsys_ranges *ranges, struct event *out_event)
{
	struct range *range = pop_heap(ranges);

	close_on_thread(ranges, range);
	free(ranges->told);
	ranges->told = range;
	*out_event = (struct event){.time_ns = range->end_ns};
	fill_span(out_event, EVENT_SPAN_END, range->thread);
	out_event->span.name = range->name;
	out_event->span.begin_tid = out_event->tid;
	out_event->span.duration_ns = range->end_ns - range->begin_ns;
	out_event->span.cpu_ns = GAPTRACE_UNKNOWN;
	out_event->span.run_delay_ns = GAPTRACE_UNKNOWN;
}

struct nsys_range_counts nsys_ranges_counts(const struct nsys_ranges *ranges)
{
	return ranges->counts;
}

const struct nsys_source nsys_range_source = {
	.shape = {.table = "NVTX_EVENTS",
		.columns = {"start", "end", "eventType", "globalTid", "?endGlobalTid", "text",
			"?textId", "?domainId"},
		/* Of those that begin at once the one that ends last is the outermost. */
		.order = "c1 IS NOT NULL, c1 DESC",
		.only = "eventType IN (34,59,60,70,71)"},
	.needed = BIT(RANGE_START) | BIT(RANGE_END) | BIT(RANGE_TYPE) | BIT(RANGE_THREAD),
	.what = "NVTX ranges",
	.convert = convert_range,
};
