/* SPDX-License-Identifier: MIT */
/*
 * Boolean logic as rows. A bit is a wire, its negation, or a constant; what is constant folds away
 * and costs neither wire nor row.
 */
#pragma once

#include "prover/groth16/circuit.h"

#include <stdbool.h>
#include <stdint.h>

/* Wire 0 stands for a constant. */
struct circuit_bit {
	uint32_t wire;
	bool is_negated; /* the bit is 1 - wire */
	bool value;
};

struct circuit_bit circuit_bit_constant(bool value);
bool circuit_bit_is_constant(struct circuit_bit bit);

/* A new private input or internal wire. Rows must follow that bind it, or make it 0 or 1. */
struct circuit_bit circuit_bit_input(struct circuit *circuit, bool value);
struct circuit_bit circuit_bit_new(struct circuit *circuit, bool value);
void circuit_bit_assert_boolean(struct circuit *circuit, struct circuit_bit bit);

/* Adds +-2^exponent * bit to one side of the row being made. */
void circuit_bit_add_term(struct circuit *circuit, enum r1cs_side side, struct circuit_bit bit,
	uint32_t exponent, bool is_negative);

/* `one` if `selector` is 1, else `zero`. At most one row. */
struct circuit_bit circuit_bit_select(struct circuit *circuit, struct circuit_bit selector,
	struct circuit_bit one, struct circuit_bit zero);

/* At most one row. */
struct circuit_bit circuit_bit_xor(
	struct circuit *circuit, struct circuit_bit a, struct circuit_bit b);

/* ab + c(a + b - 2ab): where a and b differ, c decides. At most two rows. */
struct circuit_bit circuit_bit_majority(
	struct circuit *circuit, struct circuit_bit a, struct circuit_bit b, struct circuit_bit c);
