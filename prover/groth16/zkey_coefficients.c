/* SPDX-License-Identifier: MIT */
#include "prover/groth16/zkey_coefficients.h"

#include "prover/groth16/coefficient_table.h"
#include "prover/groth16/field.h"
#include "prover/groth16/zkey_layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_A 0u
#define MATRIX_B 1u

struct entry {
	uint32_t matrix;
	uint32_t row;
	uint32_t wire;
	blst_fr value;
};

static struct entry entry_at(const struct binary_cursor *cursor, uint32_t index)
{
	const uint8_t *bytes = cursor->next + (uint64_t)index * ZKEY_COEFFICIENT_BYTES;
	struct entry entry = {
		.matrix = binary_file_u32(bytes),
		.row = binary_file_u32(bytes + 4),
		.wire = binary_file_u32(bytes + 8),
	};

	/* v * R^2, as it stands: one Montgomery product with a canonical witness word gives v *
	 * w. */
	memcpy(&entry.value, bytes + 12, sizeof(entry.value));
	return entry;
}

/* Everything that is an index later, or goes into arithmetic. */
static const char *wrong_with_entry(const struct zkey *key, const struct entry *entry)
{
	uint8_t value[FIELD_SCALAR_BYTES];

	memcpy(value, &entry->value, sizeof(value));
	if (entry->matrix != MATRIX_A && entry->matrix != MATRIX_B) {
		return "is of a matrix that is neither A nor B";
	}
	if (entry->row >= key->domain_size) {
		return "is in a row past the domain";
	}
	if (entry->wire >= key->wire_count) {
		return "names a wire that there is not";
	}
	if (!field_scalar_in_range(value)) {
		return "has a value that is not below the field's prime";
	}
	return NULL;
}

static enum status fail(const struct binary_cursor *cursor, const char *what, uint32_t index,
	const char *wrong, struct diag *diag)
{
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): %s %u: %s; is the file damaged?", cursor->file_name,
		cursor->section_id, cursor->section_name, what, index, wrong);
}

static struct zkey_matrix *matrix_of(struct zkey *key, uint32_t matrix)
{
	return matrix == MATRIX_A ? &key->a_matrix : &key->b_matrix;
}

/* Checks all entries and leaves in row_begin[r + 1] how many row r has. */
static enum status count_entries(
	struct zkey *key, const struct binary_cursor *cursor, uint32_t count, struct diag *diag)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct entry entry = entry_at(cursor, i);
		const char *wrong = wrong_with_entry(key, &entry);

		if (wrong) {
			return fail(cursor, "entry", i, wrong, diag);
		}
		matrix_of(key, entry.matrix)->row_begin[entry.row + 1]++;
	}
	return STATUS_OK;
}

static bool allocate_rows(struct zkey_matrix *matrix, uint32_t row_count)
{
	matrix->row_count = row_count;
	matrix->row_begin = calloc((size_t)row_count + 1, sizeof(*matrix->row_begin));
	return matrix->row_begin != NULL;
}

/* Turns counts into begins, and makes room for the entries. */
static bool allocate_entries(struct zkey_matrix *matrix)
{
	size_t count;

	for (uint32_t row = 0; row < matrix->row_count; row++) {
		matrix->row_begin[row + 1] += matrix->row_begin[row];
	}
	count = matrix->row_begin[matrix->row_count];
	matrix->wires = malloc((count + 1) * sizeof(*matrix->wires));
	matrix->coefficients = malloc((count + 1) * sizeof(*matrix->coefficients));
	return matrix->wires && matrix->coefficients;
}

/* Fills rows by moving each row's begin forward, which shifts row_begin by one place. */
static enum status fill_entries(struct zkey *key, const struct binary_cursor *cursor,
	uint32_t count, struct coefficient_table *values)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct entry entry = entry_at(cursor, i);
		struct zkey_matrix *matrix = matrix_of(key, entry.matrix);
		uint32_t at = matrix->row_begin[entry.row]++;
		enum status status =
			coefficient_table_intern(values, &entry.value, &matrix->coefficients[at]);

		if (status != STATUS_OK) {
			return status;
		}
		matrix->wires[at] = entry.wire;
	}
	return STATUS_OK;
}

