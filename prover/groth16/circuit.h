/* SPDX-License-Identifier: MIT */
/*
 * Builds a constraint system and its witness in one pass over the same gadget code, so that the
 * two cannot drift apart. Wires are numbered as circom does: the constant 1, outputs, private
 * inputs, internals. Errors (out of memory) stick and come out of circuit_finish().
 */
#pragma once

#include "prover/groth16/r1cs.h"
#include "prover/groth16/wtns.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdbool.h>
#include <stdint.h>

struct circuit;

/* Gives an empty circuit whose first wires, from 1 on, are its outputs. */
MUST_CHECK enum status circuit_create(uint32_t output_count, struct circuit **out_circuit);

/* Accepts NULL. */
void circuit_destroy(struct circuit *circuit);
DEFINE_AUTO(struct circuit, circuit_destroy)

/* From here on rows are not kept, only values: for the next witness of a known circuit. */
void circuit_drop_rows(struct circuit *circuit);

/* A new wire of this canonical value. Private inputs must be added before all other wires. */
uint32_t circuit_add_input(struct circuit *circuit, const blst_scalar *value);
uint32_t circuit_add_wire(struct circuit *circuit, const blst_scalar *value);
uint32_t circuit_add_small_wire(struct circuit *circuit, uint64_t value);

/* Sets the value of output `index`; rows must bind wire 1 + `index` to it. */
void circuit_set_output(struct circuit *circuit, uint32_t index, const blst_scalar *value);

/* One more term, factor * wire, of the row being made. The same wire may come twice. */
void circuit_add_term(
	struct circuit *circuit, enum r1cs_side side, uint32_t wire, const blst_fr *factor);

/* The same with a factor of +-2^exponent, exponent below 128. */
void circuit_add_power(struct circuit *circuit, enum r1cs_side side, uint32_t wire,
	uint32_t exponent, bool is_negative);

void circuit_end_row(struct circuit *circuit);

/* Gives what was built; either may be NULL if it is not wanted. The circuit is spent. */
MUST_CHECK enum status circuit_finish(
	struct circuit *circuit, struct r1cs **out_r1cs, struct wtns **out_witness);
