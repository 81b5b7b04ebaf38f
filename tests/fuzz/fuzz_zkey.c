/* SPDX-License-Identifier: MIT */
/* Whatever zkey_parse() accepts is a key that a prover can use without looking twice. */
#include "prover/groth16/zkey.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static void check_matrix(const struct zkey *key, const struct zkey_matrix *matrix)
{
	require(matrix->row_count == key->domain_size && matrix->row_begin[0] == 0);
	for (uint32_t row = 0; row < matrix->row_count; row++) {
		require(matrix->row_begin[row] <= matrix->row_begin[row + 1]);
	}
	for (uint32_t i = 0; i < matrix->row_begin[matrix->row_count]; i++) {
		require(matrix->wires[i] < key->wire_count);
		require(matrix->coefficients[i] < key->coefficient_value_count);
	}
}

static void check_query(const struct zkey_query_g1 *query, uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < query->count; i++) {
		require(query->wires[i] >= first && query->wires[i] < end);
		require(i == 0 || query->wires[i - 1] < query->wires[i]);
		require(!blst_p1_affine_is_inf(&query->points[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing;
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct diag diag = {.line = ""};

	if (zkey_parse("fuzz.zkey", data ? data : &nothing, size, ZKEY_CHECK_CURVE, &diag, &key) !=
		STATUS_OK) {
		require(!key && diag.line[0]);
		return 0;
	}
	require(key->public_count < key->wire_count && key->public_count < key->domain_size);
	require(key->domain_size == UINT32_C(1) << key->domain_log2);
	check_matrix(key, &key->a_matrix);
	check_matrix(key, &key->b_matrix);
	check_query(&key->a, 0, key->wire_count);
	check_query(&key->b1, 0, key->wire_count);
	check_query(&key->l, key->public_count + 1, key->wire_count);
	check_query(&key->h, 0, key->domain_size);
	require(key->h.count == key->domain_size);
	for (uint32_t i = 0; i < key->b2.count; i++) {
		require(key->b2.wires[i] < key->wire_count);
	}
	return 0;
}
