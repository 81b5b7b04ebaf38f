/* SPDX-License-Identifier: MIT */
/* Proves that .wtns files are read exactly, and that damaged and foreign ones are refused. */
#include "prover/groth16/wtns.h"

#include "prover/groth16/field.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int remove_folder(void **state)
{
	(void)state;
	fixture_remove_folder();
	return 0;
}

static enum status parse(const struct fixture_bytes *file, struct diag *diag)
{
	struct wtns *witness = NULL;
	enum status status = wtns_parse("x.wtns", file->bytes, file->count, diag, &witness);

	assert_true((status == STATUS_OK) == (witness != NULL));
	wtns_destroy(witness);
	return status;
}

static void assert_refused(const struct fixture_bytes *file, const char *what)
{
	struct diag diag = {.line = ""};

	assert_int_equal(parse(file, &diag), STATUS_BAD_INPUT);
	if (!strstr(diag.line, what) || strncmp(diag.line, "x.wtns: ", 8) != 0) {
		fail_msg("\"%s\" does not say \"%s\"", diag.line, what);
	}
}

static void what_was_written_is_read_back(void **state)
{
	AUTO(wtns_destroy) struct wtns *made = NULL;
	AUTO(wtns_destroy) struct wtns *read = NULL;

	(void)state;
	fixture_values("squaring-chain:100", 3, NULL, &made, NULL);
	assert_int_equal(wtns_write(made, fixture_path("a.wtns"), NULL), STATUS_OK);
	assert_int_equal(wtns_read(fixture_path("a.wtns"), NULL, &read), STATUS_OK);
	assert_int_equal(read->count, made->count);
	assert_memory_equal(read->values, made->values, made->count * sizeof(*made->values));
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", NULL, &file, NULL);
	for (size_t count = 0; count < file.count; count++) {
		struct fixture_bytes cut = {.bytes = malloc(count + 1), .count = count};

		memcpy(cut.bytes, file.bytes, count);
		assert_int_equal(parse(&cut, NULL), STATUS_BAD_INPUT);
		fixture_free(&cut);
	}
	fixture_free(&file);
}

static void no_flipped_bit_breaks_the_reader(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", NULL, &file, NULL);
	for (size_t bit = 0; bit < 8 * file.count; bit++) {
		enum status status;

		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		status = parse(&file, NULL);
		assert_true(status == STATUS_OK || status == STATUS_BAD_INPUT);
		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	fixture_free(&file);
}

/* Header: n8, 32 bytes of prime, count. */
static void counts_and_values_are_checked(void **state)
{
	struct fixture_bytes file;
	size_t header;
	size_t values;

	(void)state;
	fixture_files("squaring-chain:4", NULL, &file, NULL);
	header = fixture_section(&file, 1, NULL);
	values = fixture_section(&file, 2, NULL);
	file.bytes[header + 4] ^= 2;
	assert_refused(&file, "scalar field of an unknown curve");
	file.bytes[header + 4] ^= 2;
	fixture_set_u32(&file, header, UINT32_MAX);
	assert_refused(&file, "section 1 (header)");
	fixture_set_u32(&file, header, 32);
	fixture_set_u32(&file, header + 36, 0);
	assert_refused(&file, "no wires");
	fixture_set_u32(&file, header + 36, UINT32_MAX);
	assert_refused(&file, "192 bytes where the values take 137438953440");
	fixture_set_u32(&file, header + 36, 6);
	memcpy(file.bytes + values + 64, field_scalar_modulus, 32);
	assert_refused(&file, "section 2 (values): wire 2: not below");
	file.bytes[values + 64]--;
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	file.bytes[values] = 2;
	assert_refused(&file, "wire 0: must be 1");
	fixture_free(&file);
}

static void missing_sections_are_named(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files("squaring-chain:4", NULL, &file, NULL);
	fixture_drop_section(&file, 2);
	assert_refused(&file, "section 2 (values): missing");
	fixture_drop_section(&file, 1);
	assert_refused(&file, "section 1 (header): missing");
	fixture_free(&file);
}

static void a_witness_of_another_circuit_is_refused(void **state)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(wtns_destroy) struct wtns *right = NULL;
	AUTO(wtns_destroy) struct wtns *wrong = NULL;
	struct diag diag = {.line = ""};

	(void)state;
	fixture_values("squaring-chain:4", 1, NULL, &right, &key);
	fixture_values("squaring-chain:5", 1, NULL, &wrong, NULL);
	assert_int_equal(wtns_check_key("right", right, key, NULL), STATUS_OK);
	assert_int_equal(wtns_check_key("wrong.wtns", wrong, key, &diag), STATUS_BAD_INPUT);
	assert_non_null(
		strstr(diag.line, "wrong.wtns: the witness has 7 wires, the key's circuit 6"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_was_written_is_read_back, remove_folder),
		cmocka_unit_test_teardown(a_file_cut_at_any_byte_is_refused, remove_folder),
		cmocka_unit_test_teardown(no_flipped_bit_breaks_the_reader, remove_folder),
		cmocka_unit_test_teardown(counts_and_values_are_checked, remove_folder),
		cmocka_unit_test_teardown(missing_sections_are_named, remove_folder),
		cmocka_unit_test(a_witness_of_another_circuit_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
