/* SPDX-License-Identifier: MIT */
#include "analysis/diff/run_noise.h"

#include <math.h>

/* A row whose samples scatter less than this tells no more of whole runs than one that does. */
#define SCATTER_LEAST 0.05

/* Sums over the samples of one run, or over the runs of one side. */
struct sums {
	uint32_t count;
	double sum;
	double squares;
};

/* Of a row: its mean, the variance of a run's mean by the run's own samples, and that of runs
 * around the mean of their side. */
struct scatter {
	double mean;
	double within;
	double between;
	struct sums sides[2]; /* means of the runs of the base, and of the new ones */
};

static void sums_add(struct sums *sums, double value)
{
	sums->count++;
	sums->sum += value;
	sums->squares += value * value;
}

static double sums_deviations(const struct sums *sums)
{
	return sums->count > 0 ? fmax(0, sums->squares - sums->sum * sums->sum / sums->count) : 0;
}

/* The middle of each run only: its edges are outliers by nature. */
static bool is_edge(const struct table *table, uint32_t sample)
{
	return table->design.stratum[sample] != TABLE_STRATUM_MIDDLE;
}

/* Sums up the samples of the run that begins at `begin`; gives where the next one begins. */
static uint32_t sum_run(const struct table *table, const struct table_row *row, uint32_t begin,
	struct sums *out_run)
{
	uint32_t i = begin;

	*out_run = (struct sums){0};
	while (i < table->design.sample_count &&
		table->sample_runs[i] == table->sample_runs[begin]) {
		if (!is_edge(table, i)) {
			sums_add(out_run, row->samples[i]);
		}
		i++;
	}
	return i;
}

static struct scatter scatter_of(const struct table *table, const struct table_row *row)
{
	struct scatter scatter = {0};
	struct sums *sides = scatter.sides;
	uint32_t runs = 0;

	for (uint32_t begin = 0, next; begin < table->design.sample_count; begin = next) {
		struct sums run;

		next = sum_run(table, row, begin, &run);
		if (run.count < 2) {
			continue;
		}
		sums_add(&sides[table->design.is_new[begin]], run.sum / run.count);
		scatter.within += sums_deviations(&run) / (run.count - 1) / run.count;
		runs++;
	}
	if (runs > 0) {
		scatter.mean = (sides[0].sum + sides[1].sum) / runs;
		scatter.within *= row->inflation / runs;
	}
	if (runs > 2) {
		scatter.between =
			(sums_deviations(&sides[0]) + sums_deviations(&sides[1])) / (runs - 2);
	}
	return scatter;
}

void run_noise_add(struct run_noise *noise, const struct table_row *row)
{
	const struct scatter scatter = scatter_of(noise->table, row);
	const double square = scatter.mean * scatter.mean;
	double weight;

	if (noise->table->run_count < 3 || !(square > 0)) {
		return;
	}
	/* Quiet rows tell more of what runs add than those whose own samples scatter. */
	weight = scatter.within / square + SCATTER_LEAST * SCATTER_LEAST;
	weight = 1 / (weight * weight);
	noise->squares += (scatter.between - scatter.within) / square * weight;
	noise->weights += weight;
}

double run_noise_share(const struct run_noise *noise)
{
	const double square = noise->weights > 0 ? noise->squares / noise->weights : 0;

	return fmax(RUN_NOISE_SHARE_LEAST, sqrt(fmax(square, 0)));
}

/* What the row's own runs say: some causes differ more from run to run than all of them do. */
static double own_variance(const struct table *table, const struct scatter *scatter)
{
	if (table->run_count < 3 || scatter->sides[0].count == 0 || scatter->sides[1].count == 0) {
		return 0;
	}
	return fmax(0, scatter->between - scatter->within) *
	       (1.0 / scatter->sides[0].count + 1.0 / scatter->sides[1].count);
}

double run_noise_variance(const struct table *table, const struct table_row *row, double share)
{
	const struct scatter scatter = scatter_of(table, row);
	double variance = 0;

	for (uint32_t side = 0; side < 2; side++) {
		const struct sums *sums = &scatter.sides[side];

		if (sums->count > 0) {
			const double deviation = share * sums->sum / sums->count;

			variance += deviation * deviation / sums->count;
		}
	}
	return fmax(variance, own_variance(table, &scatter));
}
