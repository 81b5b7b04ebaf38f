/* SPDX-License-Identifier: MIT */
#include "analysis/report/printable.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *printable_copy(const char *text, size_t column_max, char out[PRINTABLE_BYTES_MAX])
{
	size_t used = 0;

	assert(column_max >= 2 && column_max < PRINTABLE_BYTES_MAX);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		const size_t width = *c >= 0x20 && *c < 0x7f ? 1 : 4;

		if (used + width > column_max) {
			used = used > column_max - 2 ? column_max - 2 : used;
			memcpy(out + used, "..", 3);
			return out;
		}
		if (width == 1) {
			out[used] = (char)*c;
		} else {
			(void)snprintf(out + used, 5, "\\x%02x", *c);
		}
		used += width;
	}
	out[used] = '\0';
	return out;
}
