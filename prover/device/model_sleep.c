/* SPDX-License-Identifier: MIT */
#include "prover/device/model_sleep.h"

#include "trace/base/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleepers wait on the word itself: to an instant and as exactly as nanosleep(), which poll() with
 * its slack of a thousandth is not. */
struct model_sleep {
	_Atomic uint32_t is_cut;
};

enum status model_sleep_create(struct model_sleep **out_sleep)
{
	*out_sleep = calloc(1, sizeof(**out_sleep));
	return *out_sleep ? STATUS_OK : STATUS_NO_MEMORY;
}

void model_sleep_destroy(struct model_sleep *sleep)
{
	free(sleep);
}

static bool is_cut(const struct model_sleep *sleep)
{
	return atomic_load_explicit(&sleep->is_cut, memory_order_relaxed) != 0;
}

bool model_sleep_until(struct model_sleep *sleep, uint64_t until_ns)
{
	struct model_sleep endless = {0};
	struct model_sleep *own = sleep ? sleep : &endless;
	const struct timespec until = clock_timespec(until_ns);

	/* Signals wake it early, and it sleeps on. */
	while (!is_cut(own) && clock_now_ns() < until_ns) {
		(void)syscall(SYS_futex, &own->is_cut, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
			FUTEX_BITSET_MATCH_ANY);
	}
	return !is_cut(own);
}

void model_sleep_burn(struct model_sleep *sleep, uint64_t cpu_ns)
{
	const uint64_t until_ns = clock_thread_cpu_ns() + cpu_ns;

	while (!(sleep && is_cut(sleep)) && clock_thread_cpu_ns() < until_ns) {
	}
}

void model_sleep_cut(struct model_sleep *sleep)
{
	atomic_store(&sleep->is_cut, 1);
	(void)syscall(SYS_futex, &sleep->is_cut, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
