/* SPDX-License-Identifier: MIT */
#include "prover/device/device_model.h"

#include "prover/device/device.h"
#include "trace/base/clock.h"

#define GB 1000000000ULL

/*
 * Of one partition on that card: uploads at 50 GB/s pinned and 1 to 4 GB/s pageable, seven
 * transforms (two in each of three kernels, the last in quotient) in about 200 ms, the H sum in
 * about 275, batch additions at 53 GB/s of points (235, 235 and 60 ms), tails in 83 with their
 * uploads; 8 GiB of device memory allocated in 700 ms; a device-wide synchronisation with what
 * the driver tidies in it from what it cost when it was tried, 3.6 s in ten partitions.
 * Assumed, since nobody published them: pinning and freeing, downloads, reading a key at 3 GB/s.
 */
const struct device_model device_model_rtx_5070_ti = {
	.time_scale = 1,
	.pinned_bytes_per_s = 50 * GB,
	.pageable_bytes_per_s = 3 * GB,
	.download_bytes_per_s = 50 * GB,
	.key_bytes_per_s = 53 * GB,
	.transform_ps_per_element = 426,
	.quotient_ps_per_element = 213,
	.msm_h_ps_per_point = 2050,
	.tail_ps_per_point = 25000,
	.pinned_alloc_bytes_per_s = 4 * GB,
	.pinned_free_bytes_per_s = 20 * GB,
	.memory_alloc_bytes_per_s = 12 * GB,
	.memory_free_bytes_per_s = 100 * GB,
	.synchronize_ns = 360 * NS_PER_MS,
	.key_load_bytes_per_s = 3 * GB,
};

/* Counts are the published ones, but for the tails', which fit the published 83 ms. */
const struct device_shape device_shape_porep_32g = {
	.domain_size = 1ULL << 27,
	.wire_count = 130169893 + 328,
	.public_count = 327,
	.point_count =
		{
			[DEVICE_QUERY_H] = 1ULL << 27,
			[DEVICE_QUERY_L] = 130169893,
			[DEVICE_QUERY_A] = 129753292,
			[DEVICE_QUERY_B1] = 33112281,
		},
	.b2_point_count = 33112281,
	.tail_count =
		{
			[DEVICE_QUERY_L] = 1000000,
			[DEVICE_QUERY_A] = 1000000,
			[DEVICE_QUERY_B1] = 250000,
		},
	.key_bytes = 47 * GB,
};
