/* SPDX-License-Identifier: MIT */
#include "prover/groth16/r1cs.h"

#include "prover/groth16/binary_file.h"
#include "prover/groth16/coefficient_table.h"
#include "prover/groth16/field.h"
#include "prover/groth16/file_bytes.h"
#include "prover/groth16/matrix.h"
#include "prover/groth16/wtns.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_HEADER       1u
#define SECTION_CONSTRAINTS  2u
#define SECTION_LABELS       3u
#define SECTION_CUSTOM_GATES 4u
#define SECTION_CUSTOM_USES  5u

#define LABEL_BYTES 8u
#define TERM_BYTES  (4u + FIELD_SCALAR_BYTES)
/* u32 n8, the modulus, four counts, u64 labels, one more count. */
#define HEADER_BYTES (4u + FIELD_SCALAR_BYTES + 4u * 4u + 8u + 4u)

static const struct binary_format r1cs_format = {
	.magic = "r1cs", .version = 1, .what = "a constraint system (.r1cs)"};

/* What the reader of section 2 builds up; everything in it may be empty. */
struct r1cs_reader {
	struct binary_cursor cursor;
	struct r1cs *r1cs;
	/* A circuit has many terms and few different coefficients. */
	struct coefficient_table coefficients; /* canonical */
	struct matrix_builder sides[R1CS_SIDE_COUNT];
};

uint32_t r1cs_public_count(const struct r1cs *r1cs)
{
	return r1cs->public_output_count + r1cs->public_input_count;
}

void r1cs_destroy(struct r1cs *r1cs)
{
	if (!r1cs) {
		return;
	}
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		matrix_finish(&r1cs->sides[side]);
	}
	free(r1cs->coefficient_values);
	free(r1cs);
}

static enum status parse_header(
	const struct binary_file *file, struct diag *diag, struct r1cs *r1cs)
{
	struct binary_cursor cursor;
	uint64_t label_count;
	uint64_t named_count;
	enum status status = binary_cursor_open(file, SECTION_HEADER, "header", diag, &cursor);

	if (status == STATUS_OK) {
		status = binary_cursor_take_modulus(&cursor, "scalar", diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	if (!binary_cursor_take_u32(&cursor, &r1cs->wire_count) ||
		!binary_cursor_take_u32(&cursor, &r1cs->public_output_count) ||
		!binary_cursor_take_u32(&cursor, &r1cs->public_input_count) ||
		!binary_cursor_take_u32(&cursor, &r1cs->private_input_count) ||
		!binary_cursor_take_u64(&cursor, &label_count) ||
		!binary_cursor_take_u32(&cursor, &r1cs->constraint_count)) {
		return binary_cursor_cut(&cursor, diag);
	}
	named_count = 1 + (uint64_t)r1cs->public_output_count + r1cs->public_input_count +
		      r1cs->private_input_count;
	/* Summed in 64 bits: four counts of 32 cannot wrap it. */
	if (named_count > r1cs->wire_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section 1 (header): %llu inputs, outputs and the constant, but only "
			"%u wires; is the file damaged?",
			file->name, (unsigned long long)named_count, r1cs->wire_count);
	}
	return binary_cursor_end(&cursor, diag);
}

static enum status fail_at_row(const struct r1cs_reader *reader, uint32_t row, const char *wrong,
	enum status status, struct diag *diag)
{
	return diag_set(diag, status, "%s: section 2 (constraints): constraint %u of %u: %s",
		reader->cursor.file_name, row, reader->r1cs->constraint_count, wrong);
}

static enum status parse_term(struct r1cs_reader *reader, uint32_t row, int side, struct diag *diag)
{
	const uint8_t *bytes = binary_cursor_take(&reader->cursor, TERM_BYTES);
	uint32_t wire;
	uint32_t coefficient;
	blst_fr value;
	enum status status;

	if (!bytes) {
		return fail_at_row(
			reader, row, "cut short; is the file damaged?", STATUS_BAD_INPUT, diag);
	}
	wire = binary_file_u32(bytes);
	if (wire >= reader->r1cs->wire_count) {
		return fail_at_row(reader, row,
			"names a wire that there is not; is the file damaged?", STATUS_BAD_INPUT,
			diag);
	}
	if (!field_scalar_in_range(bytes + 4)) {
		return fail_at_row(reader, row,
			"a coefficient is not below the field's prime; is the file damaged?",
			STATUS_BAD_INPUT, diag);
	}
	memcpy(&value, bytes + 4, sizeof(value));
	status = coefficient_table_intern(&reader->coefficients, &value, &coefficient);
	if (status == STATUS_OK) {
		status = matrix_builder_push(&reader->sides[side], wire, coefficient);
	}
	if (status != STATUS_OK) {
		return fail_at_row(reader, row, status_text(status), status, diag);
	}
	return STATUS_OK;
}

static enum status parse_row(struct r1cs_reader *reader, uint32_t row, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		uint32_t term_count;

		if (!binary_cursor_take_u32(&reader->cursor, &term_count)) {
			return fail_at_row(reader, row, "cut short; is the file damaged?",
				STATUS_BAD_INPUT, diag);
		}
		/* Nothing is allocated by `term_count`: each term must be there before the next
		 * is asked for. */
		for (uint32_t i = 0; i < term_count && status == STATUS_OK; i++) {
			status = parse_term(reader, row, side, diag);
		}
		if (status != STATUS_OK) {
			return status;
		}
		status = matrix_builder_end_row(&reader->sides[side]);
		if (status != STATUS_OK) {
			return fail_at_row(reader, row, status_text(status), status, diag);
		}
	}
	return STATUS_OK;
}

