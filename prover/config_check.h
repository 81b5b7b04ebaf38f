/* SPDX-License-Identifier: MIT */
/*
 * What a single key's type and range cannot tell: settings that contradict each other, words and
 * addresses that are none, and what this host does not have.
 */
#pragma once

#include "prover/config.h"

/*
 * BAD_INPUT with "name:line: ..." for the first that is wrong. `set_line` has the line of every
 * key of config_keys, 0 for those that were not set.
 */
MUST_CHECK enum status config_check(
	const struct config *config, const char *name, const int *set_line, struct diag *diag);
