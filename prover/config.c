/* SPDX-License-Identifier: MIT */
#include "prover/config.h"

#include "prover/config_check.h"
#include "prover/config_keys.h"
#include "prover/nearest.h"

#include <assert.h>
#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* libinih reads lines of at most 199 bytes; the reader refuses longer ones before it sees them. */
#define CONFIG_LINE_BYTES_MAX 198

/* A configuration has about a hundred lines with comments; a megabyte is no configuration. */
#define CONFIG_FILE_BYTES_MAX (1u << 20)

/* Room for those of prover/config_keys.c; an assertion holds it. */
#define CONFIG_KEYS_MAX 128

struct reader {
	const char *name;
	const char *text;
	struct diag *diag;
	enum status status;
	int line;
	int failed_line;
	bool is_set[CONFIG_KEYS_MAX];
	int set_line[CONFIG_KEYS_MAX];
	struct config *config;
};

/* libinih's sign of failure is 0, and it goes on all the same. */
static int reader_fail(struct reader *reader, enum status status)
{
	reader->status = status;
	reader->failed_line = reader->line;
	return 0;
}

#define READER_FAIL(reader, ...)                                                                   \
	reader_fail((reader), diag_set((reader)->diag, STATUS_BAD_INPUT, __VA_ARGS__))

static int unknown_section(struct reader *reader, const char *section, const char *name)
{
	struct nearest nearest = NEAREST_NONE;

	for (uint32_t i = 0; i < config_key_count; i++) {
		nearest_offer(&nearest, section, config_keys[i].section);
	}
	if (section[0] == '\0') {
		return READER_FAIL(reader, "%s:%d: key '%s' stands before any [section]",
			reader->name, reader->line, name);
	}
	if (nearest.word) {
		return READER_FAIL(reader, "%s:%d: unknown section [%s]; did you mean [%s]?",
			reader->name, reader->line, section, nearest.word);
	}
	return READER_FAIL(reader,
		"%s:%d: unknown section [%s]; 'proverd --print-config' lists them", reader->name,
		reader->line, section);
}

/* A key that stands elsewhere is better advice than one that is spelled alike. */
static int unknown_key(struct reader *reader, const char *section, const char *name)
{
	struct nearest nearest = NEAREST_NONE;
	const char *elsewhere = NULL;

	for (uint32_t i = 0; i < config_key_count; i++) {
		if (strcmp(config_keys[i].section, section) == 0) {
			nearest_offer(&nearest, name, config_keys[i].name);
		} else if (strcmp(config_keys[i].name, name) == 0) {
			elsewhere = config_keys[i].section;
		}
	}
	if (elsewhere) {
		return READER_FAIL(reader, "%s:%d: unknown key '%s' in [%s]; it belongs to [%s]",
			reader->name, reader->line, name, section, elsewhere);
	}
	if (nearest.word) {
		return READER_FAIL(reader, "%s:%d: unknown key '%s' in [%s]; did you mean '%s'?",
			reader->name, reader->line, name, section, nearest.word);
	}
	return READER_FAIL(reader,
		"%s:%d: unknown key '%s' in [%s]; 'proverd --print-config' lists them",
		reader->name, reader->line, name, section);
}

/* Digits only: strtoull alone would take signs, blanks and an empty text. */
static bool parse_digits(const char *text, uint64_t *out_value, const char **out_end)
{
	char *end = NULL;

	if (text[0] < '0' || text[0] > '9') {
		return false;
	}
	errno = 0;
	*out_value = strtoull(text, &end, 10);
	*out_end = end;
	return errno == 0;
}

static bool parse_bytes(const struct config_key *key, const char *text, uint64_t *out_value)
{
	static const char suffixes[] = "KMGT";
	const char *end = NULL;
	const char *suffix = NULL;
	uint32_t shift = 0;

	if (strcmp(text, "auto") == 0 && config_key_is_auto(key, 0)) {
		*out_value = 0;
		return true;
	}
	if (!parse_digits(text, out_value, &end)) {
		return false;
	}
	if (*end == '\0') {
		return true;
	}
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1] != '\0') {
		return false;
	}
	shift = 10 * (uint32_t)(suffix - suffixes + 1);
	/* Would wrap. */
	if (*out_value > UINT64_MAX >> shift) {
		return false;
	}
	*out_value <<= shift;
	return true;
}

