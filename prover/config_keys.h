/* SPDX-License-Identifier: MIT */
/* The table of every configuration key: what config.c reads and prints, and the tests check. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_type {
	CONFIG_TYPE_COUNT,  /* uint64_t: a plain number */
	CONFIG_TYPE_BYTES,  /* uint64_t: a number with K, M, G or T behind it, or "auto" for 0 */
	CONFIG_TYPE_REAL,   /* double */
	CONFIG_TYPE_CHOICE, /* int: the index of a word in `choices` */
	CONFIG_TYPE_TEXT,   /* char[CONFIG_TEXT_BYTES_MAX] */
};

struct config_key {
	const char *section;
	const char *name;
	enum config_type type;
	size_t offset;    /* in struct config */
	uint64_t minimum; /* of a count or bytes; of a real in thousandths */
	uint64_t maximum;
	const char *choices;  /* words with '|' between them */
	const char *fallback; /* the default, as it would be written in the file */
	const char *meaning;
};

extern const struct config_key config_keys[];
extern const uint32_t config_key_count;

/* The `index`th word of a choice into `word`; false past the last. */
bool config_key_choice(const struct config_key *key, int index, char *word, size_t size);

/* `value` of a count or a size as the file would have it. */
void config_key_number(const struct config_key *key, uint64_t value, char *text, size_t size);

/* True when `value` of this size is written "auto". */
bool config_key_is_auto(const struct config_key *key, uint64_t value);
