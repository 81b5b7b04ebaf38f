/* SPDX-License-Identifier: MIT */
/*
 * Keys, witnesses and files for the tests of prover/groth16. Everything that cannot fail but by a
 * bug of the test itself ends the program.
 */
#pragma once

#include "prover/groth16/r1cs.h"
#include "prover/groth16/wtns.h"
#include "prover/groth16/zkey.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fixture_bytes {
	uint8_t *bytes; /* malloc'd to the exact size, so that a sanitizer sees reads past it */
	size_t count;
};

/* A folder of this process, removed with all files in it by fixture_remove_folder(). */
const char *fixture_folder(void);
void fixture_remove_folder(void);

/* "FOLDER/name"; the text stays until the eighth call after this. */
const char *fixture_path(const char *name);

/* Reads a file whole; bytes is NULL if there is none. */
struct fixture_bytes fixture_read(const char *path);

/* Reads "CASES_DIR/prover/name", through gunzip if the name ends in .gz. */
struct fixture_bytes fixture_case(const char *name);

void fixture_free(struct fixture_bytes *file);

/* The three files of a built-in circuit as they would be written; any may be NULL. */
void fixture_files(const char *circuit, struct fixture_bytes *out_r1cs,
	struct fixture_bytes *out_wtns, struct fixture_bytes *out_zkey);

/* The same as values; any may be NULL. */
void fixture_values(const char *circuit, uint64_t seed, struct r1cs **out_r1cs,
	struct wtns **out_witness, struct zkey **out_key);

/* Where the payload of section `id` begins. Its length in `out_count`. */
size_t fixture_section(const struct fixture_bytes *file, uint32_t id, size_t *out_count);

uint32_t fixture_u32(const struct fixture_bytes *file, size_t at);
void fixture_set_u32(struct fixture_bytes *file, size_t at, uint32_t value);

/* Takes section `id` out; puts in a section with this payload. */
void fixture_drop_section(struct fixture_bytes *file, uint32_t id);
void fixture_add_section(
	struct fixture_bytes *file, uint32_t id, const void *payload, size_t count);
