/* SPDX-License-Identifier: MIT */
/* A key on the device: its points, in one piece of memory, and the tables of its domain. */
#include "prover/device/cuda/device_cuda_private.h"
#include "prover/groth16/scalars.h"
#include "prover/groth16/zkey.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT_BYTES 256u
#define MIB             (1u << 20)

/* For results and alignment. */
#define MARGIN_DIVISOR 4u
#define MARGIN_BYTES   (64u << 10)

/* More passes over its terms than this make a sum slower than on the CPU. */
#define CHUNK_COUNT_MAX 64u

static_assert(sizeof(struct affine) == sizeof(blst_p1_affine), "the same bytes on either side");

/* One array of a key, on the host and in the device's memory. */
struct piece {
	const void *source; /* NULL: made on the device */
	uint64_t bytes;
	uint64_t room_bytes;
	uint64_t offset;
};

enum {
	PIECE_H_WIRES = DEVICE_QUERY_COUNT,
	PIECE_TABLES,
	PIECE_ROOTS,
	PIECE_COEFFICIENTS, /* of the matrices, as what follows */
	PIECE_ROWS,
	PIECE_WIRES = PIECE_ROWS + MATRIX_COUNT,
	PIECE_NUMBERS = PIECE_WIRES + MATRIX_COUNT,
	PIECE_LONG_ROWS = PIECE_NUMBERS + MATRIX_COUNT,
	PIECE_COUNT = PIECE_LONG_ROWS + MATRIX_COUNT
};

/* What is made on the host before a key is loaded, and only needed until it is. */
struct preparation {
	const struct zkey *zkey;
	struct transform_tables *tables;
	bool has_matrices;
	uint32_t *long_rows[MATRIX_COUNT]; /* their numbers */
	uint32_t long_counts[MATRIX_COUNT];
};

/* Room for the one at infinity behind them too. */
static struct piece points_piece(const struct zkey_query_g1 *query, bool is_streamed)
{
	const uint64_t bytes = ((uint64_t)query->count + 1) * sizeof(struct affine);

	return (struct piece){.source = query->points,
		.bytes = is_streamed ? 0 : bytes - sizeof(struct affine),
		.room_bytes = is_streamed ? 0 : bytes};
}

static struct piece array_piece(const void *source, uint64_t bytes)
{
	return (struct piece){.source = source, .bytes = bytes, .room_bytes = bytes};
}

static const struct zkey_matrix *matrix_of(const struct zkey *key, int matrix)
{
	return matrix == 0 ? &key->a_matrix : &key->b_matrix;
}

static void place_matrices(const struct preparation *preparation, struct piece *pieces)
{
	const struct zkey *key = preparation->zkey;

	pieces[PIECE_COEFFICIENTS] = array_piece(key->coefficient_values,
		(uint64_t)key->coefficient_value_count * sizeof(struct fr));
	for (int i = 0; i < MATRIX_COUNT; i++) {
		const struct zkey_matrix *matrix = matrix_of(key, i);
		const uint64_t entry_bytes =
			(uint64_t)matrix->row_begin[matrix->row_count] * sizeof(uint32_t);

		pieces[PIECE_ROWS + i] = array_piece(
			matrix->row_begin, ((uint64_t)matrix->row_count + 1) * sizeof(uint32_t));
		pieces[PIECE_WIRES + i] = array_piece(matrix->wires, entry_bytes);
		pieces[PIECE_NUMBERS + i] = array_piece(matrix->coefficients, entry_bytes);
		pieces[PIECE_LONG_ROWS + i] = array_piece(preparation->long_rows[i],
			(uint64_t)preparation->long_counts[i] * sizeof(uint32_t));
	}
}

