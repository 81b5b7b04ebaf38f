/* SPDX-License-Identifier: MIT */
#include "prover/groth16/prove.h"

#include "prover/groth16/field.h"
#include "prover/groth16/msm.h"
#include "prover/groth16/quotient.h"
#include "prover/groth16/secret.h"
#include "prover/groth16/verify.h"
#include "prover/groth16/work_pool.h"
#include "prover/groth16/work_queue.h"

#include <stdlib.h>
#include <string.h>

/* Wires classified by one tile. */
#define TILE_WIRES 16384u

static struct msm_query query_g1(const struct zkey_query_g1 *query)
{
	return (struct msm_query){.group = CURVE_G1,
		.count = query->count,
		.wires = query->wires,
		.points = query->points};
}

struct msm_query groth16_query_points(const struct zkey *key, enum groth16_query query)
{
	switch (query) {
	case GROTH16_A:
		return query_g1(&key->a);
	case GROTH16_B1:
		return query_g1(&key->b1);
	case GROTH16_L:
		return query_g1(&key->l);
	case GROTH16_H:
		return query_g1(&key->h);
	case GROTH16_B2:
	case GROTH16_QUERY_COUNT:
		break;
	}
	return (struct msm_query){.group = CURVE_G2,
		.count = key->b2.count,
		.wires = key->b2.wires,
		.points = key->b2.points};
}

static struct curve_point point_g1(const blst_p1_affine *affine)
{
	struct curve_point point = {.group = CURVE_G1};

	blst_p1_from_affine(&point.g1, affine);
	return point;
}

static struct curve_point point_g2(const blst_p2_affine *affine)
{
	struct curve_point point = {.group = CURVE_G2};

	blst_p2_from_affine(&point.g2, affine);
	return point;
}

/*
 * A = alpha + sum A + r delta, B = beta + sum B + s delta,
 * C = sum L + sum H + s A + r B - r s delta.
 */
void groth16_assemble(const struct zkey *key, const struct groth16_parts *parts,
	const struct blinding *blinding, struct proof *out_proof)
{
	struct curve_point delta_g1 = point_g1(&key->delta_g1);
	struct curve_point delta_g2 = point_g2(&key->delta_g2);
	struct curve_point a = point_g1(&key->alpha_g1);
	struct curve_point b1 = point_g1(&key->beta_g1);
	struct curve_point b2 = point_g2(&key->beta_g2);
	struct curve_point c = parts->sums[GROTH16_L];
	blst_scalar minus_rs;

	curve_add(&a, &parts->sums[GROTH16_A]);
	curve_add_multiple(&a, &delta_g1, &blinding->r);
	curve_add(&b1, &parts->sums[GROTH16_B1]);
	curve_add_multiple(&b1, &delta_g1, &blinding->s);
	curve_add(&b2, &parts->sums[GROTH16_B2]);
	curve_add_multiple(&b2, &delta_g2, &blinding->s);

	/* The negation is in delta, below. The check tells whether the product is zero, which is
	 * as good as any. */
	(void)blst_sk_mul_n_check(&minus_rs, &blinding->r, &blinding->s);
	curve_negate(&delta_g1);
	curve_add(&c, &parts->sums[GROTH16_H]);
	curve_add_multiple(&c, &a, &blinding->s);
	curve_add_multiple(&c, &b1, &blinding->r);
	curve_add_multiple(&c, &delta_g1, &minus_rs);

	/* B1 is only for C: a proof holds B in G2. */
	blst_p1_to_affine(&out_proof->a, &a.g1);
	blst_p2_to_affine(&out_proof->b, &b2.g2);
	blst_p1_to_affine(&out_proof->c, &c.g1);
	explicit_bzero(&minus_rs, sizeof(minus_rs));
	explicit_bzero(&b1, sizeof(b1));
}

enum status groth16_self_verify(const struct zkey *key, const blst_scalar *witness,
	const struct proof *proof, struct diag *diag)
{
	struct verification_key verification_key = {.public_count = key->public_count,
		.alpha_g1 = key->alpha_g1,
		.beta_g2 = key->beta_g2,
		.gamma_g2 = key->gamma_g2,
		.delta_g2 = key->delta_g2,
		.ic = key->ic};

	return groth16_verify(&verification_key, witness + 1, key->public_count, proof, diag);
}

