/* SPDX-License-Identifier: MIT */
#include "analysis/diff/diff.h"

#include "analysis/diff/comparable.h"
#include "analysis/diff/judge.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

const struct diff_settings diff_settings_default = {
	.absolute_share = DIFF_ABSOLUTE_SHARE_DEFAULT,
	.relative = DIFF_RELATIVE_DEFAULT,
	.throughput = DIFF_THROUGHPUT_DEFAULT,
	.false_alarms = DIFF_FALSE_ALARMS_DEFAULT,
};

static const char *const verdict_names[] = {
#define VERDICT_NAME(constant, name, meaning) name,
	DIFF_VERDICTS(VERDICT_NAME)
#undef VERDICT_NAME
};

const char *diff_verdict_name(enum diff_verdict verdict)
{
	return verdict_names[verdict];
}

const char *diff_outcome_name(enum diff_outcome outcome)
{
	switch (outcome) {
	case DIFF_PASSED:
		return "passed";
	case DIFF_WORSE:
		return "regressed";
	case DIFF_NOT_COMPARABLE:
		return "not_comparable";
	case DIFF_UNTRUSTED:
	default:
		return "untrusted";
	}
}

/* The first of `count` runs that tells of the same recording; NULL when there is none. */
static const struct run *find_same(
	const struct run *const *runs, uint32_t count, const struct run *run)
{
	for (uint32_t i = 0; i < count; i++) {
		if (run_is_same(runs[i], run)) {
			return runs[i];
		}
	}
	return NULL;
}

static enum status refuse_repeats(
	const struct run *const *runs, uint32_t run_count, struct diag *diag)
{
	for (uint32_t i = 1; i < run_count; i++) {
		const struct run *same = find_same(runs, i, runs[i]);

		if (same) {
			return diag_set(diag, STATUS_BAD_USE,
				"%s and %s are one run: given as repeats it would look like two "
				"that agree",
				same->path, runs[i]->path);
		}
	}
	return STATUS_OK;
}

/* The same set on both sides is a fair question with a plain answer; a part of it is a mistake. */
static enum status check_sides(const struct diff *diff, bool *out_is_same, struct diag *diag)
{
	const uint32_t new_count = diff->run_count - diff->base_count;
	const struct run *const *new_runs = diff->runs + diff->base_count;
	uint32_t shared = 0;
	enum status status = refuse_repeats(diff->runs, diff->base_count, diag);

	if (status == STATUS_OK) {
		status = refuse_repeats(new_runs, new_count, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	for (uint32_t i = 0; i < new_count; i++) {
		shared += find_same(diff->runs, diff->base_count, new_runs[i]) != NULL;
	}
	*out_is_same = shared == new_count && shared == diff->base_count;
	if (shared > 0 && !*out_is_same) {
		return diag_set(diag, STATUS_BAD_USE,
			"%u of the runs are on both sides: what is compared must not be its own "
			"base",
			shared);
	}
	return STATUS_OK;
}

/* Whether these runs can be compared; if not, the outcome and the reasons are set. */
static enum status check_runs(struct diff *diff, bool is_same)
{
	enum status status = comparable_check_trust(diff->runs, diff->run_count, &diff->reasons);

	if (status == STATUS_OK && diff->reasons.count > 0) {
		diff->outcome = DIFF_UNTRUSTED;
		return STATUS_OK;
	}
	if (status == STATUS_OK) {
		status = comparable_check(diff->runs, diff->run_count, &diff->reasons);
	}
	if (status == STATUS_OK && diff->reasons.count == 0 && diff->base_count > 0 && !is_same &&
		table_mode_of(diff->runs, diff->run_count, diff->base_count,
			diff->settings.false_alarms) == TABLE_NO_SAMPLES) {
		status = comparable_explain_noise(diff->runs, diff->run_count, diff->base_count,
			statistics_runs_for(
				statistics_labellings_wanted(diff->settings.false_alarms)),
			&diff->reasons);
	}
	if (diff->reasons.count > 0) {
		diff->outcome = DIFF_NOT_COMPARABLE;
	}
	return status;
}

/* How far whole runs differ is a guess with two of them, and an estimate with more. */
static enum status note_blocks(struct diff *diff)
{
	const double wanted = statistics_labellings_wanted(diff->settings.false_alarms);
	const uint32_t runs = statistics_runs_for(fmax(wanted, STATISTICS_LABELLINGS_PLENTY));

	return lines_add(&diff->notes,
		diff->run_count > 2 ? "noise is judged within runs, and by how far those of a side "
				      "differ: with %u runs a side they would be the samples"
				    : "noise is judged within runs: with %u runs a side what "
				      "differs from run to run would be seen too",
		runs);
}

static enum status add_notes(struct diff *diff, bool is_same)
{
	enum status status =
		comparable_note(diff->runs, diff->run_count, diff->base_count, &diff->notes);

	if (status == STATUS_OK && is_same) {
		status = lines_add(&diff->notes, "both sides are the same runs");
	} else if (status == STATUS_OK && diff->base_count > 0 &&
		   diff->table->mode == TABLE_BLOCKS) {
		status = note_blocks(diff);
	}
	return status;
}

/* Causes before their sums, a GPU before all of them, and the largest change before the others. */
static uint32_t rank_of(const struct table_row *figures)
{
	const uint32_t is_of_all = figures->device == TABLE_ALL;

	switch (figures->metric) {
	case METRIC_CAUSE:
		return is_of_all;
	case METRIC_SHORT:
		return 2 + is_of_all;
	case METRIC_IDLE:
		return 4 + is_of_all;
	case METRIC_TIME:
		return 6;
	case METRIC_BUSY:
	case METRIC_COPYING:
	case METRIC_GAPS:
	case METRIC_LATE:
	case METRIC_IN_CALL:
	case METRIC_AFTER:
	case METRIC_P50:
	case METRIC_P95:
	case METRIC_P99:
	case METRIC_MAX:
	case METRIC_UTILISATION:
	case METRIC_THROUGHPUT:
	case METRIC_COUNT:
	default:
		return 7 + (uint32_t)figures->metric;
	}
}

/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): what qsort_r calls */
static int compare_rows(const void *left, const void *right, void *context)
{
	const struct diff_row *rows = context;
	const uint32_t first = *(const uint32_t *)left;
	const uint32_t second = *(const uint32_t *)right;
	const struct table_row *a = rows[first].figures;
	const struct table_row *b = rows[second].figures;
	const double a_size = fabs(a->new_value - a->base_value);
	const double b_size = fabs(b->new_value - b->base_value);

	if (rank_of(a) != rank_of(b)) {
		return rank_of(a) < rank_of(b) ? -1 : 1;
	}
	if (a_size != b_size) {
		return a_size > b_size ? -1 : 1;
	}
	return first < second ? -1 : first > second;
}

static enum status compare(struct diff *diff, bool is_same)
{
	enum status status = table_create(diff->runs, diff->run_count, diff->base_count,
		diff->settings.false_alarms, &diff->table);