static enum status parse_constraints(
	struct r1cs_reader *reader, const struct binary_file *file, struct diag *diag)
{
	enum status status =
		binary_cursor_open(file, SECTION_CONSTRAINTS, "constraints", diag, &reader->cursor);

	for (uint32_t row = 0; row < reader->r1cs->constraint_count && status == STATUS_OK; row++) {
		status = parse_row(reader, row, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	return binary_cursor_end(&reader->cursor, diag);
}

/* Moves what was read into the constraint system, coefficients as Montgomery words. */
static enum status take_rows(struct r1cs_reader *reader)
{
	struct r1cs *r1cs = reader->r1cs;

	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		enum status status = matrix_builder_take(&reader->sides[side], &r1cs->sides[side]);

		if (status != STATUS_OK) {
			return status;
		}
	}
	r1cs->coefficient_values =
		coefficient_table_take(&reader->coefficients, &r1cs->coefficient_value_count);
	for (uint32_t i = 0; i < r1cs->coefficient_value_count; i++) {
		blst_fr_to(&r1cs->coefficient_values[i], &r1cs->coefficient_values[i]);
	}
	return STATUS_OK;
}

static enum status parse_rows(const struct binary_file *file, struct diag *diag, struct r1cs *r1cs)
{
	struct r1cs_reader reader = {.r1cs = r1cs};
	enum status status = coefficient_table_init(&reader.coefficients);

	if (status == STATUS_OK) {
		status = parse_constraints(&reader, file, diag);
	}
	if (status == STATUS_OK) {
		status = take_rows(&reader);
	}
	coefficient_table_finish(&reader.coefficients);
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		matrix_builder_finish(&reader.sides[side]);
	}
	if (status == STATUS_NO_MEMORY) {
		return diag_set(diag, status, "%s: out of memory", file->name);
	}
	return status;
}

/*
 * The labels only serve debuggers, but a wrong size means a damaged file; and with them, the wire
 * count is no larger than the file, so that others may allocate by it.
 */
static enum status check_other_sections(
	const struct binary_file *file, const struct r1cs *r1cs, struct diag *diag)
{
	struct binary_cursor cursor;
	enum status status;

	if (binary_file_find(file, SECTION_CUSTOM_GATES) ||
		binary_file_find(file, SECTION_CUSTOM_USES)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: uses custom gates, which Groth16 cannot prove; compile without them",
			file->name);
	}
	status = binary_cursor_open(file, SECTION_LABELS, "labels", diag, &cursor);
	if (status != STATUS_OK) {
		return status;
	}
	return binary_cursor_expect(
		&cursor, (uint64_t)r1cs->wire_count * LABEL_BYTES, "one label for each wire", diag);
}

enum status r1cs_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	struct diag *diag, struct r1cs **out_r1cs)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	struct binary_file file;
	enum status status;

	assert(name && bytes && out_r1cs);

	status = binary_file_parse(&r1cs_format, name, bytes, byte_count, diag, &file);
	if (status != STATUS_OK) {
		return status;
	}
	r1cs = calloc(1, sizeof(*r1cs));
	if (!r1cs) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	}
	status = parse_header(&file, diag, r1cs);
	if (status == STATUS_OK) {
		status = check_other_sections(&file, r1cs, diag);
	}
	if (status == STATUS_OK) {
		status = parse_rows(&file, diag, r1cs);
	}
	if (status == STATUS_OK) {
		*out_r1cs = MOVE(r1cs);
	}
	return status;
}

