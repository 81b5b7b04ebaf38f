/* SPDX-License-Identifier: MIT */
#include "prover/groth16/matrix_vector.h"
#include "prover/groth16/scalars.h"
#include "prover/hand_over.h"
#include "prover/simulate.h"
#include "prover/stages.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a matrix between two looks at nothing: just large enough that calls cost nothing. */
#define SYNTHESIS_ROWS 4096

static enum status builtin_witness(
	const struct partition *partition, struct diag *diag, struct wtns **out_witness)
{
	const struct job_request *request = &partition->job->request;
	const struct builtin_circuit *circuit = &partition->job->srs->circuit;
	size_t secret_bytes = builtin_circuit_secret_bytes(circuit);
	uint8_t *secret = malloc(secret_bytes);
	enum status status = STATUS_OK;

	if (!secret) {
		return STATUS_NO_MEMORY;
	}
	if (request->secrets) {
		assert(request->secret_bytes == secret_bytes);
		memcpy(secret, request->secrets + (size_t)partition->index * secret_bytes,
			secret_bytes);
	} else {
		/* Each partition its own secret: prove(1) tells how they are counted. */
		builtin_circuit_example(circuit, request->seed + partition->index, secret);
	}
	status = builtin_circuit_witness(circuit, secret, diag, out_witness);
	explicit_bzero(secret, secret_bytes);
	free(secret);
	return status;
}

static enum status make_witness(
	const struct partition *partition, struct diag *diag, struct wtns **out_witness)
{
	const struct job *job = partition->job;
	AUTO(wtns_destroy) struct wtns *witness = NULL;
	const char *name = job_kind_name(job->request.kind);
	enum status status = STATUS_OK;

	if (job->request.kind == JOB_FILES) {
		name = job->request.witness_paths[partition->index];
		status = wtns_read(name, diag, &witness);
	} else {
		status = builtin_witness(partition, diag, &witness);
	}
	if (status == STATUS_OK) {
		/* Whether it satisfies the circuit only the proof's check can tell. */
		status = wtns_check_key(name, witness, job->srs->zkey, diag);
	}
	if (status == STATUS_OK) {
		*out_witness = MOVE(witness);
	}
	return status;
}

/* a = A * w, b = B * w, c = a * b on the rows of the domain. */
static void evaluate(
	const struct srs *srs, const struct wtns *witness, const uint8_t *classes, blst_fr *abc[3])
{
	const struct zkey *key = srs->zkey;
	struct matrix_vector vector = {.values = witness->values,
		.classes = classes,
		.coefficient_values = key->coefficient_values,
		.coefficient_ones = srs->coefficient_ones};

	for (uint32_t row = 0; row < key->domain_size; row += SYNTHESIS_ROWS) {
		uint32_t end = row + SYNTHESIS_ROWS < key->domain_size ? row + SYNTHESIS_ROWS
								       : key->domain_size;

		matrix_vector_evaluate(key, &vector, row, end, abc);
	}
}

static enum status fill_vectors(struct partition *partition)
{
	struct synthesized *synthesized = partition->synthesized;
	const struct wtns *witness = synthesized->witness;
	uint8_t *classes = malloc(witness->count);
	blst_fr *abc[3];

	if (!classes) {
		return STATUS_NO_MEMORY;
	}
	for (int i = 0; i < 3; i++) {
		abc[i] = synthesized->abc[i].memory;
	}
	scalars_classify_all(witness->values, witness->count, classes);
	evaluate(partition->job->srs, witness, classes, abc);
	/* Classes tell which wires are zero. */
	explicit_bzero(classes, witness->count);
	free(classes);
	return STATUS_OK;
}

static enum status fill(struct partition *partition, bool evaluates, struct diag *diag)
{
	struct synthesized *synthesized = partition->synthesized;
	uint32_t public_count = partition->job->srs->zkey->public_count;
	enum status status = make_witness(partition, diag, &synthesized->witness);

	if (status == STATUS_OK && evaluates) {
		status = fill_vectors(partition);
	}
	if (status != STATUS_OK) {
		return status;
	}
	partition->publics = malloc((size_t)(public_count + 1) * sizeof(*partition->publics));
	if (!partition->publics) {
		return STATUS_NO_MEMORY;
	}
	partition->public_count = public_count;
	/* Wire 0 is the constant 1, the public wires follow. */
	memcpy(partition->publics, &synthesized->witness->values[1],
		public_count * sizeof(*partition->publics));
	return STATUS_OK;
}

static enum status synthesize(
	struct pipeline *pipeline, struct partition *partition, struct diag *diag)
{
	const bool evaluates = pipeline->config.synthesis.evaluate == CONFIG_EVALUATE_HOST;
	const struct device_shape *shape = &partition->job->srs->key.shape;
	enum status status = STATUS_OK;

