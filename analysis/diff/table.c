/* SPDX-License-Identifier: MIT */
#include "analysis/diff/table.h"

#include "analysis/diff/observations.h"
#include "analysis/diff/table_batches.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Figures of all rows in all runs and samples: 256 MB of them, far beyond real comparisons. */
#define TABLE_FIGURE_COUNT_MAX (32u << 20)

static const char *const metric_names[] = {
#define METRIC_NAME(constant, name, meaning) name,
	TABLE_METRICS(METRIC_NAME)
#undef METRIC_NAME
};

static const char *const metric_meanings[] = {
#define METRIC_MEANING(constant, name, meaning) meaning,
	TABLE_METRICS(METRIC_MEANING)
#undef METRIC_MEANING
};

const char *table_metric_name(enum metric metric)
{
	return metric_names[metric];
}

const char *table_metric_meaning(enum metric metric)
{
	return metric_meanings[metric];
}

static uint32_t make_batches(const struct table *table)
{
	const double work = table_batch_work(table->runs, table->run_count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->run_count; i++) {
		struct table_batch *first = &table->batches[count];
		uint32_t of_run = 1;

		if (table->mode == TABLE_BLOCKS) {
			of_run = table_cut_batches(table->runs[i], work, first);
		} else {
			*first = (struct table_batch){.stratum = TABLE_STRATUM_MIDDLE};
		}
		for (uint32_t b = 0; b < of_run; b++) {
			first[b].run = i;
			first[b].is_new = i >= table->base_count;
		}
		count += of_run;
	}
	return count;
}

static enum status make_design(struct table *table)
{
	struct statistics_design *design = &table->design;
	bool *is_new = NULL;
	uint8_t *stratum = NULL;

	table->batches =
		calloc((size_t)table->run_count * TABLE_BATCH_COUNT, sizeof(*table->batches));
	if (!table->batches) {
		return STATUS_NO_MEMORY;
	}
	if (table->mode != TABLE_NO_SAMPLES) {
		design->sample_count = make_batches(table);
	}
	is_new = calloc((size_t)design->sample_count + 1, sizeof(*is_new));
	stratum = calloc((size_t)design->sample_count + 1, sizeof(*stratum));
	design->is_new = is_new;
	design->stratum = stratum;
	table->sample_runs = calloc((size_t)design->sample_count + 1, sizeof(*table->sample_runs));
	if (!is_new || !stratum || !table->sample_runs) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < design->sample_count; i++) {
		is_new[i] = table->batches[i].is_new;
		stratum[i] = table->batches[i].stratum;
		table->sample_runs[i] = table->batches[i].run;
	}
	return STATUS_OK;
}

static bool is_length(enum metric metric)
{
	return metric >= METRIC_P50 && metric <= METRIC_MAX;
}

/* A figure of a run, or of several that belong together, from the sum of its amounts. */
static double value_of(const struct table *table, const struct table_row *row,
	const struct run *run, double amount)
{
	const double work = (double)run->work_count;
	double window_ns = (double)(run->window_end_ns - run->window_begin_ns);

	if (is_length(row->metric)) {
		return amount;
	}
	if (row->metric == METRIC_UTILISATION) {
		window_ns *= row->device == TABLE_ALL ? table->runs[0]->device_count : 1;
		return window_ns > 0 ? amount / window_ns : 0;
	}
	if (row->metric == METRIC_THROUGHPUT) {
		return amount > 0 ? work * (double)NS_PER_S / amount : 0;
	}
	return work > 0 ? amount / work : 0;
}

