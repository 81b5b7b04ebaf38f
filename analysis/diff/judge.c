/* SPDX-License-Identifier: MIT */
#include "analysis/diff/judge.h"

#include "analysis/diff/run_noise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares have no relative change worth the name: a point of a hundred is the least that counts. */
#define SHARE_ABSOLUTE 0.01

/* How much of a rise another's fall must make up for it to have moved there. */
#define MOVED_SHARE 0.5

static double change(const struct table_row *figures)
{
	return figures->new_value - figures->base_value;
}

static bool is_per_gpu_time(enum metric metric)
{
	return metric == METRIC_IDLE || metric == METRIC_SHORT || metric == METRIC_CAUSE ||
	       metric == METRIC_BUSY || metric == METRIC_COPYING ||
	       (metric >= METRIC_LATE && metric <= METRIC_AFTER);
}

bool diff_row_is_gate(const struct table_row *figures)
{
	switch (figures->metric) {
	case METRIC_TIME:
	case METRIC_IDLE:
	case METRIC_SHORT:
		return true;
	case METRIC_CAUSE:
		return figures->cause != CAUSE_NO_WORK;
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
		return false;
	}
}

/* The time per unit of work of all runs together, whichever side they are on. */
static double time_per_unit(const struct table *table)
{
	double time = 0;
	double work = 0;

	for (uint32_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].metric != METRIC_TIME) {
			continue;
		}
		for (uint32_t run = 0; run < table->run_count; run++) {
			const double weight = (double)table->runs[run]->work_count;

			time += table->rows[i].run_values[run] * weight;
			work += weight;
		}
	}
	return work > 0 ? time / work : 0;
}

static double absolute_threshold(const struct diff *diff, const struct table_row *figures)
{
	if (figures->metric == METRIC_UTILISATION) {
		return SHARE_ABSOLUTE;
	}
	if (figures->metric == METRIC_TIME || figures->metric == METRIC_MAX) {
		return diff->absolute_ns;
	}
	if (!is_per_gpu_time(figures->metric)) {
		return 0;
	}
	/* A share is one of the time that the row's GPUs had; a time is what the user wrote. */
	return figures->device == TABLE_ALL && !diff->settings.has_absolute_ns
		       ? diff->absolute_ns * diff->runs[0]->device_count
		       : diff->absolute_ns;
}

static double relative_threshold(const struct diff *diff, const struct table_row *figures)
{
	return figures->metric == METRIC_TIME || figures->metric == METRIC_THROUGHPUT
		       ? diff->settings.throughput
		       : diff->settings.relative;
}

/* A cause that was not there has no relative change: any is past that threshold. */
static bool is_past_thresholds(const struct diff *diff, const struct table_row *figures)
{
	const double size = fabs(change(figures));

	return size > 0 && size >= absolute_threshold(diff, figures) &&
	       size >= relative_threshold(diff, figures) * figures->base_value;
}

/*
 * Whether a row could pass the absolute threshold however its samples were labelled. What cannot
 * need not be tested, and what is not tested costs the other rows nothing; the labels have no say
 * in it, so the test stays exact.
 */
static bool is_worth_a_test(const struct diff *diff, const struct table_row *figures)
{
	const uint32_t new_count = diff->run_count - diff->base_count;
	const double less = diff->base_count < new_count ? diff->base_count : new_count;
	double sum = 0;

	for (uint32_t i = 0; i < diff->table->design.sample_count; i++) {
		sum += fabs(figures->samples[i]);
	}
	sum /= diff->table->design.sample_count;
	/* All of it in one group, and half the threshold for how samples and runs differ. */
	return sum > 0 && sum * diff->run_count / less >= absolute_threshold(diff, figures) / 2;
}

/* Samples within runs do not show what differs from run to run. Sums vary less than their parts. */
static void allow_for_runs(
	struct diff *diff, struct statistics_row *rows, const uint32_t *index, uint32_t count)
{
	struct run_noise noise[METRIC_COUNT];

	for (unsigned int metric = 0; metric < METRIC_COUNT; metric++) {
		noise[metric] = (struct run_noise){.table = diff->table};
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct table_row *figures = &diff->table->rows[index[i]];

		run_noise_add(&noise[figures->metric], figures);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct table_row *figures = &diff->table->rows[index[i]];

		rows[i].added = run_noise_variance(
			diff->table, figures, run_noise_share(&noise[figures->metric]));
	}
	/* Of the family that decides, which comes first. */
	if (diff->run_noise == 0) {
		diff->run_noise = run_noise_share(&noise[METRIC_CAUSE]);
	}
}

/* Tests either the rows that decide or the others, so that these do not cost those power. */
static enum status test_family(struct diff *diff, bool is_gate)
{
	const struct table *table = diff->table;
	struct statistics_row *rows = calloc((size_t)table->row_count + 1, sizeof(*rows));
	uint32_t *index = calloc((size_t)table->row_count + 1, sizeof(*index));
	enum status status = rows && index ? STATUS_OK : STATUS_NO_MEMORY;
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->row_count && status == STATUS_OK; i++) {
		const struct table_row *figures = &table->rows[i];

		if (figures->samples && diff_row_is_gate(figures) == is_gate &&
			is_worth_a_test(diff, figures)) {
			rows[count] = (struct statistics_row){
				.values = figures->samples, .inflation = figures->inflation};
			index[count++] = i;
		}
	}
	if (status == STATUS_OK && table->mode == TABLE_BLOCKS) {
		allow_for_runs(diff, rows, index, count);
	}
	if (status == STATUS_OK) {
		status = statistics_test(&table->design, rows, count);
	}
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		diff->rows[index[i]].p =
			change(&table->rows[index[i]]) > 0 ? rows[i].p_rise : rows[i].p_fall;
	}
	free(rows);
	free(index);
	return status;
}

