/* SPDX-License-Identifier: MIT */
/* Judges each row of a comparison: past the thresholds, past the noise, or neither. */
#pragma once

#include "analysis/diff/diff.h"

/* Fills the rows' verdicts from the table, and the absolute threshold. */
MUST_CHECK enum status judge_rows(struct diff *diff);
