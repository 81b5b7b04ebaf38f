/* SPDX-License-Identifier: MIT */
#include "prover/srs_builtin.h"

#include "prover/srs_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whole words only. */
static bool lists_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; *at != '\0'; at += strcspn(at, " \t,")) {
		at += strspn(at, " \t,");
		if (strcspn(at, " \t,") == length && strncmp(at, word, length) == 0) {
			return true;
		}
	}
	return false;
}

enum status srs_builtin_init(struct srs_builtin *builtin, const struct srs_manager_config *config,
	enum job_kind kind, struct builtin_circuit circuit)
{
	char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX];

	builtin->circuit = circuit;
	builtin->is_served = lists_word(config->config->jobs.kinds, job_kind_name(kind));
	builtin_circuit_name(&circuit, name);
	for (char *at = name; *at != '\0'; at++) {
		/* A circuit's name has colons, which are awkward in file names. */
		if (*at == ':') {
			*at = '-';
		}
	}
	if (asprintf(&builtin->key_path, "%s/%s.zkey", config->state_dir, name) < 0) {
		builtin->key_path = NULL;
		return STATUS_NO_MEMORY;
	}
	if (asprintf(&builtin->verification_path, "%s/%s.verification_key.json", config->state_dir,
		    name) < 0) {
		builtin->verification_path = NULL;
		return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

void srs_builtin_finish(struct srs_builtin *builtin)
{
	free(builtin->key_path);
	free(builtin->verification_path);
}

/* The shape of a circuit's key, without making it. */
static enum status shape_of_circuit(
	const struct builtin_circuit *circuit, struct device_shape *out_shape)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	enum status status = builtin_circuit_r1cs(circuit, &r1cs);
	uint64_t rows = 0;

	if (status != STATUS_OK) {
		return status;
	}
	rows = (uint64_t)r1cs->constraint_count + r1cs_public_count(r1cs) + 1;
	memset(out_shape, 0, sizeof(*out_shape));
	out_shape->wire_count = r1cs->wire_count;
	out_shape->domain_size = 1;
	/* As the set-up chooses it: docs/file-formats.md. */
	while (out_shape->domain_size < rows) {
		out_shape->domain_size *= 2;
	}
	return STATUS_OK;
}

enum status srs_builtin_prepare(
	struct srs_builtin *builtin, const struct srs_manager_config *config, struct diag *diag)
{
	struct device_shape shape = device_shape_porep_32g;
	struct stat info;
	uint64_t abc_bytes = 0;
	enum status status = STATUS_OK;

	builtin->key_bytes = shape.key_bytes;
	/* A device that only models has the shape of a 32 GiB sector's key and no files. */
	if (config->ops->makes_proofs) {
		status = shape_of_circuit(&builtin->circuit, &shape);
		if (status == STATUS_OK) {
			status = srs_load_make_files(&builtin->circuit, builtin->key_path,
				builtin->verification_path, diag);
		}
		if (status == STATUS_OK && stat(builtin->key_path, &info) != 0) {
			status = diag_set(diag, status_from_errno(errno), "%s: %s",
				builtin->key_path, strerror(errno));
		}
		if (status != STATUS_OK) {
			return status;
		}
		builtin->key_bytes = (uint64_t)info.st_size;
	}
	srs_load_sizes(&shape, config->config->memory.partition_bytes, &builtin->partition_bytes,
		&abc_bytes);
	return STATUS_OK;
}
