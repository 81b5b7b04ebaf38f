/* SPDX-License-Identifier: MIT */
#include "tests/unit/groth16_fixture.h"

#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/setup.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 12u

static char folder[64];

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "fixture: %s\n", what);
	exit(1);
}

static void require(bool is_true, const char *what)
{
	if (!is_true) {
		die(what);
	}
}

const char *fixture_folder(void)
{
	if (!folder[0]) {
		const char *base = getenv("TMPDIR");

		snprintf(folder, sizeof(folder), "%s/groth16-test-XXXXXX", base ? base : "/tmp");
		require(mkdtemp(folder) != NULL, "mkdtemp");
	}
	return folder;
}

void fixture_remove_folder(void)
{
	DIR *opened = folder[0] ? opendir(folder) : NULL;
	struct dirent *entry;

	if (!opened) {
		return;
	}
	while ((entry = readdir(opened))) {
		if (entry->d_name[0] != '.') {
			unlinkat(dirfd(opened), entry->d_name, 0);
		}
	}
	closedir(opened);
	rmdir(folder);
	folder[0] = '\0';
}

const char *fixture_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", fixture_folder(), name);
	return path;
}

/* Reads a stream to its end. */
static struct fixture_bytes read_stream(FILE *stream)
{
	struct fixture_bytes file = {.bytes = NULL};
	uint8_t part[65536];
	size_t got;

	while ((got = fread(part, 1, sizeof(part), stream)) > 0) {
		file.bytes = realloc(file.bytes, file.count + got);
		require(file.bytes != NULL, "realloc");
		memcpy(file.bytes + file.count, part, got);
		file.count += got;
	}
	return file;
}

struct fixture_bytes fixture_read(const char *path)
{
	struct fixture_bytes file = {.bytes = NULL};
	FILE *stream = fopen(path, "rb");

	if (stream) {
		file = read_stream(stream);
		fclose(stream);
	}
	return file;
}

struct fixture_bytes fixture_case(const char *name)
{
	char path[512];
	char command[600];
	struct fixture_bytes file;
	FILE *stream;
	size_t length = strlen(name);

	snprintf(path, sizeof(path), "%s/prover/%s", CASES_DIR, name);
	if (length < 3 || strcmp(name + length - 3, ".gz") != 0 || access(path, R_OK) != 0) {
		return fixture_read(path);
	}
	snprintf(command, sizeof(command), "gunzip -c '%s'", path);
	stream = popen(command, "r");
	require(stream != NULL, "gunzip");
	file = read_stream(stream);
	require(pclose(stream) == 0, "gunzip");
	return file;
}

void fixture_free(struct fixture_bytes *file)
{
	free(file->bytes);
	*file = (struct fixture_bytes){.bytes = NULL};
}

void fixture_values(const char *circuit, uint64_t seed, struct r1cs **out_r1cs,
	struct wtns **out_witness, struct zkey **out_key)
{
	static const uint8_t setup_seed[SETUP_SEED_BYTES] = "the tests' set-up";
	const struct setup_options options = {.seed = setup_seed};
	struct builtin_circuit what;
	struct r1cs *r1cs = NULL;
	uint8_t *secret;

	require(builtin_circuit_parse(circuit, NULL, &what) == STATUS_OK, circuit);
	require(builtin_circuit_r1cs(&what, &r1cs) == STATUS_OK, "r1cs");
	secret = calloc(builtin_circuit_secret_bytes(&what), 1);
	require(secret != NULL, "calloc");
	builtin_circuit_example(&what, seed, secret);
	if (out_witness) {
		require(builtin_circuit_witness(&what, secret, NULL, out_witness) == STATUS_OK,
			"witness");
	}
	if (out_key) {
		require(setup_create_key(r1cs, &options, NULL, out_key) == STATUS_OK, "set-up");
	}
	free(secret);
	if (out_r1cs) {
		*out_r1cs = r1cs;
	} else {
		r1cs_destroy(r1cs);
	}
}

void fixture_files(const char *circuit, struct fixture_bytes *out_r1cs,
	struct fixture_bytes *out_wtns, struct fixture_bytes *out_zkey)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	AUTO(zkey_destroy) struct zkey *key = NULL;

	fixture_values(circuit, 1, &r1cs, &witness, out_zkey ? &key : NULL);
	if (out_r1cs) {
		const char *path = fixture_path("fixture.r1cs");

		require(r1cs_write(r1cs, path, NULL) == STATUS_OK, "write r1cs");
		*out_r1cs = fixture_read(path);
	}
	if (out_wtns) {
		const char *path = fixture_path("fixture.wtns");

		require(wtns_write(witness, path, NULL) == STATUS_OK, "write wtns");
		*out_wtns = fixture_read(path);
	}
	if (out_zkey) {
		const char *path = fixture_path("fixture.zkey");

		require(zkey_write(key, path, NULL) == STATUS_OK, "write zkey");
		*out_zkey = fixture_read(path);
	}
}

uint32_t fixture_u32(const struct fixture_bytes *file, size_t at)
{
	uint32_t value;

	require(at + 4 <= file->count, "read past the end");
	memcpy(&value, file->bytes + at, sizeof(value));
	return value;
}

void fixture_set_u32(struct fixture_bytes *file, size_t at, uint32_t value)
{
	require(at + 4 <= file->count, "write past the end");
	memcpy(file->bytes + at, &value, sizeof(value));
}

size_t fixture_section(const struct fixture_bytes *file, uint32_t id, size_t *out_count)
{
	size_t at = HEADER_BYTES;

	while (at < file->count) {
		uint64_t count = fixture_u32(file, at + 4);

		if (fixture_u32(file, at) == id) {
			if (out_count) {
				*out_count = count;
			}
			return at + HEADER_BYTES;
		}
		at += HEADER_BYTES + count;
	}
	die("no such section");
}

void fixture_drop_section(struct fixture_bytes *file, uint32_t id)
{
	size_t count;
	size_t begin = fixture_section(file, id, &count) - HEADER_BYTES;
	size_t end = begin + HEADER_BYTES + count;

	memmove(file->bytes + begin, file->bytes + end, file->count - end);
	file->count -= end - begin;
	file->bytes = realloc(file->bytes, file->count);
	fixture_set_u32(file, 8, fixture_u32(file, 8) - 1);
}

void fixture_add_section(struct fixture_bytes *file, uint32_t id, const void *payload, size_t count)
{
	size_t at = file->count;

	file->count += HEADER_BYTES + count;
	file->bytes = realloc(file->bytes, file->count);
	require(file->bytes != NULL, "realloc");
	fixture_set_u32(file, at, id);
	fixture_set_u32(file, at + 4, (uint32_t)count);
	fixture_set_u32(file, at + 8, 0);
	if (count > 0) {
		memcpy(file->bytes + at + HEADER_BYTES, payload, count);
	}
	fixture_set_u32(file, 8, fixture_u32(file, 8) + 1);
}
