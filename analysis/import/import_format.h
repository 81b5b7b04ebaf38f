/* SPDX-License-Identifier: MIT */
/* Which of the foreign formats a file has, by its first bytes; or what it seems to be instead. */
#pragma once

#include "analysis/import/import.h"

/* NULL when no format has that name. */
const struct import_format *import_format_find(const char *name);

/*
 * The format of the file at `path`, valid for ever. BAD_INPUT with one line that names the file,
 * what it seems to be and what to do when it has none of them; otherwise why it cannot be read.
 */
MUST_CHECK enum status import_format_recognise(
	const char *path, struct diag *diag, const struct import_format **out_format);
