/* SPDX-License-Identifier: MIT */
/* Times of day as people and files write them: always UTC. */
#pragma once

#include "trace/base/status.h"

#include <stdint.h>

#define TIME_TEXT_BYTES 32

/* Reads 2026-11-30, 2026-11-30T14:05, 2026-11-30T14:05:09Z or @1796047509. */
MUST_CHECK enum status time_text_parse(const char *text, uint64_t *out_time_s);

/* "2026-11-30T14:05:09Z"; gives `text`. */
const char *time_text_format(uint64_t time_s, char text[TIME_TEXT_BYTES]);
