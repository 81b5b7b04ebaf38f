/* SPDX-License-Identifier: MIT */
#include "trace/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status diag_set(struct diag *diag, enum status status, const char *format, ...)
{
	va_list arguments;
	int length;

	if (!diag) {
		return status;
	}

	va_start(arguments, format);
	length = vsnprintf(diag->line, sizeof(diag->line), format, arguments);
	va_end(arguments);

	if (length < 0) {
		diag->line[0] = '\0';
	} else if ((size_t)length >= sizeof(diag->line)) {
		memcpy(diag->line + sizeof(diag->line) - 4, "...", 4);
	}
	for (char *c = diag->line; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f) {
			*c = '?';
		}
	}
	return status;
}
