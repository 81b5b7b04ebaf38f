/* SPDX-License-Identifier: MIT */
/* Proves that .zkey files are read exactly, and that damaged and foreign ones are refused. */
#include "prover/groth16/zkey.h"

#include "prover/groth16/field.h"
#include "prover/groth16/zkey_layout.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two rows, a domain of 4; one that has infinities in A, B1 and B2. */
#define SMALL_CIRCUIT  "squaring-chain:2"
#define SPARSE_CIRCUIT "sha256:1"

/* Header: n8, 48 bytes of prime, n8, 32 bytes of prime, wires, publics, domain, points. */
#define HEADER_BASE_PRIME   4u
#define HEADER_SCALAR_PRIME 56u
#define HEADER_WIRES        88u
#define HEADER_PUBLICS      92u
#define HEADER_DOMAIN       96u
#define HEADER_ALPHA1       100u
#define HEADER_GAMMA2       (HEADER_ALPHA1 + 2u * 96u + 192u)

static int remove_folder(void **state)
{
	(void)state;
	fixture_remove_folder();
	return 0;
}

static enum status parse(const struct fixture_bytes *file, enum zkey_check check, struct diag *diag)
{
	struct zkey *key = NULL;
	enum status status = zkey_parse("x.zkey", file->bytes, file->count, check, diag, &key);

	assert_true((status == STATUS_OK) == (key != NULL));
	zkey_destroy(key);
	return status;
}

static void assert_refused(const struct fixture_bytes *file, const char *what)
{
	struct diag diag = {.line = ""};

	assert_int_equal(parse(file, ZKEY_CHECK_SUBGROUP, &diag), STATUS_BAD_INPUT);
	if (!strstr(diag.line, what) || strncmp(diag.line, "x.zkey: ", 8) != 0) {
		fail_msg("\"%s\" does not say \"%s\"", diag.line, what);
	}
}

static void assert_same_matrix(const struct zkey *a_key, const struct zkey_matrix *a,
	const struct zkey *b_key, const struct zkey_matrix *b)
{
	assert_int_equal(a->row_count, b->row_count);
	assert_memory_equal(a->row_begin, b->row_begin, (a->row_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < a->row_begin[a->row_count]; i++) {
		assert_int_equal(a->wires[i], b->wires[i]);
		assert_memory_equal(&a_key->coefficient_values[a->coefficients[i]],
			&b_key->coefficient_values[b->coefficients[i]], sizeof(blst_fr));
	}
}

static void assert_same_query(const struct zkey_query_g1 *a, const struct zkey_query_g1 *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->wires, b->wires, a->count * sizeof(*a->wires));
	assert_memory_equal(a->points, b->points, a->count * sizeof(*a->points));
}

static void what_was_written_is_read_back(void **state)
{
	AUTO(zkey_destroy) struct zkey *made = NULL;
	AUTO(zkey_destroy) struct zkey *read = NULL;

	(void)state;
	fixture_values(SPARSE_CIRCUIT, 1, NULL, NULL, &made);
	assert_int_equal(zkey_write(made, fixture_path("a.zkey"), NULL), STATUS_OK);
	assert_int_equal(
		zkey_read(fixture_path("a.zkey"), ZKEY_CHECK_SUBGROUP, NULL, &read), STATUS_OK);
	assert_int_equal(read->wire_count, made->wire_count);
	assert_int_equal(read->public_count, made->public_count);
	assert_int_equal(read->domain_size, made->domain_size);
	assert_int_equal(read->domain_log2, made->domain_log2);
	assert_memory_equal(&read->alpha_g1, &made->alpha_g1, sizeof(made->alpha_g1));
	assert_memory_equal(&read->beta_g1, &made->beta_g1, sizeof(made->beta_g1));
	assert_memory_equal(&read->delta_g1, &made->delta_g1, sizeof(made->delta_g1));
	assert_memory_equal(&read->beta_g2, &made->beta_g2, sizeof(made->beta_g2));
	assert_memory_equal(&read->gamma_g2, &made->gamma_g2, sizeof(made->gamma_g2));
	assert_memory_equal(&read->delta_g2, &made->delta_g2, sizeof(made->delta_g2));
	assert_memory_equal(read->ic, made->ic, 3 * sizeof(*made->ic));
	assert_same_matrix(made, &made->a_matrix, read, &read->a_matrix);
	assert_same_matrix(made, &made->b_matrix, read, &read->b_matrix);
	assert_true(made->b1.count < made->wire_count);
	assert_same_query(&made->a, &read->a);
	assert_same_query(&made->b1, &read->b1);
	assert_same_query(&made->l, &read->l);
	assert_same_query(&made->h, &read->h);
	assert_int_equal(read->b2.count, made->b2.count);
	assert_memory_equal(
		read->b2.points, made->b2.points, made->b2.count * sizeof(*made->b2.points));
	assert_true(read->is_insecure);
	assert_true(read->file_bytes > 0);
}