/* Everything one proof needs while it is made; tasks point into it. */
struct proving {
	const struct zkey *key;
	const blst_scalar *witness;
	uint8_t *classes; /* of each wire */
	struct quotient quotient;
	struct msm_buckets *buckets; /* of each thread */
	uint32_t thread_count;
	struct msm sums[GROTH16_QUERY_COUNT];
	struct proving_query {
		struct proving *proving;
		enum groth16_query query;
	} queries[GROTH16_QUERY_COUNT];
};

static void proving_finish(struct proving *proving)
{
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		msm_finish(&proving->sums[i]);
	}
	for (uint32_t i = 0; proving->buckets && i < proving->thread_count; i++) {
		msm_buckets_finish(&proving->buckets[i]);
	}
	free(proving->buckets);
	quotient_finish(&proving->quotient);
	secret_destroy(proving->classes);
	*proving = (struct proving){0};
}

static enum status proving_init(struct proving *proving, const struct zkey *key,
	const blst_scalar *witness, const struct ntt_plan *plan, uint32_t thread_count)
{
	enum status status;
	struct quotient_input input = {
		.key = key, .plan = plan, .witness = witness, .thread_count = thread_count};

	*proving = (struct proving){.key = key, .witness = witness, .thread_count = thread_count};
	proving->buckets = calloc(thread_count, sizeof(proving->buckets[0]));
	proving->classes = secret_create(key->wire_count, 1);
	if (!proving->buckets || !proving->classes) {
		proving_finish(proving);
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		msm_init(&proving->sums[i], thread_count);
		msm_lend_buckets(&proving->sums[i], proving->buckets);
		proving->queries[i] = (struct proving_query){proving, (enum groth16_query)i};
	}
	/* Filled by the first task, before the evaluation reads them. */
	input.classes = proving->classes;
	status = quotient_init(&proving->quotient, &input);
	if (status != STATUS_OK) {
		proving_finish(proving);
	}
	return status;
}

static enum status run_classes(void *context, uint32_t tile, uint32_t worker)
{
	struct proving *proving = context;
	uint32_t begin = tile * TILE_WIRES;
	uint32_t count = proving->key->wire_count - begin;

	(void)worker;
	if (count > TILE_WIRES) {
		count = TILE_WIRES;
	}
	scalars_classify_all(proving->witness + begin, count, proving->classes + begin);
	return STATUS_OK;
}

static enum status run_prepare(void *context, uint32_t tile, uint32_t worker)
{
	const struct proving_query *query = context;
	struct proving *proving = query->proving;
	struct msm_query points = groth16_query_points(proving->key, query->query);

	(void)tile;
	(void)worker;
	/* H's scalars are made on the way; all other queries take the witness itself. */
	if (query->query == GROTH16_H) {
		return msm_prepare(&proving->sums[GROTH16_H], &points, proving->quotient.scalars,
			proving->quotient.scalar_classes);
	}
	return msm_prepare(
		&proving->sums[query->query], &points, proving->witness, proving->classes);
}

static uint32_t add_prepare(
	struct proving *proving, struct work_queue *queue, enum groth16_query query, uint32_t after)
{
	struct work_task task = {
		.run = run_prepare, .context = &proving->queries[query], .tile_count = 1};
	uint32_t prepare = work_queue_add(queue, &task);

	work_queue_order(queue, after, prepare);
	return prepare;
}

/*
 * What is added first is done first: the way to H's sum, the longest chain; then the tails, those
 * with the largest tiles before the others, so that the small ones fill the end.
 */
static enum status proving_run(struct proving *proving, struct work_pool *pool)
{
	static const enum groth16_query by_tile[] = {
		GROTH16_B2, GROTH16_H, GROTH16_A, GROTH16_L, GROTH16_B1};
	struct work_queue queue;
	struct work_task task = {.run = run_classes,
		.context = proving,
		.tile_count = (proving->key->wire_count + TILE_WIRES - 1) / TILE_WIRES};
	uint32_t prepared[GROTH16_QUERY_COUNT];
	uint32_t classes;
	uint32_t last;

