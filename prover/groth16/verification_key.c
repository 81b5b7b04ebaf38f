/* SPDX-License-Identifier: MIT */
#include "prover/groth16/verification_key.h"

#include "prover/groth16/file_bytes.h"
#include "prover/groth16/file_writer.h"
#include "prover/groth16/point_json.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "IC: point 4294967295", and room. */
#define IC_PLACE_BYTES 32

void verification_key_destroy(struct verification_key *key)
{
	if (!key) {
		return;
	}
	free(key->ic);
	free(key);
}

static struct verification_key *create(uint32_t public_count)
{
	AUTO(verification_key_destroy) struct verification_key *key = calloc(1, sizeof(*key));

	if (!key) {
		return NULL;
	}
	key->public_count = public_count;
	key->ic = calloc(public_count + UINT64_C(1), sizeof(*key->ic));
	return key->ic ? MOVE(key) : NULL;
}

/*
 * The first point that is wrong, in words, or NULL. Always with the subgroup: a point outside it
 * would let wrong proofs pass.
 */
static const char *wrong_with(const struct verification_key *key)
{
	const char *wrong =
		zkey_points_wrong_g1(&key->alpha_g1, ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	const blst_p2_affine *g2[] = {&key->beta_g2, &key->gamma_g2, &key->delta_g2};

	for (size_t i = 0; i < sizeof(g2) / sizeof(g2[0]) && !wrong; i++) {
		wrong = zkey_points_wrong_g2(g2[i], ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	}
	for (uint32_t i = 0; i <= key->public_count && !wrong; i++) {
		wrong = zkey_points_wrong_g1(
			&key->ic[i], ZKEY_INFINITY_ALLOWED, ZKEY_CHECK_SUBGROUP);
	}
	return wrong;
}

enum status verification_key_from_zkey(
	const struct zkey *key, struct diag *diag, struct verification_key **out_key)
{
	AUTO(verification_key_destroy) struct verification_key *made = create(key->public_count);
	const char *wrong;

	assert(out_key);

	if (!made) {
		return diag_set(diag, STATUS_NO_MEMORY, "verification key: out of memory");
	}
	/* Copies, so that a proving key of some GB can go while its verification key is in use. */
	made->alpha_g1 = key->alpha_g1;
	made->beta_g2 = key->beta_g2;
	made->gamma_g2 = key->gamma_g2;
	made->delta_g2 = key->delta_g2;
	memcpy(made->ic, key->ic, (key->public_count + UINT64_C(1)) * sizeof(*made->ic));
	wrong = wrong_with(made);
	if (wrong) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"verification key: a point of the proving key is %s; is its file damaged?",
			wrong);
	}
	*out_key = MOVE(made);
	return STATUS_OK;
}

static enum status take_ic(
	const json_t *array, const char *name, struct diag *diag, struct verification_key *key)
{
	/* IC_0 is of the constant 1, the others of a public wire each. */
	if (!json_is_array(array) || json_array_size(array) != (size_t)key->public_count + 1) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: IC: not an array of nPublic + 1 = %llu points; was the file changed?",
			name, key->public_count + 1ULL);
	}
	for (uint32_t i = 0; i <= key->public_count; i++) {
		char place[IC_PLACE_BYTES];
		enum status status;

		(void)snprintf(place, sizeof(place), "IC: point %u", i);
		status = point_json_take_g1(json_array_get(array, i), ZKEY_INFINITY_ALLOWED, name,
			place, diag, &key->ic[i]);
		if (status != STATUS_OK) {
			return status;
		}
	}
	return STATUS_OK;
}

static enum status take_points(
	const json_t *object, const char *name, struct diag *diag, struct verification_key *key)
{
	enum status status = point_json_take_g1(json_object_get(object, "vk_alpha_1"),
		ZKEY_INFINITY_REFUSED, name, "vk_alpha_1", diag, &key->alpha_g1);

	if (status == STATUS_OK) {
		status = point_json_take_g2(json_object_get(object, "vk_beta_2"), name, "vk_beta_2",
			diag, &key->beta_g2);
	}
	if (status == STATUS_OK) {
		status = point_json_take_g2(json_object_get(object, "vk_gamma_2"), name,
			"vk_gamma_2", diag, &key->gamma_g2);
	}
	if (status == STATUS_OK) {
		status = point_json_take_g2(json_object_get(object, "vk_delta_2"), name,
			"vk_delta_2", diag, &key->delta_g2);
	}
	if (status == STATUS_OK) {
		status = take_ic(json_object_get(object, "IC"), name, diag, key);
	}
	return status;
}

