/* SPDX-License-Identifier: MIT */
/* The part of a device_ops that all software devices have in common, as initialisers. */
#pragma once

#include "prover/device/device_software.h"

/* clang-format off */
#define DEVICE_SOFTWARE_CALLS                                                                      \
	.close = device_software_close,                                                            \
	.free_bytes = device_software_free_bytes,                                                  \
	.counts = device_software_counts,                                                          \
	.pinned_alloc = device_software_pinned_alloc,                                              \
	.pinned_free = device_software_pinned_free,                                                \
	.memory_alloc = device_software_memory_alloc,                                              \
	.memory_free = device_software_memory_free,                                                \
	.key_load = device_software_key_load,                                                      \
	.key_unload = device_software_key_unload,                                                  \
	.stream_open = device_software_stream_open,                                                \
	.stream_close = device_software_stream_close,                                              \
	.event_open = device_software_event_open,                                                  \
	.event_close = device_software_event_close,                                                \
	.upload = device_software_upload,                                                          \
	.download = device_software_download,                                                      \
	.event_record = device_software_event_record,                                              \
	.stream_wait = device_software_stream_wait,                                                \
	.evaluate = device_software_evaluate,                                                      \
	.transform = device_software_transform,                                                    \
	.quotient = device_software_quotient,                                                      \
	.msm_h = device_software_msm_h,                                                            \
	.sum_ones = device_software_sum_ones,                                                      \
	.msm = device_software_msm,                                                                \
	.stream_synchronize = device_software_stream_synchronize,                                  \
	.synchronize = device_software_synchronize
/* clang-format on */
