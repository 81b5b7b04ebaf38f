/* SPDX-License-Identifier: MIT */
#include "prover/groth16/point_json.h"

#include "prover/groth16/field.h"

#include <string.h>

static json_t *base_json(const blst_fp *element)
{
	char text[FIELD_DECIMAL_BYTES_MAX];

	field_base_to_decimal(text, element);
	return json_string(text);
}

json_t *point_json_scalar(const blst_scalar *scalar)
{
	char text[FIELD_DECIMAL_BYTES_MAX];

	field_scalar_to_decimal(text, scalar);
	return json_string(text);
}

json_t *point_json_fp2(const blst_fp2 *element)
{
	/* c0 first, unlike the zcash byte formats. */
	return json_pack("[o,o]", base_json(&element->fp[0]), base_json(&element->fp[1]));
}

json_t *point_json_g1(const blst_p1_affine *point)
{
	if (blst_p1_affine_is_inf(point)) {
		return json_pack("[s,s,s]", "0", "1", "0");
	}
	return json_pack("[o,o,s]", base_json(&point->x), base_json(&point->y), "1");
}

json_t *point_json_g2(const blst_p2_affine *point)
{
	if (blst_p2_affine_is_inf(point)) {
		return json_pack("[[s,s],[s,s],[s,s]]", "0", "0", "1", "0", "0", "0");
	}
	return json_pack(
		"[o,o,[s,s]]", point_json_fp2(&point->x), point_json_fp2(&point->y), "1", "0");
}

/* True if `value` is an array of `count` elements. */
static bool is_array_of(const json_t *value, size_t count)
{
	return json_is_array(value) && json_array_size(value) == count;
}

/* JSON strings may hold zero bytes: what follows one must not be ignored. */
static bool take_base(const json_t *value, blst_fp *out_element)
{
	return json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value) &&
	       field_base_from_decimal(out_element, json_string_value(value));
}

static bool take_fp2(const json_t *value, blst_fp2 *out_element)
{
	return is_array_of(value, 2) && take_base(json_array_get(value, 0), &out_element->fp[0]) &&
	       take_base(json_array_get(value, 1), &out_element->fp[1]);
}

static bool is_zero(const void *bytes, size_t count)
{
	static const uint8_t zeros[sizeof(blst_fp2)];

	return memcmp(bytes, zeros, count) == 0;
}

/* Elements are in Montgomery form, where 1 has no zero bytes to compare with. */
static bool is_one(const blst_fp *element)
{
	const uint64_t limbs[6] = {1};
	blst_fp one;

	blst_fp_from_uint64(&one, limbs);
	return memcmp(element, &one, sizeof(one)) == 0;
}

static enum status fail(const char *file, const char *place, const char *wrong, struct diag *diag)
{
	return diag_set(
		diag, STATUS_BAD_INPUT, "%s: %s: %s; was the file changed?", file, place, wrong);
}

enum status point_json_take_g1(const json_t *value, enum zkey_infinity infinity, const char *file,
	const char *place, struct diag *diag, blst_p1_affine *out_point)
{
	blst_p1_affine point;
	blst_fp z;
	const char *wrong;

	if (!is_array_of(value, 3) || !take_base(json_array_get(value, 0), &point.x) ||
		!take_base(json_array_get(value, 1), &point.y) ||
		!take_base(json_array_get(value, 2), &z)) {
		return fail(file, place,
			"not three decimal numbers below the field's prime, as strings", diag);
	}
	/* Points come as projective triples, of which snarkjs only writes z = 1 and z = 0
	 * (infinity). */
	if (is_zero(&z, sizeof(z))) {
		memset(&point, 0, sizeof(point));
	} else if (!is_one(&z)) {
		return fail(file, place, "the third coordinate is neither 1 nor 0", diag);
	}
	wrong = zkey_points_wrong_g1(&point, infinity, ZKEY_CHECK_SUBGROUP);
	if (wrong) {
		return fail(file, place, wrong, diag);
	}
	*out_point = point;
	return STATUS_OK;
}

enum status point_json_take_g2(const json_t *value, const char *file, const char *place,
	struct diag *diag, blst_p2_affine *out_point)
{
	blst_p2_affine point;
	blst_fp2 z;
	const char *wrong;

	if (!is_array_of(value, 3) || !take_fp2(json_array_get(value, 0), &point.x) ||
		!take_fp2(json_array_get(value, 1), &point.y) ||
		!take_fp2(json_array_get(value, 2), &z)) {
		return fail(file, place,
			"not three pairs of decimal numbers below the field's prime, as strings",
			diag);
	}
	if (is_zero(&z, sizeof(z))) {
		memset(&point, 0, sizeof(point));
	} else if (!is_one(&z.fp[0]) || !is_zero(&z.fp[1], sizeof(z.fp[1]))) {
		return fail(file, place, "the third coordinate is neither 1 nor 0", diag);
	}
	wrong = zkey_points_wrong_g2(&point, ZKEY_INFINITY_REFUSED, ZKEY_CHECK_SUBGROUP);
	if (wrong) {
		return fail(file, place, wrong, diag);
	}
	*out_point = point;
	return STATUS_OK;
}

enum status point_json_load(
	const char *file, const char *text, size_t size, struct diag *diag, json_t **out_value)
{
	json_error_t error;
	/* A member that comes twice would mean the first to one reader and the last to another. */
	json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);

	if (!value) {
		return diag_set(diag,
			json_error_code(&error) == json_error_out_of_memory ? STATUS_NO_MEMORY
									    : STATUS_BAD_INPUT,
			"%s: line %d: not JSON: %s", file, error.line, error.text);
	}
	*out_value = value;
	return STATUS_OK;
}

enum status point_json_check_protocol(
	const json_t *object, const char *file, const char *what, struct diag *diag)
{
	const json_t *protocol = json_object_get(object, "protocol");
	const json_t *curve = json_object_get(object, "curve");

	if (!json_is_object(object)) {
		return diag_set(
			diag, STATUS_BAD_INPUT, "%s: not a JSON object, so not %s", file, what);
	}
	if (!json_is_string(protocol)) {
		return diag_set(
			diag, STATUS_BAD_INPUT, "%s: no \"protocol\": is it %s?", file, what);
	}
	if (strcmp(json_string_value(protocol), "groth16") != 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: protocol \"%s\"; only groth16 is supported", file,
			json_string_value(protocol));
	}
	if (curve &&
		(!json_is_string(curve) || strcmp(json_string_value(curve), "bls12381") != 0)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: curve \"%s\"; only bls12381 is supported", file,
			json_is_string(curve) ? json_string_value(curve) : "?");
	}
	return STATUS_OK;
}

enum status point_json_dump(json_t *value, char **out_text)
{
	char *text = value ? json_dumps(value, JSON_INDENT(1)) : NULL;

	json_decref(value);
	if (!text) {
		return STATUS_NO_MEMORY;
	}
	*out_text = text;
	return STATUS_OK;
}