static int compare_reals(const void *left, const void *right)
{
	const double a = *(const double *)left;
	const double b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static double median(const double *values, uint32_t count)
{
	double sorted[TABLE_RUN_COUNT_MAX];

	assert(count > 0 && count <= TABLE_RUN_COUNT_MAX);
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_reals);
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/*
 * A side's value: of all its work together. Lengths have no sum; of them it is the median of the
 * runs, which does not grow with their number as the longest of all would.
 */
static double side_value(
	const struct table *table, const struct table_row *row, uint32_t begin, uint32_t end)
{
	double work = 0;
	double sum = 0;

	if (begin == end) {
		return 0;
	}
	if (is_length(row->metric)) {
		return median(row->run_values + begin, end - begin);
	}
	for (uint32_t i = begin; i < end; i++) {
		const struct run *run = table->runs[i];
		double weight = (double)run->work_count;

		if (row->metric == METRIC_UTILISATION || row->metric == METRIC_THROUGHPUT) {
			weight = (double)(run->window_end_ns - run->window_begin_ns);
		}
		sum += row->run_values[i] * weight;
		work += weight;
	}
	return work > 0 ? sum / work : 0;
}

/* Fills the samples from `cells`, the amounts in each block, and says how neighbours depend. */
static void fill_samples(
	const struct table *table, struct table_row *row, double *cells, const size_t *begin)
{
	struct statistics_memory memory = {0};
	uint32_t blocks = 0;
	uint32_t batches = 0;

	for (uint32_t i = 0; i < table->design.sample_count; i++) {
		const struct table_batch *batch = &table->batches[i];
		double sum = 0;

		for (uint32_t b = batch->begin; b < batch->end; b++) {
			sum += cells[begin[batch->run] + b];
		}
		row->samples[i] = sum / batch->work;
	}
	/* Blocks are of about equal work, and how they differ is no memory of what is measured. */
	for (uint32_t run = 0; run < table->run_count; run++) {
		for (uint32_t b = 0; b < table->runs[run]->block_count; b++) {
			cells[begin[run] + b] /= fmax(1, (double)table->runs[run]->blocks[b].work);
		}
	}
	for (uint32_t i = 0; i < table->design.sample_count; i++) {
		const struct table_batch *first = &table->batches[i];
		uint32_t end = first->end;

		/* The middle of each run is one series: its edges are outliers by nature. */
		if (first->stratum != TABLE_STRATUM_MIDDLE) {
			continue;
		}
		for (; table->batches[i].stratum == TABLE_STRATUM_MIDDLE; i++) {
			end = table->batches[i].end;
			batches++;
		}
		statistics_memory_add(
			&memory, cells + begin[first->run] + first->begin, end - first->begin);
		blocks += end - first->begin;
	}
	row->inflation =
		batches > 0 ? statistics_memory_inflation(&memory, (double)blocks / batches) : 1;
}

/* Cells of all runs, block after block. */
struct cells {
	double *amounts;
	size_t *begin; /* of each run */
	size_t count;
};

static enum status cells_init(struct cells *cells, const struct table *table)
{
	cells->begin = calloc(table->run_count, sizeof(*cells->begin));
	if (!cells->begin) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < table->run_count; i++) {
		cells->begin[i] = cells->count;
		cells->count += table->runs[i]->block_count;
	}
	cells->amounts = calloc(cells->count + 1, sizeof(*cells->amounts));
	return cells->amounts ? STATUS_OK : STATUS_NO_MEMORY;
}

static void cells_finish(struct cells *cells)
{
	free(cells->amounts);
	free(cells->begin);
}

/* Told of whole runs only. */
static bool is_split(enum metric metric)
{
	return metric >= METRIC_LATE && metric <= METRIC_AFTER;
}

static bool is_sampled(const struct table *table, enum metric metric)
{
	if (table->mode == TABLE_RUNS) {
		return true;
	}
	return table->mode == TABLE_BLOCKS && !is_length(metric) && !is_split(metric) &&
	       metric != METRIC_UTILISATION && metric != METRIC_THROUGHPUT;
}

/* For people and thresholds; the test has samples of its own. */
static void fill_sides(const struct table *table, struct table_row *row)
{
	row->base_value = side_value(table, row, 0, table->base_count);
	row->new_value = side_value(table, row, table->base_count, table->run_count);
}

