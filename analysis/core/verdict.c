/* SPDX-License-Identifier: MIT */
#include "analysis/core/verdict.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many jobs must have ended before a rise of what is alive means anything: two each quarter. */
#define LEAK_SAMPLES_MIN 8

#define NS_PER_S 1e9

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_CONFIRMED] = "confirmed",
		[VERDICT_REFUTED] = "refuted",
		[VERDICT_CANNOT_TELL] = "cannot_tell",
	};

	assert((unsigned int)verdict < sizeof(names) / sizeof(names[0]));
	return names[verdict];
}

/* ---- The tally ---- */

/* Locks and pools differ by name; of the other causes the name of the object is a detail. */
static bool has_object(enum cause cause)
{
	return cause == CAUSE_LOCK || cause == CAUSE_POOL;
}

static struct verdict_tally_row *tally_row(
	struct verdict_tally *tally, enum cause cause, const char *object)
{
	struct verdict_tally_row *row;

	if (!has_object(cause) || tally->object_count == VERDICT_TALLY_MAX) {
		object = NULL;
	}
	for (uint32_t i = 0; i < tally->count; i++) {
		row = &tally->rows[i];
		if (row->cause == cause && (!row->object) == (!object) &&
			(!object || strcmp(row->object, object) == 0)) {
			return row;
		}
	}
	row = &tally->rows[tally->count];
	*row = (struct verdict_tally_row){.cause = cause, .object = object};
	tally->count++;
	tally->object_count += object != NULL;
	return row;
}

