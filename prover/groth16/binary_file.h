/* SPDX-License-Identifier: MIT */
/*
 * The container that .r1cs, .wtns and .zkey share: magic, version, and sections in any order. A
 * parsed file borrows its name and bytes. Payloads lie unaligned, so that readers copy.
 */
#pragma once

#include "prover/groth16/file_writer.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The formats define at most ten sections; more than this is not one of them. */
#define BINARY_FILE_SECTIONS_MAX 32

struct binary_section {
	uint32_t id;
	const uint8_t *bytes;
	uint64_t byte_count;
};

struct binary_file {
	const char *name;
	uint32_t section_count;
	struct binary_section sections[BINARY_FILE_SECTIONS_MAX];
};

struct binary_format {
	const char *magic; /* four characters */
	uint32_t version;
	const char *what; /* "a proving key (.zkey)" */
};

/* Checks the table: every length lies in the file, no section comes twice, nothing follows. */
MUST_CHECK enum status binary_file_parse(const struct binary_format *format, const char *name,
	const uint8_t *bytes, uint64_t byte_count, struct diag *diag, struct binary_file *out_file);

/* NULL if there is none. */
const struct binary_section *binary_file_find(const struct binary_file *file, uint32_t id);

/* Reads one section from its begin on; what it says about failures names file and section. */
struct binary_cursor {
	const char *file_name;
	const char *section_name;
	uint32_t section_id;
	const uint8_t *next;
	uint64_t left;
};

/* BAD_INPUT if there is no such section. */
MUST_CHECK enum status binary_cursor_open(const struct binary_file *file, uint32_t id,
	const char *section_name, struct diag *diag, struct binary_cursor *out_cursor);

/* Borrows `count` bytes and moves on; NULL if fewer are left. */
const uint8_t *binary_cursor_take(struct binary_cursor *cursor, uint64_t count);

/* False if too few bytes are left. */
bool binary_cursor_take_u32(struct binary_cursor *cursor, uint32_t *out_value);
bool binary_cursor_take_u64(struct binary_cursor *cursor, uint64_t *out_value);

/* BAD_INPUT: the section is too short for what it must hold. */
MUST_CHECK enum status binary_cursor_cut(const struct binary_cursor *cursor, struct diag *diag);

/* BAD_INPUT unless exactly `count` bytes are left; `holding` says of what, as in "6 points". */
MUST_CHECK enum status binary_cursor_expect(
	const struct binary_cursor *cursor, uint64_t count, const char *holding, struct diag *diag);

/* BAD_INPUT unless nothing is left. */
MUST_CHECK enum status binary_cursor_end(const struct binary_cursor *cursor, struct diag *diag);

/*
 * Reads u32 n8 and n8 bytes of modulus, and refuses, by name, every curve but BLS12-381. For the
 * scalar field `field` is "scalar", else "base".
 */
MUST_CHECK enum status binary_cursor_take_modulus(
	struct binary_cursor *cursor, const char *field, struct diag *diag);

void binary_file_put_header(
	struct file_writer *writer, const struct binary_format *format, uint32_t section_count);
void binary_file_put_section(struct file_writer *writer, uint32_t id, uint64_t byte_count);

uint32_t binary_file_u32(const uint8_t bytes[4]);
