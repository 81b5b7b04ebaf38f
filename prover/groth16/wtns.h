/* SPDX-License-Identifier: MIT */
/*
 * A witness: the canonical value of every wire, read from and written to snarkjs's .wtns layout
 * (docs/file-formats.md). It holds private inputs, so that destroying it wipes it.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct zkey;

struct wtns {
	uint32_t count;
	blst_scalar *values; /* canonical, values[0] is 1 */
};

/* Gives a witness of `count` wires, the first 1 and the others 0. */
MUST_CHECK enum status wtns_create(uint32_t count, struct wtns **out_witness);

MUST_CHECK enum status wtns_read(const char *path, struct diag *diag, struct wtns **out_witness);

/* The same from memory, which is borrowed for the call only; `name` stands for the path. */
MUST_CHECK enum status wtns_parse(const char *name, const uint8_t *bytes, uint64_t byte_count,
	struct diag *diag, struct wtns **out_witness);

MUST_CHECK enum status wtns_write(const struct wtns *witness, const char *path, struct diag *diag);

/*
 * BAD_INPUT if the witness cannot be one of the circuit that `key` was made for; `name` says which
 * witness it was.
 */
MUST_CHECK enum status wtns_check_key(
	const char *name, const struct wtns *witness, const struct zkey *key, struct diag *diag);

/* Accepts NULL. */
void wtns_destroy(struct wtns *witness);
DEFINE_AUTO(struct wtns, wtns_destroy)
