/* SPDX-License-Identifier: MIT */
/*
 * The Groth16 library from the command line, for tests and benchmarks: make keys, witnesses and
 * proofs, and check them. One command a run; a failure is one line and the status's exit code.
 */
#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/file_writer.h"
#include "prover/groth16/proof_json.h"
#include "prover/groth16/prove.h"
#include "prover/groth16/r1cs.h"
#include "prover/groth16/setup.h"
#include "prover/groth16/verification_key.h"
#include "prover/groth16/verify.h"
#include "prover/groth16/wtns.h"
#include "prover/groth16/zkey.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED_BASE 10

struct command {
	const char *name;
	int argument_count;
	const char *arguments;
	enum status (*run)(char **arguments, struct diag *diag);
};

static uint32_t thread_count(void)
{
	const char *text = getenv("THREADS");

	return text ? (uint32_t)strtoul(text, NULL, SEED_BASE) : 1;
}

/* Elapsed seconds on standard error, for benchmarks. */
static void report_time(const char *what, uint64_t begin_ns)
{
	fprintf(stderr, "%s: %.3f s\n", what, (double)(clock_now_ns() - begin_ns) / 1e9);
}

/* CIRCUIT is a built-in circuit or a file that ends in .r1cs. */
static enum status load_circuit(const char *name, struct diag *diag, struct r1cs **out_r1cs)
{
	struct builtin_circuit circuit;
	size_t length = strlen(name);
	enum status status;

	if (length > 5 && strcmp(name + length - 5, ".r1cs") == 0) {
		return r1cs_read(name, diag, out_r1cs);
	}
	status = builtin_circuit_parse(name, diag, &circuit);
	return status == STATUS_OK ? builtin_circuit_r1cs(&circuit, out_r1cs) : status;
}

static enum status run_r1cs(char **arguments, struct diag *diag)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	enum status status = load_circuit(arguments[0], diag, &r1cs);

	return status == STATUS_OK ? r1cs_write(r1cs, arguments[1], diag) : status;
}

static enum status run_setup(char **arguments, struct diag *diag)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(zkey_destroy) struct zkey *key = NULL;
	uint64_t begin_ns = clock_now_ns();
	const struct setup_options options = {.thread_count = thread_count()};
	enum status status = load_circuit(arguments[0], diag, &r1cs);

	if (status == STATUS_OK) {
		status = setup_create_key(r1cs, &options, diag, &key);
		report_time("set-up", begin_ns);
	}
	return status == STATUS_OK ? zkey_write(key, arguments[1], diag) : status;
}

/* The secret that a built-in circuit's witness for this seed is made from; the caller frees it. */
static enum status make_secret(char **arguments, struct diag *diag,
	struct builtin_circuit *out_circuit, uint8_t **out_secret)
{
	uint8_t *secret;
	enum status status = builtin_circuit_parse(arguments[0], diag, out_circuit);

	if (status != STATUS_OK) {
		return status;
	}
	secret = malloc(builtin_circuit_secret_bytes(out_circuit));
	if (!secret) {
		return STATUS_NO_MEMORY;
	}
	builtin_circuit_example(out_circuit, strtoull(arguments[1], NULL, SEED_BASE), secret);
	*out_secret = secret;
	return STATUS_OK;
}

static enum status run_secret(char **arguments, struct diag *diag)
{
	AUTO(file_writer_destroy) struct file_writer *writer = NULL;
	struct builtin_circuit circuit;
	uint8_t *secret = NULL;
	enum status status = make_secret(arguments, diag, &circuit, &secret);

	if (status == STATUS_OK) {
		status = file_writer_create(arguments[2], true, diag, &writer);
	}
	if (status == STATUS_OK) {
		file_writer_put(writer, secret, builtin_circuit_secret_bytes(&circuit));
		status = file_writer_commit(writer, diag);
	}
	free(secret);
	return status;
}

static enum status run_witness(char **arguments, struct diag *diag)
{
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	struct builtin_circuit circuit;
	uint8_t *secret = NULL;
	enum status status = make_secret(arguments, diag, &circuit, &secret);

	if (status == STATUS_OK) {
		status = builtin_circuit_witness(&circuit, secret, diag, &witness);
	}
	free(secret);
	return status == STATUS_OK ? wtns_write(witness, arguments[2], diag) : status;
}

