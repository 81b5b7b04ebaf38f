/* SPDX-License-Identifier: MIT */
/* Proves that proof.json and public.json are written as snarkjs does, and read strictly. */
#include "prover/groth16/proof_json.h"

#include "prover/groth16/field.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define G1_X                                                                                       \
	"\"36854167537133870167810883151830777579616207957825464098945783786886075923783763188360" \
	"54"                                                                                       \
	"947676345821548104185464507\""
#define G1_Y                                                                                       \
	"\"13395065449444764730204713799419212215849338759383496204265437364165114239563335064727" \
	"24"                                                                                       \
	"655353366534992391756441569\""

/* A well-formed proof: what it says about anything is not at issue here. */
static struct proof make_proof(void)
{
	return (struct proof){.a = *blst_p1_affine_generator(),
		.b = *blst_p2_affine_generator(),
		.c = *blst_p1_affine_generator()};
}

static enum status parse(const char *text, struct diag *diag)
{
	struct proof proof;

	return proof_json_parse("x.json", text, strlen(text), diag, &proof);
}

static void assert_refused(const char *text, const char *what)
{
	struct diag diag = {.line = ""};

	assert_int_equal(parse(text, &diag), STATUS_BAD_INPUT);
	if (!strstr(diag.line, what) || strncmp(diag.line, "x.json: ", 8) != 0) {
		fail_msg("\"%s\" does not say \"%s\"", diag.line, what);
	}
}

/* A copy of `text` with the first `from` in it replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *copy = NULL;

	assert_non_null(at);
	assert_true(asprintf(&copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return copy;
}

static void a_proof_is_read_back_as_it_was_written(void **state)
{
	const struct proof made = make_proof();
	struct proof read;
	char *text = NULL;

	(void)state;
	assert_int_equal(proof_json_format(&made, &text), STATUS_OK);
	assert_int_equal(proof_json_parse("x", text, strlen(text), NULL, &read), STATUS_OK);
	assert_memory_equal(&read, &made, sizeof(made));
	free(text);
	assert_int_equal(proof_json_write(&made, fixture_path("p.json"), NULL), STATUS_OK);
	memset(&read, 0, sizeof(read));
	assert_int_equal(proof_json_read(fixture_path("p.json"), NULL, &read), STATUS_OK);
	assert_memory_equal(&read, &made, sizeof(made));
	fixture_remove_folder();
}

static void the_text_is_snarkjss(void **state)
{
	const struct proof proof = make_proof();
	char *text = NULL;

	(void)state;
	assert_int_equal(proof_json_format(&proof, &text), STATUS_OK);
	assert_non_null(strstr(text, "{\n \"pi_a\": [\n  " G1_X ",\n  " G1_Y ",\n  \"1\"\n ],\n"));
	assert_non_null(strstr(text, "  [\n   \"1\",\n   \"0\"\n  ]\n ],\n \"pi_c\": ["));
	assert_non_null(strstr(text, " \"protocol\": \"groth16\",\n \"curve\": \"bls12381\"\n}"));
	free(text);
}

static void any_change_of_a_proof_is_found(void **state)
{
	static const struct {
		const char *from;
		const char *to;
		const char *what;
	} changes[] = {
		{G1_X, "\"1\"", "pi_a: not on the curve"},
		{G1_X, "1", "pi_a: not three decimal numbers"},
		{G1_X, "\"-1\"", "pi_a: not three decimal numbers"},
		{G1_X, "\"0x1\"", "pi_a: not three decimal numbers"},
		{G1_X ",", "", "pi_a: not three decimal numbers"},
		{"\"1\"\n ]", "\"2\"\n ]", "pi_a: the third coordinate is neither 1 nor 0"},
		{"\"1\"\n ]", "\"0\"\n ]", "pi_a: infinity"},
		{"pi_a", "pi_x", "pi_a: not three decimal numbers"},
		{"pi_b", "pi_x", "pi_b: not three pairs"},
		{"pi_c", "pi_a", "not JSON"},
		{"\"groth16\"", "\"plonk\"", "protocol \"plonk\""},
		{"\"groth16\"", "16", "no \"protocol\""},
		{"bls12381", "bn128", "curve \"bn128\""},
		{"\"bls12381\"", "null", "curve \"?\""},
		{"\"bls12381\"\n}", "\"bls12381\"\n} x", "line 28: not JSON"},
	};
	const struct proof proof = make_proof();
	char *text = NULL;

	(void)state;
	assert_int_equal(proof_json_format(&proof, &text), STATUS_OK);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *changed = replaced(text, changes[i].from, changes[i].to);

		assert_refused(changed, changes[i].what);
		free(changed);
	}
	free(text);
}

/* rapidsnark writes no curve, and all on one line. */
static void a_proof_without_a_curve_is_read(void **state)
{
	const struct proof proof = make_proof();
	char *text = NULL;
	char *shorter;

	(void)state;
	assert_int_equal(proof_json_format(&proof, &text), STATUS_OK);
	shorter = replaced(text, ",\n \"curve\": \"bls12381\"", "");
	assert_int_equal(parse(shorter, NULL), STATUS_OK);
	free(shorter);
	free(text);
}

