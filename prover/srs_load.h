/* SPDX-License-Identifier: MIT */
/* One key from its file into memory and onto the devices, and the files of built-in keys. */
#pragma once

#include "prover/srs.h"

/* How many bytes a partition of a key of this shape reserves, and how many of them are a, b, c. */
void srs_load_sizes(const struct device_shape *shape, uint64_t configured_bytes,
	uint64_t *out_partition_bytes, uint64_t *out_abc_bytes);

/* Makes `key_path` and `verification_path` for a built-in circuit, each if it is missing. */
MUST_CHECK enum status srs_load_make_files(const struct builtin_circuit *circuit,
	const char *key_path, const char *verification_path, struct diag *diag);

/* Fills `srs`, whose name and circuit are set, from its file. On failure srs_unload() cleans up. */
MUST_CHECK enum status srs_load(
	const struct srs_manager_config *config, struct srs *srs, struct diag *diag);

/* Takes the key off the devices and frees what srs_load() made; not `srs` itself. */
void srs_unload(const struct srs_manager_config *config, struct srs *srs);

/* The whole of a small text file, which the caller frees. */
MUST_CHECK enum status srs_load_text(const char *path, char **out_text);
