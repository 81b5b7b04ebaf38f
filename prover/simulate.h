/* SPDX-License-Identifier: MIT */
/* The host's modelled work of a pipeline that makes no proofs. */
#pragma once

#include "prover/config.h"

#include <stdint.h>

struct model_sleep;

/* Sleeps or spins, as the model says, for a duration times its scale, unless it is cut short. */
void simulate_work(const struct config_sim *sim, struct model_sleep *sleep, uint64_t duration_ms);
