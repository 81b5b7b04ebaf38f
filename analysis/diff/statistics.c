/* SPDX-License-Identifier: MIT */
#include "analysis/diff/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* p = 0.0001 is the smallest there is; a p of 0.01 is known to a tenth of itself. */
#define PERMUTATION_COUNT     9999
#define PERMUTATION_COUNT_MIN 1999

/* Some seconds at most, however many rows and samples there are. */
#define WORK_MAX 4e9

/* Sums in another order differ in the last bits: ties are ties. */
#define TIE 1e-9

/* Correlations under this are what a series of 64 independent values shows by chance. */
#define CORRELATION_MIN 0.1

struct permuter {
	uint64_t random;
	const struct statistics_design *design;
	uint32_t *members; /* sample indices, stratum after stratum */
	uint32_t begin[STATISTICS_STRATUM_COUNT + 1];
	uint32_t new_count[STATISTICS_STRATUM_COUNT];
	uint32_t *chosen; /* the samples labelled new */
	uint32_t chosen_count;
};

/* splitmix64: of one fixed seed, so that a comparison can be repeated. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t value = (*state += 0x9e3779b97f4a7c15ULL);

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

/* The bias of the multiplication is below 2^-32 for any count of samples there can be. */
static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)(((next_random(state) >> 32) * limit) >> 32);
}

static uint32_t fill_stratum(struct permuter *permuter, uint8_t stratum, uint32_t used)
{
	const struct statistics_design *design = permuter->design;

	permuter->begin[stratum] = used;
	for (uint32_t i = 0; i < design->sample_count; i++) {
		if (design->stratum[i] == stratum) {
			permuter->members[used++] = i;
			permuter->new_count[stratum] += design->is_new[i];
		}
	}
	return used;
}

/* `members` and `chosen` have room for all samples. */
static void permuter_init(struct permuter *permuter, const struct statistics_design *design,
	uint32_t *members, uint32_t *chosen)
{
	uint32_t used = 0;

	*permuter = (struct permuter){.random = 0x67617074726163ULL, .design = design};
	permuter->members = members;
	permuter->chosen = chosen;
	for (uint8_t g = 0; g < STATISTICS_STRATUM_COUNT; g++) {
		used = fill_stratum(permuter, g, used);
	}
	permuter->begin[STATISTICS_STRATUM_COUNT] = used;
}

/* Draws which samples are called new, as many in each stratum as there are. */
static void permuter_draw(struct permuter *permuter)
{
	permuter->chosen_count = 0;
	for (uint32_t g = 0; g < STATISTICS_STRATUM_COUNT; g++) {
		uint32_t *members = permuter->members + permuter->begin[g];
		const uint32_t count = permuter->begin[g + 1] - permuter->begin[g];

		for (uint32_t i = 0; i < permuter->new_count[g]; i++) {
			const uint32_t other = i + random_below(&permuter->random, count - i);
			const uint32_t moved = members[other];

			members[other] = members[i];
			members[i] = moved;
			permuter->chosen[permuter->chosen_count++] = moved;
		}
	}
}

static void permuter_take_labels(struct permuter *permuter)
{
	permuter->chosen_count = 0;
	for (uint32_t i = 0; i < permuter->design->sample_count; i++) {
		if (permuter->design->is_new[i]) {
			permuter->chosen[permuter->chosen_count++] = i;
		}
	}
}

/*
 * Shares, one a sample, such that the sum over the samples called new is the difference of the
 * group means (strata weighted by their size) over its standard deviation under permutation. Gives
 * the variance.
 */
static double fill_shares(const struct permuter *permuter, const double *values, double *shares)
{
	double variance = 0;

	for (uint32_t g = 0; g < STATISTICS_STRATUM_COUNT; g++) {
		const uint32_t *members = permuter->members + permuter->begin[g];
		const uint32_t count = permuter->begin[g + 1] - permuter->begin[g];
		const double new_count = permuter->new_count[g];
		double factor;
		double squares = 0;
		double mean = 0;

		if (count < 2) {
			continue;
		}
		factor = (double)count / permuter->design->sample_count *
			 (1 / new_count + 1 / (count - new_count));
		for (uint32_t i = 0; i < count; i++) {
			mean += values[members[i]] / count;
		}
		for (uint32_t i = 0; i < count; i++) {
			const double deviation = values[members[i]] - mean;
			/* A row that never varies has a mean that is off in the last bits. */
			const double share =
				fabs(deviation) > TIE * fabs(mean) ? deviation * factor : 0;

			shares[members[i]] = share;
			squares += share * share;
		}
		/* Of a sum of new_count drawn without replacement. */
		variance += squares * new_count * (count - new_count) / count / (count - 1);
	}
	for (uint32_t i = 0; i < permuter->design->sample_count; i++) {
		shares[i] = variance > 0 ? shares[i] / sqrt(variance) : 0;
	}
	return variance;
}