/* Gives the bytes of all pieces; of those that are streamed there is none. */
static uint64_t place_pieces(
	const struct preparation *preparation, bool is_streamed, struct piece *pieces)
{
	const struct zkey *key = preparation->zkey;
	const struct transform_tables *tables = preparation->tables;
	uint64_t offset = 0;

	memset(pieces, 0, PIECE_COUNT * sizeof(*pieces));
	if (preparation->has_matrices) {
		place_matrices(preparation, pieces);
	}

	pieces[DEVICE_QUERY_H] = points_piece(&key->h, is_streamed);
	pieces[DEVICE_QUERY_L] = points_piece(&key->l, is_streamed);
	pieces[DEVICE_QUERY_A] = points_piece(&key->a, is_streamed);
	pieces[DEVICE_QUERY_B1] = points_piece(&key->b1, is_streamed);
	pieces[PIECE_H_WIRES] =
		array_piece(key->h.wires, (uint64_t)key->h.count * sizeof(uint32_t));
	pieces[PIECE_TABLES] =
		array_piece(tables->elements, tables->element_count * sizeof(struct fr));
	pieces[PIECE_ROOTS] =
		array_piece(NULL, transform_root_count(key->domain_log2) * sizeof(struct fr));
	for (int i = 0; i < PIECE_COUNT; i++) {
		pieces[i].offset = offset;
		offset += (pieces[i].room_bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES *
			  ALIGNMENT_BYTES;
	}
	return offset;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The most that anything a proof puts on a stream takes of its scratch. */
static enum status scratch_bytes(const struct preparation *preparation, uint64_t *out_bytes)
{
	const struct zkey *key = preparation->zkey;
	const uint32_t terms = key->wire_count > key->h.count ? key->wire_count : key->h.count;
	uint64_t small_bytes = 0;
	uint64_t wide_bytes = 0;
	struct sums_plan list;
	enum status status = sums_plan_list(terms, &list);

	if (status == STATUS_OK) {
		status = sums_scratch_bytes(
			terms, SCALARS_SMALL_BITS, SUMS_ENTRIES_MAX, &small_bytes);
	}
	if (status == STATUS_OK) {
		status =
			sums_scratch_bytes(terms, SCALARS_WIDE_BITS, SUMS_ENTRIES_MAX, &wide_bytes);
	}
	if (status != STATUS_OK) {
		return status;
	}
	*out_bytes = larger(larger(small_bytes, wide_bytes), list.scratch_bytes);
	for (int i = 0; i < MATRIX_COUNT; i++) {
		*out_bytes =
			larger(*out_bytes, device_cuda_evaluate_bytes(preparation->long_counts[i]));
	}
	return STATUS_OK;
}

/* What a proof takes beside its key: vectors and scalars, and scratch. */
static uint64_t proof_bytes(const struct preparation *preparation, uint64_t scratch_bytes)
{
	const struct zkey *key = preparation->zkey;
	const uint64_t witness_bytes =
		preparation->has_matrices ? (uint64_t)key->wire_count * sizeof(struct fr) : 0;
	const uint64_t vector_bytes =
		(uint64_t)DEVICE_VECTOR_COUNT * key->domain_size * sizeof(struct fr) +
		witness_bytes;
	const uint64_t scalar_bytes = (uint64_t)(DEVICE_QUERY_COUNT - 1) * key->wire_count *
				      (sizeof(struct fr) + sizeof(uint32_t));
	const uint64_t bytes = scratch_bytes + larger(vector_bytes, scalar_bytes);

	return bytes + bytes / MARGIN_DIVISOR + MARGIN_BYTES;
}

static uint32_t largest_query(const struct zkey *key)
{
	const uint32_t counts[] = {key->h.count, key->l.count, key->a.count, key->b1.count};
	uint32_t largest = 0;

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		largest = counts[i] > largest ? counts[i] : largest;
	}
	return largest;
}

/* What is left for keys, and what a proof takes of it: of this key or of one that is here already,
 * since one works at a time. */
static uint64_t room(struct device *device, uint64_t *in_out_needed)
{
	const uint64_t free_bytes = device_cuda.free_bytes(device);
	uint64_t working_bytes;

	gaptrace_mutex_lock(&device->mutex);
	working_bytes = device->used_bytes - device->key_bytes;
	if (*in_out_needed < device->promised_bytes) {
		*in_out_needed = device->promised_bytes;
	}
	gaptrace_mutex_unlock(&device->mutex);
	return free_bytes + working_bytes;
}

static enum status refuse(struct device *device, uint64_t bytes, uint64_t needed, uint64_t left)
{
	enum status status;

	gaptrace_mutex_lock(&device->mutex);
	status = diag_set(&device->refusal, STATUS_NO_MEMORY,
		"the key takes %" PRIu64 " MiB, streamed, and a proof %" PRIu64 " MiB, of %" PRIu64
		" MiB that are left: raise [gpu] memory_bytes, lower [srs] cache_max, or take a "
		"larger device",
		bytes / MIB + 1, needed / MIB + 1, left / MIB);
	gaptrace_mutex_unlock(&device->mutex);
	return status;
}

/*
 * Decides where the points are, so that nothing fails for want of memory in the middle of a proof:
 * all on the device; or streamed, half of what is left for chunks; or not at all. Gives the bytes
 * of the pieces.
 */
static enum status plan_memory(struct device_key *key, const struct preparation *preparation,
	struct piece *pieces, uint64_t *out_bytes)
{
	const uint32_t largest = largest_query(preparation->zkey);
	uint64_t bytes = place_pieces(preparation, false, pieces);
	uint64_t needed;
	uint64_t left;
	uint64_t chunk_points;
	const enum status status = scratch_bytes(preparation, &key->scratch_bytes);

	if (status != STATUS_OK) {
		return status;
	}
	needed = proof_bytes(preparation, key->scratch_bytes);
	key->proof_bytes = needed;
	left = room(key->device, &needed);
	*out_bytes = bytes;
	if (bytes + needed <= left) {
		return STATUS_OK;
	}
	bytes = place_pieces(preparation, true, pieces);
	if (bytes + needed > left) {
		return refuse(key->device, bytes, needed, left);
	}
	chunk_points = (left - bytes - needed) / 2 / sizeof(struct affine);
	if (chunk_points < largest / CHUNK_COUNT_MAX + 1) {
		return refuse(key->device, bytes, needed, left);
	}
	key->chunk_points = chunk_points < largest ? (uint32_t)chunk_points : largest;
	key->proof_bytes += chunk_points * sizeof(struct affine);
	*out_bytes = bytes;
	return STATUS_OK;
}

static void count_key(struct device *device, const struct device_key *key)
{
	gaptrace_mutex_lock(&device->mutex);
	device->key_bytes += key->memory->size;
	device->key_count++;
	if (key->proof_bytes > device->promised_bytes) {
		device->promised_bytes = key->proof_bytes;
	}
	gaptrace_mutex_unlock(&device->mutex);
}

static void forget_key(struct device *device, const struct device_key *key)
{
	gaptrace_mutex_lock(&device->mutex);
	device->key_bytes -= key->memory->size;
	device->key_count--;
	if (device->key_count == 0) {
		device->promised_bytes = 0;
	}
	gaptrace_mutex_unlock(&device->mutex);
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
	status = runtime_clear(runtime, stream, bytes, key->memory->size);
	if (status == STATUS_OK) {
		status = upload_pieces(key, stream, pieces);
	}
	if (status == STATUS_OK) {
		status = runtime_launch_roots(runtime, stream, tables->log2, &roots,
			(struct fr *)(void *)(bytes + pieces[PIECE_ROOTS].offset));
	}
	end_status = runtime_stream_synchronize(runtime, stream);
	runtime_stream_close(runtime, stream);
	return status == STATUS_OK ? end_status : status;
}

static void point_to_matrices(
	struct device_key *key, const struct preparation *preparation, const struct piece *pieces)
{
	const uint8_t *bytes = key->memory->bytes;

	for (int i = 0; i < MATRIX_COUNT; i++) {
		key->matrices[i] = (struct sparse){
			.row_count = matrix_of(preparation->zkey, i)->row_count,
			.row_begin = (const void *)(bytes + pieces[PIECE_ROWS + i].offset),
			.wires = (const void *)(bytes + pieces[PIECE_WIRES + i].offset),
			.coefficients = (const void *)(bytes + pieces[PIECE_NUMBERS + i].offset),
			.coefficient_values =
				(const void *)(bytes + pieces[PIECE_COEFFICIENTS].offset),
			.long_count = preparation->long_counts[i],
			.long_rows = (const void *)(bytes + pieces[PIECE_LONG_ROWS + i].offset),
		};
	}
}

static void point_into_memory(
	struct device_key *key, const struct preparation *preparation, const struct piece *pieces)
{
	const struct transform_tables *tables = preparation->tables;
	const uint8_t *bytes = key->memory->bytes;

	for (int i = 0; i < DEVICE_QUERY_COUNT; i++) {
		key->points[i] = key->chunk_points ? pieces[i].source
						   : (const void *)(bytes + pieces[i].offset);
	}
	key->h_wires = (const void *)(bytes + pieces[PIECE_H_WIRES].offset);
	key->transform.log2 = tables->log2;
	key->transform.roots = (const void *)(bytes + pieces[PIECE_ROOTS].offset);
	key->transform.coset =
		transform_tables_coset(tables, (const void *)(bytes + pieces[PIECE_TABLES].offset));
	if (preparation->has_matrices) {
		point_to_matrices(key, preparation, pieces);
	}
}

/* The numbers of rows that are too long for a thread. */
static enum status find_long_rows(
	const struct zkey_matrix *matrix, uint32_t **out_rows, uint32_t *out_count)
{
	uint32_t *rows = malloc(((size_t)matrix->row_count + 1) * sizeof(*rows));
	uint32_t count = 0;

	if (!rows) {
		return STATUS_NO_MEMORY;
	}
	for (uint32_t i = 0; i < matrix->row_count; i++) {
		if (matrix->row_begin[i + 1] - matrix->row_begin[i] > SPARSE_ROW_ENTRIES) {
			rows[count++] = i;
		}
	}
	*out_rows = rows;
	*out_count = count;
	return STATUS_OK;
}

static enum status prepare(struct preparation *preparation)
{
	const struct zkey *zkey = preparation->zkey;
	enum status status = transform_tables_create(zkey->domain_log2, &preparation->tables);

	for (int i = 0; i < MATRIX_COUNT && preparation->has_matrices && status == STATUS_OK; i++) {
		status = find_long_rows(matrix_of(zkey, i), &preparation->long_rows[i],
			&preparation->long_counts[i]);
	}
	return status;
}

static void finish(struct preparation *preparation)
{
	transform_tables_destroy(preparation->tables);
	for (int i = 0; i < MATRIX_COUNT; i++) {
		free(preparation->long_rows[i]);
	}
}

static enum status load(struct device_key *key, const struct preparation *preparation)
{
	struct piece pieces[PIECE_COUNT];
	uint64_t bytes = 0;
	enum status status = plan_memory(key, preparation, pieces, &bytes);

	if (status == STATUS_OK) {
		status = device_cuda_memory_alloc(key->device, bytes, &key->memory);
	}
	if (status == STATUS_OK) {
		count_key(key->device, key);
		status = fill_memory(key, preparation->tables, pieces);
	}
	if (status == STATUS_OK) {
		point_into_memory(key, preparation, pieces);
	}
	return status;
}

enum status device_cuda_key_load(struct device *device, const struct zkey *zkey,
	const struct device_shape *shape, struct device_key **out_key)
{
	struct preparation preparation = {.zkey = zkey};
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
	preparation.has_matrices = device->config.holds_matrices;
	status = prepare(&preparation);
	if (status == STATUS_OK) {
		status = load(key, &preparation);
	}
	finish(&preparation);
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
	if (key->memory) {
		forget_key(device, key);
	}
	device_cuda_memory_free(device, key->memory);
	free(key);
}
