/* SPDX-License-Identifier: MIT */
#include "prover/groth16/blinding.h"

#include "prover/groth16/field.h"

#include <blst_aux.h>
#include <string.h>

static enum status draw(blst_scalar *out_scalar)
{
	blst_fr element;
	enum status status = field_random(&element);

	if (status == STATUS_OK) {
		blst_scalar_from_fr(out_scalar, &element);
	}
	explicit_bzero(&element, sizeof(element));
	return status;
}

/* Without r and s a proof would tell whether a guessed witness is the right one. */
enum status blinding_draw(struct blinding *out_blinding)
{
	struct blinding blinding;
	enum status status = draw(&blinding.r);

	if (status == STATUS_OK) {
		status = draw(&blinding.s);
	}
	if (status == STATUS_OK) {
		*out_blinding = blinding;
	}
	blinding_wipe(&blinding);
	return status;
}

/* Two digests of the seed and a counter make one element: 64 bytes, taken modulo r. */
static void expand(const uint8_t *seed, uint8_t label, blst_scalar *out_scalar)
{
	uint8_t message[BLINDING_SEED_BYTES + 2];
	uint8_t wide[64];
	blst_fr element;

	memcpy(message, seed, BLINDING_SEED_BYTES);
	/* r and s must not be equal, so each has a label. */
	message[BLINDING_SEED_BYTES] = label;
	for (uint8_t half = 0; half < 2; half++) {
		message[BLINDING_SEED_BYTES + 1] = half;
		blst_sha256(wide + 32 * half, message, sizeof(message));
	}
	field_from_wide_bytes(&element, wide, sizeof(wide));
	blst_scalar_from_fr(out_scalar, &element);
}

void blinding_from_seed(const uint8_t seed[BLINDING_SEED_BYTES], struct blinding *out_blinding)
{
	expand(seed, 'r', &out_blinding->r);
	expand(seed, 's', &out_blinding->s);
}

void blinding_wipe(struct blinding *blinding)
{
	explicit_bzero(blinding, sizeof(*blinding));
}
