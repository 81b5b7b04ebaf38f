/* SPDX-License-Identifier: MIT */
#include "tests/simulator/weather.h"

#include <math.h>
#include <string.h>

/* Of every thousand durations on the host: a page cache that was dropped, a neighbour's burst. */
#define OUTLIERS_OF_1000 4
#define OUTLIER_FACTOR   4

#define PI 3.14159265358979323846

/* splitmix64, in (0, 1) */
static double draw(struct weather *weather)
{
	uint64_t z = weather->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(struct weather *weather)
{
	const double radius = sqrt(-2 * log(draw(weather)));

	return radius * cos(2 * PI * draw(weather));
}

void weather_init(struct weather *weather, const struct weather_plan *plan)
{
	*weather = (struct weather){.plan = *plan, .random = plan->seed * 0x2545f4914f6cdd1dULL};
	for (int side = 0; side < 2; side++) {
		weather->run[side] = plan->run_noise * draw_normal(weather);
		weather->drift[side] = draw_normal(weather);
	}
}

/* A stationary walk whose memory fades with the time constant drift_ns (Ornstein, Uhlenbeck). */
static void drift_until(struct weather *weather, uint64_t now_ns)
{
	const double elapsed = (double)(now_ns - weather->drift_at_ns);
	const double kept = weather->plan.drift_ns > 0 ? exp(-elapsed / weather->plan.drift_ns) : 0;

	for (int side = 0; side < 2; side++) {
		weather->drift[side] =
			kept * weather->drift[side] + sqrt(1 - kept * kept) * draw_normal(weather);
	}
	weather->drift_at_ns = now_ns;
}

uint64_t weather_duration(
	void *context, uint64_t now_ns, const struct op *op, enum world_engine engine, uint64_t ns)
{
	struct weather *weather = context;
	const int side = engine == WORLD_ON_DEVICE;
	const double noise = side ? weather->plan.device_noise : weather->plan.host_noise;
	const bool is_chance = op->code == OP_RUN || op->code == OP_TRIM;
	double factor;

	if (op->name && strcmp(op->name, WEATHER_ARRIVAL) == 0) {
		return (uint64_t)(-log(draw(weather)) * (double)ns);
	}
	if (is_chance && op->kind > 0 && draw(weather) * 100 >= op->kind) {
		return 0;
	}
	drift_until(weather, now_ns);
	/* The mean of the factor is 1, whatever the noise. */
	factor = exp(noise * draw_normal(weather) - noise * noise / 2 +
		     weather->plan.drift * weather->drift[side] + weather->run[side]);
	if (!side && draw(weather) * 1000 < OUTLIERS_OF_1000) {
		factor *= OUTLIER_FACTOR;
	}
	return (uint64_t)(factor * (double)ns);
}
