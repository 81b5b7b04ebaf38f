/* SPDX-License-Identifier: MIT */
#include "tests/unit/diff_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_MAX 8
#define BLOCK_MAX  64
#define PI         3.14159265358979323846

/* Mean idle time of a unit on one GPU, in ns. */
struct planted {
	const char *cause;
	const char *object;
	const char *phase;
	double mean_ns;
	double chance; /* of a unit to have any of it */
	double spread; /* of its noise, as a share */
};

static const struct planted causes[] = {
	{"synthesis", "gpu_queue", "synthesize", 8e6, 1, 0.3},
	{"lock", "tracker", "malloc_trim", 6e6, 0.8, 0.4},
	{"copy_pinned", "htod", "htod", 1e6, 1, 0.1},
	{"alloc", "driver", "pinned", 2e6, 0.3, 0.5},
	{"imbalance", "", "", 4e6, 0.2, 0.5},
	{"cpu_phase", "prep_msm", "prep_msm", 3e6, 1, 0.2},
	{"no_work", "", "", 3e6, 0.1, 0.5},
};
#define CAUSE_ROWS (sizeof(causes) / sizeof(causes[0]))
#define LOCK_ROW   1
#define PHASE_ROW  5

struct block_usage {
	uint64_t busy_ns;
	uint64_t cause_ns[CAUSE_ROWS];
	uint64_t gaps[CAUSE_ROWS];
};

struct world {
	const struct diff_run_plan *plan;
	uint64_t random;
	uint32_t device_count;
	uint32_t block_count;
	double state[DEVICE_MAX][CAUSE_ROWS];
	uint64_t length_ns[BLOCK_MAX];
	uint64_t work[BLOCK_MAX];
	struct block_usage usage[BLOCK_MAX][DEVICE_MAX];
};

static void require(bool is_true, const char *what)
{
	if (!is_true) {
		(void)fprintf(stderr, "%s\n", what);
		abort();
	}
}

/* splitmix64 */
static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

