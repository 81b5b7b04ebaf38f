/* SPDX-License-Identifier: MIT */
#include "tests/unit/lossy_device.h"

#include "prover/device/device_engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic uint64_t to_lose;
static _Atomic uint64_t lost;

/* The linker's names. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
const struct device_ops *__wrap_device_find(const char *name);

static uint64_t bit_of(uint32_t index)
{
	return 1ULL << index;
}

void lossy_device_lose(uint32_t index)
{
	(void)atomic_fetch_or(&to_lose, bit_of(index));
}

bool lossy_device_has_lost(uint32_t index)
{
	return (atomic_load(&lost) & bit_of(index)) != 0;
}

static bool is_lost(struct device *device, struct diag *out_words)
{
	const bool has_lost = lossy_device_has_lost(device->config.index);

	if (out_words) {
		(void)snprintf(out_words->line, sizeof(out_words->line), "%s",
			has_lost ? "upload: lost on purpose" : "");
	}
	return has_lost;
}

static enum status upload(struct device_stream *stream, const struct device_copy *copy)
{
	const uint32_t index = stream->device->config.index;

	if ((atomic_load(&to_lose) & bit_of(index)) != 0) {
		(void)atomic_fetch_or(&lost, bit_of(index));
	}
	return is_lost(stream->device, NULL) ? STATUS_INTERNAL : device_cpu.upload(stream, copy);
}

static enum status pinned_alloc(struct device *device, uint64_t bytes, void **out_memory)
{
	return is_lost(device, NULL) ? STATUS_INTERNAL
				     : device_cpu.pinned_alloc(device, bytes, out_memory);
}

static enum status key_load(struct device *device, const struct zkey *key,
	const struct device_shape *shape, struct device_key **out_key)
{
	return is_lost(device, NULL) ? STATUS_INTERNAL
				     : device_cpu.key_load(device, key, shape, out_key);
}

const struct device_ops *__wrap_device_find(const char *name)
{
	static struct device_ops ops;
	const char *wanted = getenv("LOSSY_DEVICES");

	(void)name;
	ops = device_cpu;
	ops.is_lost = is_lost;
	ops.upload = upload;
	ops.pinned_alloc = pinned_alloc;
	ops.key_load = key_load;
	/* A test's next pipeline has whole devices. */
	atomic_store(&lost, 0);
	atomic_store(&to_lose, wanted ? strtoull(wanted, NULL, 0) : 0);
	return &ops;
}
