/* SPDX-License-Identifier: MIT */
/*
 * Many multiples of the two generators: signed windows over tables, on several threads. What is
 * multiplied are secrets of a test set-up, so that time may depend on them.
 */
#pragma once

#include "prover/groth16/zkey.h"
#include "trace/base/cleanup.h"
#include "trace/base/status.h"

#include <blst.h>
#include <stdint.h>

struct setup_points;

/* Gives the tables, about 4 MB. */
MUST_CHECK enum status setup_points_create(struct setup_points **out_points);

/* Accepts NULL. */
void setup_points_destroy(struct setup_points *points);
DEFINE_AUTO(struct setup_points, setup_points_destroy)

/*
 * Gives the query of `scalars[i]` times the generator for wires `first_wire` + i, without those
 * whose scalar is zero.
 */
MUST_CHECK enum status setup_points_query_g1(const struct setup_points *points,
	uint32_t thread_count, const blst_fr *scalars, uint32_t count, uint32_t first_wire,
	struct zkey_query_g1 *out_query);
MUST_CHECK enum status setup_points_query_g2(const struct setup_points *points,
	uint32_t thread_count, const blst_fr *scalars, uint32_t count, uint32_t first_wire,
	struct zkey_query_g2 *out_query);
