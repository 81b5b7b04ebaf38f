/* SPDX-License-Identifier: MIT */
/* Numbers of a JSON text as integers, by decimal arithmetic: a double would lose nanoseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Microseconds as nanoseconds, rounded to the nearest; false when it is no number or too large. */
bool kineto_number_time(const char *text, int64_t *out_ns);

/* An integer, also as 12.0, 1.2e1 or 0xc; false when it is none or does not fit. */
bool kineto_number_integer(const char *text, int64_t *out_value);

/* The same for addresses and ids of up to 64 bits; -1 is all ones. */
bool kineto_number_unsigned(const char *text, uint64_t *out_value);
