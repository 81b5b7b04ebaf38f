/* SPDX-License-Identifier: MIT */
#include "prover/groth16/wtns.h"

#include "prover/groth16/binary_file.h"
#include "prover/groth16/field.h"
#include "prover/groth16/file_bytes.h"
#include "prover/groth16/zkey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_HEADER 1u
#define SECTION_VALUES 2u
/* u32 n8, the modulus, the count. */
#define HEADER_BYTES (4u + FIELD_SCALAR_BYTES + 4u)

static const struct binary_format wtns_format = {
	.magic = "wtns", .version = 2, .what = "a witness (.wtns)"};

enum status wtns_create(uint32_t count, struct wtns **out_witness)
{
	AUTO(wtns_destroy) struct wtns *witness = calloc(1, sizeof(*witness));

	assert(count > 0 && out_witness);

	if (!witness) {
		return STATUS_NO_MEMORY;
	}
	witness->values = calloc(count, sizeof(*witness->values));
	if (!witness->values) {
		return STATUS_NO_MEMORY;
	}
	witness->count = count;
	/* Wire 0 is the constant 1 in every circuit. */
	witness->values[0].b[0] = 1;
	*out_witness = MOVE(witness);
	return STATUS_OK;
}

void wtns_destroy(struct wtns *witness)
{
	if (!witness) {
		return;
	}
	if (witness->values) {
		/* The values are the prover's secret; a compiler drops a memset before free. */
		explicit_bzero(witness->values, witness->count * sizeof(*witness->values));
	}
	free(witness->values);
	free(witness);
}

static enum status parse_header(
	const struct binary_file *file, struct diag *diag, uint32_t *out_count)
{
	struct binary_cursor cursor;
	uint32_t count = 0;
	enum status status = binary_cursor_open(file, SECTION_HEADER, "header", diag, &cursor);

	if (status == STATUS_OK) {
		status = binary_cursor_take_modulus(&cursor, "scalar", diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (!binary_cursor_take_u32(&cursor, &count)) {
		return binary_cursor_cut(&cursor, diag);
	}
	if (count == 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 1 (header): no wires, not even the constant 1; was the file "
			"written to its end?",
			file->name);
	}
	*out_count = count;
	return binary_cursor_end(&cursor, diag);
}

/* A word that is not reduced would be another number to every reader that reduces it. */
static enum status check_values(const char *name, const struct wtns *witness, struct diag *diag)
{
	const blst_scalar one = {.b = {1}};

	for (uint32_t wire = 0; wire < witness->count; wire++) {
		if (!field_scalar_in_range(witness->values[wire].b)) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"%s: section 2 (values): wire %u: not below the field's prime; is "
				"the file damaged?",
				name, wire);
		}
	}
	if (memcmp(&witness->values[0], &one, sizeof(one)) != 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 2 (values): wire 0: must be 1; is the file damaged?", name);
	}
	return STATUS_OK;
}

enum status wtns_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	struct diag *diag, struct wtns **out_witness)
{
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct binary_file file;
	struct binary_cursor cursor;
	uint32_t count = 0;
	enum status status;

	assert(name && bytes && out_witness);

	status = binary_file_parse(&wtns_format, name, bytes, byte_count, diag, &file);
	if (status == STATUS_OK) {
		status = parse_header(&file, diag, &count);
	}
	if (status == STATUS_OK) {
		status = binary_cursor_open(&file, SECTION_VALUES, "values", diag, &cursor);
	}
	if (status == STATUS_OK) {
		/* The size is right before memory for `count` values is asked for. */
		status = binary_cursor_expect(
			&cursor, (uint64_t)count * FIELD_SCALAR_BYTES, "the values", diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (wtns_create(count, &witness) != STATUS_OK) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	}
	/* The file's words are canonical and little-endian, as blst_scalar is. */
	memcpy(witness->values, cursor.next, (size_t)count * FIELD_SCALAR_BYTES);
	status = check_values(name, witness, diag);
	if (status == STATUS_OK) {
		*out_witness = MOVE(witness);
	}
	return status;
}

enum status wtns_read(const char *path, struct diag *diag, struct wtns **out_witness)
{
	uint8_t *bytes;
	uint64_t byte_count;
	enum status status = file_bytes_read(path, UINT64_MAX, diag, &bytes, &byte_count);

	if (status != STATUS_OK) {
		return status;
	}
	status = wtns_parse(path, bytes, byte_count, diag, out_witness);
	/* The file's bytes are the secret once more. */
	explicit_bzero(bytes, byte_count);
	free(bytes);
	return status;
}

enum status wtns_write(const struct wtns *witness, const char *path, struct diag *diag)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	/* Readable by its owner only. */
	enum status status = file_writer_create(path, true, diag, &writer);

	if (status != STATUS_OK) {
		return status;
	}
	binary_file_put_header(writer, &wtns_format, 2);
	binary_file_put_section(writer, SECTION_HEADER, HEADER_BYTES);
	file_writer_put_u32(writer, FIELD_SCALAR_BYTES);
	file_writer_put(writer, field_scalar_modulus, FIELD_SCALAR_BYTES);
	file_writer_put_u32(writer, witness->count);
	binary_file_put_section(
		writer, SECTION_VALUES, (uint64_t)witness->count * FIELD_SCALAR_BYTES);
	file_writer_put(writer, witness->values, (size_t)witness->count * FIELD_SCALAR_BYTES);
	return file_writer_commit(writer, diag);
}

enum status wtns_check_key(
	const char *name, const struct wtns *witness, const struct zkey *key, struct diag *diag)
{
	if (witness->count == key->wire_count) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: the witness has %u wires, the key's circuit %u: make the witness with the "
		"circuit that the key was made for",
		name, witness->count, key->wire_count);
}