enum status r1cs_read(const char *path, struct diag *diag, struct r1cs **out_r1cs)
{
	uint8_t *bytes;
	uint64_t byte_count;
	enum status status = file_bytes_read(path, UINT64_MAX, diag, &bytes, &byte_count);

	if (status != STATUS_OK) {
		return status;
	}
	status = r1cs_parse(path, bytes, byte_count, diag, out_r1cs);
	free(bytes);
	return status;
}

static void put_combination(
	struct file_writer *writer, const struct r1cs *r1cs, int side, uint32_t row)
{
	const struct zkey_matrix *matrix = &r1cs->sides[side];

	file_writer_put_u32(writer, matrix->row_begin[row + 1] - matrix->row_begin[row]);
	for (uint32_t i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; i++) {
		blst_scalar value;

		blst_scalar_from_fr(&value, &r1cs->coefficient_values[matrix->coefficients[i]]);
		file_writer_put_u32(writer, matrix->wires[i]);
		file_writer_put(writer, value.b, sizeof(value.b));
	}
}

enum status r1cs_write(const struct r1cs *r1cs, const char *path, struct diag *diag)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	uint64_t constraint_bytes = (uint64_t)r1cs->constraint_count * R1CS_SIDE_COUNT * 4;
	enum status status = file_writer_create(path, false, diag, &writer);

	if (status != STATUS_OK) {
		return status;
	}
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		constraint_bytes +=
			(uint64_t)TERM_BYTES * r1cs->sides[side].row_begin[r1cs->constraint_count];
	}
	binary_file_put_header(writer, &r1cs_format, 3);
	binary_file_put_section(writer, SECTION_HEADER, HEADER_BYTES);
	file_writer_put_u32(writer, FIELD_SCALAR_BYTES);
	file_writer_put(writer, field_scalar_modulus, FIELD_SCALAR_BYTES);
	file_writer_put_u32(writer, r1cs->wire_count);
	file_writer_put_u32(writer, r1cs->public_output_count);
	file_writer_put_u32(writer, r1cs->public_input_count);
	file_writer_put_u32(writer, r1cs->private_input_count);
	/* Labels: as many as wires, see below. */
	file_writer_put_u64(writer, r1cs->wire_count);
	file_writer_put_u32(writer, r1cs->constraint_count);

	binary_file_put_section(writer, SECTION_CONSTRAINTS, constraint_bytes);
	for (uint32_t row = 0; row < r1cs->constraint_count; row++) {
		for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
			put_combination(writer, r1cs, side, row);
		}
	}

	/* Wires have no names of their own here: each is its own label. */
	binary_file_put_section(writer, SECTION_LABELS, (uint64_t)r1cs->wire_count * LABEL_BYTES);
	for (uint32_t wire = 0; wire < r1cs->wire_count; wire++) {
		file_writer_put_u64(writer, wire);
	}
	return file_writer_commit(writer, diag);
}

static void evaluate(blst_fr *out_sum, const struct r1cs *r1cs, int side, uint32_t row,
	const blst_scalar *values)
{
	const struct zkey_matrix *matrix = &r1cs->sides[side];

	memset(out_sum, 0, sizeof(*out_sum));
	for (uint32_t i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; i++) {
		blst_fr term;

		/* Into Montgomery form, in which the coefficients are. */
		blst_fr_from_scalar(&term, &values[matrix->wires[i]]);
		blst_fr_mul(&term, &term, &r1cs->coefficient_values[matrix->coefficients[i]]);
		blst_fr_add(out_sum, out_sum, &term);
	}
}

enum status r1cs_check(const struct r1cs *r1cs, const struct wtns *witness, struct diag *diag)
{
	if (witness->count != r1cs->wire_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"the witness has %u wires, the circuit %u: they do not belong together",
			witness->count, r1cs->wire_count);
	}
	for (uint32_t row = 0; row < r1cs->constraint_count; row++) {
		blst_fr sums[R1CS_SIDE_COUNT];

		for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
			evaluate(&sums[side], r1cs, side, row, witness->values);
		}
		blst_fr_mul(&sums[R1CS_A], &sums[R1CS_A], &sums[R1CS_B]);
		if (memcmp(&sums[R1CS_A], &sums[R1CS_C], sizeof(sums[R1CS_C])) != 0) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"constraint %u of %u does not hold for this witness; was it made "
				"for another circuit?",
				row, r1cs->constraint_count);
		}
	}
	return STATUS_OK;
}
