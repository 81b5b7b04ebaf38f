/* SPDX-License-Identifier: MIT */
#include "prover/pacer.h"

#include "prover/lock_registry.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <string.h>

/* The gains that the daemon's operators arrived at: slow enough not to hunt. */
#define PACER_ALPHA_GPU     0.2
#define PACER_ALPHA_WAITING 0.15
#define PACER_KP            0.5
#define PACER_KI            0.001
#define PACER_INTEGRAL_MIN  (-20.0)
#define PACER_INTEGRAL_MAX  100.0
#define PACER_RATE_MIN      0.3
#define PACER_RATE_MAX      3.0

static double clamp(double value, double minimum, double maximum)
{
	if (value < minimum) {
		return minimum;
	}
	return value > maximum ? maximum : value;
}

uint64_t pacer_interval_ns(const struct pacer *pacer)
{
	const struct pacer_config *config = &pacer->config;
	double error = 0;
	double rate = 0;
	double interval_ns = 0;

	/* Adaptive without a measurement yet goes as a fixed one. */
	if (config->mode == PACER_FIXED || pacer->gpu_ns <= 0) {
		return config->interval_ns;
	}
	/* A PI controller: above the target depth it slows down, below it hurries. */
	error = (double)config->target_depth - pacer->waiting;
	rate = clamp(1 + PACER_KP * error / config->target_depth + PACER_KI * pacer->integral,
		PACER_RATE_MIN, PACER_RATE_MAX);
	/* What keeps all workers busy at a steady depth, then faster or slower by `rate`. */
	interval_ns = pacer->gpu_ns / config->lane_count / rate;
	return (uint64_t)clamp(
		interval_ns, (double)config->interval_min_ns, (double)config->interval_max_ns);
}

enum status pacer_init(struct pacer *pacer, const struct pacer_config *config)
{
	assert(pacer && config && config->lane_count > 0 && config->target_depth > 0);

	memset(pacer, 0, sizeof(*pacer));
	pacer->config = *config;
	gaptrace_condition_init(&pacer->changed, NULL);
	return lock_registry_mutex_init(&pacer->mutex, "pacer");
}

void pacer_finish(struct pacer *pacer)
{
	gaptrace_condition_finish(&pacer->changed);
	lock_registry_mutex_finish(&pacer->mutex);
}

/* Under the lock. */
static void observe(struct pacer *pacer, uint32_t queue_depth)
{
	/* Smoothed exponentially: the depth jumps by whole partitions. */
	pacer->waiting += PACER_ALPHA_WAITING * (queue_depth - pacer->waiting);
	pacer->integral =
		clamp(pacer->integral + (double)pacer->config.target_depth - pacer->waiting,
			PACER_INTEGRAL_MIN, PACER_INTEGRAL_MAX);
}

/* Under the lock. With nothing in flight a pause would idle the GPUs for nothing. */
static bool must_wait(const struct pacer *pacer)
{
	return !pacer->is_stopped && pacer->in_flight > 0;
}

/* Under the lock: until the interval since the last dispatch is over, or nothing is in flight. */
static void wait_interval(struct pacer *pacer)
{
	uint64_t until_ns = pacer->last_dispatch_ns + pacer->interval_ns;
	uint64_t begin_ns = clock_now_ns();
	struct gaptrace_wait wait;

	if (!must_wait(pacer) || begin_ns >= until_ns) {
		return;
	}
	wait = gaptrace_wait_begin(pacer, "pacer", GAPTRACE_WAIT_PACER);
	while (must_wait(pacer) &&
		gaptrace_condition_wait_until(&pacer->changed, &pacer->mutex, until_ns)) {
	}
	gaptrace_wait_end(&wait);
	pacer->wait_ns += clock_now_ns() - begin_ns;
}

void pacer_wait(struct pacer *pacer, uint32_t queue_depth)
{
	gaptrace_mutex_lock(&pacer->mutex);
	if (pacer->config.mode != PACER_OFF) {
		observe(pacer, queue_depth);
		pacer->interval_ns = pacer_interval_ns(pacer);
		wait_interval(pacer);
		pacer->last_dispatch_ns = clock_now_ns();
	}
	pacer->in_flight++;
	gaptrace_mutex_unlock(&pacer->mutex);
}

void pacer_measure(struct pacer *pacer, uint64_t gpu_ns)
{
	gaptrace_mutex_lock(&pacer->mutex);
	if (pacer->gpu_ns <= 0) {
		pacer->gpu_ns = (double)gpu_ns;
	} else {
		pacer->gpu_ns += PACER_ALPHA_GPU * ((double)gpu_ns - pacer->gpu_ns);
	}
	gaptrace_mutex_unlock(&pacer->mutex);
}

void pacer_end(struct pacer *pacer)
{
	gaptrace_mutex_lock(&pacer->mutex);
	assert(pacer->in_flight > 0);
	pacer->in_flight--;
	/* Nothing is in flight: whoever waits for the interval need not. */
	if (pacer->in_flight == 0 && pacer->config.mode != PACER_OFF) {
		gaptrace_wake(pacer, "pacer");
		gaptrace_condition_signal(&pacer->changed);
	}
	gaptrace_mutex_unlock(&pacer->mutex);
}

void pacer_stop(struct pacer *pacer)
{
	gaptrace_mutex_lock(&pacer->mutex);
	pacer->is_stopped = true;
	gaptrace_wake(pacer, "pacer");
	gaptrace_condition_broadcast(&pacer->changed);
	gaptrace_mutex_unlock(&pacer->mutex);
}

struct pacer_counts pacer_counts(struct pacer *pacer)
{
	struct pacer_counts counts;

	gaptrace_mutex_lock(&pacer->mutex);
	counts = (struct pacer_counts){.in_flight = pacer->in_flight,
		.interval_ns = pacer->interval_ns,
		.wait_ns = pacer->wait_ns};
	gaptrace_mutex_unlock(&pacer->mutex);
	return counts;
}
