/* SPDX-License-Identifier: MIT */
/*
 * Sleeps that stand for work of a model, which whoever stops the model cuts short, all at once and
 * for good. No lock and no trace point: a recording shows the work, not how it is stood for.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct model_sleep;

MUST_CHECK enum status model_sleep_create(struct model_sleep **out_sleep);

/* Accepts NULL. Nobody may be asleep. */
void model_sleep_destroy(struct model_sleep *sleep);
DEFINE_AUTO(struct model_sleep, model_sleep_destroy)

/* Sleeps until then; false when it was cut. NULL is never cut. */
bool model_sleep_until(struct model_sleep *sleep, uint64_t until_ns);

/* Spins until this thread has used so much more of a CPU, or it is cut. */
void model_sleep_burn(struct model_sleep *sleep, uint64_t cpu_ns);

/* Any thread may, more than once. */
void model_sleep_cut(struct model_sleep *sleep);