/* The row of the observations [first, first + count), which are about the same. */
static void fill_row(const struct table *table, struct table_row *row,
	const struct observation *first, size_t count, struct cells *cells)
{
	double base_work = 0;
	double new_work = 0;

	memset(cells->amounts, 0, cells->count * sizeof(*cells->amounts));
	for (size_t i = 0; i < count; i++) {
		const struct observation *figure = &first[i];

		if (figure->block != OBSERVATION_TOTAL) {
			cells->amounts[cells->begin[figure->run] + figure->block] += figure->amount;
			continue;
		}
		row->run_values[figure->run] += figure->amount;
		*(figure->run < table->base_count ? &row->base_gaps : &row->new_gaps) +=
			figure->gaps;
	}
	for (uint32_t i = 0; i < table->run_count; i++) {
		row->run_values[i] = value_of(table, row, table->runs[i], row->run_values[i]);
		*(i < table->base_count ? &base_work : &new_work) +=
			(double)table->runs[i]->work_count;
	}
	row->base_gaps = base_work > 0 ? row->base_gaps / base_work : 0;
	row->new_gaps = new_work > 0 ? row->new_gaps / new_work : 0;
	fill_sides(table, row);
	row->inflation = 1;
	if (!row->samples) {
		return;
	}
	if (table->mode == TABLE_BLOCKS) {
		fill_samples(table, row, cells->amounts, cells->begin);
	} else {
		memcpy(row->samples, row->run_values, table->run_count * sizeof(*row->samples));
	}
}

static size_t count_rows(const struct observations *observations)
{
	size_t count = 0;

	for (size_t i = 0; i < observations->count; i++) {
		count += i == 0 ||
			 !observation_is_same(&observations->list[i - 1], &observations->list[i]);
	}
	return count;
}

/* How many observations from `begin` on are about one row. */
static size_t count_same(const struct observations *observations, size_t begin)
{
	size_t end = begin + 1;

	while (end < observations->count &&
		observation_is_same(&observations->list[begin], &observations->list[end])) {
		end++;
	}
	return end - begin;
}

static enum status fill_rows(struct table *table, const struct observations *observations)
{
	const size_t row_figures = (size_t)table->run_count + table->design.sample_count;
	const size_t row_count = count_rows(observations);
	struct cells cells = {0};
	enum status status = cells_init(&cells, table);
	double *figures;

	if (status == STATUS_OK && row_count > TABLE_FIGURE_COUNT_MAX / (row_figures + 1)) {
		status = STATUS_OVER_LIMIT;
	}
	if (status == STATUS_OK) {
		table->rows = calloc(row_count + 1, sizeof(*table->rows));
		table->memory = calloc(row_count * row_figures + 1, sizeof(*table->memory));
		status = table->rows && table->memory ? STATUS_OK : STATUS_NO_MEMORY;
	}
	figures = table->memory;
	for (size_t i = 0, count; i < observations->count && status == STATUS_OK; i += count) {
		const struct observation *first = &observations->list[i];
		struct table_row *row = &table->rows[table->row_count++];

		count = count_same(observations, i);
		*row = (struct table_row){.device = first->device,
			.metric = first->metric,
			.cause = first->cause,
			.object = first->object,
			.phase = first->phase,
			.run_values = figures,
			.samples = is_sampled(table, first->metric) ? figures + table->run_count
								    : NULL};
		figures += row_figures;
		fill_row(table, row, first, count, &cells);
	}
	cells_finish(&cells);
	return status;
}

enum status table_create(const struct run *const *runs, uint32_t run_count, uint32_t base_count,
	double false_alarms, struct table **out_table)
{
	AUTO(table_destroy) struct table *table = calloc(1, sizeof(*table));
	struct observations observations = {0};
	enum status status;

	assert(run_count > 0 && run_count <= TABLE_RUN_COUNT_MAX && base_count <= run_count);
	if (!table) {
		return STATUS_NO_MEMORY;
	}
	table->runs = runs;
	table->run_count = run_count;
	table->base_count = base_count;
	table->mode = table_mode_of(runs, run_count, base_count, false_alarms);
	status = make_design(table);
	if (status == STATUS_OK) {
		status = observations_collect(&observations, table, table->mode == TABLE_BLOCKS);
	}
	if (status == STATUS_OK) {
		status = fill_rows(table, &observations);
	}
	observations_finish(&observations);
	if (status == STATUS_OK) {
		*out_table = MOVE(table);
	}
	return status;
}

void table_destroy(struct table *table)
{
	if (!table) {
		return;
	}
	free((void *)table->design.is_new);
	free((void *)table->design.stratum);
	free(table->sample_runs);
	free(table->batches);
	free(table->memory);
	free(table->rows);
	free(table);
}
