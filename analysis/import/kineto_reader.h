/* SPDX-License-Identifier: MIT */
/*
 * The reader of one Kineto trace: what there is to say about it, its devices and threads, and then
 * its events, with what joins operations to their calls put in.
 */
#pragma once

#include "analysis/import/import.h"

/* As import_format.open. */
MUST_CHECK enum status kineto_reader_open(
	const char *path, struct diag *diag, struct import_reader **out_reader);