	if (status != STATUS_OK) {
		return status;
	}
	status = add_notes(diff, is_same);
	if (status != STATUS_OK || diff->base_count == 0) {
		return status;
	}
	diff->rows = calloc((size_t)diff->table->row_count + 1, sizeof(*diff->rows));
	diff->order = calloc((size_t)diff->table->row_count + 1, sizeof(*diff->order));
	status = diff->rows && diff->order ? judge_rows(diff) : STATUS_NO_MEMORY;
	if (status != STATUS_OK) {
		return status;
	}
	for (uint32_t i = 0; i < diff->row_count; i++) {
		diff->order[i] = i;
	}
	qsort_r(diff->order, diff->row_count, sizeof(*diff->order), compare_rows, diff->rows);
	return STATUS_OK;
}

static void conclude(struct diff *diff)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		if (diff->rows[i].verdict == DIFF_REGRESSED) {
			diff->outcome = DIFF_WORSE;
		}
	}
	for (uint32_t i = 0; i < diff->limit_count; i++) {
		if (!diff->limits[i].is_kept) {
			diff->outcome = DIFF_WORSE;
		}
	}
}

/* A name that nothing has may be a slip of the pen, and would be kept for ever. */
static enum status note_empty_limits(struct diff *diff)
{
	enum status status = STATUS_OK;
	bool has_row = false;

	for (uint32_t i = 0; i < diff->limit_count && status == STATUS_OK; i++) {
		const struct budget_limit *limit = diff->limits[i].limit;
		const bool is_last =
			i + 1 == diff->limit_count || diff->limits[i + 1].limit != limit;

		has_row |= diff->limits[i].has_row;
		if (is_last && !has_row && (*limit->object || *limit->phase)) {
			status = lines_add(&diff->notes,
				"[limit %s]: no new run has such a cause, object '%s', phase '%s'; "
				"is it spelt right?",
				limit->name, *limit->object ? limit->object : "*",
				*limit->phase ? limit->phase : "*");
		}
		has_row = has_row && !is_last;
	}
	return status;
}

enum status diff_create(
	const struct diff_request *request, struct diff **out_diff, struct diag *diag)
{
	AUTO(diff_destroy) struct diff *diff = calloc(1, sizeof(*diff));
	bool is_same = false;
	enum status status;

	assert(request->run_count > request->base_count);
	assert(request->run_count <= TABLE_RUN_COUNT_MAX);
	if (!diff) {
		return STATUS_NO_MEMORY;
	}
	diff->runs = request->runs;
	diff->run_count = request->run_count;
	diff->base_count = request->base_count;
	diff->settings = *request->settings;
	status = check_sides(diff, &is_same, diag);
	if (status == STATUS_OK) {
		status = check_runs(diff, is_same);
	}
	if (status == STATUS_OK && diff->outcome == DIFF_PASSED) {
		status = compare(diff, is_same);
	}
	if (status == STATUS_OVER_LIMIT) {
		return diag_set(diag, status,
			"%s: the runs have more causes than can be held against each other",
			diff->runs[0]->path);
	}
	if (status == STATUS_OK && diff->outcome == DIFF_PASSED && request->budget) {
		status = budget_check(
			request->budget, diff->table, &diff->limits, &diff->limit_count, diag);
		status = status == STATUS_OK ? note_empty_limits(diff) : status;
	}
	if (status == STATUS_OK) {
		conclude(diff);
		*out_diff = MOVE(diff);
	}
	return status;
}

void diff_destroy(struct diff *diff)
{
	if (!diff) {
		return;
	}
	lines_finish(&diff->reasons);
	lines_finish(&diff->notes);
	free(diff->limits);
	free(diff->order);
	free(diff->rows);
	table_destroy(diff->table);
	free(diff);
}