static void restore_begins(struct zkey_matrix *matrix)
{
	memmove(matrix->row_begin + 1, matrix->row_begin,
		matrix->row_count * sizeof(*matrix->row_begin));
	matrix->row_begin[0] = 0;
}

static enum status fill_matrices(
	struct zkey *key, const struct binary_cursor *cursor, uint32_t count)
{
	struct coefficient_table values;
	enum status status = coefficient_table_init(&values);

	if (status == STATUS_OK) {
		status = fill_entries(key, cursor, count, &values);
	}
	if (status == STATUS_OK) {
		restore_begins(&key->a_matrix);
		restore_begins(&key->b_matrix);
		key->coefficient_values =
			coefficient_table_take(&values, &key->coefficient_value_count);
	}
	coefficient_table_finish(&values);
	return status;
}

static uint32_t row_entries(const struct zkey_matrix *matrix, uint32_t row)
{
	return matrix->row_begin[row + 1] - matrix->row_begin[row];
}

/* The value of a coefficient 1 as section 4 has it: R^2, the Montgomery form of R. */
static blst_fr stored_one(void)
{
	blst_fr one;

	field_one(&one);
	blst_fr_to(&one, &one);
	return one;
}

/* Without them the columns of public wires may depend on one another, and proofs be bent to
 * other public values. */
static enum status check_input_rows(
	const struct zkey *key, const struct binary_cursor *cursor, struct diag *diag)
{
	const struct zkey_matrix *a = &key->a_matrix;
	const struct zkey_matrix *b = &key->b_matrix;
	const blst_fr one = stored_one();
	uint32_t used = key->domain_size;

	/* The header does not tell how many constraints there are: the last row in use does. */
	while (used > 0 && row_entries(a, used - 1) + row_entries(b, used - 1) == 0) {
		used--;
	}
	if (used < key->public_count + 1) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section %u (%s): fewer rows than public wires; is the file damaged?",
			cursor->file_name, cursor->section_id, cursor->section_name);
	}
	for (uint32_t wire = 0; wire <= key->public_count; wire++) {
		uint32_t row = used - key->public_count - 1 + wire;
		uint32_t at = a->row_begin[row];

		if (row_entries(a, row) != 1 || row_entries(b, row) != 0 || a->wires[at] != wire ||
			memcmp(&key->coefficient_values[a->coefficients[at]], &one, sizeof(one)) !=
				0) {
			return fail(cursor, "row", row,
				"must be the input row of a public wire and is not", diag);
		}
	}
	return STATUS_OK;
}

enum status zkey_coefficients_parse(
	const struct binary_file *file, struct diag *diag, struct zkey *key)
{
	struct binary_cursor cursor;
	uint32_t count;
	enum status status =
		binary_cursor_open(file, ZKEY_SECTION_COEFFICIENTS, "coefficients", diag, &cursor);

	if (status != STATUS_OK) {
		return status;
	}
	if (!binary_cursor_take_u32(&cursor, &count)) {
		return binary_cursor_cut(&cursor, diag);
	}
	status = binary_cursor_expect(
		&cursor, (uint64_t)count * ZKEY_COEFFICIENT_BYTES, "its entries", diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (!allocate_rows(&key->a_matrix, key->domain_size) ||
		!allocate_rows(&key->b_matrix, key->domain_size)) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", file->name);
	}
	/* Two passes, so that rows are filled in place whatever the order of the entries. */
	status = count_entries(key, &cursor, count, diag);
	if (status != STATUS_OK) {
		return status;
	}
	if (!allocate_entries(&key->a_matrix) || !allocate_entries(&key->b_matrix)) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", file->name);
	}
	status = fill_matrices(key, &cursor, count);
	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s: section %u (%s): %s", file->name,
			cursor.section_id, cursor.section_name, status_text(status));
	}
	return check_input_rows(key, &cursor, diag);
}
