/* SPDX-License-Identifier: MIT */
/* Lines of text that belong to a result: reasons and notes. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <stdint.h>

/* A reader wants the kinds of trouble, not every instance; what comes after is left out. */
#define LINES_COUNT_MAX 64

/* All zero is empty. */
struct lines {
	char *list[LINES_COUNT_MAX];
	uint32_t count;
};

MUST_CHECK enum status lines_add(struct lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void lines_finish(struct lines *lines);
