/* SPDX-License-Identifier: MIT */
/*
 * How long a simulated device takes: rates of its copy engine, its kernels and its driver calls.
 * The built-in one is an RTX 5070 Ti on PCIe 5 proving a 32 GiB sector partition, from the figures
 * its daemon's authors published; what they did not publish is marked as assumed in device_model.c.
 */
#pragma once

#include <stdint.h>

struct device_shape;

/* A point of the first curve in a key, as it crosses the link. */
#define MODEL_POINT_BYTES 96

struct device_model {
	double time_scale; /* 1: as published; 0.01: a hundred times faster. 0 counts as 1 */

	uint64_t pinned_bytes_per_s;
	uint64_t pageable_bytes_per_s;
	uint64_t download_bytes_per_s;
	uint64_t key_bytes_per_s; /* points streamed from pinned memory by batch additions */

	uint64_t transform_ps_per_element; /* of each of the three transforms */
	uint64_t quotient_ps_per_element;
	uint64_t msm_h_ps_per_point;
	uint64_t tail_ps_per_point;

	uint64_t pinned_alloc_bytes_per_s;
	uint64_t pinned_free_bytes_per_s;
	uint64_t memory_alloc_bytes_per_s; /* device memory */
	uint64_t memory_free_bytes_per_s;
	uint64_t synchronize_ns; /* what a device-wide synchronisation costs beside its wait */
	uint64_t key_load_bytes_per_s;
};

extern const struct device_model device_model_rtx_5070_ti;

/* The shape that model belongs to: one partition of a 32 GiB PoRep proof. */
extern const struct device_shape device_shape_porep_32g;