static void a_file_cut_at_any_byte_is_refused(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	for (size_t count = 0; count < file.count; count++) {
		struct fixture_bytes cut = {.bytes = malloc(count + 1), .count = count};

		memcpy(cut.bytes, file.bytes, count);
		assert_int_equal(parse(&cut, ZKEY_CHECK_CURVE, NULL), STATUS_BAD_INPUT);
		fixture_free(&cut);
	}
	fixture_free(&file);
}

/* True if byte `at` belongs to a point. */
static bool is_in_point(const struct fixture_bytes *file, size_t at)
{
	static const uint32_t sections[] = {3, 5, 6, 7, 8, 9};
	size_t count;
	size_t begin = fixture_section(file, ZKEY_SECTION_HEADER, &count);

	if (at >= begin + HEADER_ALPHA1 && at < begin + count) {
		return true;
	}
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		begin = fixture_section(file, sections[i], &count);
		if (at >= begin && at < begin + count) {
			return true;
		}
	}
	return false;
}

static void a_flipped_bit_in_a_point_is_found(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	for (size_t bit = 0; bit < 8 * file.count; bit++) {
		bool must_fail = is_in_point(&file, bit / 8);
		enum status status;

		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		status = parse(&file, ZKEY_CHECK_CURVE, NULL);
		file.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		assert_true(status == STATUS_BAD_INPUT || (status == STATUS_OK && !must_fail));
	}
	assert_int_equal(parse(&file, ZKEY_CHECK_SUBGROUP, NULL), STATUS_OK);
	fixture_free(&file);
}

static void missing_sections_are_named(void **state)
{
	static const char *const names[] = {"protocol", "header", "IC", "coefficients", "A", "B1",
		"B2", "L", "H", "contributions"};

	(void)state;
	for (uint32_t id = 1; id <= 10; id++) {
		struct fixture_bytes file;
		char expected[64];

		fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
		fixture_drop_section(&file, id);
		snprintf(expected, sizeof(expected), "section %u (%s): missing", id, names[id - 1]);
		assert_refused(&file, expected);
		fixture_free(&file);
	}
}

static void sections_may_come_in_any_order(void **state)
{
	struct fixture_bytes file;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	for (uint32_t id = 1; id <= 10; id += 2) {
		size_t count;
		size_t at = fixture_section(&file, id, &count);
		uint8_t *payload = malloc(count);

		memcpy(payload, file.bytes + at, count);
		fixture_drop_section(&file, id);
		fixture_add_section(&file, id, payload, count);
		free(payload);
	}
	assert_int_equal(parse(&file, ZKEY_CHECK_SUBGROUP, NULL), STATUS_OK);
	fixture_free(&file);
}