static enum status run_vkey(char **arguments, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(verification_key_destroy) struct verification_key *verification_key = NULL;
	enum status status = zkey_read(arguments[0], ZKEY_CHECK_CURVE, diag, &key);

	if (status == STATUS_OK) {
		status = verification_key_from_zkey(key, diag, &verification_key);
	}
	if (status == STATUS_OK) {
		status = verification_key_write(verification_key, arguments[1], diag);
	}
	return status;
}

static enum status run_prove(char **arguments, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	const struct groth16_options options = {.thread_count = thread_count()};
	struct proof proof;
	uint64_t begin_ns = clock_now_ns();
	enum status status = zkey_read(arguments[0], ZKEY_CHECK_CURVE, diag, &key);

	if (status == STATUS_OK) {
		report_time("read key", begin_ns);
		status = wtns_read(arguments[1], diag, &witness);
	}
	if (status == STATUS_OK) {
		status = wtns_check_key(arguments[1], witness, key, diag);
	}
	if (status == STATUS_OK) {
		begin_ns = clock_now_ns();
		status = groth16_prove(key, witness->values, &options, diag, &proof);
		report_time("prove", begin_ns);
	}
	if (status == STATUS_OK) {
		status = proof_json_write(&proof, arguments[2], diag);
	}
	if (status == STATUS_OK) {
		status = public_json_write(
			witness->values + 1, key->public_count, arguments[3], diag);
	}
	return status;
}

static enum status run_verify(char **arguments, struct diag *diag)
{
	AUTO(verification_key_destroy) struct verification_key *key = NULL;
	blst_scalar *publics = NULL;
	uint32_t public_count = 0;
	struct proof proof;
	enum status status = verification_key_read(arguments[0], diag, &key);

	if (status == STATUS_OK) {
		status = public_json_read(arguments[1], diag, &publics, &public_count);
	}
	if (status == STATUS_OK) {
		status = proof_json_read(arguments[2], diag, &proof);
	}
	if (status == STATUS_OK) {
		status = groth16_verify(key, publics, public_count, &proof, diag);
	}
	free(publics);
	return status;
}

static enum status run_check(char **arguments, struct diag *diag)
{
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	enum status status = load_circuit(arguments[0], diag, &r1cs);

	if (status == STATUS_OK) {
		status = wtns_read(arguments[1], diag, &witness);
	}
	return status == STATUS_OK ? r1cs_check(r1cs, witness, diag) : status;
}

static enum status run_info(char **arguments, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	enum status status = zkey_read(arguments[0], ZKEY_CHECK_SUBGROUP, diag, &key);

	if (status == STATUS_OK) {
		printf("wires %u\npublics %u\ndomain %u\ninsecure %s\n", key->wire_count,
			key->public_count, key->domain_size, key->is_insecure ? "yes" : "no");
	}
	return status;
}

static const struct command commands[] = {
	{"r1cs", 2, "CIRCUIT OUT.r1cs", run_r1cs},
	{"setup", 2, "CIRCUIT OUT.zkey", run_setup},
	{"secret", 3, "CIRCUIT SEED OUT", run_secret},
	{"witness", 3, "CIRCUIT SEED OUT.wtns", run_witness},
	{"vkey", 2, "KEY.zkey OUT.json", run_vkey},
	{"prove", 4, "KEY.zkey WITNESS.wtns OUT-proof.json OUT-public.json", run_prove},
	{"verify", 3, "VKEY.json PUBLIC.json PROOF.json", run_verify},
	{"check", 2, "CIRCUIT WITNESS.wtns", run_check},
	{"info", 1, "KEY.zkey", run_info},
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

int main(int argc, char **argv)
{
	struct diag diag = {.line = ""};

	for (size_t i = 0; i < COMMAND_COUNT && argc > 1; i++) {
		enum status status;

		if (strcmp(argv[1], commands[i].name) != 0 ||
			argc - 2 != commands[i].argument_count) {
			continue;
		}
		status = commands[i].run(argv + 2, &diag);
		if (status != STATUS_OK) {
			fprintf(stderr, "groth16_tool: %s\n",
				diag.line[0] ? diag.line : status_text(status));
		}
		return status_exit_code(status);
	}
	fprintf(stderr, "usage: groth16_tool COMMAND ..., THREADS=N in the environment\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		fprintf(stderr, "  %s %s\n", commands[i].name, commands[i].arguments);
	}
	return status_exit_code(STATUS_BAD_USE);
}
