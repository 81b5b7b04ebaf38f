/* SPDX-License-Identifier: MIT */
#include "prover/config.h"
#include "prover/config_keys.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* The value of `key` in `config`, as the file has it. */
static void key_text(
	const struct config *config, const struct config_key *key, char *text, size_t size)
{
	const char *field = (const char *)config + key->offset;
	uint64_t number = 0;
	double real = 0;
	int choice = 0;

	text[0] = '\0';
	switch (key->type) {
	case CONFIG_TYPE_COUNT:
		memcpy(&number, field, sizeof(number));
		(void)snprintf(text, size, "%" PRIu64, number);
		break;
	case CONFIG_TYPE_BYTES:
		memcpy(&number, field, sizeof(number));
		if (config_key_is_auto(key, number)) {
			(void)snprintf(text, size, "auto");
		} else {
			config_key_number(key, number, text, size);
		}
		break;
	case CONFIG_TYPE_REAL:
		memcpy(&real, field, sizeof(real));
		/* As many digits as a double surely keeps, so that what is printed reads back
		 * the same. */
		(void)snprintf(text, size, "%.15g", real);
		break;
	case CONFIG_TYPE_CHOICE:
		memcpy(&choice, field, sizeof(choice));
		(void)config_key_choice(key, choice, text, size);
		break;
	case CONFIG_TYPE_TEXT:
		(void)snprintf(text, size, "%s", field);
		break;
	}
}

static void print_limits(const struct config_key *key, FILE *stream)
{
	char minimum[32];
	char maximum[32];

	if (key->type == CONFIG_TYPE_CHOICE) {
		(void)fprintf(stream, " (%s)\n", key->choices);
	} else if (key->type == CONFIG_TYPE_REAL) {
		(void)fprintf(stream, " (%g .. %g)\n", (double)key->minimum / 1000,
			(double)key->maximum / 1000);
	} else if (key->type == CONFIG_TYPE_COUNT || key->type == CONFIG_TYPE_BYTES) {
		config_key_number(key, key->minimum, minimum, sizeof(minimum));
		config_key_number(key, key->maximum, maximum, sizeof(maximum));
		(void)fprintf(stream, " (%s .. %s)\n", minimum, maximum);
	} else {
		(void)fprintf(stream, "\n");
	}
}

enum status config_print(const struct config *config, FILE *stream)
{
	const char *section = "";
	char text[CONFIG_TEXT_BYTES_MAX];

	assert(config && stream);

	for (uint32_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (strcmp(section, key->section) != 0) {
			(void)fprintf(stream, "%s[%s]\n", i == 0 ? "" : "\n", key->section);
			section = key->section;
		}
		key_text(config, key, text, sizeof(text));
		/* On a line of its own: libinih's lines are short, meanings are not. */
		(void)fprintf(stream, "; %s", key->meaning);
		print_limits(key, stream);
		(void)fprintf(stream, "%s =%s%s\n", key->name, text[0] == '\0' ? "" : " ", text);
	}
	return fflush(stream) == 0 && !ferror(stream) ? STATUS_OK : STATUS_IO;
}
