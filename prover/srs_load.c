/* SPDX-License-Identifier: MIT */
#include "prover/srs_load.h"

#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/setup.h"
#include "prover/log.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A verification key of a circuit with thousands of public values is still smaller. */
#define SRS_TEXT_BYTES_MAX (64u << 20)

#define FIELD_ELEMENT_BYTES 32

void srs_load_sizes(const struct device_shape *shape, uint64_t configured_bytes,
	uint64_t *out_partition_bytes, uint64_t *out_abc_bytes)
{
	uint64_t abc_bytes = 3 * shape->domain_size * FIELD_ELEMENT_BYTES;
	uint64_t aux_bytes = shape->wire_count * FIELD_ELEMENT_BYTES;

	if (configured_bytes == 0) {
		*out_partition_bytes = abc_bytes + aux_bytes;
		*out_abc_bytes = abc_bytes;
		return;
	}
	/* The same share of a figure the operator chose. */
	*out_partition_bytes = configured_bytes;
	*out_abc_bytes = (uint64_t)((double)configured_bytes * (double)abc_bytes /
				    (double)(abc_bytes + aux_bytes));
}

static enum status make_key(
	const struct builtin_circuit *circuit, const char *key_path, struct diag *diag)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(zkey_destroy) struct zkey *key = NULL;
	struct setup_options options = {.thread_count = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
	char name[BUILTIN_CIRCUIT_NAME_BYTES_MAX];
	uint64_t begin_ns = clock_now_ns();
	enum status status = builtin_circuit_r1cs(circuit, &r1cs);

	builtin_circuit_name(circuit, name);
	if (status != STATUS_OK) {
		return diag_set(diag, status, "%s: %s", name, status_text(status));
	}
	log_info("making the test key of %s, %u rows, once: %s", name, r1cs->constraint_count,
		key_path);
	status = setup_create_key(r1cs, &options, diag, &key);
	if (status != STATUS_OK) {
		return status;
	}
	status = zkey_write(key, key_path, diag);
	if (status == STATUS_OK) {
		log_info("made the test key of %s in %.1f s; it is insecure: whoever made it can "
			 "forge proofs",
			name, (double)(clock_now_ns() - begin_ns) / NS_PER_S);
	}
	return status;
}

static enum status make_verification_key(
	const char *key_path, const char *verification_path, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(verification_key_destroy) struct verification_key *verification_key = NULL;
	enum status status = zkey_read(key_path, ZKEY_CHECK_CURVE, diag, &key);

	if (status == STATUS_OK) {
		status = verification_key_from_zkey(key, diag, &verification_key);
	}
	if (status == STATUS_OK) {
		status = verification_key_write(verification_key, verification_path, diag);
	}
	return status;
}

/*
 * Held while keys are made, so that of two daemons with one state directory the second finds the
 * key of the first, and no file of one lies beside a file of the other. -1 where the folder cannot
 * be opened; on a file system without locks nothing is held.
 */
static int lock_folder_of(const char *key_path)
{
	char folder[PATH_MAX];
	int fd = -1;

	(void)snprintf(folder, sizeof(folder), "%s", key_path);
	fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
		return fd;
	}
	log_info("another daemon makes keys in the state directory: waiting for it");
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
	}
	return fd;
}

static enum status make_missing(const struct builtin_circuit *circuit, const char *key_path,
	const char *verification_path, struct diag *diag)
{
	bool has_key = access(key_path, F_OK) == 0;
	enum status status = STATUS_OK;

	if (!has_key) {
		status = make_key(circuit, key_path, diag);
	}
	if (status == STATUS_OK && (!has_key || access(verification_path, F_OK) != 0)) {
		status = make_verification_key(key_path, verification_path, diag);
	}
	return status;
}

enum status srs_load_make_files(const struct builtin_circuit *circuit, const char *key_path,
	const char *verification_path, struct diag *diag)
{
	const int lock = lock_folder_of(key_path);
	const enum status status = make_missing(circuit, key_path, verification_path, diag);

	if (lock >= 0) {
		(void)close(lock);
	}
	return status;
}

enum status srs_load_text(const char *path, char **out_text)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	struct stat info;

	if (!file) {
		return status_from_errno(errno);
	}
	if (fstat(fileno(file), &info) == 0 && info.st_size < SRS_TEXT_BYTES_MAX) {
		text = malloc((size_t)info.st_size + 1);
	}
	if (text) {
		size = fread(text, 1, (size_t)info.st_size, file);
		text[size] = '\0';
	}
	(void)fclose(file);
	if (!text || size != (size_t)info.st_size) {
		free(text);
		return STATUS_IO;
	}
	*out_text = text;
	return STATUS_OK;
}

