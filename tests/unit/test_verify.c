/* SPDX-License-Identifier: MIT */
/* Proves that only a right proof of the right publics verifies, however it was bent. */
#include "prover/groth16/verify.h"

#include "prover/groth16/field.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/verification_key.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct world {
	struct verification_key *key;
	struct wtns *witness;
	struct proof proof;
};

static int make_world(void **state)
{
	const struct groth16_options options = {.thread_count = 1};
	struct world *world = calloc(1, sizeof(*world));
	AUTO(zkey_destroy) struct zkey *key = NULL;

	fixture_values("sha256:1", 9, NULL, &world->witness, &key);
	assert_int_equal(verification_key_from_zkey(key, NULL, &world->key), STATUS_OK);
	assert_int_equal(groth16_prove(key, world->witness->values, &options, NULL, &world->proof),
		STATUS_OK);
	*state = world;
	return 0;
}

static int free_world(void **state)
{
	struct world *world = *state;

	verification_key_destroy(world->key);
	wtns_destroy(world->witness);
	free(world);
	return 0;
}

static enum status verify(
	const struct world *world, const blst_scalar *publics, const struct proof *proof)
{
	return groth16_verify(world->key, publics, world->key->public_count, proof, NULL);
}

static void a_right_proof_verifies(void **state)
{
	const struct world *world = *state;

	assert_int_equal(verify(world, world->witness->values + 1, &world->proof), STATUS_OK);
}

static void any_other_public_value_does_not(void **state)
{
	const struct world *world = *state;

	for (int at = 0; at < 2; at++) {
		blst_scalar publics[2] = {world->witness->values[1], world->witness->values[2]};

		publics[at].b[7] ^= 1;
		assert_int_equal(verify(world, publics, &world->proof), STATUS_INVALID_PROOF);
		memset(&publics[at], 0, sizeof(publics[at]));
		assert_int_equal(verify(world, publics, &world->proof), STATUS_INVALID_PROOF);
	}
}

static void publics_must_be_canonical_and_as_many_as_the_key_says(void **state)
{
	const struct world *world = *state;
	blst_scalar publics[3] = {world->witness->values[1], world->witness->values[2]};
	struct diag diag = {.line = ""};

	assert_int_equal(
		groth16_verify(world->key, publics, 1, &world->proof, &diag), STATUS_BAD_INPUT);
	assert_string_equal(diag.line, "1 public values; the verification key is for 2");
	assert_int_equal(
		groth16_verify(world->key, publics, 3, &world->proof, NULL), STATUS_BAD_INPUT);
	memcpy(publics[1].b, field_scalar_modulus, 32);
	assert_int_equal(
		groth16_verify(world->key, publics, 2, &world->proof, &diag), STATUS_BAD_INPUT);
	assert_string_equal(diag.line, "public value 1: not below the field's prime");
}

static void bent_points_are_refused(void **state)
{
	const struct world *world = *state;
	const blst_scalar *publics = world->witness->values + 1;
	struct proof bent = world->proof;

	blst_fp_cneg(&bent.a.y, &bent.a.y, true);
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	bent.a = world->proof.c;
	bent.c = world->proof.a;
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	bent.b = *blst_p2_affine_generator();
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	bent.c.x.l[0] ^= 1;
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	bent.b.x.fp[0] = world->proof.b.x.fp[1];
	bent.b.x.fp[1] = world->proof.b.x.fp[0];
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
}

static void infinity_is_refused_in_every_place(void **state)
{
	const struct world *world = *state;
	const blst_scalar *publics = world->witness->values + 1;
	struct proof bent = {.a = {.x = {.l = {0}}}};

	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	memset(&bent.a, 0, sizeof(bent.a));
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	memset(&bent.b, 0, sizeof(bent.b));
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
	bent = world->proof;
	memset(&bent.c, 0, sizeof(bent.c));
	assert_int_equal(verify(world, publics, &bent), STATUS_INVALID_PROOF);
}

/* (0, 2) has order 3; pairings do not see it, so that only the subgroup check can. */
static void a_small_order_part_is_refused(void **state)
{
	const struct world *world = *state;
	const uint64_t limbs[6] = {2};
	blst_p1_affine torsion = {.x = {.l = {0}}};
	struct diag diag = {.line = ""};
	struct proof bent = world->proof;
	blst_p1 sum;

	blst_fp_from_uint64(&torsion.y, limbs);
	blst_p1_from_affine(&sum, &bent.a);
	blst_p1_add_or_double_affine(&sum, &sum, &torsion);
	blst_p1_to_affine(&bent.a, &sum);
	assert_int_equal(groth16_verify(world->key, world->witness->values + 1, 2, &bent, &diag),
		STATUS_INVALID_PROOF);
	assert_string_equal(diag.line, "the proof's A: not in the prime-order subgroup");
	bent = world->proof;
	blst_p1_from_affine(&sum, &bent.c);
	blst_p1_add_or_double_affine(&sum, &sum, &torsion);
	blst_p1_to_affine(&bent.c, &sum);
	assert_int_equal(groth16_verify(world->key, world->witness->values + 1, 2, &bent, &diag),
		STATUS_INVALID_PROOF);
	assert_string_equal(diag.line, "the proof's C: not in the prime-order subgroup");
}

