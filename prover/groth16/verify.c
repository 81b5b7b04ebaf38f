/* SPDX-License-Identifier: MIT */
#include "prover/groth16/verify.h"

#include "prover/groth16/field.h"
#include "prover/groth16/zkey_points.h"

#include <assert.h>
#include <string.h>

/* Those of Groth16's equation. */
#define PAIR_COUNT_MAX 4

static enum status check_publics(const struct verification_key *key, const blst_scalar *publics,
	uint32_t public_count, struct diag *diag)
{
	if (public_count != key->public_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%u public values; the verification key is for %u", public_count,
			key->public_count);
	}
	for (uint32_t i = 0; i < public_count; i++) {
		if (!field_scalar_in_range(publics[i].b)) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"public value %u: not below the field's prime", i);
		}
	}
	return STATUS_OK;
}

/* snarkjs leaves this out, and accepts a proof to which a point of order 3 was added. */
static enum status check_points(const struct proof *proof, struct diag *diag)
{
	const char *wrong_a =
		zkey_points_wrong_g1(&proof->a, ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	const char *wrong_b =
		zkey_points_wrong_g2(&proof->b, ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	const char *wrong_c =
		zkey_points_wrong_g1(&proof->c, ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	const char *wrong = wrong_a ? wrong_a : wrong_b ? wrong_b : wrong_c;

	if (wrong) {
		return diag_set(diag, STATUS_INVALID_PROOF, "the proof's %s: %s",
			wrong_a   ? "A"
			: wrong_b ? "B"
				  : "C",
			wrong);
	}
	return STATUS_OK;
}

static bool is_zero_scalar(const blst_scalar *scalar)
{
	static const blst_scalar zero;

	return memcmp(scalar, &zero, sizeof(zero)) == 0;
}

/* IC_0 + sum of publics times IC; what is infinite or zero is left out, not computed with. */
static void sum_publics(
	const struct verification_key *key, const blst_scalar *publics, blst_p1_affine *out_sum)
{
	blst_p1 sum;

	blst_p1_from_affine(&sum, &key->ic[0]);
	for (uint32_t i = 0; i < key->public_count; i++) {
		blst_p1 term;

		if (blst_p1_affine_is_inf(&key->ic[1 + i]) || is_zero_scalar(&publics[i])) {
			continue;
		}
		blst_p1_from_affine(&term, &key->ic[1 + i]);
		blst_p1_mult(&term, &term, publics[i].b, 255);
		blst_p1_add_or_double(&sum, &sum, &term);
	}
	blst_p1_to_affine(out_sum, &sum);
}

/* e(-A, B) e(alpha, beta) e(sum, gamma) e(C, delta) = 1 */
static bool is_pairing_one(
	const struct verification_key *key, const blst_p1_affine *sum, const struct proof *proof)
{
	const blst_p1_affine *g1[PAIR_COUNT_MAX + 1] = {NULL};
	const blst_p2_affine *g2[PAIR_COUNT_MAX + 1] = {NULL};
	blst_p1_affine minus_a = proof->a;
	blst_fp12 product;
	size_t count = 0;

	blst_fp_cneg(&minus_a.y, &minus_a.y, true);
	g1[count] = &minus_a;
	g2[count++] = &proof->b;
	g1[count] = &key->alpha_g1;
	g2[count++] = &key->beta_g2;
	g1[count] = &proof->c;
	g2[count++] = &key->delta_g2;
	/* Infinity pairs to 1, and blst wants no infinities in its Miller loop. */
	if (!blst_p1_affine_is_inf(sum)) {
		g1[count] = sum;
		g2[count++] = &key->gamma_g2;
	}
	/* One final exponentiation for the product of all, the larger half of a pairing's cost. */
	blst_miller_loop_n(&product, g2, g1, count);
	blst_final_exp(&product, &product);
	return blst_fp12_is_one(&product);
}

enum status groth16_verify(const struct verification_key *key, const blst_scalar *publics,
	uint32_t public_count, const struct proof *proof, struct diag *diag)
{
	blst_p1_affine sum;
	enum status status;

	assert(key && proof && (publics || public_count == 0));

	status = check_publics(key, publics, public_count, diag);
	if (status == STATUS_OK) {
		status = check_points(proof, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	sum_publics(key, publics, &sum);
	if (!is_pairing_one(key, &sum, proof)) {
		return diag_set(diag, STATUS_INVALID_PROOF,
			"the proof does not prove these public values under this key");
	}
	return STATUS_OK;
}
