/* SPDX-License-Identifier: MIT */
/* Proves that verification keys are read back as written, and that bent ones are refused. */
#include "prover/groth16/verification_key.h"

#include "tests/unit/groth16_fixture.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct verification_key *make_key(void)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct verification_key *made = NULL;

	fixture_values("sha256:1", 1, NULL, NULL, &key);
	assert_int_equal(verification_key_from_zkey(key, NULL, &made), STATUS_OK);
	return made;
}

/* The written key as JSON, for tests that bend it. */
static json_t *make_json(void)
{
	AUTO(verification_key_destroy) struct verification_key *key = make_key();
	const char *path = fixture_path("vk.json");
	json_t *object;

	assert_int_equal(verification_key_write(key, path, NULL), STATUS_OK);
	object = json_load_file(path, 0, NULL);
	assert_non_null(object);
	fixture_remove_folder();
	return object;
}

static void assert_refused(json_t *object, const char *what)
{
	char *text = json_dumps(object, 0);
	struct verification_key *key = NULL;
	struct diag diag = {.line = ""};

	assert_int_equal(
		verification_key_parse("vk", text, strlen(text), &diag, &key), STATUS_BAD_INPUT);
	if (!strstr(diag.line, what)) {
		fail_msg("\"%s\" does not say \"%s\"", diag.line, what);
	}
	free(text);
}

static void a_key_is_read_back_as_it_was_written(void **state)
{
	AUTO(verification_key_destroy) struct verification_key *made = make_key();
	AUTO(verification_key_destroy) struct verification_key *read = NULL;

	(void)state;
	assert_int_equal(verification_key_write(made, fixture_path("vk.json"), NULL), STATUS_OK);
	assert_int_equal(verification_key_read(fixture_path("vk.json"), NULL, &read), STATUS_OK);
	fixture_remove_folder();
	assert_int_equal(read->public_count, 2);
	assert_memory_equal(&read->alpha_g1, &made->alpha_g1, sizeof(made->alpha_g1));
	assert_memory_equal(&read->beta_g2, &made->beta_g2, sizeof(made->beta_g2));
	assert_memory_equal(&read->gamma_g2, &made->gamma_g2, sizeof(made->gamma_g2));
	assert_memory_equal(&read->delta_g2, &made->delta_g2, sizeof(made->delta_g2));
	assert_memory_equal(read->ic, made->ic, 3 * sizeof(*made->ic));
}

static void every_member_is_needed_and_checked(void **state)
{
	static const char *const members[] = {
		"vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2", "IC", "nPublic", "protocol"};

	(void)state;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *object = make_json();

		json_object_set_new(object, members[i], json_pack("[s,s,s]", "1", "1", "1"));
		assert_refused(object, i < 4 ? members[i] : "vk: ");
		json_object_del(object, members[i]);
		assert_refused(object, i < 4 ? members[i] : "vk: ");
		json_decref(object);
	}
}

static void the_count_of_publics_must_fit_the_points(void **state)
{
	static const json_int_t counts[] = {-1, 0, 1, 3, 1000000000, 4294967298};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		json_t *object = make_json();

		json_object_set_new(object, "nPublic", json_integer(counts[i]));
		assert_refused(object, counts[i] >= 0 && counts[i] < 2 ? "IC" : "nPublic");
		json_decref(object);
	}
}

static void infinity_is_for_ic_only(void **state)
{
	json_t *object = make_json();
	AUTO(verification_key_destroy) struct verification_key *key = NULL;
	char *text;

	(void)state;
	json_array_set_new(json_object_get(object, "IC"), 1, json_pack("[s,s,s]", "0", "1", "0"));
	text = json_dumps(object, 0);
	assert_int_equal(verification_key_parse("vk", text, strlen(text), NULL, &key), STATUS_OK);
	assert_true(blst_p1_affine_is_inf(&key->ic[1]));
	free(text);
	/* And it is written as it was read. */
	assert_int_equal(verification_key_write(key, fixture_path("vk.json"), NULL), STATUS_OK);
	verification_key_destroy(MOVE(key));
	assert_int_equal(verification_key_read(fixture_path("vk.json"), NULL, &key), STATUS_OK);
	assert_true(blst_p1_affine_is_inf(&key->ic[1]));
	fixture_remove_folder();
	json_object_set_new(object, "vk_alpha_1", json_pack("[s,s,s]", "0", "1", "0"));
	assert_refused(object, "vk_alpha_1: infinity");
	json_decref(object);
	object = make_json();
	json_object_set_new(object, "vk_gamma_2",
		json_pack("[[s,s],[s,s],[s,s]]", "0", "0", "1", "0", "0", "0"));
	assert_refused(object, "vk_gamma_2: infinity");
	json_decref(object);
}

static void points_of_small_order_are_refused(void **state)
{
	json_t *object = make_json();

	(void)state;
	json_array_set_new(json_object_get(object, "IC"), 2, json_pack("[s,s,s]", "0", "2", "1"));
	assert_refused(object, "IC: point 2: not in the prime-order subgroup");
	json_decref(object);
}

static void a_proving_key_with_a_bad_point_gives_no_verification_key(void **state)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct verification_key *made = NULL;
	const uint64_t limbs[6] = {2};
	struct diag diag = {.line = ""};

	(void)state;
	fixture_values("squaring-chain:2", 1, NULL, NULL, &key);
	memset(&key->ic[1].x, 0, sizeof(key->ic[1].x));
	blst_fp_from_uint64(&key->ic[1].y, limbs);
	assert_int_equal(verification_key_from_zkey(key, &diag, &made), STATUS_BAD_INPUT);
	assert_non_null(strstr(diag.line, "not in the prime-order subgroup"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_read_back_as_it_was_written),
		cmocka_unit_test(every_member_is_needed_and_checked),
		cmocka_unit_test(the_count_of_publics_must_fit_the_points),
		cmocka_unit_test(infinity_is_for_ic_only),
		cmocka_unit_test(points_of_small_order_are_refused),
		cmocka_unit_test(a_proving_key_with_a_bad_point_gives_no_verification_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