static double uniform(struct world *world)
{
	const uint64_t value = mix(world->random += 0x9e3779b97f4a7c15ULL);

	return ((double)(value >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct world *world)
{
	const double radius = sqrt(-2 * log(uniform(world)));

	return radius * cos(2 * PI * uniform(world));
}

/* One unit's idle time of one cause: noise with a memory, and not in every unit. */
static uint64_t draw_ns(struct world *world, uint32_t device, size_t cause, double factor)
{
	const double keeps = world->plan->memory;
	double *state = &world->state[device][cause];
	double ns;

	*state = keeps * *state + sqrt(1 - keeps * keeps) * normal(world);
	if (uniform(world) > causes[cause].chance) {
		return 0;
	}
	ns = causes[cause].mean_ns / causes[cause].chance * factor *
	     (1 + causes[cause].spread * *state);
	return ns > 0 ? (uint64_t)ns : 0;
}

static void fill_block(struct world *world, uint32_t block, const double *factors)
{
	uint64_t longest_ns = 0;

	for (uint32_t d = 0; d < world->device_count; d++) {
		struct block_usage *usage = &world->usage[block][d];
		uint64_t sum_ns;

		for (uint64_t unit = 0; unit < world->work[block]; unit++) {
			usage->busy_ns += (uint64_t)(25e6 * (1 + 0.02 * normal(world)));
			for (size_t c = 0; c < CAUSE_ROWS; c++) {
				const uint64_t ns = draw_ns(world, d, c, factors[c]) / 2;

				usage->cause_ns[c] += ns;
				usage->gaps[c] += ns > 0;
			}
		}
		/* The queue fills before the first unit, and runs dry after the last. */
		usage->cause_ns[0] += block == 0 ? (uint64_t)(2e8 * (1 + 0.1 * uniform(world))) : 0;
		usage->cause_ns[4] +=
			block + 1 == world->block_count ? (uint64_t)(9e7 * uniform(world)) : 0;
		sum_ns = usage->busy_ns;
		for (size_t c = 0; c < CAUSE_ROWS; c++) {
			sum_ns += usage->cause_ns[c];
		}
		longest_ns = sum_ns > longest_ns ? sum_ns : longest_ns;
	}
	world->length_ns[block] = longest_ns + 100000;
}

static void fill_world(struct world *world, const struct diff_run_plan *plan)
{
	double factors[CAUSE_ROWS];

	*world = (struct world){.plan = plan,
		.random = mix(plan->seed * 0xd1342543de82ef95ULL),
		.device_count = plan->device_count ? plan->device_count : 2,
		.block_count = plan->unit_count < BLOCK_MAX ? plan->unit_count : BLOCK_MAX};
	for (size_t c = 0; c < CAUSE_ROWS; c++) {
		const double planted = c == LOCK_ROW                             ? plan->lock_scale
				       : c == PHASE_ROW && plan->phase_scale > 0 ? plan->phase_scale
										 : 1;

		const double noise =
			c == PHASE_ROW ? fmax(plan->run_noise, plan->phase_noise) : plan->run_noise;

		factors[c] = planted * fmax(0, 1 + noise * normal(world));
	}
	for (uint32_t b = 0; b < world->block_count; b++) {
		world->work[b] = plan->unit_count / world->block_count +
				 (b < plan->unit_count % world->block_count);
		fill_block(world, b, factors);
	}
}

static uint64_t write_causes(FILE *out, const struct block_usage *usage, uint64_t *out_gaps)
{
	uint64_t sum_ns = 0;

	*out_gaps = 0;
	(void)fprintf(out, "\"causes\": [");
	for (size_t c = 0; c < CAUSE_ROWS; c++) {
		(void)fprintf(out,
			"%s{\"cause\": \"%s\", \"object\": \"%s\", \"phase\": \"%s\", \"holder\": "
			"\"\", \"ns\": %" PRIu64 ", \"share\": 0.1, \"gaps\": %" PRIu64
			", \"ceiling_ns\": %" PRIu64 "}",
			c > 0 ? ", " : "", causes[c].cause, causes[c].object, causes[c].phase,
			usage->cause_ns[c], usage->gaps[c], usage->cause_ns[c]);
		sum_ns += usage->cause_ns[c];
		*out_gaps += usage->gaps[c];
	}
	(void)fprintf(out, "]");
	return sum_ns;
}

static uint64_t window_ns(const struct world *world)
{
	uint64_t sum_ns = 0;

	for (uint32_t b = 0; b < world->block_count; b++) {
		sum_ns += world->length_ns[b];
	}
	return sum_ns;
}

static void write_device(FILE *out, const struct world *world, uint32_t d)
{
	const struct diff_run_plan *plan = world->plan;
	struct block_usage all = {0};
	uint64_t gaps;
	uint64_t gap_ns;
	uint64_t all_ns;

	for (uint32_t b = 0; b < world->block_count; b++) {
		all.busy_ns += world->usage[b][d].busy_ns;
		for (size_t c = 0; c < CAUSE_ROWS; c++) {
			all.cause_ns[c] += world->usage[b][d].cause_ns[c];
			all.gaps[c] += world->usage[b][d].gaps[c];
		}
	}
	all_ns = window_ns(world) - all.busy_ns;
	(void)fprintf(out,
		"%s{\"index\": %u, \"uuid\": \"GPU-%u\", \"name\": \"%s\", \"backend\": \"cuda\", "
		"\"kernels\": %u, \"busy_ns\": %" PRIu64 ", \"copying_ns\": 1000, \"idle_ns\": 0, ",
		d > 0 ? ", " : "", d, d, plan->name ? plan->name : "H200", plan->unit_count * 10,
		all.busy_ns);
	gap_ns = write_causes(out, &all, &gaps);
	(void)fprintf(out,
		", \"kernel_gaps\": {\"threshold_ns\": %" PRIu64 ", \"count\": %" PRIu64
		", \"total_ns\": %" PRIu64 ", \"all_total_ns\": %" PRIu64
		", \"max_ns\": 300000000, \"p50_ns\": 2000000, \"p95_ns\": 9000000, \"p99_ns\": "
		"20000000, \"inner\": {\"count\": 1, \"total_ns\": 1, \"max_ns\": 40000000}}}",
		plan->threshold_ns ? plan->threshold_ns : 1000000, gaps, gap_ns, all_ns);
}

static void write_block(FILE *out, const struct world *world, uint32_t b, uint64_t begin_ns)
{
	(void)fprintf(out,
		"%s{\"begin_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64 ", \"work\": %" PRIu64
		", \"devices\": [",
		b > 0 ? ", " : "", begin_ns, begin_ns + world->length_ns[b], world->work[b]);
	for (uint32_t d = 0; d < world->device_count; d++) {
		uint64_t gaps;
		uint64_t gap_ns;

		(void)fprintf(out,
			"%s{\"index\": %u, \"uuid\": \"GPU-%u\", \"busy_ns\": %" PRIu64
			", \"copying_ns\": 0, \"idle_ns\": 0, ",
			d > 0 ? ", " : "", d, d, world->usage[b][d].busy_ns);
		gap_ns = write_causes(out, &world->usage[b][d], &gaps);
		(void)fprintf(
			out, ", \"gap_ns\": %" PRIu64 ", \"gaps\": %" PRIu64 "}", gap_ns, gaps);
	}
	(void)fprintf(out, "]}");
}

static void write_blocks(FILE *out, const struct world *world, uint64_t begin_ns)
{
	(void)fprintf(out, ", \"blocks\": [");
	for (uint32_t b = 0; b < world->block_count; b++) {
		write_block(out, world, b, begin_ns);
		begin_ns += world->length_ns[b];
	}
	(void)fprintf(out, "]");
}

char *diff_run_json(const struct diff_run_plan *plan)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t begin_ns = 1000000000 + plan->seed * 1000;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	require(world && out, "out of memory");
	fill_world(world, plan);
	(void)fprintf(out,
		"{\"schema\": \"gaptrace.report/1\", \"simulated\": %s, \"window\": {\"begin_ns\": "
		"%" PRIu64 ", \"end_ns\": %" PRIu64 ", \"begin_cut\": false, \"end_cut\": false}, "
		"\"work\": {\"unit\": \"%s\", \"name\": "
		"\"\", \"count\": %u, \"jobs_done\": 4, \"jobs_failed\": 0}, \"devices\": [",
		plan->is_simulated ? "true" : "false", begin_ns, begin_ns + window_ns(world),
		plan->unit ? plan->unit : "partition", plan->unit_count);
	for (uint32_t d = 0; d < world->device_count; d++) {
		write_device(out, world, d);
	}
	(void)fprintf(out, "], \"verdicts\": [], \"trust\": {\"ok\": %s, \"notes\": [%s]}",
		plan->is_untrusted ? "false" : "true",
		plan->is_untrusted ? "\"events were lost\"" : "");
	if (!plan->has_no_blocks) {
		write_blocks(out, world, begin_ns);
	}
	(void)fprintf(out, "}\n");
	require(fclose(out) == 0, "out of memory");
	free(world);
	return text;
}

struct run *diff_run_make(const struct diff_run_plan *plan, const char *path)
{
	char *text = diff_run_json(plan);
	struct diag diag = {""};
	struct run *run = NULL;

	require(run_parse(path, text, strlen(text), &run, &diag) == STATUS_OK, diag.line);
	free(text);
	return run;
}
