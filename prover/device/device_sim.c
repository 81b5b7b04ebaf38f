/* SPDX-License-Identifier: MIT */
/*
 * The sim device takes the time that a model says and does no work: for studies of timing. Its
 * memory has a size and no bytes. An operation starts and ends when the model says, not when this
 * host's threads wake up, so that a loaded host does not distort what is studied.
 */
#include "prover/device/device_operation.h"
#include "prover/device/device_software.h"
#include "prover/device/device_software_calls.h"
#include "prover/device/model_sleep.h"
#include "trace/base/clock.h"

#include <stdio.h>
#include <sys/mman.h>

#define PS_PER_NS 1000

/* What stands for any amount of pinned memory. Nobody may touch it. */
#define TOKEN_BYTES 4096

static const char *const api_names[DEVICE_API_COUNT] = DEVICE_API_NAMES("sim");

static enum status sim_open(struct device *device)
{
	if (device->config.model.time_scale <= 0) {
		device->config.model.time_scale = 1;
	}
	return STATUS_OK;
}

static void sim_close(struct device *device)
{
	(void)device;
}

static uint64_t scaled_ns(const struct device *device, double time_ns)
{
	return (uint64_t)(time_ns * device->config.model.time_scale);
}

static double rate_ns(uint64_t bytes, uint64_t bytes_per_s)
{
	return bytes_per_s ? (double)bytes * (double)NS_PER_S / (double)bytes_per_s : 0;
}

static double work_ns(uint64_t count, uint64_t ps_each)
{
	return (double)count * (double)ps_each / PS_PER_NS;
}

/* A rate of 0 is no limit. */
static double copy_ns(const struct device_model *model, const struct device_operation *operation)
{
	const struct device_copy *copy = &operation->copy;

	if (!copy->is_pinned) {
		return rate_ns(copy->bytes, model->pageable_bytes_per_s);
	}
	return rate_ns(copy->bytes, operation->kind == DEVICE_OPERATION_UPLOAD
					    ? model->pinned_bytes_per_s
					    : model->download_bytes_per_s);
}

static double operation_ns(
	const struct device_model *model, const struct device_operation *operation)
{
	const struct device_key *key = operation->key;

	switch (operation->kind) {
	case DEVICE_OPERATION_UPLOAD:
	case DEVICE_OPERATION_DOWNLOAD:
		return copy_ns(model, operation);
	case DEVICE_OPERATION_TRANSFORM:
		return work_ns(key->shape.domain_size, model->transform_ps_per_element);
	case DEVICE_OPERATION_EVALUATE:
	case DEVICE_OPERATION_QUOTIENT:
		return work_ns(key->shape.domain_size, model->quotient_ps_per_element);
	case DEVICE_OPERATION_MSM_H:
		return work_ns(key->shape.point_count[DEVICE_QUERY_H], model->msm_h_ps_per_point);
	case DEVICE_OPERATION_SUM_ONES:
		/* Every point of the query crosses the link, whatever its scalar. */
		return rate_ns(key->shape.point_count[operation->query] * MODEL_POINT_BYTES,
			model->key_bytes_per_s);
	case DEVICE_OPERATION_MSM:
		return work_ns(
			(uint64_t)operation->scalars.small.count + operation->scalars.wide.count,
			model->tail_ps_per_point);
	case DEVICE_OPERATION_EVENT_RECORD:
	case DEVICE_OPERATION_STREAM_WAIT:
		break;
	}
	return 0;
}

static uint64_t sim_duration_ns(
	const struct device *device, const struct device_operation *operation)
{
	return scaled_ns(device, operation_ns(&device->config.model, operation));
}

/* What a call keeps its caller for; all others take no time of the model. */
static double call_ns(const struct device_model *model, enum device_api api, uint64_t bytes)
{
	if (api == DEVICE_API_DEVICE_SYNCHRONIZE) {
		return (double)model->synchronize_ns;
	}
	if (api == DEVICE_API_MALLOC_HOST) {
		return rate_ns(bytes, model->pinned_alloc_bytes_per_s);
	}
	if (api == DEVICE_API_FREE_HOST) {
		return rate_ns(bytes, model->pinned_free_bytes_per_s);
	}
	if (api == DEVICE_API_MALLOC) {
		return rate_ns(bytes, model->memory_alloc_bytes_per_s);
	}
	if (api == DEVICE_API_FREE) {
		return rate_ns(bytes, model->memory_free_bytes_per_s);
	}
	if (api == DEVICE_API_HOST_REGISTER) {
		return rate_ns(bytes, model->key_load_bytes_per_s);
	}
	return 0;
}

static uint64_t sim_call_ns(const struct device *device, enum device_api api, uint64_t bytes)
{
	return scaled_ns(device, call_ns(&device->config.model, api, bytes));
}

static enum status sim_execute(struct device *device, struct device_operation *operation)
{
	uint64_t now_ns = 0;

	if (model_sleep_until(device->config.sleep, operation->end_ns)) {
		return STATUS_OK;
	}
	/* No record may end in what is still to come. */
	now_ns = clock_now_ns();
	operation->end_ns = now_ns > operation->start_ns ? now_ns : operation->start_ns;
	return STATUS_STOPPED;
}

static enum status sim_pinned_alloc(uint64_t bytes, void **out_memory)
{
	/* No memory behind it, only an address of its own: callers tell buffers apart by it. */
	void *memory = mmap(NULL, TOKEN_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)bytes;
	if (memory == MAP_FAILED) {
		return STATUS_NO_MEMORY;
	}
	*out_memory = memory;
	return STATUS_OK;
}

static void sim_pinned_free(void *memory, uint64_t bytes)
{
	(void)bytes;
	(void)munmap(memory, TOKEN_BYTES);
}

static enum status sim_memory_alloc(uint64_t bytes, void **out_memory)
{
	(void)bytes;
	*out_memory = NULL;
	return STATUS_OK;
}

static enum status sim_key_load(struct device_key *key)
{
	(void)key;
	return STATUS_OK;
}

static void sim_key_unload(struct device_key *key)
{
	(void)key;
}

static const struct device_backend backend = {
	.ops = &device_sim,
	.api_names = api_names,
	.is_modelled = true,
	.open = sim_open,
	.close = sim_close,
	.execute = sim_execute,
	.duration_ns = sim_duration_ns,
	.call_ns = sim_call_ns,
	.pinned_alloc = sim_pinned_alloc,
	.pinned_free = sim_pinned_free,
	.memory_alloc = sim_memory_alloc,
	.key_load = sim_key_load,
	.key_unload = sim_key_unload,
};

static enum status open_sim(
	const struct device_config *config, struct diag *diag, struct device **out_device)
{
	char uuid[48];
	char name[48];

	(void)snprintf(uuid, sizeof(uuid), "SIM-67617074-7261-6365-0002-%012x", config->index);
	(void)snprintf(name, sizeof(name), "sim device %u (no proofs)", config->index);
	return device_software_open(&backend, config,
		&(struct device_identity){.uuid = uuid, .name = name, .link = "modelled"}, diag,
		out_device);
}

const struct device_ops device_sim = {
	.name = "sim",
	.backend = GAPTRACE_BACKEND_SIM,
	.makes_proofs = false,
	.open = open_sim,
	DEVICE_SOFTWARE_CALLS,
};
