/* SPDX-License-Identifier: MIT */
/*
 * Times proofs: with one thread and with several in turn, so that a busy machine slows both, and
 * takes the best of each. Also writes the key and witness of a built-in circuit, for a peer to
 * prove with. bench/prove.sh runs it beside snarkjs.
 */
#include "prover/groth16/prove.h"
#include "prover/groth16/builtin_circuit.h"
#include "prover/groth16/ntt.h"
#include "prover/groth16/setup.h"
#include "prover/groth16/work_pool.h"
#include "prover/groth16/wtns.h"
#include "trace/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX  1000
#define THREADS_MAX 256

/* Long enough to see who else runs: some time slices. */
#define SPIN_NS (300 * NS_PER_MS)

struct timing {
	uint64_t wall_ns;
	uint64_t cpu_ns;
};

static uint64_t process_cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void keep_best(struct timing *best, const struct timing *timing)
{
	if (best->wall_ns == 0 || timing->wall_ns < best->wall_ns) {
		best->wall_ns = timing->wall_ns;
	}
	if (best->cpu_ns == 0 || timing->cpu_ns < best->cpu_ns) {
		best->cpu_ns = timing->cpu_ns;
	}
}

static enum status time_proof(const struct zkey *key, const struct wtns *witness,
	const struct groth16_options *options, struct diag *diag, struct timing *best)
{
	uint64_t wall_ns = clock_now_ns();
	uint64_t cpu_ns = process_cpu_ns();
	struct proof proof;
	enum status status = groth16_prove(key, witness->values, options, diag, &proof);
	struct timing timing = {clock_now_ns() - wall_ns, process_cpu_ns() - cpu_ns};

	keep_best(best, &timing);
	return status;
}

static void print_timing(uint32_t thread_count, const struct timing *timing)
{
	printf("threads=%u wall_ms=%.1f cpu_ms=%.1f\n", thread_count, (double)timing->wall_ns / 1e6,
		(double)timing->cpu_ns / 1e6);
}

static void *spin(void *argument)
{
	uint64_t *cpu_ns = argument;
	uint64_t end_ns = clock_now_ns() + SPIN_NS;

	while (clock_now_ns() < end_ns) {
	}
	*cpu_ns = clock_thread_cpu_ns();
	return NULL;
}

/* How much of `thread_count` processors others leave to us: what threads can gain at most. */
static double available_percent(uint32_t thread_count)
{
	pthread_t threads[THREADS_MAX];
	uint64_t cpu_ns[THREADS_MAX] = {0};
	uint64_t total_ns = 0;
	uint32_t started = 0;

	while (started < thread_count &&
		pthread_create(&threads[started], NULL, spin, &cpu_ns[started]) == 0) {
		started++;
	}
	for (uint32_t i = 0; i < started; i++) {
		(void)pthread_join(threads[i], NULL);
		total_ns += cpu_ns[i];
	}
	return 100.0 * (double)total_ns / ((double)thread_count * SPIN_NS);
}

/* Proves `rounds` times with one thread and, in turn, with `thread_count`. */
static enum status run(const struct zkey *key, const struct wtns *witness, uint32_t thread_count,
	uint32_t rounds, struct diag *diag)
{
	AUTO(work_pool_destroy) struct work_pool *one = NULL;
	AUTO(work_pool_destroy) struct work_pool *many = NULL;
	AUTO(ntt_plan_destroy) struct ntt_plan *plan = NULL;
	struct timing best_one = {0};
	struct timing best_many = {0};
	double available = thread_count > 1 ? available_percent(thread_count) : 100.0;
	enum status status = ntt_plan_create(key->domain_log2, &plan);

	if (status == STATUS_OK) {
		status = work_pool_create(1, "bench", &one);
	}
	if (status == STATUS_OK && thread_count > 1) {
		status = work_pool_create(thread_count, "bench", &many);
	}
	for (uint32_t i = 0; status == STATUS_OK && i < rounds; i++) {
		struct groth16_options options = {.pool = one, .plan = plan, .self_verify = true};

		status = time_proof(key, witness, &options, diag, &best_one);
		if (status == STATUS_OK && many) {
			options.pool = many;
			status = time_proof(key, witness, &options, diag, &best_many);
		}
	}
	if (status != STATUS_OK) {
		return status;
	}
	print_timing(1, &best_one);
	if (many) {
		print_timing(thread_count, &best_many);
		printf("available_percent=%.1f\n", available);
		printf("efficiency_percent=%.1f\n",
			100.0 * (double)best_one.wall_ns /
				((double)thread_count * (double)best_many.wall_ns));
	}
	return STATUS_OK;
}

static enum status prove_files(const char *key_path, const char *witness_path,
	uint32_t thread_count, uint32_t rounds, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	enum status status = zkey_read(key_path, ZKEY_CHECK_CURVE, diag, &key);

	if (status == STATUS_OK) {
		status = wtns_read(witness_path, diag, &witness);
	}
	if (status == STATUS_OK) {
		status = wtns_check_key(witness_path, witness, key, diag);
	}
	if (status == STATUS_OK) {
		status = run(key, witness, thread_count, rounds, diag);
	}
	return status;
}

static enum status write_files(
	const char *circuit_name, const char *key_path, const char *witness_path, struct diag *diag)
{
	AUTO(zkey_destroy) struct zkey *key = NULL;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	AUTO(r1cs_destroy) struct r1cs *r1cs = NULL;
	struct builtin_circuit circuit;
	uint8_t *secret = NULL;
	enum status status = builtin_circuit_parse(circuit_name, diag, &circuit);

	if (status == STATUS_OK) {
		status = builtin_circuit_r1cs(&circuit, &r1cs);
	}
	if (status == STATUS_OK) {
		status = setup_create_key(
			r1cs, &(struct setup_options){.thread_count = 1}, diag, &key);
	}
	if (status == STATUS_OK) {
		secret = calloc(1, builtin_circuit_secret_bytes(&circuit));
		status = secret ? STATUS_OK : STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK) {
		builtin_circuit_example(&circuit, 1, secret);
		status = builtin_circuit_witness(&circuit, secret, diag, &witness);
	}
	if (status == STATUS_OK) {
		status = zkey_write(key, key_path, diag);
	}
	if (status == STATUS_OK) {
		status = wtns_write(witness, witness_path, diag);
	}
	free(secret);
	return status;
}

static uint32_t parse_count(const char *text, uint32_t maximum)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *end == '\0' && value <= maximum ? (uint32_t)value : 0;
}

int main(int argument_count, char **arguments)
{
	struct diag diag = {""};
	enum status status = STATUS_BAD_USE;

	if (argument_count == 5 && strcmp(arguments[1], "--write") == 0) {
		status = write_files(arguments[2], arguments[3], arguments[4], &diag);
	} else if (argument_count == 5 && parse_count(arguments[3], THREADS_MAX) > 0 &&
		   parse_count(arguments[4], ROUNDS_MAX) > 0) {
		status = prove_files(arguments[1], arguments[2],
			parse_count(arguments[3], THREADS_MAX),
			parse_count(arguments[4], ROUNDS_MAX), &diag);
	} else {
		(void)snprintf(diag.line, sizeof(diag.line),
			"usage: bench_prove KEY.zkey WITNESS.wtns THREADS ROUNDS\n"
			"       bench_prove --write CIRCUIT KEY.zkey WITNESS.wtns");
	}
	if (status != STATUS_OK) {
		fprintf(stderr, "bench_prove: %s\n",
			diag.line[0] != '\0' ? diag.line : status_text(status));
	}
	return status_exit_code(status);
}