/*
 * With few runs a side their blocks are the samples, and what differs from run to run is not in
 * them. Then no run of the one side may lie among those of the other.
 */
static bool is_apart(const struct diff *diff, const struct table_row *figures)
{
	double base_low = DBL_MAX;
	double base_high = -DBL_MAX;
	double new_low = DBL_MAX;
	double new_high = -DBL_MAX;

	if (diff->table->mode != TABLE_BLOCKS) {
		return true;
	}
	for (uint32_t i = 0; i < diff->run_count; i++) {
		const double value = figures->run_values[i];

		if (i < diff->base_count) {
			base_low = fmin(base_low, value);
			base_high = fmax(base_high, value);
		} else {
			new_low = fmin(new_low, value);
			new_high = fmax(new_high, value);
		}
	}
	return new_low > base_high || new_high < base_low;
}

static enum diff_verdict judge_row(const struct diff *diff, const struct diff_row *row)
{
	const struct table_row *figures = row->figures;
	const bool is_rise = change(figures) > 0;

	/* Of lengths and shares a single run gives no distribution. */
	if (!figures->samples && !diff_row_is_gate(figures)) {
		return DIFF_SHOWN;
	}
	if (!is_past_thresholds(diff, figures)) {
		return DIFF_SAME;
	}
	if (row->p > diff->settings.false_alarms || !is_apart(diff, figures)) {
		return DIFF_NOISE;
	}
	if (!diff_row_is_gate(figures)) {
		return is_rise ? DIFF_ROSE : DIFF_FELL;
	}
	return is_rise ? DIFF_REGRESSED : DIFF_IMPROVED;
}

static bool is_part(const struct diff_row *row)
{
	return row->figures->metric == METRIC_CAUSE || row->figures->metric == METRIC_SHORT;
}

static const struct diff_row *find_row(
	const struct diff *diff, int32_t device, const struct table_row *like)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct table_row *other = diff->rows[i].figures;

		if (other->device == device && other->metric == like->metric &&
			other->cause == like->cause && strcmp(other->object, like->object) == 0 &&
			strcmp(other->phase, like->phase) == 0) {
			return &diff->rows[i];
		}
	}
	return NULL;
}

/* Whether the sum that a part belongs to became worse: all idle time of the GPU, or all time. */
static bool is_worse_in_all(const struct diff *diff, int32_t device)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct table_row *figures = diff->rows[i].figures;

		if (diff->rows[i].verdict == DIFF_REGRESSED &&
			((figures->metric == METRIC_IDLE && figures->device == device) ||
				figures->metric == METRIC_TIME)) {
			return true;
		}
	}
	return false;
}

/*
 * A mended bottleneck lets the next one show: rises that falls on the same GPU make up for are no
 * regression. Nor is what one GPU lost to another.
 */
static void find_moved(struct diff *diff, int32_t device)
{
	double rises = 0;
	double falls = 0;

	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];

		if (row->figures->device == device && is_part(row)) {
			rises += row->verdict == DIFF_REGRESSED ? change(row->figures) : 0;
			falls -= row->verdict == DIFF_IMPROVED ? change(row->figures) : 0;
		}
	}
	if (rises == 0 || is_worse_in_all(diff, device)) {
		return;
	}
	for (uint32_t i = 0; i < diff->row_count; i++) {
		struct diff_row *row = &diff->rows[i];
		const struct diff_row *all;

		if (row->figures->device != device || !is_part(row) ||
			row->verdict != DIFF_REGRESSED) {
			continue;
		}
		all = device == TABLE_ALL ? NULL : find_row(diff, TABLE_ALL, row->figures);
		if (falls >= rises ||
			(all && change(all->figures) < change(row->figures) * MOVED_SHARE)) {
			row->verdict = DIFF_MOVED;
		}
	}
}

enum status judge_rows(struct diff *diff)
{
	enum status status = STATUS_OK;

	diff->absolute_ns = diff->settings.has_absolute_ns
				    ? (double)diff->settings.absolute_ns
				    : diff->settings.absolute_share * time_per_unit(diff->table);
	diff->row_count = diff->table->row_count;
	for (uint32_t i = 0; i < diff->row_count; i++) {
		diff->rows[i] = (struct diff_row){.figures = &diff->table->rows[i], .p = 1};
	}
	if (diff->table->mode != TABLE_NO_SAMPLES) {
		status = test_family(diff, true);
	}
	if (status == STATUS_OK && diff->table->mode != TABLE_NO_SAMPLES) {
		status = test_family(diff, false);
	}
	if (status != STATUS_OK) {
		return status;
	}
	for (uint32_t i = 0; i < diff->row_count; i++) {
		diff->rows[i].verdict = judge_row(diff, &diff->rows[i]);
	}
	for (int32_t device = TABLE_ALL; device < (int32_t)diff->runs[0]->device_count; device++) {
		find_moved(diff, device);
	}
	return STATUS_OK;
}
