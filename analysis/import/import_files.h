/* SPDX-License-Identifier: MIT */
/* The files that a user named, opened as one set. */
#pragma once

#include "analysis/import/import_set.h"

/*
 * Gives a set of the files at `paths`, each of `format` or, when that is NULL, of the format it is
 * recognised to have. BAD_INPUT with file, place and mend when one of them is none; BAD_USE when a
 * file is named twice.
 */
MUST_CHECK enum status import_files_open(const char *const *paths, size_t count,
	const struct import_format *format, struct diag *diag, struct import_set **out_set);