static enum status take_key(const json_t *object, const char *name, struct diag *diag,
	struct verification_key **out_key)
{
	AUTO(verification_key_destroy) struct verification_key *key = NULL;
	const json_t *public_count = json_object_get(object, "nPublic");
	enum status status = point_json_check_protocol(
		object, name, "a verification key (verification_key.json)", diag);

	if (status != STATUS_OK) {
		return status;
	}
	/* No more than there are IC points, so that the count cannot ask for memory at will. */
	if (!json_is_integer(public_count) || json_integer_value(public_count) < 0 ||
		json_integer_value(public_count) >=
			(json_int_t)json_array_size(json_object_get(object, "IC"))) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: nPublic: not a number one below that of the IC points; was the file "
			"changed?",
			name);
	}
	key = create((uint32_t)json_integer_value(public_count));
	if (!key) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	}
	status = take_points(object, name, diag, key);
	if (status == STATUS_OK) {
		*out_key = MOVE(key);
	}
	return status;
}

enum status verification_key_parse(const char *name, const char *text, size_t size,
	struct diag *diag, struct verification_key **out_key)
{
	json_t *object;
	enum status status = point_json_load(name, text, size, diag, &object);

	if (status != STATUS_OK) {
		return status;
	}
	status = take_key(object, name, diag, out_key);
	json_decref(object);
	return status;
}

enum status verification_key_read(
	const char *path, struct diag *diag, struct verification_key **out_key)
{
	uint8_t *bytes;
	uint64_t count;
	enum status status = file_bytes_read(path, POINT_JSON_TEXT_BYTES_MAX, diag, &bytes, &count);

	if (status != STATUS_OK) {
		return status;
	}
	status = verification_key_parse(path, (const char *)bytes, count, diag, out_key);
	free(bytes);
	return status;
}

/* e(alpha, beta) as snarkjs lists it: 2 x 3 x 2 numbers. Verifiers do not read it. */
static json_t *alphabeta_json(const struct verification_key *key)
{
	json_t *halves = json_array();
	blst_fp12 pairing;

	/* blst takes the point of G2 first. */
	blst_miller_loop(&pairing, &key->beta_g2, &key->alpha_g1);
	blst_final_exp(&pairing, &pairing);
	for (int half = 0; half < 2; half++) {
		const blst_fp2 *fp2 = pairing.fp6[half].fp2;

		if (json_array_append_new(halves,
			    json_pack("[o,o,o]", point_json_fp2(&fp2[0]), point_json_fp2(&fp2[1]),
				    point_json_fp2(&fp2[2]))) != 0) {
			json_decref(halves);
			return NULL;
		}
	}
	return halves;
}

static json_t *ic_json(const struct verification_key *key)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i <= key->public_count && array; i++) {
		if (json_array_append_new(array, point_json_g1(&key->ic[i])) != 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

enum status verification_key_write(
	const struct verification_key *key, const char *path, struct diag *diag)
{
	char *text = NULL;
	enum status status = point_json_dump(
		json_pack("{s:s,s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "protocol", "groth16", "curve",
			"bls12381", "nPublic", (json_int_t)key->public_count, "vk_alpha_1",
			point_json_g1(&key->alpha_g1), "vk_beta_2", point_json_g2(&key->beta_g2),
			"vk_gamma_2", point_json_g2(&key->gamma_g2), "vk_delta_2",
			point_json_g2(&key->delta_g2), "vk_alphabeta_12", alphabeta_json(key), "IC",
			ic_json(key)),
		&text);

	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s: %s", path, status_text(status));
	}
	status = file_writer_write_text(path, text, diag);
	free(text);
	return status;
}
