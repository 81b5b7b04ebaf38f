/* SPDX-License-Identifier: MIT */
/* Proves that .r1cs files are read exactly, and that damaged and foreign ones are refused. */
#include "prover/groth16/r1cs.h"

#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CIRCUIT "sha256:1"

static int remove_folder(void **state)
{
	(void)state;
	fixture_remove_folder();
	return 0;
}

static enum status parse(const struct fixture_bytes *file, struct diag *diag)
{
	struct r1cs *r1cs = NULL;
	enum status status = r1cs_parse("x.r1cs", file->bytes, file->count, diag, &r1cs);

	assert_true((status == STATUS_OK) == (r1cs != NULL));
	r1cs_destroy(r1cs);
	return status;
}

/* Refused, with a line that says `what`. */
static void assert_refused(const struct fixture_bytes *file, const char *what)
{
	struct diag diag = {.line = ""};

	assert_int_equal(parse(file, &diag), STATUS_BAD_INPUT);
	if (!strstr(diag.line, what) || strncmp(diag.line, "x.r1cs: ", 8) != 0) {
		fail_msg("\"%s\" does not say \"%s\"", diag.line, what);
	}
}

static void what_was_written_is_read_back(void **state)
{
	AUTO(r1cs_destroy) struct r1cs *made = NULL;
	AUTO(r1cs_destroy) struct r1cs *read = NULL;

	(void)state;
	fixture_values(CIRCUIT, 1, &made, NULL, NULL);
	assert_int_equal(r1cs_write(made, fixture_path("a.r1cs"), NULL), STATUS_OK);
	assert_int_equal(r1cs_read(fixture_path("a.r1cs"), NULL, &read), STATUS_OK);
	assert_int_equal(read->wire_count, made->wire_count);
	assert_int_equal(read->constraint_count, made->constraint_count);
	assert_int_equal(r1cs_public_count(read), 2);
	assert_int_equal(read->private_input_count, 256);
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		const struct zkey_matrix *a = &made->sides[side];
		const struct zkey_matrix *b = &read->sides[side];
		uint32_t count = a->row_begin[made->constraint_count];

		assert_memory_equal(a->row_begin, b->row_begin,
			(made->constraint_count + 1) * sizeof(uint32_t));
		assert_memory_equal(a->wires, b->wires, count * sizeof(uint32_t));
		for (uint32_t i = 0; i < count; i++) {
			assert_memory_equal(&made->coefficient_values[a->coefficients[i]],
				&read->coefficient_values[b->coefficients[i]], sizeof(blst_fr));
		}
	}
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", &file, NULL, NULL);
	for (size_t count = 0; count < file.count; count++) {
		struct fixture_bytes cut = {.bytes = malloc(count + 1), .count = count};
		struct diag diag = {.line = ""};

		memcpy(cut.bytes, file.bytes, count);
		assert_int_equal(parse(&cut, &diag), STATUS_BAD_INPUT);
		assert_true(diag.line[0] != '\0');
		fixture_free(&cut);
	}
	fixture_free(&file);
}