static int set_number(struct reader *reader, const struct config_key *key, const char *text)
{
	uint64_t value = 0;
	const char *end = "";
	char minimum[32];
	char maximum[32];
	bool is_bytes = key->type == CONFIG_TYPE_BYTES;
	bool is_number =
		is_bytes ? parse_bytes(key, text, &value) : parse_digits(text, &value, &end);

	if (!is_number || *end != '\0') {
		return READER_FAIL(reader, "%s:%d: [%s] %s = '%s' is no %s", reader->name,
			reader->line, key->section, key->name, text,
			is_bytes ? "size; write a number, with K, M, G or T if you like"
				 : "number");
	}
	if (value < key->minimum || value > key->maximum) {
		config_key_number(key, key->minimum, minimum, sizeof(minimum));
		config_key_number(key, key->maximum, maximum, sizeof(maximum));
		return READER_FAIL(reader,
			"%s:%d: [%s] %s = %s is out of range; it goes from %s to %s", reader->name,
			reader->line, key->section, key->name, text, minimum, maximum);
	}
	/* Every number is a uint64_t in struct config; config_keys.c has the offsets. */
	memcpy((char *)reader->config + key->offset, &value, sizeof(value));
	return 1;
}

static int set_real(struct reader *reader, const struct config_key *key, const char *text)
{
	char *end = NULL;
	double value = 0;
	double minimum = (double)key->minimum / 1000;
	double maximum = (double)key->maximum / 1000;

	errno = 0;
	value = strtod(text, &end);
	/* strtod alone would take hexadecimal, infinities and what is no number. */
	if (text[strspn(text, "0123456789.eE+-")] != '\0' || end == text || *end != '\0' ||
		errno != 0 || !isfinite(value)) {
		return READER_FAIL(reader, "%s:%d: [%s] %s = '%s' is no number", reader->name,
			reader->line, key->section, key->name, text);
	}
	if (value < minimum || value > maximum) {
		return READER_FAIL(reader,
			"%s:%d: [%s] %s = %s is out of range; it goes from %g to %g", reader->name,
			reader->line, key->section, key->name, text, minimum, maximum);
	}
	memcpy((char *)reader->config + key->offset, &value, sizeof(value));
	return 1;
}

static int set_choice(struct reader *reader, const struct config_key *key, const char *text)
{
	char word[32];

	for (int i = 0; config_key_choice(key, i, word, sizeof(word)); i++) {
		if (strcmp(word, text) == 0) {
			memcpy((char *)reader->config + key->offset, &i, sizeof(i));
			return 1;
		}
	}
	return READER_FAIL(reader, "%s:%d: [%s] %s = '%s' is none of %s", reader->name,
		reader->line, key->section, key->name, text, key->choices);
}

static int set_value(struct reader *reader, const struct config_key *key, const char *text)
{
	switch (key->type) {
	case CONFIG_TYPE_COUNT:
	case CONFIG_TYPE_BYTES:
		return set_number(reader, key, text);
	case CONFIG_TYPE_REAL:
		return set_real(reader, key, text);
	case CONFIG_TYPE_CHOICE:
		return set_choice(reader, key, text);
	case CONFIG_TYPE_TEXT:
		break;
	}
	if (strlen(text) >= CONFIG_TEXT_BYTES_MAX) {
		return READER_FAIL(reader, "%s:%d: [%s] %s is longer than %d bytes", reader->name,
			reader->line, key->section, key->name, CONFIG_TEXT_BYTES_MAX - 1);
	}
	(void)snprintf((char *)reader->config + key->offset, CONFIG_TEXT_BYTES_MAX, "%s", text);
	return 1;
}

