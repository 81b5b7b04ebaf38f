/* SPDX-License-Identifier: MIT */
#include "trace/base/diag.h"

#include "trace/base/line.h"

#include <stdarg.h>

enum status diag_set(struct diag *diag, enum status status, const char *format, ...)
{
	va_list arguments;

	if (diag) {
		va_start(arguments, format);
		line_format(diag->line, sizeof(diag->line), format, arguments);
		va_end(arguments);
	}
	return status;
}