	work_queue_init(&queue);
	classes = work_queue_add(&queue, &task);
	last = quotient_add_evaluation(&proving->quotient, &queue, classes);
	last = quotient_add_transforms(&proving->quotient, &queue, last);
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		prepared[i] = add_prepare(
			proving, &queue, (enum groth16_query)i, i == GROTH16_H ? last : classes);
	}
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		enum groth16_query query = by_tile[i];

		msm_add_tails(&proving->sums[query], &queue, prepared[query]);
	}
	for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
		enum groth16_query query = by_tile[i];

		msm_add_ones(&proving->sums[query], &queue, prepared[query]);
	}
	return work_pool_run(pool, &queue);
}

static enum status draw_blinding(
	const struct groth16_options *options, struct blinding *out_blinding)
{
	if (options->insecure_blinding_seed) {
		blinding_from_seed(options->insecure_blinding_seed, out_blinding);
		return STATUS_OK;
	}
	return blinding_draw(out_blinding);
}

static enum status prove_with(struct work_pool *pool, const struct ntt_plan *plan,
	const struct zkey *key, const blst_scalar *witness, const struct groth16_options *options,
	struct proof *out_proof)
{
	struct proving proving;
	struct groth16_parts parts;
	struct blinding blinding;
	enum status status =
		proving_init(&proving, key, witness, plan, work_pool_thread_count(pool));

	if (status != STATUS_OK) {
		return status;
	}
	status = proving_run(&proving, pool);
	if (status == STATUS_OK) {
		status = draw_blinding(options, &blinding);
	}
	if (status == STATUS_OK) {
		for (uint32_t i = 0; i < GROTH16_QUERY_COUNT; i++) {
			struct msm_query query = groth16_query_points(key, (enum groth16_query)i);

			msm_result(&proving.sums[i], query.group, &parts.sums[i]);
		}
		groth16_assemble(key, &parts, &blinding, out_proof);
		blinding_wipe(&blinding);
		/* Sums before they are blinded tell about the witness. */
		explicit_bzero(&parts, sizeof(parts));
	}
	proving_finish(&proving);
	return status;
}

/* What is not reduced would be taken for another number by the digits of the sums. */
static enum status check_witness(
	const struct zkey *key, const blst_scalar *witness, struct diag *diag)
{
	if (scalars_classify(&witness[0]) != SCALAR_ONE) {
		return diag_set(diag, STATUS_BAD_INPUT, "witness: wire 0 is not 1");
	}
	for (uint32_t i = 0; i < key->wire_count; i++) {
		if (!field_scalar_in_range(witness[i].b)) {
			return diag_set(diag, STATUS_BAD_INPUT,
				"witness: wire %u is not below the field's modulus", i);
		}
	}
	return STATUS_OK;
}

enum status groth16_prove(const struct zkey *key, const blst_scalar *witness,
	const struct groth16_options *options, struct diag *diag, struct proof *out_proof)
{
	AUTO(work_pool_destroy) struct work_pool *own_pool = NULL;
	AUTO(ntt_plan_destroy) struct ntt_plan *own_plan = NULL;
	struct work_pool *pool = options->pool;
	const struct ntt_plan *plan = options->plan;
	struct proof proof;
	enum status status = check_witness(key, witness, diag);

	if (status == STATUS_OK && !pool) {
		status = work_pool_create(options->thread_count, "prove", &own_pool);
		pool = own_pool;
	}
	if (status == STATUS_OK && !plan) {
		status = ntt_plan_create(key->domain_log2, &own_plan);
		plan = own_plan;
	}
	if (status == STATUS_OK) {
		status = prove_with(pool, plan, key, witness, options, &proof);
	}
	if (status != STATUS_OK) {
		return status == STATUS_BAD_INPUT
			       ? status
			       : diag_set(diag, status, "prove: %s", status_text(status));
	}
	if (options->self_verify) {
		status = groth16_self_verify(key, witness, &proof, diag);
	}
	if (status == STATUS_OK) {
		*out_proof = proof;
	}
	return status;
}