/* (0, 2) is on the curve and of order 3; swapped halves of x are off the curve of G2. */
static void points_outside_the_groups_are_refused(void **state)
{
	const struct proof proof = make_proof();
	char *text = NULL;
	char *changed;
	char *changed_again;

	(void)state;
	assert_int_equal(proof_json_format(&proof, &text), STATUS_OK);
	changed = replaced(text, G1_X, "\"0\"");
	changed_again = replaced(changed, G1_Y, "\"2\"");
	assert_refused(changed_again, "pi_a: not in the prime-order subgroup");
	free(changed);
	free(changed_again);
	changed = replaced(text, "\"pi_b\": [\n  [\n   \"", "\"pi_b\": [\n  [\n   \"1");
	assert_refused(changed, "pi_b: not on the curve");
	free(changed);
	free(text);
}

static void a_proof_cut_at_any_byte_is_refused(void **state)
{
	const struct proof proof = make_proof();
	char *text = NULL;
	size_t size;

	(void)state;
	assert_int_equal(proof_json_format(&proof, &text), STATUS_OK);
	size = strlen(text);
	for (size_t count = 0; count < size; count++) {
		char *cut = malloc(count + 1);
		struct proof read;

		memcpy(cut, text, count);
		assert_int_equal(proof_json_parse("x", cut, count, NULL, &read), STATUS_BAD_INPUT);
		free(cut);
	}
	free(text);
}

static void publics_are_read_back_as_they_were_written(void **state)
{
	const blst_scalar made[3] = {{.b = {0}}, {.b = {0x49, 0x04}}, {.b = {[31] = 0x73}}};
	blst_scalar *read = NULL;
	uint32_t count = 0;
	char *text = NULL;

	(void)state;
	assert_int_equal(public_json_format(made, 2, &text), STATUS_OK);
	assert_string_equal(text, "[\n \"0\",\n \"1097\"\n]");
	free(text);
	assert_int_equal(public_json_write(made, 3, fixture_path("p.json"), NULL), STATUS_OK);
	assert_int_equal(public_json_read(fixture_path("p.json"), NULL, &read, &count), STATUS_OK);
	assert_int_equal(count, 3);
	assert_memory_equal(read, made, sizeof(made));
	free(read);
	fixture_remove_folder();
}

static void publics_that_are_not_canonical_numbers_are_refused(void **state)
{
	static const struct {
		const char *text;
		const char *what;
	} wrongs[] = {
		{"", "not JSON"},
		{"{}", "not a JSON array"},
		{"\"5\"", "not JSON"},
		{"[5]", "public value 0: not a decimal number"},
		{"[\"5\", \"-5\"]", "public value 1: not a decimal number"},
		{"[\"05\"]", "public value 0: not a decimal number"},
		{"[\"\"]", "public value 0: not a decimal number"},
		{"[[\"5\"]]", "public value 0: not a decimal number"},
		{"[\"5\\u0000\"]", "not JSON"},
		{"[\"52435875175126190479447740508185965837690552500527637822603658699938581184513"
		 "\"]",
			"public value 0: not a decimal number below the field's prime"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		blst_scalar *publics = NULL;
		uint32_t count;
		struct diag diag = {.line = ""};

		assert_int_equal(public_json_parse("p", wrongs[i].text, strlen(wrongs[i].text),
					 &diag, &publics, &count),
			STATUS_BAD_INPUT);
		if (!strstr(diag.line, wrongs[i].what)) {
			fail_msg("\"%s\" does not say \"%s\"", diag.line, wrongs[i].what);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_proof_is_read_back_as_it_was_written),
		cmocka_unit_test(the_text_is_snarkjss),
		cmocka_unit_test(any_change_of_a_proof_is_found),
		cmocka_unit_test(a_proof_without_a_curve_is_read),
		cmocka_unit_test(points_outside_the_groups_are_refused),
		cmocka_unit_test(a_proof_cut_at_any_byte_is_refused),
		cmocka_unit_test(publics_are_read_back_as_they_were_written),
		cmocka_unit_test(publics_that_are_not_canonical_numbers_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