static void other_proof_systems_are_refused_by_name(void **state)
{
	struct fixture_bytes file;
	size_t protocol;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	protocol = fixture_section(&file, ZKEY_SECTION_PROTOCOL, NULL);
	fixture_set_u32(&file, protocol, 2);
	assert_refused(&file, "a key for PLONK");
	fixture_set_u32(&file, protocol, 10);
	assert_refused(&file, "a key for FFLONK");
	fixture_set_u32(&file, protocol, 77);
	assert_refused(&file, "a key for an unknown proof system");
	fixture_free(&file);
}

static void the_header_is_checked(void **state)
{
	struct fixture_bytes file;
	size_t header;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	header = fixture_section(&file, ZKEY_SECTION_HEADER, NULL);
	file.bytes[header + HEADER_BASE_PRIME] ^= 4;
	assert_refused(&file, "base field of an unknown curve");
	file.bytes[header + HEADER_BASE_PRIME] ^= 4;
	file.bytes[header + HEADER_SCALAR_PRIME] ^= 4;
	assert_refused(&file, "scalar field of an unknown curve");
	file.bytes[header + HEADER_SCALAR_PRIME] ^= 4;
	fixture_set_u32(&file, header + HEADER_PUBLICS, 4);
	assert_refused(&file, "4 public wires of 4 in all");
	fixture_set_u32(&file, header + HEADER_PUBLICS, UINT32_MAX);
	fixture_set_u32(&file, header + HEADER_WIRES, UINT32_MAX);
	assert_refused(&file, "4294967295 public wires");
	fixture_set_u32(&file, header + HEADER_PUBLICS, UINT32_MAX - 1);
	assert_refused(&file, "domain size 4 is too small");
	fixture_set_u32(&file, header + HEADER_PUBLICS, 1);
	assert_refused(&file, "section 5 (A)");
	fixture_set_u32(&file, header + HEADER_WIRES, 4);
	fixture_set_u32(&file, header + HEADER_DOMAIN, 0);
	assert_refused(&file, "domain size 0 is not a power of two");
	fixture_set_u32(&file, header + HEADER_DOMAIN, 6);
	assert_refused(&file, "domain size 6 is not a power of two");
	fixture_set_u32(&file, header + HEADER_DOMAIN, 1);
	assert_refused(&file, "domain size 1 is too small");
	fixture_set_u32(&file, header + HEADER_DOMAIN, UINT32_C(1) << 31);
	assert_refused(&file, "section 9 (H): 384 bytes where its points take 206158430208");
	fixture_free(&file);
}

/* (0, 2) has order 3: on the curve, not in the subgroup. Words are Montgomery. */
static void put_torsion_point(uint8_t *at)
{
	const uint64_t limbs[6] = {2};
	blst_p1_affine point = {.x = {.l = {0}}};

	blst_fp_from_uint64(&point.y, limbs);
	memcpy(at, &point, sizeof(point));
}

static void points_are_checked(void **state)
{
	struct fixture_bytes file;
	uint8_t saved[192];
	uint8_t *point;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	point = file.bytes + fixture_section(&file, ZKEY_SECTION_A, NULL) + 2 * 96;
	memcpy(saved, point, 96);
	put_torsion_point(point);
	assert_refused(&file, "section 5 (A): point 2: not in the prime-order subgroup");
	assert_int_equal(parse(&file, ZKEY_CHECK_CURVE, NULL), STATUS_OK);
	point[0] ^= 1;
	assert_refused(&file, "section 5 (A): point 2: not on the curve");
	memcpy(point, field_base_modulus, 48);
	assert_refused(&file, "section 5 (A): point 2: a coordinate is not below");
	memset(point, 0, 96);
	assert_int_equal(parse(&file, ZKEY_CHECK_SUBGROUP, NULL), STATUS_OK);
	memcpy(point, saved, 96);

	point = file.bytes + fixture_section(&file, ZKEY_SECTION_B2, NULL);
	point[191] ^= 0x80;
	assert_refused(&file, "section 7 (B2): point 0: a coordinate is not below");
	point[191] ^= 0x80;
	point[5] ^= 1;
	assert_refused(&file, "section 7 (B2): point 0");
	point[5] ^= 1;
	point = file.bytes + fixture_section(&file, ZKEY_SECTION_H, NULL) + 3 * 96;
	memset(point, 0, 96);
	assert_refused(&file, "section 9 (H): point 3: infinity");
	fixture_free(&file);
}