static bool is_gpu_mutex(const char *name)
{
	static const char prefix[] = "gpu_mutex";

	return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* The cause that a wait on the chain would have had. */
static enum cause cause_of_via(const struct gap_via *via)
{
	switch (via->kind) {
	case GAP_VIA_LOCK:
		return is_gpu_mutex(via->object) ? CAUSE_GPU_MUTEX : CAUSE_LOCK;
	case GAP_VIA_INSIDE:
		return CAUSE_GPU_MUTEX;
	case GAP_VIA_POOL:
		return CAUSE_POOL;
	case GAP_VIA_BUDGET:
		return CAUSE_BUDGET;
	case GAP_VIA_BACKPRESSURE:
		return CAUSE_BACKPRESSURE;
	case GAP_VIA_PACER:
	case GAP_VIA_SLEEP:
		return CAUSE_PACING;
	case GAP_VIA_QUEUE:
	case GAP_VIA_BARRIER:
	case GAP_VIA_JOIN:
	case GAP_VIA_CONDITION:
	case GAP_VIA_KIND_COUNT:
		break;
	}
	return CAUSE_COUNT;
}

/* A copy or memset that goes over no link: nobody's suspect. */
static bool stays_on_device(const struct gap_part *part)
{
	return part->cause == CAUSE_COPY_PINNED && part->phase &&
	       (strcmp(part->phase, "dtod") == 0 || strcmp(part->phase, "memset") == 0);
}

static void add_part(struct verdict_tally *tally, const struct gap_part *part)
{
	const uint64_t ns = part->to_ns - part->from_ns;
	const struct verdict_tally_row *counted[GAP_VIA_MAX + 1] = {NULL};
	uint32_t counted_count = 0;
	struct verdict_tally_row *row;

	tally->idle_ns += ns;
	if (part->cause == CAUSE_UNKNOWN) {
		tally->unknown_ns += ns;
		return;
	}
	if (!stays_on_device(part)) {
		row = tally_row(tally, part->cause, part->object);
		row->ns += ns;
		row->ceiling_ns += ns;
		counted[counted_count++] = row;
	}
	for (uint32_t i = 0; i < part->via_count; i++) {
		const enum cause cause = cause_of_via(&part->via[i]);
		bool is_counted = cause == CAUSE_COUNT;

		row = is_counted ? NULL : tally_row(tally, cause, part->via[i].object);
		for (uint32_t j = 0; j < counted_count; j++) {
			is_counted |= counted[j] == row;
		}
		if (!is_counted) {
			row->ceiling_ns += ns;
			counted[counted_count++] = row;
		}
	}
}

void verdict_tally_add(struct verdict_tally *tally, const struct gap_part_list *parts)
{
	for (uint32_t i = 0; i < parts->count; i++) {
		add_part(tally, &parts->parts[i]);
	}
}

/* ---- Suspects ---- */

struct suspect {
	const char *name;
	bool (*is_it)(const struct verdict_tally_row *row);
	/* What the recording lacks to speak of it, NULL when it has all. */
	const char *(*lacks)(const struct walk_evidence *evidence);
};

static bool is_tracker(const struct verdict_tally_row *row)
{
	return row->cause == CAUSE_LOCK && row->object && strcmp(row->object, "tracker") == 0;
}

static bool is_mutex(const struct verdict_tally_row *row)
{
	return row->cause == CAUSE_GPU_MUTEX;
}

static bool is_pcie(const struct verdict_tally_row *row)
{
	return row->cause == CAUSE_COPY_PAGEABLE || row->cause == CAUSE_COPY_PINNED;
}

static bool is_blocking_pool(const struct verdict_tally_row *row)
{
	static const char prefix[] = "blocking";

	return row->cause == CAUSE_POOL && row->object &&
	       strncmp(row->object, prefix, sizeof(prefix) - 1) == 0;
}

static bool is_starvation(const struct verdict_tally_row *row)
{
	return row->cause == CAUSE_CPU_STARVED;
}

static bool is_leak(const struct verdict_tally_row *row)
{
	(void)row;
	return false; /* shows in what is alive, not in idle time of its own */
}

static const char *lacks_locks(const struct walk_evidence *evidence)
{
	return evidence->locks > 0 ? NULL : "no lock events were recorded";
}

static const char *lacks_copies(const struct walk_evidence *evidence)
{
	return evidence->copies > 0 ? NULL : "no copies were recorded";
}

static const char *lacks_tasks(const struct walk_evidence *evidence)
{
	return evidence->tasks > 0 ? NULL : "no task events were recorded";
}

static const char *lacks_delays(const struct walk_evidence *evidence)
{
	return evidence->run_delays + evidence->scheds > 0
		       ? NULL
		       : "neither run delays nor scheduler events were recorded";
}

static const char *lacks_buffers(const struct walk_evidence *evidence)
{
	if (evidence->buffers == 0) {
		return "no buffer events were recorded";
	}
	return evidence->sample_count >= LEAK_SAMPLES_MIN ? NULL : "fewer than 8 jobs ended";
}

static const struct suspect suspects[VERDICT_SUSPECTS] = {
	{"tracker_lock", is_tracker, lacks_locks},
	{"gpu_mutex", is_mutex, lacks_locks},
	{"pcie", is_pcie, lacks_copies},
	{"blocking_pool", is_blocking_pool, lacks_tasks},
	{"cpu_starvation", is_starvation, lacks_delays},
	{"buffer_leak", is_leak, lacks_buffers},
};

static double share_of(uint64_t ns, uint64_t idle_ns)
{
	return idle_ns > 0 ? (double)ns / (double)idle_ns : 0;
}

/* Confirmed by its share, refuted when even all that is unknown could not make it that much. */
static void judge(const struct verdict_tally *tally, const char *lacks, struct verdict_row *row)
{
	const double limit = VERDICT_SHARE_PERCENT / 100.0;
	const double unknown = share_of(tally->unknown_ns, tally->idle_ns);

	row->share = share_of(row->ns, tally->idle_ns);
	if (row->share >= limit) {
		row->verdict = VERDICT_CONFIRMED;
		(void)snprintf(row->reason, sizeof(row->reason),
			"%.1f %% of %.3f s idle; at most %.1f %% would go with it",
			row->share * 100, (double)tally->idle_ns / NS_PER_S,
			share_of(row->ceiling_ns, tally->idle_ns) * 100);
	} else if (lacks) {
		row->verdict = VERDICT_CANNOT_TELL;
		(void)snprintf(row->reason, sizeof(row->reason), "%s", lacks);
	} else if (row->share + unknown >= limit) {
		row->verdict = VERDICT_CANNOT_TELL;
		(void)snprintf(row->reason, sizeof(row->reason),
			"%.1f %% of the idle time, and %.1f %% is unknown", row->share * 100,
			unknown * 100);
	} else {
		row->verdict = VERDICT_REFUTED;
		(void)snprintf(row->reason, sizeof(row->reason),
			"%.1f %% of %.3f s idle, %.1f %% unknown: below %d %%", row->share * 100,
			(double)tally->idle_ns / NS_PER_S, unknown * 100, VERDICT_SHARE_PERCENT);
	}
}

/* The least that was alive of a kind in one quarter of the run. */
static uint64_t floor_of(const struct walk_evidence *evidence, size_t kind, uint32_t quarter)
{
	const uint32_t first = evidence->sample_count * quarter / 4;
	const uint32_t end = evidence->sample_count * (quarter + 1) / 4;
	uint64_t least = UINT64_MAX;

	for (uint32_t i = first; i < end; i++) {
		least = evidence->live_counts[i][kind] < least ? evidence->live_counts[i][kind]
							       : least;
	}
	return least;
}

/* A leak never comes down again: the floor rises in every quarter of the run. */
static void judge_leak(const struct walk_evidence *evidence, struct verdict_row *row)
{
	static const char *const kinds[WALK_BUFFER_KINDS] = {
		"abc", "aux", "shell", "pinned", "device"};

	row->verdict = VERDICT_REFUTED;
	(void)snprintf(row->reason, sizeof(row->reason),
		"what is alive when a job ends does not grow, over %llu jobs",
		(unsigned long long)evidence->ended_jobs);
	for (size_t kind = 0; kind < WALK_BUFFER_KINDS; kind++) {
		uint64_t floors[4];
		uint32_t rises = 0;

		for (uint32_t quarter = 0; quarter < 4; quarter++) {
			floors[quarter] = floor_of(evidence, kind, quarter);
			rises += quarter > 0 && floors[quarter] > floors[quarter - 1];
		}
		if (floors[3] <= floors[2] || row->verdict == VERDICT_CONFIRMED) {
			continue;
		}
		row->verdict = rises == 3 ? VERDICT_CONFIRMED : VERDICT_CANNOT_TELL;
		(void)snprintf(row->reason, sizeof(row->reason),
			"%s buffers alive when jobs ended: %llu, %llu, %llu, %llu at least in the "
			"quarters of the run",
			kinds[kind], (unsigned long long)floors[0], (unsigned long long)floors[1],
			(unsigned long long)floors[2], (unsigned long long)floors[3]);
	}
}

static void sum_up(
	const struct verdict_tally *tally, const struct suspect *suspect, struct verdict_row *row)
{
	for (uint32_t i = 0; i < tally->count; i++) {
		if (suspect->is_it(&tally->rows[i])) {
			row->ns += tally->rows[i].ns;
			row->ceiling_ns += tally->rows[i].ceiling_ns;
		}
	}
}

static void add_suspects(const struct verdict_tally *tally, const struct walk_evidence *evidence,
	struct verdict_list *list)
{
	for (size_t i = 0; i < VERDICT_SUSPECTS; i++) {
		const struct suspect *suspect = &suspects[i];
		const char *lacks = suspect->lacks(evidence);
		struct verdict_row *row = &list->rows[list->count++];

		*row = (struct verdict_row){0};
		(void)snprintf(row->suspect, sizeof(row->suspect), "%s", suspect->name);
		sum_up(tally, suspect, row);
		if (suspect->is_it == is_leak && !lacks) {
			judge_leak(evidence, row);
		} else {
			judge(tally, lacks, row);
		}
	}
}

static bool is_suspect(const struct verdict_tally_row *row)
{
	for (size_t i = 0; i < VERDICT_SUSPECTS; i++) {
		if (suspects[i].is_it(row)) {
			return true;
		}
	}
	return false;
}

/* The largest first; names decide between equals, so that a report is the same each time. */
static int compare_rows(const void *left, const void *right)
{
	const struct verdict_row *a = left;
	const struct verdict_row *b = right;

	if (a->ns != b->ns) {
		return a->ns > b->ns ? -1 : 1;
	}
	return strcmp(a->suspect, b->suspect);
}

void verdict_conclude(const struct verdict_tally *tally, const struct walk_evidence *evidence,
	bool is_trusted, struct verdict_list *out_list)
{
	out_list->count = 0;
	add_suspects(tally, evidence, out_list);
	for (uint32_t i = 0; i < tally->count; i++) {
		const struct verdict_tally_row *seen = &tally->rows[i];
		struct verdict_row *row = &out_list->rows[out_list->count];

		if (seen->ns == 0 || is_suspect(seen)) {
			continue;
		}
		*row = (struct verdict_row){.ns = seen->ns, .ceiling_ns = seen->ceiling_ns};
		(void)snprintf(row->suspect, sizeof(row->suspect), "%s%s%.64s",
			cause_name(seen->cause), seen->object ? " " : "",
			seen->object ? seen->object : "");
		judge(tally, NULL, row);
		out_list->count++;
	}
	qsort(out_list->rows + VERDICT_SUSPECTS, out_list->count - VERDICT_SUSPECTS,
		sizeof(out_list->rows[0]), compare_rows);
	for (uint32_t i = 0; !is_trusted && i < out_list->count; i++) {
		out_list->rows[i].verdict = VERDICT_CANNOT_TELL;
		(void)snprintf(out_list->rows[i].reason, sizeof(out_list->rows[i].reason),
			"the recording cannot be trusted");
	}
}
