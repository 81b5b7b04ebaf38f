/* SPDX-License-Identifier: MIT */
#include "prover/groth16/circuit_bit.h"

/* Wire 0 is the constant 1, so a false constant is its negation. */
struct circuit_bit circuit_bit_constant(bool value)
{
	return (struct circuit_bit){.wire = 0, .is_negated = !value, .value = value};
}

bool circuit_bit_is_constant(struct circuit_bit bit)
{
	return bit.wire == 0;
}

static struct circuit_bit negate(struct circuit_bit bit)
{
	return (struct circuit_bit){
		.wire = bit.wire, .is_negated = !bit.is_negated, .value = !bit.value};
}

static bool are_same(struct circuit_bit a, struct circuit_bit b)
{
	return a.wire == b.wire && a.is_negated == b.is_negated;
}

struct circuit_bit circuit_bit_new(struct circuit *circuit, bool value)
{
	return (struct circuit_bit){.wire = circuit_add_small_wire(circuit, value), .value = value};
}

void circuit_bit_add_term(struct circuit *circuit, enum r1cs_side side, struct circuit_bit bit,
	uint32_t exponent, bool is_negative)
{
	if (circuit_bit_is_constant(bit)) {
		if (bit.value) {
			circuit_add_power(circuit, side, 0, exponent, is_negative);
		}
		return;
	}
	/* 1 - wire: the constant, and the wire with the other sign. */
	if (bit.is_negated) {
		circuit_add_power(circuit, side, 0, exponent, is_negative);
		is_negative = !is_negative;
	}
	circuit_add_power(circuit, side, bit.wire, exponent, is_negative);
}

struct circuit_bit circuit_bit_input(struct circuit *circuit, bool value)
{
	const blst_scalar scalar = {.b = {value}};

	return (struct circuit_bit){.wire = circuit_add_input(circuit, &scalar), .value = value};
}

void circuit_bit_assert_boolean(struct circuit *circuit, struct circuit_bit bit)
{
	/* bit * (1 - bit) = 0 */
	circuit_bit_add_term(circuit, R1CS_A, bit, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, negate(bit), 0, false);
	circuit_end_row(circuit);
}

struct circuit_bit circuit_bit_select(struct circuit *circuit, struct circuit_bit selector,
	struct circuit_bit one, struct circuit_bit zero)
{
	struct circuit_bit out;

	/* Constants fold, so that padding and initial state of a hash cost no rows. */
	if (circuit_bit_is_constant(selector)) {
		return selector.value ? one : zero;
	}
	if (are_same(one, zero)) {
		return one;
	}
	if (circuit_bit_is_constant(one) && circuit_bit_is_constant(zero)) {
		return one.value ? selector : negate(selector);
	}
	/* selector * (one - zero) = out - zero */
	out = circuit_bit_new(circuit, selector.value ? one.value : zero.value);
	circuit_bit_add_term(circuit, R1CS_A, selector, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, one, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, zero, 0, true);
	circuit_bit_add_term(circuit, R1CS_C, out, 0, false);
	circuit_bit_add_term(circuit, R1CS_C, zero, 0, true);
	circuit_end_row(circuit);
	return out;
}

struct circuit_bit circuit_bit_xor(
	struct circuit *circuit, struct circuit_bit a, struct circuit_bit b)
{
	struct circuit_bit out;

	/* A constant operand is a name for the other one, or its negation. */
	if (circuit_bit_is_constant(a)) {
		return a.value ? negate(b) : b;
	}
	if (circuit_bit_is_constant(b)) {
		return b.value ? negate(a) : a;
	}
	/* 2a * b = a + b - out */
	out = circuit_bit_new(circuit, a.value != b.value);
	circuit_bit_add_term(circuit, R1CS_A, a, 1, false);
	circuit_bit_add_term(circuit, R1CS_B, b, 0, false);
	circuit_bit_add_term(circuit, R1CS_C, a, 0, false);
	circuit_bit_add_term(circuit, R1CS_C, b, 0, false);
	circuit_bit_add_term(circuit, R1CS_C, out, 0, true);
	circuit_end_row(circuit);
	return out;
}

static struct circuit_bit and2(struct circuit *circuit, struct circuit_bit a, struct circuit_bit b)
{
	return circuit_bit_select(circuit, a, b, circuit_bit_constant(false));
}

struct circuit_bit circuit_bit_majority(
	struct circuit *circuit, struct circuit_bit a, struct circuit_bit b, struct circuit_bit c)
{
	struct circuit_bit both;
	struct circuit_bit out;

	/* A constant goes to the third place, where it folds. */
	if (circuit_bit_is_constant(a)) {
		both = a;
		a = c;
		c = both;
	}
	if (circuit_bit_is_constant(b) && !circuit_bit_is_constant(c)) {
		both = b;
		b = c;
		c = both;
	}
	if (circuit_bit_is_constant(b)) {
		return circuit_bit_select(circuit, a, circuit_bit_constant(b.value || c.value),
			circuit_bit_constant(b.value && c.value));
	}
	if (circuit_bit_is_constant(a)) {
		return circuit_bit_select(circuit, b, circuit_bit_constant(a.value || c.value),
			circuit_bit_constant(a.value && c.value));
	}
	both = and2(circuit, a, b);
	if (circuit_bit_is_constant(c) && !c.value) {
		return both;
	}
	/* c * (a + b - 2 both) = out - both */
	out = circuit_bit_new(circuit, a.value == b.value ? a.value : c.value);
	circuit_bit_add_term(circuit, R1CS_A, c, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, a, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, b, 0, false);
	circuit_bit_add_term(circuit, R1CS_B, both, 1, true);
	circuit_bit_add_term(circuit, R1CS_C, out, 0, false);
	circuit_bit_add_term(circuit, R1CS_C, both, 0, true);
	circuit_end_row(circuit);
	return out;
}
