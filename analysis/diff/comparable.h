/* SPDX-License-Identifier: MIT */
/* Whether runs can be held against each other at all, and why not. */
#pragma once

#include "analysis/diff/lines.h"
#include "analysis/diff/run.h"

/* Adds a reason for every run that its own recording does not vouch for. */
MUST_CHECK enum status comparable_check_trust(
	const struct run *const *runs, uint32_t run_count, struct lines *reasons);

/* Adds a reason for everything in which a run differs from the first one, or has too little. */
MUST_CHECK enum status comparable_check(
	const struct run *const *runs, uint32_t run_count, struct lines *reasons);

/* Adds the reasons why noise cannot be judged in these; with `runs_wanted` a side it could be. */
MUST_CHECK enum status comparable_explain_noise(const struct run *const *runs, uint32_t run_count,
	uint32_t base_count, uint32_t runs_wanted, struct lines *reasons);

/* Adds what a reader should know before the figures. */
MUST_CHECK enum status comparable_note(const struct run *const *runs, uint32_t run_count,
	uint32_t base_count, struct lines *notes);