	status = synthesized_create(pipeline->pinned_pool, partition_work(partition, GAPTRACE_NONE),
		evaluates ? shape->domain_size * sizeof(blst_fr) : 0, &partition->synthesized);
	/* Between begin and this lies what allocating took. */
	partition->upstream.synthesis_work_ns = clock_now_ns();
	partition->churn = partition_churn_create(pipeline->config.memory.churn_bytes);
	if (status != STATUS_OK) {
		return status;
	}
	if (pipeline_is_simulated(pipeline)) {
		partition->synthesized->simulated_aux_bytes = shape->wire_count * sizeof(blst_fr);
		simulate_work(
			&pipeline->config.sim, pipeline->sleep, pipeline->config.sim.synthesis_ms);
		return STATUS_OK;
	}
	return fill(partition, evaluates, diag);
}

/* How long a modelled synthesis sleeps; 0 when it works. */
static uint64_t slept_ns(const struct pipeline *pipeline)
{
	const struct config_sim *sim = &pipeline->config.sim;

	return pipeline_is_simulated(pipeline) && !sim->burns_cpu
		       ? (uint64_t)((double)(sim->synthesis_ms * NS_PER_MS) * sim->time_scale)
		       : 0;
}

/* What was neither work nor the sleep that stands for it, it wanted a CPU and had none. */
static void meter_synthesis(struct partition *partition, uint64_t begin_ns, uint64_t cpu_ns,
	struct idle_upstream *before)
{
	struct idle_upstream *upstream = &partition->upstream;
	uint64_t busy_ns = cpu_ns + slept_ns(partition->pipeline);
	uint64_t took_ns = 0;

	upstream->synthesis_begin_ns = begin_ns;
	upstream->synthesis_end_ns = clock_now_ns();
	took_ns = upstream->synthesis_end_ns - upstream->synthesis_work_ns;
	upstream->starved_ns = took_ns > busy_ns ? took_ns - busy_ns : 0;
	memcpy(upstream->before_begin_ns, before->before_begin_ns,
		sizeof(upstream->before_begin_ns));
	memcpy(upstream->before_work_ns, before->before_work_ns, sizeof(upstream->before_work_ns));
	for (int i = IDLE_BEFORE_COUNT - 1; i > 0; i--) {
		before->before_begin_ns[i] = before->before_begin_ns[i - 1];
		before->before_work_ns[i] = before->before_work_ns[i - 1];
	}
	before->before_begin_ns[0] = begin_ns;
	before->before_work_ns[0] = upstream->synthesis_work_ns;
}

/* `before` is what the worker did until now; this one is added. */
static void run_partition(
	struct pipeline *pipeline, struct partition *partition, struct idle_upstream *before)
{
	struct tracker *tracker = &pipeline->tracker;
	struct diag diag = {.line = ""};
	struct gaptrace_span span;
	uint64_t begin_ns = clock_now_ns();
	uint64_t duration_ns = 0;
	uint64_t cpu_ns = clock_thread_cpu_ns();
	enum status status = STATUS_OK;

	/* Nobody wants it any more; the memory goes back at once. */
	if (tracker_is_failing(tracker, partition->job)) {
		partition_fail(&partition, NULL);
		return;
	}
	tracker_partition(tracker, partition->job, partition->index, JOB_PARTITION_SYNTHESIZING);
	(void)atomic_fetch_add(&pipeline->synthesizing, 1);
	span = gaptrace_span_begin("synthesize", partition_work(partition, GAPTRACE_NONE));
	status = synthesize(pipeline, partition, &diag);
	gaptrace_span_end(&span);
	(void)atomic_fetch_sub(&pipeline->synthesizing, 1);
	duration_ns = clock_now_ns() - begin_ns;
	(void)atomic_fetch_add(&pipeline->clocks.synthesis_ns, duration_ns);
	if (status != STATUS_OK) {
		partition_fail(&partition, diag.line[0] != '\0' ? diag.line : status_text(status));
		return;
	}
	meter_synthesis(partition, begin_ns, clock_thread_cpu_ns() - cpu_ns, before);
	tracker_partition_synthesized(tracker, partition->job, partition->index, duration_ns);
	hand_over_partition(pipeline, partition);
}

void synthesis_run(struct pipeline *pipeline)
{
	struct priority_queue_entry *entry = NULL;
	struct idle_upstream before = {.submitted_ns = 0};

	while ((entry = priority_queue_pop(&pipeline->dispatch))) {
		run_partition(pipeline, partition_of_entry(entry), &before);
	}
}