static int on_key(void *user, const char *section, const char *name, const char *value)
{
	struct reader *reader = user;

	bool has_section = false;

	/* libinih goes on after a refusal; the first one is the one to report. */
	if (reader->status != STATUS_OK) {
		return 0;
	}
	for (uint32_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (strcmp(key->section, section) != 0) {
			continue;
		}
		has_section = true;
		if (strcmp(key->name, name) != 0) {
			continue;
		}
		if (reader->is_set[i]) {
			return READER_FAIL(reader, "%s:%d: [%s] %s is set already in line %d",
				reader->name, reader->line, section, name, reader->set_line[i]);
		}
		reader->is_set[i] = true;
		reader->set_line[i] = reader->line;
		return set_value(reader, key, value);
	}
	return has_section ? unknown_key(reader, section, name)
			   : unknown_section(reader, section, name);
}

/* fgets() over the text, counting lines for the messages. */
static char *read_line(char *line, int size, void *stream)
{
	struct reader *reader = stream;
	size_t length = 0;
	const char *start = reader->text;

	if (reader->text[0] == '\0' || reader->status != STATUS_OK) {
		return NULL;
	}
	reader->line++;
	reader->text += strcspn(reader->text, "\n");
	reader->text += reader->text[0] == '\n';
	/* Indented lines are no continuations, and comments may be of any length. */
	start += strspn(start, " \t");
	length = strcspn(start, "\n");
	if (start[0] == ';' || start[0] == '#') {
		length = 0;
	}
	if (length > CONFIG_LINE_BYTES_MAX || length + 2 > (size_t)size) {
		(void)READER_FAIL(reader, "%s:%d: the line is longer than %d bytes", reader->name,
			reader->line, CONFIG_LINE_BYTES_MAX);
		return NULL;
	}
	memcpy(line, start, length);
	line[length] = '\n';
	line[length + 1] = '\0';
	return line;
}

void config_init(struct config *config)
{
	struct reader reader = {.name = "defaults", .config = config};

	assert(config && config_key_count <= CONFIG_KEYS_MAX);

	memset(config, 0, sizeof(*config));
	for (uint32_t i = 0; i < config_key_count; i++) {
		/* Defaults go through the same parser, so that a default out of range cannot
		 * ship. */
		int is_set = set_value(&reader, &config_keys[i], config_keys[i].fallback);

		assert(is_set);
		(void)is_set;
	}
}

enum status config_parse(
	const char *name, const char *text, struct diag *diag, struct config *out_config)
{
	struct config config;
	struct reader reader = {.name = name, .text = text, .diag = diag, .config = &config};
	int bad_line = 0;
	enum status status = STATUS_OK;

	assert(name && text && out_config);

	/* Into a copy, so that the caller's configuration changes wholly or not at all. */
	config_init(&config);
	bad_line = ini_parse_stream(read_line, &reader, on_key, &reader);
	/* A line that libinih could not read may come before the first that we refused. */
	if (reader.status != STATUS_OK && (bad_line <= 0 || bad_line >= reader.failed_line)) {
		return reader.status;
	}
	if (bad_line < 0) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	}
	if (bad_line > 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s:%d: neither a [section] nor a 'key = value'", name, bad_line);
	}
	status = config_check(&config, name, reader.set_line, diag);
	if (status == STATUS_OK) {
		*out_config = config;
	}
	return status;
}

static void free_text(char **text)
{
	free(*text);
}

static void close_file(FILE **file)
{
	if (*file) {
		(void)fclose(*file);
	}
}

enum status config_read(const char *path, struct diag *diag, struct config *out_config)
{
	__attribute__((cleanup(free_text))) char *text = malloc(CONFIG_FILE_BYTES_MAX + 1);
	__attribute__((cleanup(close_file))) FILE *file = fopen(path, "re");
	size_t size = 0;

	if (!text) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
	}
	if (!file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	errno = 0;
	/* One byte more than allowed tells a file that is too large, without asking for its
	 * size. */
	size = fread(text, 1, CONFIG_FILE_BYTES_MAX + 1, file);
	if (ferror(file)) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	if (size > CONFIG_FILE_BYTES_MAX) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: larger than %u bytes", path,
			CONFIG_FILE_BYTES_MAX);
	}
	if (memchr(text, '\0', size)) {
		return diag_set(
			diag, STATUS_BAD_INPUT, "%s: holds a zero byte; it is no text", path);
	}
	text[size] = '\0';
	return config_parse(path, text, diag, out_config);
}
