/* SPDX-License-Identifier: MIT */
#include "analysis/diff/run_noise.h"

#include <math.h>

/* A row whose samples scatter less than this tells no more of whole runs than one that does. */
#define SCATTER_LEAST 0.05

/* Of a row: its mean, and the variance of a run's mean by the run's own samples. */
struct scatter {
	double mean;
	double variance;
};

/* The middle of each run only: its edges are outliers by nature. */
static bool is_edge(const struct table *table, uint32_t sample)
{
	return table->design.stratum[sample] != 1;
}

static struct scatter scatter_of(const struct table *table, const struct table_row *row)
{
	struct scatter scatter = {0};
	uint32_t runs = 0;

	for (uint32_t begin = 0, end; begin < table->design.sample_count; begin = end) {
		double sum = 0;
		double squares = 0;
		uint32_t count = 0;

		for (end = begin; end < table->design.sample_count &&
				  table->sample_runs[end] == table->sample_runs[begin];
			end++) {
			if (!is_edge(table, end)) {
				sum += row->samples[end];
				squares += row->samples[end] * row->samples[end];
				count++;
			}
		}
		if (count < 2) {
			continue;
		}
		scatter.mean += sum / count;
		scatter.variance += fmax(0, squares - sum * sum / count) / (count - 1) / count;
		runs++;
	}
	if (runs > 0) {
		scatter.mean /= runs;
		scatter.variance *= row->inflation / runs;
	}
	return scatter;
}

/* The variance of runs around the mean of their own side, and in how many ways they can vary. */
static double side_squares(const struct table_row *row, uint32_t begin, uint32_t end)
{
	double sum = 0;
	double squares = 0;

	for (uint32_t i = begin; i < end; i++) {
		sum += row->run_values[i];
		squares += row->run_values[i] * row->run_values[i];
	}
	return end > begin ? fmax(0, squares - sum * sum / (end - begin)) : 0;
}

void run_noise_add(struct run_noise *noise, const struct table_row *row)
{
	const struct table *table = noise->table;
	const struct scatter scatter = scatter_of(table, row);
	double between;
	double within;
	double weight;

	if (table->run_count < 3 || !(scatter.mean > 0)) {
		return;
	}
	between = side_squares(row, 0, table->base_count) +
		  side_squares(row, table->base_count, table->run_count);
	between /= (table->run_count - 2) * scatter.mean * scatter.mean;
	within = scatter.variance / (scatter.mean * scatter.mean);
	/* Quiet rows tell more of what runs add than those whose own samples scatter. */
	weight = 1 / ((within + SCATTER_LEAST * SCATTER_LEAST) *
			     (within + SCATTER_LEAST * SCATTER_LEAST));
	noise->squares += (between - within) * weight;
	noise->weights += weight;
}

double run_noise_share(const struct run_noise *noise)
{
	const double square = noise->weights > 0 ? noise->squares / noise->weights : 0;

	return fmax(RUN_NOISE_SHARE_LEAST, sqrt(fmax(square, 0)));
}

double run_noise_inflation(const struct table *table, const struct table_row *row, double share)
{
	const struct scatter scatter = scatter_of(table, row);
	const double added = share * scatter.mean * share * scatter.mean;

	return scatter.variance > 0 ? 1 + added / scatter.variance : 1;
}
