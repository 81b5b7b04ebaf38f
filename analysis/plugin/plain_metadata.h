/* SPDX-License-Identifier: MIT */
/*
 * Whether a trace's packets and events are laid out exactly as lttng-ust 2.13 does on a
 * little-endian machine without alignment: then plain_stream.h reads them, many times faster than
 * a general reader. Anything else is left to babeltrace2.
 */
#pragma once

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks at the bytes of a `metadata` file, packets and all: counts its classes of streams, too.
 * NO_MEMORY. */
MUST_CHECK enum status plain_metadata_check(
	const void *bytes, size_t size, bool *out_is_plain, uint64_t *out_class_count);