static double difference(const struct permuter *permuter, const double *shares)
{
	double sum = 0;

	for (uint32_t i = 0; i < permuter->chosen_count; i++) {
		sum += shares[permuter->chosen[i]];
	}
	return sum;
}

/* The largest that a difference over its deviation can be: both groups constant, and apart. */
static double largest_square(const struct permuter *permuter)
{
	double sum = 0;

	for (uint32_t g = 0; g < STATISTICS_STRATUM_COUNT; g++) {
		const uint32_t count = permuter->begin[g + 1] - permuter->begin[g];
		const double weight = (double)count / permuter->design->sample_count;

		sum += count > 1 ? weight * weight / (count - 1) : 0;
	}
	return sum > 0 ? 1 / sum : 0;
}

/*
 * The deviation under permutation contains the difference itself, so `z` has an upper bound. It is
 * the deviation within the groups that dependence inflates, and to which what samples do not show
 * is added: there and back again.
 */
static double deflate(double z, double variance, const struct statistics_row *row, double most)
{
	const double square = fmin(z * z, most * (1 - 1e-12));
	double within;
	double surer;

	if (most <= 1 || square == 0 || (row->inflation <= 1 && row->added <= 0)) {
		return z;
	}
	within = variance * (most - square) / (most - 1);
	surer = square * variance / (within * row->inflation + row->added);
	return copysign(sqrt(surer * most / (most - 1 + surer)), z);
}

/* What the test works on: row r's shares are at shares + r * sample_count. */
struct test {
	struct statistics_row *rows;
	uint32_t row_count;
	uint32_t sample_count;
	double *shares;
	double *observed;
	double *drawn;
	uint32_t *order; /* of the rows, the largest rise first */
	uint32_t *rise_count;
	uint32_t *fall_count;
};

/* NOLINTNEXTLINE(bugprone-easily-swappable-parameters): what qsort_r calls */
static int compare_observed(const void *left, const void *right, void *context)
{
	const double *observed = context;
	const double a = observed[*(const uint32_t *)left];
	const double b = observed[*(const uint32_t *)right];

	return a > b ? -1 : a < b;
}

/*
 * A row counts when the largest of the rows that did not change more than it does as well: from
 * the back of the order for rises, from the front for falls.
 */
static void count_draw(const struct test *test)
{
	double largest = -INFINITY;

	for (uint32_t k = test->row_count; k > 0; k--) {
		const uint32_t row = test->order[k - 1];

		largest = fmax(largest, test->drawn[row]);
		test->rise_count[row] += largest >= test->observed[row] - TIE;
	}
	largest = -INFINITY;
	for (uint32_t k = 0; k < test->row_count; k++) {
		const uint32_t row = test->order[k];

		largest = fmax(largest, -test->drawn[row]);
		test->fall_count[row] += largest >= -test->observed[row] - TIE;
	}
}

/* No row is surer than one that changed more. */
static void conclude(const struct test *test, uint32_t permutation_count)
{
	double least = 0;

	for (uint32_t k = 0; k < test->row_count; k++) {
		struct statistics_row *row = &test->rows[test->order[k]];
		const double p =
			(test->rise_count[test->order[k]] + 1.0) / (permutation_count + 1.0);

		least = fmax(least, p);
		row->p_rise = least;
	}
	least = 0;
	for (uint32_t k = test->row_count; k > 0; k--) {
		struct statistics_row *row = &test->rows[test->order[k - 1]];
		const double p =
			(test->fall_count[test->order[k - 1]] + 1.0) / (permutation_count + 1.0);

		least = fmax(least, p);
		row->p_fall = least;
	}
}

static uint32_t permutation_count(uint32_t row_count, uint32_t sample_count)
{
	const double count = WORK_MAX / ((double)row_count * sample_count + 1);

	return count > PERMUTATION_COUNT       ? PERMUTATION_COUNT
	       : count < PERMUTATION_COUNT_MIN ? PERMUTATION_COUNT_MIN
					       : (uint32_t)count;
}

