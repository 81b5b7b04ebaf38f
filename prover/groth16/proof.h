/* SPDX-License-Identifier: MIT */
/* A Groth16 proof and the key that checks it: plain values, owned by whoever holds them. */
#pragma once

#include <blst.h>
#include <stdint.h>

struct proof {
	blst_p1_affine a;
	blst_p2_affine b;
	blst_p1_affine c;
};

struct verification_key {
	uint32_t public_count;
	blst_p1_affine alpha_g1;
	blst_p2_affine beta_g2;
	blst_p2_affine gamma_g2;
	blst_p2_affine delta_g2;
	blst_p1_affine *ic; /* public_count + 1 */
};