static void no_flipped_bit_breaks_the_reader(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", &file, NULL, NULL);
	for (size_t bit = 0; bit < 8 * file.count; bit++) {
		enum status status;

		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		status = parse(&file, NULL);
		assert_true(status == STATUS_OK || status == STATUS_BAD_INPUT);
		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	fixture_free(&file);
}

static void the_container_is_checked(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", &file, NULL, NULL);
	file.bytes[0] = 'R';
	assert_refused(&file, "does not begin with \"r1cs\"");
	file.bytes[0] = 'r';
	fixture_set_u32(&file, 4, 9);
	assert_refused(&file, "version 9");
	fixture_set_u32(&file, 4, 1);
	fixture_set_u32(&file, 8, 1000000);
	assert_refused(&file, "1000000 sections");
	fixture_set_u32(&file, 8, 2);
	assert_refused(&file, "follow the last section");
	fixture_set_u32(&file, 8, 4);
	assert_refused(&file, "before its section number 4");
	fixture_set_u32(&file, 8, 3);
	fixture_add_section(&file, 2, "", 0);
	assert_refused(&file, "section 2: comes twice");
	fixture_set_u32(&file, file.count - 12, 99);
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	fixture_set_u32(&file, file.count - 4, 0x80000000);
	assert_refused(&file, "section 99: says 9223372036854775808 bytes");
	fixture_free(&file);
}

static void missing_sections_are_named(void **state)
{
	static const char *const names[] = {"section 1 (header): missing",
		"section 2 (constraints): missing", "section 3 (labels): missing"};

	(void)state;
	for (uint32_t id = 1; id <= 3; id++) {
		struct fixture_bytes file;

		fixture_files("squaring-chain:4", &file, NULL, NULL);
		fixture_drop_section(&file, id);
		assert_refused(&file, names[id - 1]);
		fixture_free(&file);
	}
}

static void custom_gates_are_refused(void **state)
{
	(void)state;
	for (uint32_t id = 4; id <= 5; id++) {
		struct fixture_bytes file;

		fixture_files("squaring-chain:4", &file, NULL, NULL);
		fixture_add_section(&file, id, "", 0);
		assert_refused(&file, "custom gates");
		fixture_free(&file);
	}
}

/* Header: n8, 32 bytes of prime, wires, outputs, inputs, secrets, u64 labels, constraints. */
static void the_header_is_checked(void **state)
{
	struct fixture_bytes file;
	size_t header;
	uint32_t wire_count;

	(void)state;
	fixture_files("squaring-chain:4", &file, NULL, NULL);
	header = fixture_section(&file, 1, NULL);
	wire_count = fixture_u32(&file, header + 36);
	file.bytes[header + 4] ^= 2;
	assert_refused(&file, "scalar field of an unknown curve");
	file.bytes[header + 4] ^= 2;
	fixture_set_u32(&file, header + 48, UINT32_MAX);
	assert_refused(&file, "only 6 wires");
	fixture_set_u32(&file, header + 48, 1);
	fixture_set_u32(&file, header + 36, UINT32_MAX);
	assert_refused(&file, "section 3 (labels)");
	fixture_set_u32(&file, header + 36, wire_count);
	fixture_set_u32(&file, header + 60, UINT32_MAX);
	assert_refused(&file, "constraint 4 of 4294967295");
	fixture_set_u32(&file, header + 60, 3);
	assert_refused(&file, "section 2 (constraints)");
	fixture_free(&file);
}

/* Row 0: A has one term (count, wire, coefficient). */
static void terms_are_checked(void **state)
{
	struct fixture_bytes file;
	size_t row;

	(void)state;
	fixture_files("squaring-chain:4", &file, NULL, NULL);
	row = fixture_section(&file, 2, NULL);
	fixture_set_u32(&file, row + 4, 6);
	assert_refused(&file, "constraint 0 of 4: names a wire that there is not");
	fixture_set_u32(&file, row + 4, 5);
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	memset(file.bytes + row + 8, 0xff, 32);
	assert_refused(&file, "constraint 0 of 4: a coefficient is not below");
	fixture_set_u32(&file, row, UINT32_MAX);
	assert_refused(&file, "constraint 0 of 4");
	fixture_free(&file);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct r1cs *r1cs = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	assert_int_equal(r1cs_read("/no/such.r1cs", &diag, &r1cs), STATUS_NOT_FOUND);
	assert_string_equal(
		diag.line, "/no/such.r1cs: cannot be opened: No such file or directory");
}

static void the_first_row_that_does_not_hold_is_named(void **state)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	fixture_values("squaring-chain:4", 1, &r1cs, &witness, NULL);
	assert_int_equal(r1cs_check(r1cs, witness, NULL), STATUS_OK);
	/* Wires: 1, the output, the secret, then the values after rows 0, 1 and 2. */
	witness->values[4].b[0] ^= 1;
	assert_int_equal(r1cs_check(r1cs, witness, &diag), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "constraint 1 of 4"));
	witness->values[4].b[0] ^= 1;
	witness->values[1].b[0] ^= 1;
	assert_int_equal(r1cs_check(r1cs, witness, &diag), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "constraint 3 of 4"));
	witness->count--;
	assert_int_equal(r1cs_check(r1cs, witness, &diag), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "5 wires, the circuit 6"));
	witness->count++;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_was_written_is_read_back, remove_folder),
		cmocka_unit_test_teardown(a_file_cut_at_any_byte_is_refused, remove_folder),
		cmocka_unit_test_teardown(no_flipped_bit_breaks_the_reader, remove_folder),
		cmocka_unit_test_teardown(the_container_is_checked, remove_folder),
		cmocka_unit_test_teardown(missing_sections_are_named, remove_folder),
		cmocka_unit_test_teardown(custom_gates_are_refused, remove_folder),
		cmocka_unit_test_teardown(the_header_is_checked, remove_folder),
		cmocka_unit_test_teardown(terms_are_checked, remove_folder),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(the_first_row_that_does_not_hold_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
