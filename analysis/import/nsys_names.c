/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_names.h"

#include "trace/base/line.h"
#include "trace/base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* Texts kept: a busy file uses some thousand. */
#define KEPT_COUNT_MAX 32768

/* A power of two, and at least twice as many slots as texts, so that a probe is short. */
#define SLOT_COUNT_MIN 256

/* Of all texts kept: a bound for a file of long ones. */
#define KEPT_BYTES_MAX (16 * 1024 * 1024)

struct slot {
	int64_t id;
	char *text; /* NULL: free */
};

struct names_slots {
	struct slot *slots;
	size_t count;
};

struct nsys_names {
	struct nsys_database *database;
	sqlite3_stmt *lookup;
	uint64_t cut_count;
	uint64_t unknown_count;
	size_t kept_count;
	size_t kept_bytes;
	struct names_slots slots;
};

/* By number only when that is the key of the table: a search through all of it is no look-up. */
static const char lookup[] = "SELECT value FROM main.StringIds WHERE id=?1";

static bool has_key(struct nsys_database *database)
{
	sqlite3_stmt *statement = nsys_database_prepare(database,
		"SELECT 1 FROM pragma_table_info('StringIds','main')"
		" WHERE name='id' COLLATE NOCASE AND pk=1");
	const bool has_one = statement && nsys_database_step(database, statement) == NSYS_STEP_ROW;

	(void)sqlite3_finalize(statement);
	return has_one;
}

enum status nsys_names_create(struct nsys_database *database, struct nsys_names **out_names)
{
	struct nsys_names *names = calloc(1, sizeof(*names));

	if (!names) {
		return STATUS_NO_MEMORY;
	}
	names->slots.count = SLOT_COUNT_MIN;
	names->slots.slots = calloc(names->slots.count, sizeof(struct slot));
	if (!names->slots.slots) {
		free(names);
		return STATUS_NO_MEMORY;
	}
	names->database = database;
	if (nsys_database_has_table(database, "StringIds") && has_key(database) &&
		nsys_database_has_column(database, "StringIds", "value")) {
		names->lookup = nsys_database_prepare(database, lookup);
	}
	*out_names = names;
	return STATUS_OK;
}

static void drop_all(struct nsys_names *names)
{
	for (size_t i = 0; i < names->slots.count; i++) {
		free(names->slots.slots[i].text);
		names->slots.slots[i].text = NULL;
	}
	names->kept_count = 0;
	names->kept_bytes = 0;
}

void nsys_names_destroy(struct nsys_names *names)
{
	if (names) {
		(void)sqlite3_finalize(names->lookup);
		drop_all(names);
		free(names->slots.slots);
		free(names);
	}
}

void nsys_names_trim(struct nsys_names *names)
{
	if (names->kept_count >= KEPT_COUNT_MAX || names->kept_bytes >= KEPT_BYTES_MAX) {
		drop_all(names);
	}
}

static struct slot *find_slot(const struct names_slots *slots, int64_t id)
{
	size_t i = (size_t)((uint64_t)id * 0x9e3779b97f4a7c15ULL >> 32) % slots->count;

	while (slots->slots[i].text && slots->slots[i].id != id) {
		i = (i + 1) % slots->count;
	}
	return &slots->slots[i];
}

static enum status grow(struct nsys_names *names)
{
	struct names_slots larger = {.count = 2 * names->slots.count};

	larger.slots = calloc(larger.count, sizeof(*larger.slots));
	if (!larger.slots) {
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < names->slots.count; i++) {
		if (names->slots.slots[i].text) {
			*find_slot(&larger, names->slots.slots[i].id) = names->slots.slots[i];
		}
	}
	free(names->slots.slots);
	names->slots = larger;
	return STATUS_OK;
}

/* Gives a copy of the text, "" when there is none; NULL when there is no memory. */
static char *look_up(struct nsys_names *names, int64_t id)
{
	const char *text = NULL;
	size_t size;
	size_t clipped;
	char *copy;

	if (names->lookup && sqlite3_bind_int64(names->lookup, 1, id) == SQLITE_OK &&
		nsys_database_step(names->database, names->lookup) == NSYS_STEP_ROW) {
		text = (const char *)sqlite3_column_text(names->lookup, 0);
	}
	names->unknown_count += text == NULL;
	text = text ? text : "";
	size = strlen(text);
	clipped = utf8_clip(text, size, NSYS_NAME_BYTES_MAX);
	names->cut_count += clipped < size;
	copy = malloc(clipped + 1);
	if (copy) {
		memcpy(copy, text, clipped);
		copy[clipped] = '\0';
		line_clean(copy, clipped);
		names->kept_bytes += clipped + 1;
	}
	if (names->lookup) {
		(void)sqlite3_reset(names->lookup);
	}
	return copy;
}

enum status nsys_names_get(struct nsys_names *names, int64_t id, const char **out_text)
{
	struct slot *slot = find_slot(&names->slots, id);

	if (!slot->text && 2 * names->kept_count >= names->slots.count) {
		if (grow(names) != STATUS_OK) {
			return STATUS_NO_MEMORY;
		}
		slot = find_slot(&names->slots, id);
	}
	if (!slot->text) {
		slot->text = look_up(names, id);
		if (!slot->text) {
			return STATUS_NO_MEMORY;
		}
		slot->id = id;
		names->kept_count++;
	}
	*out_text = slot->text;
	return STATUS_OK;
}

bool nsys_names_has_table(const struct nsys_names *names)
{
	return names->lookup != NULL;
}

uint64_t nsys_names_cut_count(const struct nsys_names *names)
{
	return names->cut_count;
}

uint64_t nsys_names_unknown_count(const struct nsys_names *names)
{
	return names->unknown_count;
}
