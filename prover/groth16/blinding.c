/* SPDX-License-Identifier: MIT */
#include "prover/groth16/blinding.h"

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

static void expand(const uint8_t *seed, uint8_t label, blst_scalar *out_scalar)
{
	blst_fr element;

	field_from_seed(&element, seed, label);
	blst_scalar_from_fr(out_scalar, &element);
	explicit_bzero(&element, sizeof(element));
}

void blinding_from_seed(const uint8_t seed[BLINDING_SEED_BYTES], struct blinding *out_blinding)
{
	/* r and s must not be equal, so each has a label. */
	expand(seed, 'r', &out_blinding->r);
	expand(seed, 's', &out_blinding->s);
}

void blinding_wipe(struct blinding *blinding)
{
	explicit_bzero(blinding, sizeof(*blinding));
}
