/* SPDX-License-Identifier: MIT */
/*
 * The cpu device does the work of a GPU on threads: kernels on its lane, copies on its copy engine,
 * into memory of its own, so that a proof is right only if every copy and every wait was.
 */
#include "prover/device/device_cpu_kernel.h"
#include "prover/device/device_operation.h"
#include "prover/device/device_software.h"
#include "prover/device/device_software_calls.h"
#include "prover/device/model_sleep.h"
#include "prover/groth16/ntt.h"
#include "prover/groth16/work_pool.h"
#include "prover/groth16/zkey.h"
#include "trace/base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What a driver stages a pageable copy through at a time. */
#define STAGING_BYTES (4u << 20)

#define ALIGNMENT_BYTES 64

static const char *const api_names[DEVICE_API_COUNT] = DEVICE_API_NAMES("cpu");

static enum status cpu_open(struct device *device)
{
	const uint32_t threads =
		device->config.lane_thread_count ? device->config.lane_thread_count : 1;

	device->staging = aligned_alloc(ALIGNMENT_BYTES, STAGING_BYTES);
	if (!device->staging) {
		return STATUS_NO_MEMORY;
	}
	return work_pool_create(threads, "cpu lane", &device->work_pool);
}

static void cpu_close(struct device *device)
{
	work_pool_destroy(device->work_pool);
	free(device->staging);
}

static void copy_bytes(struct device *device, const struct device_operation *operation)
{
	const struct device_copy *copy = &operation->copy;
	const bool is_upload = operation->kind == DEVICE_OPERATION_UPLOAD;
	uint8_t *on_device = (uint8_t *)copy->memory->bytes + copy->offset_bytes;
	uint8_t *target = is_upload ? on_device : copy->host;
	const uint8_t *source = is_upload ? copy->host : on_device;

	if (copy->is_pinned) {
		memcpy(target, source, copy->bytes);
		return;
	}
	for (uint64_t done = 0; done < copy->bytes;) {
		const uint64_t left = copy->bytes - done;
		const uint64_t bytes = left < STAGING_BYTES ? left : STAGING_BYTES;

		memcpy(device->staging, source + done, bytes);
		memcpy(target + done, device->staging, bytes);
		done += bytes;
	}
}

/* The time that `bytes` take at this rate; 0 is no limit. */
static uint64_t link_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return bytes_per_s ? (uint64_t)((double)bytes * (double)NS_PER_S / (double)bytes_per_s) : 0;
}

static enum status run_copy(struct device *device, const struct device_operation *operation)
{
	const uint64_t rate = operation->copy.is_pinned ? device->config.pinned_bytes_per_s
							: device->config.pageable_bytes_per_s;

	copy_bytes(device, operation);
	if (rate) {
		/* The bytes are there: cut short, it is only too fast. */
		(void)model_sleep_until(device->config.sleep,
			operation->start_ns + link_ns(operation->copy.bytes, rate));
	}
	return STATUS_OK;
}

static enum status cpu_execute(struct device *device, struct device_operation *operation)
{
	return device_operation_is_copy(operation) ? run_copy(device, operation)
						   : device_cpu_kernel_run(device, operation);
}

/* Locked as far as the process may lock: a limit of its user is not this daemon's failure. */
static enum status cpu_pinned_alloc(uint64_t bytes, void **out_memory)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED) {
		return STATUS_NO_MEMORY;
	}
	(void)mlock(memory, bytes);
	*out_memory = memory;
	return STATUS_OK;
}

static void cpu_pinned_free(void *memory, uint64_t bytes)
{
	(void)munmap(memory, bytes);
}

static enum status cpu_memory_alloc(uint64_t bytes, void **out_memory)
{
	const uint64_t rounded = (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;

	*out_memory = aligned_alloc(ALIGNMENT_BYTES, rounded);
	return *out_memory ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status cpu_key_load(struct device_key *key)
{
	AUTO(ntt_plan_destroy) struct ntt_plan *plan = NULL;
	enum status status;

	if (!key->zkey) {
		return STATUS_BAD_USE;
	}
	status = ntt_plan_create(key->zkey->domain_log2, &plan);
	if (status == STATUS_OK) {
		key->plan = MOVE(plan);
	}
	return status;
}

static void cpu_key_unload(struct device_key *key)
{
	ntt_plan_destroy(key->plan);
}

static const struct device_backend backend = {
	.ops = &device_cpu,
	.api_names = api_names,
	.open = cpu_open,
	.close = cpu_close,
	.execute = cpu_execute,
	.pinned_alloc = cpu_pinned_alloc,
	.pinned_free = cpu_pinned_free,
	.memory_alloc = cpu_memory_alloc,
	.key_load = cpu_key_load,
	.key_unload = cpu_key_unload,
};

static enum status open_cpu(
	const struct device_config *config, struct diag *diag, struct device **out_device)
{
	char uuid[48];
	char name[32];

	(void)snprintf(uuid, sizeof(uuid), "CPU-67617074-7261-6365-0001-%012x", config->index);
	(void)snprintf(name, sizeof(name), "cpu device %u", config->index);
	return device_software_open(&backend, config,
		&(struct device_identity){.uuid = uuid, .name = name, .link = "memory"}, diag,
		out_device);
}

const struct device_ops device_cpu = {
	.name = "cpu",
	.backend = GAPTRACE_BACKEND_CPU,
	.makes_proofs = true,
	.open = open_cpu,
	DEVICE_SOFTWARE_CALLS,
};
