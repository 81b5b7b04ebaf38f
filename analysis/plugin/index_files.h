/* SPDX-License-Identifier: MIT */
/*
 * Whether LTTng's index files, which say where the packets of a stream begin, fit their streams.
 * Babeltrace 2.0 believes them, and aborts at one that points past its stream.
 */
#pragma once

#include <stdbool.h>

/* An index that cannot be read counts as damaged; no index is as good as one that fits. */
bool index_files_are_damaged(const char *trace);
