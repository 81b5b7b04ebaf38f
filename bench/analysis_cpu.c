/* SPDX-License-Identifier: MIT */
/*
 * A getcpu plugin of LTTng: tells the tracer in turn one of ANALYSIS_CPUS processors, so that a
 * small machine records as many streams as a large one, and no event's stream is its predecessor's.
 */
#include <lttng/ust-getcpu.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint turn;
static unsigned int cpu_count = 1;

/* LTTng looks it up by name. */
__attribute__((visibility("default"))) void lttng_ust_getcpu_plugin_init(void);

static int next_cpu(void)
{
	return (int)(atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) % cpu_count);
}

void lttng_ust_getcpu_plugin_init(void)
{
	const char *text = getenv("ANALYSIS_CPUS");
	const unsigned long count = text ? strtoul(text, NULL, 10) : 0;

	if (count > 0 && count <= 1024) {
		cpu_count = (unsigned int)count;
		(void)lttng_ust_getcpu_override(next_cpu);
	}
}
