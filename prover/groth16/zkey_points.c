/* SPDX-License-Identifier: MIT */
#include "prover/groth16/zkey_points.h"

#include "prover/groth16/field.h"
#include "prover/groth16/zkey_layout.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A cache line: points then never straddle more lines than they must. */
#define POINT_ALIGNMENT 64u

static const char reason_range[] = "a coordinate is not below the field's prime";
static const char reason_infinity[] = "infinity, which cannot stand here";
static const char reason_curve[] = "not on the curve";
static const char reason_subgroup[] = "not in the prime-order subgroup";

static bool is_zero(const void *bytes, size_t count)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < count; i++) {
		if (byte[i]) {
			return false;
		}
	}
	return true;
}

/* True if `count` base field words at `words` are all below the prime. */
static bool are_in_range(const void *words, size_t count)
{
	const uint8_t *bytes = words;

	for (size_t i = 0; i < count; i++) {
		if (!field_base_in_range(bytes + i * FIELD_BASE_BYTES)) {
			return false;
		}
	}
	return true;
}

const char *zkey_points_wrong_g1(
	const blst_p1_affine *point, enum zkey_infinity infinity, enum zkey_check check)
{
	/* (0, 0) is not on the curve: infinity is let through by name. */
	if (is_zero(point, sizeof(*point))) {
		return infinity == ZKEY_INFINITY_ALLOWED ? NULL : reason_infinity;
	}
	if (!are_in_range(point, 2)) {
		return reason_range;
	}
	if (!blst_p1_affine_on_curve(point)) {
		return reason_curve;
	}
	if (check == ZKEY_CHECK_SUBGROUP && !blst_p1_affine_in_g1(point)) {
		return reason_subgroup;
	}
	return NULL;
}

const char *zkey_points_wrong_g2(
	const blst_p2_affine *point, enum zkey_infinity infinity, enum zkey_check check)
{
	if (is_zero(point, sizeof(*point))) {
		return infinity == ZKEY_INFINITY_ALLOWED ? NULL : reason_infinity;
	}
	if (!are_in_range(point, 4)) {
		return reason_range;
	}
	if (!blst_p2_affine_on_curve(point)) {
		return reason_curve;
	}
	if (check == ZKEY_CHECK_SUBGROUP && !blst_p2_affine_in_g2(point)) {
		return reason_subgroup;
	}
	return NULL;
}

static enum status allocate(
	uint32_t count, size_t point_bytes, uint32_t **out_wires, void **out_points)
{
	size_t bytes = (size_t)count * point_bytes;
	uint32_t *wires = malloc(count ? (size_t)count * sizeof(*wires) : 1);
	void *points;

	/* aligned_alloc wants a multiple of the alignment, and zero bytes may give NULL. */
	bytes = (bytes / POINT_ALIGNMENT + 1) * POINT_ALIGNMENT;
	points = aligned_alloc(POINT_ALIGNMENT, bytes);
	if (!wires || !points) {
		free(wires);
		free(points);
		return STATUS_NO_MEMORY;
	}
	*out_wires = wires;
	*out_points = points;
	return STATUS_OK;
}

enum status zkey_points_init_g1(uint32_t count, struct zkey_query_g1 *out_query)
{
	void *points;
	enum status status =
		allocate(count, sizeof(*out_query->points), &out_query->wires, &points);

	if (status == STATUS_OK) {
		out_query->points = points;
		out_query->count = count;
	}
	return status;
}

enum status zkey_points_init_g2(uint32_t count, struct zkey_query_g2 *out_query)
{
	void *points;
	enum status status =
		allocate(count, sizeof(*out_query->points), &out_query->wires, &points);

	if (status == STATUS_OK) {
		out_query->points = points;
		out_query->count = count;
	}
	return status;
}

void zkey_points_finish_g1(struct zkey_query_g1 *query)
{
	free(query->wires);
	free(query->points);
	*query = (struct zkey_query_g1){0};
}

void zkey_points_finish_g2(struct zkey_query_g2 *query)
{
	free(query->wires);
	free(query->points);
	*query = (struct zkey_query_g2){0};
}

/* Opens the section, checks its size, and counts the points that are not infinity. */
static enum status open_section(const struct binary_file *file,
	const struct zkey_points_section *section, uint64_t point_bytes, struct diag *diag,
	struct binary_cursor *out_cursor, uint32_t *out_finite_count)
{
	uint32_t finite_count = 0;
	enum status status = binary_cursor_open(file, section->id, section->name, diag, out_cursor);

	if (status == STATUS_OK) {
		status = binary_cursor_expect(
			out_cursor, section->count * point_bytes, "its points", diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	/* Counted first, so that a query has no room for infinities, of which some have many. */
	for (uint32_t i = 0; i < section->count; i++) {
		if (!is_zero(out_cursor->next + i * point_bytes, point_bytes)) {
			finite_count++;
		}
	}
	*out_finite_count = finite_count;
	return STATUS_OK;
}

static enum status fail_at_point(
	const struct binary_cursor *cursor, uint32_t index, const char *wrong, struct diag *diag)
{
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): point %u: %s; is the file damaged?", cursor->file_name,
		cursor->section_id, cursor->section_name, index, wrong);
}

enum status zkey_points_parse_g1(const struct binary_file *file,
	const struct zkey_points_section *section, struct diag *diag,
	struct zkey_query_g1 *out_query)
{
	struct binary_cursor cursor;
	uint32_t finite_count;
	uint32_t filled = 0;
	enum status status =
		open_section(file, section, ZKEY_G1_BYTES, diag, &cursor, &finite_count);

	if (status != STATUS_OK) {
		return status;
	}
	if (zkey_points_init_g1(finite_count, out_query) != STATUS_OK) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", file->name);
	}
	for (uint32_t i = 0; i < section->count; i++) {
		const uint8_t *bytes = cursor.next + i * ZKEY_G1_BYTES;
		blst_p1_affine point;
		const char *wrong;

		memcpy(&point, bytes, sizeof(point));
		wrong = zkey_points_wrong_g1(&point, section->infinity, section->check);
		if (wrong) {
			return fail_at_point(&cursor, i, wrong, diag);
		}
		/* Ascending wires: whoever writes the key again, or joins queries, counts on it. */
		if (!is_zero(&point, sizeof(point))) {
			out_query->wires[filled] = section->first_wire + i;
			out_query->points[filled++] = point;
		}
	}
	return STATUS_OK;
}

enum status zkey_points_parse_g2(const struct binary_file *file,
	const struct zkey_points_section *section, struct diag *diag,
	struct zkey_query_g2 *out_query)
{
	struct binary_cursor cursor;
	uint32_t finite_count;
	uint32_t filled = 0;
	enum status status =
		open_section(file, section, ZKEY_G2_BYTES, diag, &cursor, &finite_count);

	if (status != STATUS_OK) {
		return status;
	}
	if (zkey_points_init_g2(finite_count, out_query) != STATUS_OK) {
		return diag_set(diag, STATUS_NO_MEMORY, "%s: out of memory", file->name);
	}
	for (uint32_t i = 0; i < section->count; i++) {
		const uint8_t *bytes = cursor.next + i * ZKEY_G2_BYTES;
		blst_p2_affine point;
		const char *wrong;

		memcpy(&point, bytes, sizeof(point));
		wrong = zkey_points_wrong_g2(&point, section->infinity, section->check);
		if (wrong) {
			return fail_at_point(&cursor, i, wrong, diag);
		}
		if (!is_zero(&point, sizeof(point))) {
			out_query->wires[filled] = section->first_wire + i;
			out_query->points[filled++] = point;
		}
	}
	return STATUS_OK;
}
