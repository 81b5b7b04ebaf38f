/* SPDX-License-Identifier: MIT */
#include "prover/groth16/circuit.h"

#include "prover/groth16/coefficient_table.h"
#include "prover/groth16/field.h"
#include "prover/groth16/matrix.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Wires, or terms of a row, to begin with; doubled when they are used up. */
#define CAPACITY_FIRST 1024u
/* Public outputs are halves of a digest: sums of 128 bits, the longest there are. */
#define POWER_COUNT 128u

struct term {
	uint32_t wire;
	blst_fr factor;
};

struct terms {
	struct term *list;
	uint32_t count;
	uint32_t capacity;
};

struct circuit {
	enum status status; /* the first failure; nothing is built after it */
	bool keeps_rows;
	uint32_t output_count;
	uint32_t input_count;
	uint32_t wire_count;
	uint32_t wire_capacity;
	blst_scalar *values;
	struct terms row[R1CS_SIDE_COUNT];
	struct coefficient_table coefficients;
	struct matrix_builder sides[R1CS_SIDE_COUNT];
	blst_fr powers[POWER_COUNT]; /* of two */
};

enum status circuit_create(uint32_t output_count, struct circuit **out_circuit)
{
	AUTO(circuit_destroy) struct circuit *circuit = calloc(1, sizeof(*circuit));
	const blst_scalar one = {.b = {1}};
	const blst_scalar zero = {.b = {0}};

	assert(out_circuit);

	if (!circuit || coefficient_table_init(&circuit->coefficients) != STATUS_OK) {
		return STATUS_NO_MEMORY;
	}
	circuit->keeps_rows = true;
	circuit->output_count = output_count;
	field_one(&circuit->powers[0]);
	for (uint32_t i = 1; i < POWER_COUNT; i++) {
		blst_fr_add(&circuit->powers[i], &circuit->powers[i - 1], &circuit->powers[i - 1]);
	}
	/* The order of the .r1cs: the constant, outputs, inputs, then whatever is built. */
	(void)circuit_add_wire(circuit, &one);
	for (uint32_t i = 0; i < output_count; i++) {
		(void)circuit_add_wire(circuit, &zero);
	}
	if (circuit->status != STATUS_OK) {
		return circuit->status;
	}
	*out_circuit = MOVE(circuit);
	return STATUS_OK;
}

static void free_values(struct circuit *circuit)
{
	if (circuit->values) {
		explicit_bzero(circuit->values, circuit->wire_capacity * sizeof(*circuit->values));
	}
	free(circuit->values);
	circuit->values = NULL;
}

void circuit_destroy(struct circuit *circuit)
{
	if (!circuit) {
		return;
	}
	free_values(circuit);
	coefficient_table_finish(&circuit->coefficients);
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		free(circuit->row[side].list);
		matrix_builder_finish(&circuit->sides[side]);
	}
	free(circuit);
}

void circuit_drop_rows(struct circuit *circuit)
{
	assert(circuit->sides[R1CS_A].matrix.row_count == 0);
	circuit->keeps_rows = false;
}

/* By hand and not by realloc(), which would leave secret values behind in freed memory. */
static bool grow_values(struct circuit *circuit)
{
	uint32_t capacity = circuit->wire_capacity ? 2 * circuit->wire_capacity : CAPACITY_FIRST;
	blst_scalar *values;

	if (circuit->wire_capacity > UINT32_MAX / 2) {
		circuit->status = STATUS_TOO_LARGE;
		return false;
	}
	values = malloc(capacity * sizeof(*values));
	if (!values) {
		circuit->status = STATUS_NO_MEMORY;
		return false;
	}
	if (circuit->wire_count > 0) {
		memcpy(values, circuit->values, circuit->wire_count * sizeof(*values));
	}
	free_values(circuit);
	circuit->values = values;
	circuit->wire_capacity = capacity;
	return true;
}

uint32_t circuit_add_wire(struct circuit *circuit, const blst_scalar *value)
{
	/* Builders do not look at each call's result: the first failure is told once, by
	 * circuit_finish(). */
	if (circuit->status != STATUS_OK) {
		return 0;
	}
	if (circuit->wire_count == circuit->wire_capacity && !grow_values(circuit)) {
		return 0;
	}
	circuit->values[circuit->wire_count] = *value;
	return circuit->wire_count++;
}

uint32_t circuit_add_input(struct circuit *circuit, const blst_scalar *value)
{
	/* Only inputs so far: the layout puts them before all internal wires. */
	assert(circuit->status != STATUS_OK ||
		circuit->wire_count == 1 + circuit->output_count + circuit->input_count);
	circuit->input_count++;
	return circuit_add_wire(circuit, value);
}

uint32_t circuit_add_small_wire(struct circuit *circuit, uint64_t value)
{
	const uint64_t limbs[4] = {value, 0, 0, 0};
	blst_scalar scalar;

	blst_scalar_from_uint64(&scalar, limbs);
	return circuit_add_wire(circuit, &scalar);
}

