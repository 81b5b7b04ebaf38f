/* SPDX-License-Identifier: MIT */
/* Durations as people write them: 10us, 1.5ms, 2s. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

#define DURATION_TEXT_BYTES 32

/* A number and one of ns, us, ms, s, min; no sign; 0 needs no unit. BAD_INPUT, or TOO_LARGE past 64
 * bits. */
MUST_CHECK enum status duration_parse(const char *text, uint64_t *out_ns);

/* Four significant digits and a unit, such as "12.34 ms"; gives `out_text` back. */
const char *duration_format(uint64_t duration_ns, char out_text[DURATION_TEXT_BYTES]);
