/* SPDX-License-Identifier: MIT */
#include "analysis/import/import.h"

void import_reader_destroy(struct import_reader *reader)
{
	if (reader) {
		reader->operations->destroy(reader);
	}
}
