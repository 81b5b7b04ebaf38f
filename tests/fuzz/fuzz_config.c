/* SPDX-License-Identifier: MIT */
/* Whatever the text, a configuration is read or refused with one line that names the place. */
#include "prover/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct config config;
	struct diag diag = {.line = ""};

	if (!text) {
		return 0;
	}
	memcpy(text, data, size);
	text[size] = '\0';
	if (config_parse("fuzz", text, &diag, &config) != STATUS_OK &&
		strncmp(diag.line, "fuzz:", 5) != 0) {
		abort();
	}
	free(text);
	return 0;
}
