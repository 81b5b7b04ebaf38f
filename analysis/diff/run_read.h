/* SPDX-License-Identifier: MIT */
/* The JSON of a report, checked field by field, into a run. */
#pragma once

#include "analysis/diff/run.h"

/* Fills the run from its document. What was filled is the run's to free even when this fails. */
MUST_CHECK enum status run_read(struct run *run, struct diag *diag);