static void header_points_are_checked(void **state)
{
	struct fixture_bytes file;
	uint8_t *header;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	header = file.bytes + fixture_section(&file, ZKEY_SECTION_HEADER, NULL);
	header[HEADER_ALPHA1] ^= 1;
	assert_refused(&file, "section 2 (header): alpha1: not on the curve");
	header[HEADER_ALPHA1] ^= 1;
	put_torsion_point(header + HEADER_ALPHA1);
	assert_refused(&file, "section 2 (header): alpha1: not in the prime-order subgroup");
	fixture_free(&file);

	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	header = file.bytes + fixture_section(&file, ZKEY_SECTION_HEADER, NULL);
	memset(header + HEADER_GAMMA2, 0, 192);
	assert_refused(&file, "section 2 (header): gamma2: infinity");
	fixture_free(&file);
}

/*
 * Section 4: u32 count, then matrix, row, wire, value. Rows 0 and 1 have one entry in A and B
 * each; then come the input rows 2 and 3.
 */
static void coefficients_are_checked(void **state)
{
	struct fixture_bytes file;
	size_t entries;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	entries = fixture_section(&file, ZKEY_SECTION_COEFFICIENTS, NULL);
	assert_int_equal(fixture_u32(&file, entries), 6);
	fixture_set_u32(&file, entries, 7);
	assert_refused(&file, "section 4 (coefficients): 264 bytes");
	fixture_set_u32(&file, entries, 6);
	fixture_set_u32(&file, entries + 4, 2);
	assert_refused(&file, "entry 0: is of a matrix that is neither A nor B");
	fixture_set_u32(&file, entries + 4, 0);
	fixture_set_u32(&file, entries + 8, 4);
	assert_refused(&file, "entry 0: is in a row past the domain");
	fixture_set_u32(&file, entries + 8, 0);
	fixture_set_u32(&file, entries + 12, 4);
	assert_refused(&file, "entry 0: names a wire that there is not");
	fixture_set_u32(&file, entries + 12, 2);
	memcpy(file.bytes + entries + 16, field_scalar_modulus, 32);
	assert_refused(&file, "entry 0: has a value that is not below");
	fixture_free(&file);
}

static void the_input_rows_are_checked(void **state)
{
	const size_t last = 4 + 5 * 44;
	struct fixture_bytes file;
	size_t entries;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	entries = fixture_section(&file, ZKEY_SECTION_COEFFICIENTS, NULL);
	fixture_set_u32(&file, entries + last + 8, 2);
	assert_refused(&file, "row 3: must be the input row of a public wire");
	fixture_set_u32(&file, entries + last + 8, 1);
	fixture_set_u32(&file, entries + last, 1);
	assert_refused(&file, "row 3: must be the input row of a public wire");
	fixture_set_u32(&file, entries + last, 0);
	file.bytes[entries + last + 12] ^= 1;
	assert_refused(&file, "row 3: must be the input row of a public wire");
	fixture_free(&file);

	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	fixture_drop_section(&file, ZKEY_SECTION_COEFFICIENTS);
	fixture_add_section(&file, ZKEY_SECTION_COEFFICIENTS, "\0\0\0\0", 4);
	assert_refused(&file, "fewer rows than public wires");
	fixture_free(&file);
}