void circuit_set_output(struct circuit *circuit, uint32_t index, const blst_scalar *value)
{
	assert(index < circuit->output_count);
	circuit->values[1 + index] = *value;
}

void circuit_add_term(
	struct circuit *circuit, enum r1cs_side side, uint32_t wire, const blst_fr *factor)
{
	struct terms *terms = &circuit->row[side];

	if (!circuit->keeps_rows || circuit->status != STATUS_OK) {
		return;
	}
	assert(wire < circuit->wire_count);
	if (terms->count == terms->capacity) {
		uint32_t capacity = terms->capacity ? 2 * terms->capacity : CAPACITY_FIRST;
		struct term *list = realloc(terms->list, capacity * sizeof(*list));

		if (!list) {
			circuit->status = STATUS_NO_MEMORY;
			return;
		}
		terms->list = list;
		terms->capacity = capacity;
	}
	terms->list[terms->count++] = (struct term){.wire = wire, .factor = *factor};
}

void circuit_add_power(struct circuit *circuit, enum r1cs_side side, uint32_t wire,
	uint32_t exponent, bool is_negative)
{
	blst_fr factor;

	assert(exponent < POWER_COUNT);
	blst_fr_cneg(&factor, &circuit->powers[exponent], is_negative);
	circuit_add_term(circuit, side, wire, &factor);
}

static int compare_wires(const void *left, const void *right)
{
	const struct term *a = left;
	const struct term *b = right;

	return (a->wire > b->wire) - (a->wire < b->wire);
}

/* Sorts by wire and sums terms of one wire, as circom writes combinations. */
static void normalise(struct terms *terms)
{
	uint32_t kept = 0;

	qsort(terms->list, terms->count, sizeof(*terms->list), compare_wires);
	for (uint32_t i = 0; i < terms->count; i++) {
		if (kept > 0 && terms->list[kept - 1].wire == terms->list[i].wire) {
			blst_fr_add(&terms->list[kept - 1].factor, &terms->list[kept - 1].factor,
				&terms->list[i].factor);
		} else {
			terms->list[kept++] = terms->list[i];
		}
	}
	terms->count = kept;
}

static enum status end_side(struct circuit *circuit, int side)
{
	struct terms *terms = &circuit->row[side];

	if (terms->count > 1) {
		normalise(terms);
	}
	for (uint32_t i = 0; i < terms->count; i++) {
		uint32_t coefficient;
		enum status status;

		/* Terms may have cancelled out. */
		if (field_is_zero(&terms->list[i].factor)) {
			continue;
		}
		status = coefficient_table_intern(
			&circuit->coefficients, &terms->list[i].factor, &coefficient);
		if (status == STATUS_OK) {
			status = matrix_builder_push(
				&circuit->sides[side], terms->list[i].wire, coefficient);
		}
		if (status != STATUS_OK) {
			return status;
		}
	}
	/* The list keeps its memory for the next row. */
	terms->count = 0;
	return matrix_builder_end_row(&circuit->sides[side]);
}

void circuit_end_row(struct circuit *circuit)
{
	if (!circuit->keeps_rows) {
		return;
	}
	for (int side = 0; side < R1CS_SIDE_COUNT && circuit->status == STATUS_OK; side++) {
		circuit->status = end_side(circuit, side);
	}
}

static enum status take_r1cs(struct circuit *circuit, struct r1cs **out_r1cs)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = calloc(1, sizeof(*r1cs));

	/* Rows were thrown away as they came: whoever dropped them cannot want them. */
	assert(circuit->keeps_rows);

	if (!r1cs) {
		return STATUS_NO_MEMORY;
	}
	r1cs->wire_count = circuit->wire_count;
	r1cs->public_output_count = circuit->output_count;
	r1cs->private_input_count = circuit->input_count;
	r1cs->constraint_count = circuit->sides[R1CS_A].matrix.row_count;
	for (int side = 0; side < R1CS_SIDE_COUNT; side++) {
		enum status status = matrix_builder_take(&circuit->sides[side], &r1cs->sides[side]);

		if (status != STATUS_OK) {
			return status;
		}
	}
	r1cs->coefficient_values =
		coefficient_table_take(&circuit->coefficients, &r1cs->coefficient_value_count);
	*out_r1cs = MOVE(r1cs);
	return STATUS_OK;
}

enum status circuit_finish(
	struct circuit *circuit, struct r1cs **out_r1cs, struct wtns **out_witness)
{
	AUTO(wtns_destroy) struct wtns *witness = NULL;

	if (circuit->status != STATUS_OK) {
		return circuit->status;
	}
	if (out_witness) {
		enum status status = wtns_create(circuit->wire_count, &witness);

		if (status != STATUS_OK) {
			return status;
		}
		memcpy(witness->values, circuit->values,
			circuit->wire_count * sizeof(*witness->values));
	}
	if (out_r1cs) {
		enum status status = take_r1cs(circuit, out_r1cs);

		if (status != STATUS_OK) {
			return status;
		}
	}
	if (out_witness) {
		*out_witness = MOVE(witness);
	}
	return STATUS_OK;
}