static void run_test(struct test *test, struct permuter *permuter)
{
	const uint32_t count = permutation_count(test->row_count, test->sample_count);
	const double most = largest_square(permuter);

	permuter_take_labels(permuter);
	for (uint32_t r = 0; r < test->row_count; r++) {
		double *shares = test->shares + (size_t)r * test->sample_count;
		double variance;

		assert(test->rows[r].inflation >= 1);
		variance = fill_shares(permuter, test->rows[r].values, shares);
		test->observed[r] =
			deflate(difference(permuter, shares), variance, &test->rows[r], most);
		test->order[r] = r;
	}
	qsort_r(test->order, test->row_count, sizeof(*test->order), compare_observed,
		test->observed);
	for (uint32_t n = 0; n < count; n++) {
		permuter_draw(permuter);
		for (uint32_t r = 0; r < test->row_count; r++) {
			test->drawn[r] =
				difference(permuter, test->shares + (size_t)r * test->sample_count);
		}
		count_draw(test);
	}
	conclude(test, count);
}

enum status statistics_test(
	const struct statistics_design *design, struct statistics_row *rows, uint32_t row_count)
{
	struct permuter permuter;
	struct test test = {
		.rows = rows, .row_count = row_count, .sample_count = design->sample_count};
	double *reals;
	uint32_t *counts;

	if (row_count == 0) {
		return STATUS_OK;
	}
	reals = calloc((size_t)row_count * (design->sample_count + 2), sizeof(*reals));
	counts = calloc((size_t)row_count * 3 + (size_t)design->sample_count * 2, sizeof(*counts));
	if (reals && counts) {
		test.shares = reals;
		test.observed = reals + (size_t)row_count * design->sample_count;
		test.drawn = test.observed + row_count;
		test.order = counts;
		test.rise_count = counts + row_count;
		test.fall_count = test.rise_count + row_count;
		permuter_init(&permuter, design, test.fall_count + row_count,
			test.fall_count + row_count + design->sample_count);
		run_test(&test, &permuter);
	}
	free(reals);
	free(counts);
	return reals && counts ? STATUS_OK : STATUS_NO_MEMORY;
}

double statistics_labellings(uint32_t base_count, uint32_t new_count)
{
	double count = 1;

	for (uint32_t i = 1; i <= new_count; i++) {
		count *= (double)(base_count + i) / i;
	}
	return count;
}

double statistics_labellings_wanted(double p)
{
	return fmax(STATISTICS_LABELLINGS_MIN, 2 / p);
}

uint32_t statistics_runs_for(double labellings)
{
	uint32_t count = 1;

	while (statistics_labellings(count, count) < labellings) {
		count++;
	}
	return count;
}

void statistics_memory_add(struct statistics_memory *memory, const double *series, uint32_t count)
{
	double mean = 0;

	memory->count += count;
	memory->series_count++;
	for (uint32_t i = 0; i < count; i++) {
		mean += series[i] / count;
	}
	for (uint32_t lag = 0; lag <= STATISTICS_LAG_COUNT; lag++) {
		for (uint32_t i = 0; i + lag < count; i++) {
			memory->sums[lag] += (series[i] - mean) * (series[i + lag] - mean);
		}
	}
}

/*
 * Over how many values the series remembers: 1 when it does not. The sums are followed to where
 * they no longer stand out. Taking off the mean of so short a series takes some of each
 * correlation with it, which is given back.
 */
static double memory_length(const struct statistics_memory *memory)
{
	double length = 1;

	for (uint32_t lag = 1; lag <= STATISTICS_LAG_COUNT && memory->sums[0] > 0; lag++) {
		const double taken = length * memory->series_count / memory->count;
		const double correlation = memory->sums[lag] / memory->sums[0] + taken;

		if (correlation < CORRELATION_MIN) {
			break;
		}
		length += 2 * correlation;
	}
	return length;
}

/*
 * The series is taken for one whose memory fades by a constant factor; groups of neighbours of
 * such a series correlate by a known amount.
 */
double statistics_memory_inflation(const struct statistics_memory *memory, double group_length)
{
	const double length = memory_length(memory);
	const double fading = (length - 1) / (length + 1);
	const double faded = pow(fading, group_length);
	const double within = group_length * (1 - fading * fading) - 2 * fading * (1 - faded);
	const double between = fading * (1 - faded) * (1 - faded);
	const double groups = memory->count / group_length / fmax(memory->series_count, 1);
	double inflation;

	if (!(within > 0)) {
		return 1;
	}
	inflation = 1 + 2 * (between / within) / (1 - faded);
	/* What neighbours share is missing from their variance, by which it is measured. */
	return inflation / fmax(0.5, 1 - (inflation - 1) / fmax(groups - 1, 1));
}