/* A point of the curve y^2 = x^3 + 4(1 + u) that is in no subgroup of prime order. */
static blst_p2_affine any_point_of_the_curve(void)
{
	const uint64_t four[6] = {4};
	blst_p2_affine point = {.x = {.fp = {{.l = {0}}}}};
	blst_fp2 constant;
	blst_fp2 square;
	bool is_on_curve = false;

	blst_fp_from_uint64(&constant.fp[0], four);
	constant.fp[1] = constant.fp[0];
	for (uint64_t x = 1; !is_on_curve; x++) {
		const uint64_t limbs[6] = {x};

		blst_fp_from_uint64(&point.x.fp[0], limbs);
		blst_fp2_sqr(&square, &point.x);
		blst_fp2_mul(&square, &square, &point.x);
		blst_fp2_add(&square, &square, &constant);
		is_on_curve = blst_fp2_sqrt(&point.y, &square);
	}
	assert_true(blst_p2_affine_on_curve(&point));
	return point;
}

static void a_b_outside_the_subgroup_is_refused(void **state)
{
	const struct world *world = *state;
	struct diag diag = {.line = ""};
	struct proof bent = world->proof;

	bent.b = any_point_of_the_curve();
	assert_int_equal(groth16_verify(world->key, world->witness->values + 1, 2, &bent, &diag),
		STATUS_INVALID_PROOF);
	assert_string_equal(diag.line, "the proof's B: not in the prime-order subgroup");
}

static void another_key_refuses_the_proof(void **state)
{
	const struct world *world = *state;
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(verification_key_destroy) struct verification_key *other = NULL;

	fixture_values("sha256:2", 9, NULL, NULL, &key);
	assert_int_equal(verification_key_from_zkey(key, NULL, &other), STATUS_OK);
	assert_int_equal(groth16_verify(other, world->witness->values + 1, 2, &world->proof, NULL),
		STATUS_INVALID_PROOF);
}

/*
 * A * x, B / x is the same statement: a proof is no identifier. This shows that the verifier
 * checks the equation and no encoding.
 */
static void a_rescaled_proof_still_verifies(void **state)
{
	const struct world *world = *state;
	struct proof other = world->proof;
	blst_scalar two = {.b = {2}};
	blst_scalar half;
	blst_p1 a;
	blst_p2 b;

	blst_sk_inverse(&half, &two);
	blst_p1_from_affine(&a, &other.a);
	blst_p1_mult(&a, &a, two.b, 255);
	blst_p1_to_affine(&other.a, &a);
	blst_p2_from_affine(&b, &other.b);
	blst_p2_mult(&b, &b, half.b, 255);
	blst_p2_to_affine(&other.b, &b);
	assert_memory_not_equal(&other, &world->proof, sizeof(other));
	assert_int_equal(verify(world, world->witness->values + 1, &other), STATUS_OK);
}

/* IC points and their sum may be infinity: what is infinite is left out, not computed with. */
static void an_infinite_sum_of_publics_is_no_obstacle(void **state)
{
	const struct world *world = *state;
	struct verification_key key = *world->key;
	blst_p1_affine ic[3] = {{.x = {.l = {0}}}};

	key.ic = ic;
	assert_int_equal(groth16_verify(&key, world->witness->values + 1, 2, &world->proof, NULL),
		STATUS_INVALID_PROOF);
	/* alpha = A, beta = B, C = delta-part: e(-A, B) e(A, B) e(C, delta) is not 1. */
	key.alpha_g1 = world->proof.a;
	key.beta_g2 = world->proof.b;
	assert_int_equal(groth16_verify(&key, world->witness->values + 1, 2, &world->proof, NULL),
		STATUS_INVALID_PROOF);
	/* With gamma = delta and a sum of -C the two cancel. */
	key.gamma_g2 = key.delta_g2;
	ic[0] = world->proof.c;
	blst_fp_cneg(&ic[0].y, &ic[0].y, true);
	assert_int_equal(groth16_verify(&key, world->witness->values + 1, 2, &world->proof, NULL),
		STATUS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_proof_verifies),
		cmocka_unit_test(any_other_public_value_does_not),
		cmocka_unit_test(publics_must_be_canonical_and_as_many_as_the_key_says),
		cmocka_unit_test(bent_points_are_refused),
		cmocka_unit_test(infinity_is_refused_in_every_place),
		cmocka_unit_test(a_small_order_part_is_refused),
		cmocka_unit_test(a_b_outside_the_subgroup_is_refused),
		cmocka_unit_test(another_key_refuses_the_proof),
		cmocka_unit_test(a_rescaled_proof_still_verifies),
		cmocka_unit_test(an_infinite_sum_of_publics_is_no_obstacle),
	};
	return cmocka_run_group_tests(tests, make_world, free_world);
}
