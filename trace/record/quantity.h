/* SPDX-License-Identifier: MIT */
/* Sizes and durations as people write them: 4M, 64K, 500ms, 1s. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits, then nothing, K, M or G (powers of 1024). False for anything else and for overflow. */
bool quantity_parse_bytes(const char *text, uint64_t *out_bytes);

/* Digits, then us, ms or s. */
bool quantity_parse_us(const char *text, uint64_t *out_us);

bool quantity_parse_count(const char *text, uint64_t *out_count);

/* "12.3 MiB"; `text` has room for 16 bytes or more. */
void quantity_print_bytes(uint64_t bytes, char *text, size_t capacity);
