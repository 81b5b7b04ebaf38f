/* SPDX-License-Identifier: MIT */
/* Records of what a device did, to events: kernels, graph launches, copies, sets. */
#pragma once

#include "trace/cupti/activity_decode.h"

#include <stdint.h>

/* One record on its way: aligned by CUPTI, and whole inside its buffer. */
struct decoding {
	struct activity_decoder *decoder;
	uint64_t now_ns;
};

void activity_operation_kernel(const struct decoding *decoding, const void *record);
void activity_operation_graph(const struct decoding *decoding, const void *record);
void activity_operation_memcpy(const struct decoding *decoding, const void *record);
void activity_operation_memcpy_peer(const struct decoding *decoding, const void *record);
void activity_operation_memset(const struct decoding *decoding, const void *record);
