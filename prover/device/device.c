/* SPDX-License-Identifier: MIT */
#include "prover/device/device.h"

#include "prover/groth16/zkey.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const struct device_ops *const backends[] = {
	/* A new device is one line here, and docs/architecture.md. */
	&device_cpu,
	&device_sim,
#ifdef GAPTRACE_CUDA
	&device_cuda,
#endif
};

const struct device_ops *device_find(const char *name)
{
	assert(name);

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		if (strcmp(backends[i]->name, name) == 0) {
			return backends[i];
		}
	}
	return NULL;
}

bool device_is_lost(const struct device_ops *ops, struct device *device, struct diag *out_words)
{
	return ops->is_lost && ops->is_lost(device, out_words);
}

void device_shape_of_key(const struct zkey *key, struct device_shape *out_shape)
{
	assert(key && out_shape);

	*out_shape = (struct device_shape){
		.domain_size = key->domain_size,
		.wire_count = key->wire_count,
		.public_count = key->public_count,
		.point_count =
			{
				[DEVICE_QUERY_H] = key->h.count,
				[DEVICE_QUERY_L] = key->l.count,
				[DEVICE_QUERY_A] = key->a.count,
				[DEVICE_QUERY_B1] = key->b1.count,
			},
		.b2_point_count = key->b2.count,
		.key_bytes = key->file_bytes,
	};
}
