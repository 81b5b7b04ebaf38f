/* SPDX-License-Identifier: MIT */
/* The host's modelled work of a pipeline that makes no proofs. */
#pragma once

#include "prover/config.h"

#include <stdint.h>

/* Sleeps or spins, as the model says, for a duration times its scale. */
void simulate_work(const struct config_sim *sim, uint64_t duration_ms);