/* The text of `key`'s verification_key.json, by way of a file, for that is what can be written. */
static enum status make_verification_text(const char *state_dir, const struct verification_key *key,
	struct diag *diag, char **out_text)
{
	char path[CONFIG_TEXT_BYTES_MAX + 64];
	int file = -1;
	enum status status = STATUS_OK;

	(void)snprintf(path, sizeof(path), "%s/verification_key.XXXXXX", state_dir);
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	(void)close(file);
	status = verification_key_write(key, path, diag);
	if (status == STATUS_OK) {
		status = srs_load_text(path, out_text);
	}
	(void)unlink(path);
	return status;
}

static enum status load_file(
	const struct srs_manager_config *config, struct srs *srs, struct diag *diag)
{
	/* Our own file was written by us; another's is looked at closely. */
	bool is_trusted = srs->is_builtin || config->config->srs.check == CONFIG_SRS_CHECK_CURVE;
	enum status status = zkey_read(
		srs->name, is_trusted ? ZKEY_CHECK_CURVE : ZKEY_CHECK_SUBGROUP, diag, &srs->zkey);

	if (status == STATUS_OK) {
		status = verification_key_from_zkey(srs->zkey, diag, &srs->verification_key);
	}
	if (status == STATUS_OK) {
		srs->coefficient_ones = matrix_vector_make_ones(srs->zkey);
		status = srs->coefficient_ones ? STATUS_OK : STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		status = make_verification_text(config->state_dir, srs->verification_key, diag,
			&srs->verification_key_text);
	}
	if (status == STATUS_OK) {
		srs->key.zkey = srs->zkey;
		device_shape_of_key(srs->zkey, &srs->key.shape);
	}
	return status;
}

/* With the device's own words, where it has any. */
static enum status refuse_key(const struct srs_manager_config *config, const struct srs *srs,
	uint32_t device, enum status status, struct diag *diag)
{
	struct diag words = {""};

	if (config->ops->failure) {
		config->ops->failure(config->devices[device], &words);
	}
	return diag_set(diag, status, "%s: device %u cannot hold the key: %s%s%s", srs->name,
		device, status_text(status), words.line[0] ? ": " : "", words.line);
}

/* A device that is lost, now or before, needs no key: it proves nothing more. */
static enum status load_on_devices(
	const struct srs_manager_config *config, struct srs *srs, struct diag *diag)
{
	uint32_t lost_count = 0;

	for (uint32_t i = 0; i < config->device_count; i++) {
		struct device *device = config->devices[i];
		enum status status = STATUS_OK;

		if (!device_is_lost(config->ops, device, NULL)) {
			status = config->ops->key_load(
				device, srs->zkey, &srs->key.shape, &srs->key.device_keys[i]);
		}
		if (device_is_lost(config->ops, device, NULL)) {
			lost_count++;
		} else if (status != STATUS_OK) {
			return refuse_key(config, srs, i, status, diag);
		}
	}
	return lost_count < config->device_count
		       ? STATUS_OK
		       : diag_set(diag, STATUS_UNAVAILABLE, "%s: no device is left to hold the key",
				 srs->name);
}

enum status srs_load(const struct srs_manager_config *config, struct srs *srs, struct diag *diag)
{
	enum status status = STATUS_OK;

	if (config->ops->makes_proofs) {
		status = load_file(config, srs, diag);
	} else {
		srs->key.shape = device_shape_porep_32g;
	}
	if (status == STATUS_OK) {
		status = load_on_devices(config, srs, diag);
	}
	if (status == STATUS_OK) {
		srs_load_sizes(&srs->key.shape, config->config->memory.partition_bytes,
			&srs->partition_bytes, &srs->abc_bytes);
	}
	return status;
}

void srs_unload(const struct srs_manager_config *config, struct srs *srs)
{
	for (uint32_t i = 0; i < config->device_count; i++) {
		config->ops->key_unload(config->devices[i], srs->key.device_keys[i]);
		srs->key.device_keys[i] = NULL;
	}
	verification_key_destroy(srs->verification_key);
	zkey_destroy(srs->zkey);
	free(srs->coefficient_ones);
	free(srs->verification_key_text);
	srs->verification_key = NULL;
	srs->zkey = NULL;
	srs->coefficient_ones = NULL;
	srs->verification_key_text = NULL;
}