/* Other writers may list entries in another order: rows are what counts. */
static void entries_may_come_in_any_order(void **state)
{
	AUTO(zkey_destroy) struct zkey *straight = NULL;
	AUTO(zkey_destroy) struct zkey *turned = NULL;
	struct fixture_bytes file;
	uint8_t *entries;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	entries = file.bytes + fixture_section(&file, ZKEY_SECTION_COEFFICIENTS, NULL) + 4;
	assert_int_equal(zkey_parse("a", file.bytes, file.count, ZKEY_CHECK_CURVE, NULL, &straight),
		STATUS_OK);
	for (size_t i = 0; i < 3; i++) {
		uint8_t entry[44];

		memcpy(entry, entries + i * 44, 44);
		memcpy(entries + i * 44, entries + (5 - i) * 44, 44);
		memcpy(entries + (5 - i) * 44, entry, 44);
	}
	assert_int_equal(zkey_parse("b", file.bytes, file.count, ZKEY_CHECK_CURVE, NULL, &turned),
		STATUS_OK);
	assert_same_matrix(straight, &straight->a_matrix, turned, &turned->a_matrix);
	assert_same_matrix(straight, &straight->b_matrix, turned, &turned->b_matrix);
	fixture_free(&file);
}

static void the_insecure_mark_is_read_from_the_file(void **state)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct fixture_bytes file;
	size_t mark;

	(void)state;
	fixture_files(SMALL_CIRCUIT, NULL, NULL, &file);
	mark = fixture_section(&file, ZKEY_SECTION_CONTRIBUTIONS, NULL);
	assert_memory_equal(file.bytes + mark, "gaptrace test set-up: INSECURE", 30);
	/* As `snarkjs zkey contribute` leaves it: the hash kept, a contribution added. */
	fixture_drop_section(&file, ZKEY_SECTION_CONTRIBUTIONS);
	fixture_add_section(&file, ZKEY_SECTION_CONTRIBUTIONS,
		ZKEY_INSECURE_MARK "\0\0\0\0\0\0\1\0\0\0and more", 64 + 4 + 8);
	assert_int_equal(
		zkey_parse("a", file.bytes, file.count, ZKEY_CHECK_CURVE, NULL, &key), STATUS_OK);
	assert_true(key->is_insecure);
	zkey_destroy(MOVE(key));
	memset(file.bytes + fixture_section(&file, ZKEY_SECTION_CONTRIBUTIONS, NULL), 0, 64);
	assert_int_equal(
		zkey_parse("a", file.bytes, file.count, ZKEY_CHECK_CURVE, NULL, &key), STATUS_OK);
	assert_false(key->is_insecure);
	assert_int_equal(zkey_write(key, fixture_path("b.zkey"), NULL), STATUS_OK);
	zkey_destroy(MOVE(key));
	assert_int_equal(
		zkey_read(fixture_path("b.zkey"), ZKEY_CHECK_CURVE, NULL, &key), STATUS_OK);
	assert_false(key->is_insecure);
	fixture_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_was_written_is_read_back, remove_folder),
		cmocka_unit_test_teardown(a_file_cut_at_any_byte_is_refused, remove_folder),
		cmocka_unit_test_teardown(a_flipped_bit_in_a_point_is_found, remove_folder),
		cmocka_unit_test_teardown(missing_sections_are_named, remove_folder),
		cmocka_unit_test_teardown(sections_may_come_in_any_order, remove_folder),
		cmocka_unit_test_teardown(other_proof_systems_are_refused_by_name, remove_folder),
		cmocka_unit_test_teardown(the_header_is_checked, remove_folder),
		cmocka_unit_test_teardown(points_are_checked, remove_folder),
		cmocka_unit_test_teardown(header_points_are_checked, remove_folder),
		cmocka_unit_test_teardown(coefficients_are_checked, remove_folder),
		cmocka_unit_test_teardown(the_input_rows_are_checked, remove_folder),
		cmocka_unit_test_teardown(entries_may_come_in_any_order, remove_folder),
		cmocka_unit_test_teardown(the_insecure_mark_is_read_from_the_file, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
