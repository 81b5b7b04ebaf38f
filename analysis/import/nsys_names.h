/* SPDX-License-Identifier: MIT */
/*
 * The texts of StringIds by number. Those in use are kept, up to a bound; the file may hold far
 * more of them than memory does.
 */
#pragma once

#include "analysis/import/nsys_database.h"

#include <stddef.h>

/* The longest name told: templates make kernels' names some kB long. The rest is cut off. */
#define NSYS_NAME_BYTES_MAX 4096

struct nsys_names;

/* Borrows `database`; a file without StringIds has no names, which is no error. */
MUST_CHECK enum status nsys_names_create(
	struct nsys_database *database, struct nsys_names **out_names);
/* Accepts NULL. */
void nsys_names_destroy(struct nsys_names *names);
DEFINE_AUTO(struct nsys_names, nsys_names_destroy)

/* The text of a number, "" when there is none. Valid until the next trim. */
MUST_CHECK enum status nsys_names_get(struct nsys_names *names, int64_t id, const char **out_text);

/* Drops texts when there are many. */
void nsys_names_trim(struct nsys_names *names);

/* What the file does not tell: no table, or one that cannot be looked into by number. */
bool nsys_names_has_table(const struct nsys_names *names);
/* Texts that were cut, and numbers that have no text. */
uint64_t nsys_names_cut_count(const struct nsys_names *names);
uint64_t nsys_names_unknown_count(const struct nsys_names *names);
