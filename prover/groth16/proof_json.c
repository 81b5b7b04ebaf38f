/* SPDX-License-Identifier: MIT */
#include "prover/groth16/proof_json.h"

#include "prover/groth16/field.h"
#include "prover/groth16/file_bytes.h"
#include "prover/groth16/file_writer.h"
#include "prover/groth16/point_json.h"

#include <stdlib.h>
#include <string.h>

enum status proof_json_format(const struct proof *proof, char **out_text)
{
	return point_json_dump(
		/* json_pack takes the points' references. */
		json_pack("{s:o,s:o,s:o,s:s,s:s}", "pi_a", point_json_g1(&proof->a), "pi_b",
			point_json_g2(&proof->b), "pi_c", point_json_g1(&proof->c), "protocol",
			"groth16", "curve", "bls12381"),
		out_text);
}

enum status proof_json_parse(
	const char *name, const char *text, size_t size, struct diag *diag, struct proof *out_proof)
{
	struct proof proof;
	json_t *object;
	enum status status = point_json_load(name, text, size, diag, &object);

	if (status != STATUS_OK) {
		return status;
	}
	status = point_json_check_protocol(object, name, "a proof (proof.json)", diag);
	if (status == STATUS_OK) {
		status = point_json_take_g1(json_object_get(object, "pi_a"), ZKEY_INFINITY_REFUSED,
			name, "pi_a", diag, &proof.a);
	}
	if (status == STATUS_OK) {
		status = point_json_take_g2(
			json_object_get(object, "pi_b"), name, "pi_b", diag, &proof.b);
	}
	if (status == STATUS_OK) {
		status = point_json_take_g1(json_object_get(object, "pi_c"), ZKEY_INFINITY_REFUSED,
			name, "pi_c", diag, &proof.c);
	}
	json_decref(object);
	if (status == STATUS_OK) {
		*out_proof = proof;
	}
	return status;
}

enum status proof_json_read(const char *path, struct diag *diag, struct proof *out_proof)
{
	uint8_t *bytes;
	uint64_t count;
	enum status status = file_bytes_read(path, POINT_JSON_TEXT_BYTES_MAX, diag, &bytes, &count);

	if (status != STATUS_OK) {
		return status;
	}
	status = proof_json_parse(path, (const char *)bytes, count, diag, out_proof);
	free(bytes);
	return status;
}

/* Writes and frees `text`, unless `status` says that there is none. */
static enum status write_text(enum status status, char *text, const char *path, struct diag *diag)
{
	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s: %s", path, status_text(status));
	}
	status = file_writer_write_text(path, text, diag);
	free(text);
	return status;
}

enum status proof_json_write(const struct proof *proof, const char *path, struct diag *diag)
{
	char *text = NULL;
	enum status status = proof_json_format(proof, &text);

	return write_text(status, text, path, diag);
}

enum status public_json_format(const blst_scalar *publics, uint32_t count, char **out_text)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count && array; i++) {
		if (json_array_append_new(array, point_json_scalar(&publics[i])) != 0) {
			json_decref(array);
			array = NULL;
		}
	}
	return point_json_dump(array, out_text);
}

/* Reads every element of `array` into `publics`. */
static enum status take_publics(
	const json_t *array, const char *name, struct diag *diag, blst_scalar *publics)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		/* Strings, since JSON's numbers are doubles to most readers. */
		if (!json_is_string(value) ||
			strlen(json_string_value(value)) != json_string_length(value) ||
			!field_scalar_from_decimal(&publics[i], json_string_value(value))) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"%s: public value %zu: not a decimal number below the field's "
				"prime, as a string; was the file changed?",
				name, i);
		}
	}
	return STATUS_OK;
}

enum status public_json_parse(const char *name, const char *text, size_t size, struct diag *diag,
	blst_scalar **out_publics, uint32_t *out_count)
{
	json_t *array;
	blst_scalar *publics;
	size_t count;
	enum status status = point_json_load(name, text, size, diag, &array);

	if (status != STATUS_OK) {
		return status;
	}
	if (!json_is_array(array)) {
		json_decref(array);
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: not a JSON array, so not public values (public.json)", name);
	}
	count = json_array_size(array);
	/* One more, since a circuit may have no public values and malloc(0) may give NULL. */
	publics = malloc((count + 1) * sizeof(*publics));
	status = publics ? take_publics(array, name, diag, publics)
			 : diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
	json_decref(array);
	if (status != STATUS_OK) {
		free(publics);
		return status;
	}
	*out_publics = publics;
	/* Fits: the text is limited by POINT_JSON_TEXT_BYTES_MAX. */
	*out_count = (uint32_t)count;
	return STATUS_OK;
}

enum status public_json_read(
	const char *path, struct diag *diag, blst_scalar **out_publics, uint32_t *out_count)
{
	uint8_t *bytes;
	uint64_t count;
	enum status status = file_bytes_read(path, POINT_JSON_TEXT_BYTES_MAX, diag, &bytes, &count);

	if (status != STATUS_OK) {
		return status;
	}
	status = public_json_parse(path, (const char *)bytes, count, diag, out_publics, out_count);
	free(bytes);
	return status;
}

enum status public_json_write(
	const blst_scalar *publics, uint32_t count, const char *path, struct diag *diag)
{
	char *text = NULL;
	enum status status = public_json_format(publics, count, &text);

	return write_text(status, text, path, diag);
}
