/* SPDX-License-Identifier: MIT */
/* Files that a command line names: what a script's empty variable, or a slip, makes of them. */
#pragma once

#include "trace/base/diag.h"

#include <stddef.h>

/* Inputs that have no name; BAD_USE. */
MUST_CHECK enum status file_arguments_check(
	const char *const *inputs, size_t input_count, struct diag *diag);

/*
 * An output, which may be NULL, that would take the place of an input, or lie among the streams of
 * a recording that is one; BAD_USE.
 */
MUST_CHECK enum status file_arguments_check_output(
	const char *output, const char *const *inputs, size_t input_count, struct diag *diag);
