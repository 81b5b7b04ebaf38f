/* SPDX-License-Identifier: MIT */
#include "analysis/import/import.h"
#include "analysis/import/kineto_bytes.h"
#include "analysis/import/kineto_reader.h"

#include <string.h>

static bool has_word(const char *text, const char *word)
{
	return strstr(text, word) != NULL;
}

static bool recognise(const unsigned char *head, size_t size)
{
	char text[IMPORT_HEAD_BYTES_MAX + 1];
	const char *begin = text;

	if (kineto_bytes_is_gzip(head, size)) {
		size = kineto_bytes_inflate_head(
			head, size, (unsigned char *)text, sizeof(text) - 1);
	} else {
		size = size < sizeof(text) - 1 ? size : sizeof(text) - 1;
		memcpy(text, head, size);
	}
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\0') {
			text[i] = ' ';
		}
	}
	text[size] = '\0';
	begin += strncmp(begin, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	begin += strspn(begin, " \t\r\n");
	if (*begin != '{' && *begin != '[') {
		return false;
	}
	return (*begin == '{' && (has_word(begin, "\"traceEvents\"") ||
					 has_word(begin, "\"baseTimeNanoseconds\"") ||
					 (has_word(begin, "\"schemaVersion\"") &&
						 has_word(begin, "\"deviceProperties\"")))) ||
	       (*begin == '[' && has_word(begin, "\"ph\"") && has_word(begin, "\"pid\""));
}

const struct import_format import_kineto = {
	.name = "kineto",
	.what = "Kineto (traces of PyTorch's profiler, JSON or JSON.gz)",
	.recognise = recognise,
	.open = kineto_reader_open,
};
