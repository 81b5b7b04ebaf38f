/* SPDX-License-Identifier: MIT */
/* A key on the device: its points, in one piece of memory, and the tables of its domain. */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/groth16/zkey.h"

#include <assert.h>
#include <stdlib.h>

#define ALIGNMENT_BYTES 256u

static_assert(sizeof(struct affine) == sizeof(blst_p1_affine), "the same bytes on either side");

/* One array of a key, on the host and in the device's memory. */
struct piece {
	const void *source; /* NULL: made on the device */
	uint64_t bytes;
	uint64_t offset;
};

enum {
	PIECE_H_WIRES = DEVICE_QUERY_COUNT,
	PIECE_TABLES,
	PIECE_ROOTS,
	PIECE_COUNT
};

static struct piece points_piece(const struct zkey_query_g1 *query)
{
	return (struct piece){
		.source = query->points, .bytes = (uint64_t)query->count * sizeof(struct affine)};
}

/* Gives the bytes of all pieces. */
static uint64_t place_pieces(
	const struct zkey *key, const struct transform_tables *tables, struct piece *pieces)
{
	uint64_t offset = 0;

	pieces[DEVICE_QUERY_H] = points_piece(&key->h);
	pieces[DEVICE_QUERY_L] = points_piece(&key->l);
	pieces[DEVICE_QUERY_A] = points_piece(&key->a);
	pieces[DEVICE_QUERY_B1] = points_piece(&key->b1);
	pieces[PIECE_H_WIRES] = (struct piece){
		.source = key->h.wires, .bytes = (uint64_t)key->h.count * sizeof(uint32_t)};
	pieces[PIECE_TABLES] = (struct piece){
		.source = tables->elements, .bytes = tables->element_count * sizeof(struct fr)};
	pieces[PIECE_ROOTS] =
		(struct piece){.bytes = transform_root_count(key->domain_log2) * sizeof(struct fr)};
	for (int i = 0; i < PIECE_COUNT; i++) {
		pieces[i].offset = offset;
		offset +=
			(pieces[i].bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
	}
	return offset;
}

/* What a proof takes beside its key: three vectors, and the scratch memory of the largest sum. */
static enum status proof_bytes(const struct zkey *key, uint64_t *out_bytes)
{
	struct sums_plan plan;
	const enum status status = sums_plan_terms(key->h.count, 255, SUMS_ENTRIES_MAX, &plan);

	if (status == STATUS_OK) {
		*out_bytes = plan.scratch_bytes +
			     (uint64_t)DEVICE_VECTOR_COUNT * key->domain_size * sizeof(struct fr);
	}
	return status;
}

/* Refuses now what would fail in the middle of the first proof. */
static enum status predict(struct device *device, const struct zkey *key, uint64_t key_bytes)
{
	uint64_t bytes = 0;
	const enum status status = proof_bytes(key, &bytes);

	if (status != STATUS_OK) {
		return status;
	}
	return key_bytes + bytes > device_cuda.free_bytes(device) ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status upload_pieces(
	struct device_key *key, struct runtime_stream *stream, const struct piece *pieces)
{
	struct runtime *runtime = key->device->runtime;
	enum status status = STATUS_OK;

	for (int i = 0; i < PIECE_COUNT && status == STATUS_OK; i++) {
		if (pieces[i].source && pieces[i].bytes) {
			status = runtime_copy(runtime, stream,
				&(struct runtime_copy){
					.target = (uint8_t *)key->memory->bytes + pieces[i].offset,
					.source = pieces[i].source,
					.bytes = pieces[i].bytes,
					.direction = RUNTIME_UPLOAD});
		}
	}
	return status;
}

static enum status fill_memory(
	struct device_key *key, const struct transform_tables *tables, const struct piece *pieces)
{
	struct runtime *runtime = key->device->runtime;
	uint8_t *bytes = key->memory->bytes;
	const struct fr *elements = (const void *)(bytes + pieces[PIECE_TABLES].offset);
	const struct transform_powers roots = transform_tables_roots(tables, elements);
	struct runtime_stream *stream = NULL;
	enum status status = runtime_stream_open(runtime, &stream);
	enum status end_status;

	if (status != STATUS_OK) {
		return status;
	}
	status = upload_pieces(key, stream, pieces);
	if (status == STATUS_OK) {
		status = runtime_launch_roots(runtime, stream, tables->log2, &roots,
			(struct fr *)(void *)(bytes + pieces[PIECE_ROOTS].offset));
	}
	end_status = runtime_stream_synchronize(runtime, stream);
	runtime_stream_close(runtime, stream);
	return status == STATUS_OK ? end_status : status;
}

static void point_into_memory(
	struct device_key *key, const struct transform_tables *tables, const struct piece *pieces)
{
	const uint8_t *bytes = key->memory->bytes;

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		key->points[i] = (const void *)(bytes + pieces[i].offset);
	}
	key->h_wires = (const void *)(bytes + pieces[PIECE_H_WIRES].offset);
	key->transform.log2 = tables->log2;
	key->transform.roots = (const void *)(bytes + pieces[PIECE_ROOTS].offset);
	key->transform.coset =
		transform_tables_coset(tables, (const void *)(bytes + pieces[PIECE_TABLES].offset));
}

static enum status load(struct device_key *key, const struct zkey *zkey)
{
	AUTO(transform_tables_destroy) struct transform_tables *tables = NULL;
	struct piece pieces[PIECE_COUNT];
	uint64_t bytes = 0;
	enum status status = transform_tables_create(zkey->domain_log2, &tables);

	if (status == STATUS_OK) {
		bytes = place_pieces(zkey, tables, pieces);
		status = predict(key->device, zkey, bytes);
	}
	if (status == STATUS_OK) {
		status = device_cuda_memory_alloc(key->device, bytes, &key->memory);
	}
	if (status == STATUS_OK) {
		status = fill_memory(key, tables, pieces);
	}
	if (status == STATUS_OK) {
		point_into_memory(key, tables, pieces);
	}
	return status;
}

enum status device_cuda_key_load(struct device *device, const struct zkey *zkey,
	const struct device_shape *shape, struct device_key **out_key)
{
	struct device_key *key;
	enum status status;

	assert(device && shape && out_key);

	if (!zkey) {
		return STATUS_BAD_USE;
	}
	key = calloc(1, sizeof(*key));
	if (!key) {
		return STATUS_NO_MEMORY;
	}
	key->device = device;
	key->shape = *shape;
	status = load(key, zkey);
	if (status != STATUS_OK) {
		device_cuda_key_unload(device, key);
		return status;
	}
	*out_key = key;
	return STATUS_OK;
}

void device_cuda_key_unload(struct device *device, struct device_key *key)
{
	if (!key) {
		return;
	}
	device_cuda_memory_free(device, key->memory);
	free(key);
}
