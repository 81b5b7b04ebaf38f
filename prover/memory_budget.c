/* SPDX-License-Identifier: MIT */
#include "prover/memory_budget.h"

#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <string.h>

/* Lies on the stack of who waits. */
struct memory_budget_waiter {
	struct gaptrace_condition condition;
	uint64_t bytes;
	uint64_t used_bytes; /* after the grant */
	bool is_granted;
	struct memory_budget_waiter *next;
};

/* Under the lock. */
static uint64_t take(struct memory_budget *budget, uint64_t bytes)
{
	budget->used_bytes += bytes;
	budget->reserve_count++;
	if (budget->used_bytes > budget->peak_bytes) {
		budget->peak_bytes = budget->used_bytes;
	}
	return budget->used_bytes;
}

/* The line whose head is next, NULL when nobody waits. Lines are served in the order of their
 * class, and each first come, first served: a large one is not overtaken. */
static struct memory_budget_line *next_line(struct memory_budget *budget)
{
	for (int i = 0; i < MEMORY_BUDGET_CLASS_COUNT; i++) {
		if (budget->lines[i].first) {
			return &budget->lines[i];
		}
	}
	return NULL;
}

/* Under the lock: serves the heads of the lines as long as they fit. */
static void grant(struct memory_budget *budget)
{
	/* The head that does not fit stops all behind it, or it would never get its turn. */
	struct memory_budget_line *line = next_line(budget);

	while (line && line->first->bytes <= budget->limit_bytes - budget->used_bytes) {
		struct memory_budget_waiter *waiter = line->first;

		line->first = waiter->next;
		if (!line->first) {
			line->last = NULL;
		}
		waiter->used_bytes = take(budget, waiter->bytes);
		waiter->is_granted = true;
		gaptrace_condition_signal(&waiter->condition);
		line = next_line(budget);
	}
}

static void unlink_waiter(struct memory_budget_line *line, const struct memory_budget_waiter *gone)
{
	struct memory_budget_waiter **link = &line->first;
	struct memory_budget_waiter *before = NULL;

	while (*link != gone) {
		before = *link;
		link = &before->next;
	}
	*link = gone->next;
	if (line->last == gone) {
		line->last = before;
	}
}

/* Under the lock: waits for the grant. False when the budget was stopped first. */
static bool wait_for_grant(struct memory_budget *budget, enum memory_budget_class class,
	uint64_t bytes, uint64_t *out_used_bytes)
{
	struct memory_budget_waiter waiter = {.bytes = bytes};
	struct memory_budget_line *line = &budget->lines[class];
	struct gaptrace_wait wait = gaptrace_wait_begin(budget, "budget", GAPTRACE_WAIT_BUDGET);

	gaptrace_condition_init(&waiter.condition, NULL);
	if (line->last) {
		line->last->next = &waiter;
	} else {
		line->first = &waiter;
	}
	line->last = &waiter;
	budget->waiting_count++;
	while (!waiter.is_granted && !budget->is_stopped) {
		gaptrace_condition_wait(&waiter.condition, &budget->mutex);
	}
	budget->waiting_count--;
	/* Stopped: it lies on this stack, and must be out of the line before it goes. */
	if (!waiter.is_granted) {
		unlink_waiter(line, &waiter);
	}
	gaptrace_condition_finish(&waiter.condition);
	gaptrace_wait_end(&wait);
	*out_used_bytes = waiter.used_bytes;
	return waiter.is_granted;
}

enum status memory_budget_init(struct memory_budget *budget, uint64_t limit_bytes)
{
	assert(budget);

	memset(budget, 0, sizeof(*budget));
	budget->limit_bytes = limit_bytes;
	return lock_registry_mutex_init(&budget->mutex, "budget");
}

void memory_budget_finish(struct memory_budget *budget)
{
	assert(budget->used_bytes == 0 && !next_line(budget));

	lock_registry_mutex_finish(&budget->mutex);
}

/* Under the lock: nobody who goes before waits, and there is room. */
static bool fits_now(
	const struct memory_budget *budget, enum memory_budget_class class, uint64_t bytes)
{
	for (int i = 0; i <= (int)class; i++) {
		if (budget->lines[i].first) {
			return false;
		}
	}
	return bytes <= budget->limit_bytes - budget->used_bytes;
}

enum status memory_budget_reserve(struct memory_budget *budget, enum memory_budget_class class,
	uint64_t bytes, struct gaptrace_work work)
{
	struct gaptrace_budget sample = {.budget = budget, .work = work, .bytes = bytes};
	enum status status = STATUS_OK;
	uint64_t begin_ns = 0;

	gaptrace_mutex_lock(&budget->mutex);
	if (budget->is_stopped) {
		status = STATUS_STOPPED;
	} else if (bytes > budget->limit_bytes) {
		status = STATUS_TOO_LARGE; /* it would wait for ever */
	} else if (fits_now(budget, class, bytes)) {
		sample.used_bytes = take(budget, bytes);
	} else {
		begin_ns = clock_now_ns();
		status = wait_for_grant(budget, class, bytes, &sample.used_bytes) ? STATUS_OK
										  : STATUS_STOPPED;
		sample.wait_ns = clock_now_ns() - begin_ns;
		budget->wait_ns += sample.wait_ns;
	}
	if (status == STATUS_OK) {
		sample.limit_bytes = budget->limit_bytes;
		/* Under the lock, so that `used` follows from event to event. */
		gaptrace_budget_reserve(&sample);
	}
	gaptrace_mutex_unlock(&budget->mutex);
	return status;
}

void memory_budget_release(struct memory_budget *budget, uint64_t bytes, struct gaptrace_work work)
{
	if (bytes == 0) {
		return;
	}
	gaptrace_mutex_lock(&budget->mutex);
	assert(bytes <= budget->used_bytes);
	budget->used_bytes -= bytes;
	budget->release_count++;
	/* Before the grants: the release is what ends their waits. */
	gaptrace_budget_release(&(struct gaptrace_budget){.budget = budget,
		.work = work,
		.bytes = bytes,
		.used_bytes = budget->used_bytes,
		.limit_bytes = budget->limit_bytes});
	grant(budget);
	gaptrace_mutex_unlock(&budget->mutex);
}

void memory_budget_stop(struct memory_budget *budget)
{
	gaptrace_mutex_lock(&budget->mutex);
	budget->is_stopped = true;
	if (next_line(budget)) {
		gaptrace_wake(budget, "budget");
	}
	for (int i = 0; i < MEMORY_BUDGET_CLASS_COUNT; i++) {
		for (struct memory_budget_waiter *waiter = budget->lines[i].first; waiter;
			waiter = waiter->next) {
			gaptrace_condition_signal(&waiter->condition);
		}
	}
	gaptrace_mutex_unlock(&budget->mutex);
}

struct memory_budget_counts memory_budget_counts(struct memory_budget *budget)
{
	struct memory_budget_counts counts;

	gaptrace_mutex_lock(&budget->mutex);
	counts = (struct memory_budget_counts){.limit_bytes = budget->limit_bytes,
		.used_bytes = budget->used_bytes,
		.peak_bytes = budget->peak_bytes,
		.wait_ns = budget->wait_ns,
		.reserve_count = budget->reserve_count,
		.release_count = budget->release_count,
		.waiting_count = budget->waiting_count};
	gaptrace_mutex_unlock(&budget->mutex);
	return counts;
}
