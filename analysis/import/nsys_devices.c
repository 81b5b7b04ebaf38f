/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_devices.h"

#include "analysis/import/nsys_reader.h"
#include "trace/base/line.h"

#include <stdio.h>
#include <string.h>

enum gpu_column {
	GPU_ID,
	GPU_NAME,
	GPU_UUID,
	GPU_BUS,
};

static const struct nsys_shape gpus_shape = {
	.table = "TARGET_INFO_GPU",
	.columns = {"id", "?name", "?uuid", "?busLocation"},
};

enum map_column {
	MAP_GPU,
	MAP_ORDINAL,
	MAP_PID,
	MAP_UUID,
};

static const struct nsys_shape map_shape = {
	.table = "TARGET_INFO_CUDA_DEVICE",
	.columns = {"?gpuId", "cudaId", "pid", "?uuid"},
};

static void copy_text(const struct nsys_table *table, int column, const char *prefix, char *to)
{
	const char *text = nsys_table_text(table, column);

	if (text && text[0]) {
		(void)snprintf(to, NSYS_DEVICE_TEXT_BYTES, "%s%s", prefix, text);
		line_clean(to, strlen(to));
	}
}

/* As CUDA and nvidia-smi print it, so that other recordings of this GPU agree. */
static void copy_uuid(const struct nsys_table *table, int column, char *to)
{
	const char *uuid = nsys_table_text(table, column);

	copy_text(table, column, uuid && strchr("GM", uuid[0]) ? "" : "GPU-", to);
}

static enum status add_gpu(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	struct nsys_devices *devices = context;
	struct nsys_gpu *gpu = &devices->gpus[devices->gpu_count];

	(void)reader;
	if (devices->gpu_count == DEVICE_COUNT_MAX ||
		!nsys_table_integer(table, GPU_ID, &gpu->id)) {
		return STATUS_OK;
	}
	copy_uuid(table, GPU_UUID, gpu->uuid);
	copy_text(table, GPU_NAME, "", gpu->name);
	copy_text(table, GPU_BUS, "pci ", gpu->link);
	devices->gpu_count++;
	return STATUS_OK;
}

/* A process may number its GPUs otherwise than the host (CUDA_VISIBLE_DEVICES). */
static enum status add_map(
	struct nsys_reader *reader, const struct nsys_table *table, void *context)
{
	struct nsys_devices *devices = context;
	int64_t gpu;
	int64_t ordinal;
	int64_t pid;
	struct nsys_device_pair *pair;

	(void)reader;
	if (!nsys_table_integer(table, MAP_ORDINAL, &ordinal) ||
		!nsys_table_integer(table, MAP_PID, &pid) || ordinal < 0 || ordinal > INT32_MAX ||
		pid < 0 || pid > INT32_MAX) {
		return STATUS_OK;
	}
	pair = nsys_devices_get(devices, (int32_t)pid, (int32_t)ordinal);
	if (!pair) {
		return STATUS_OK;
	}
	if (!pair->is_mapped && nsys_table_integer(table, MAP_GPU, &gpu)) {
		pair->gpu = gpu;
		pair->is_mapped = true;
	}
	if (!pair->uuid[0]) {
		copy_uuid(table, MAP_UUID, pair->uuid);
	}
	return STATUS_OK;
}

enum status nsys_devices_read(struct nsys_reader *reader, struct diag *diag)
{
	const enum status status =
		nsys_rows_each(reader, &gpus_shape, add_gpu, &reader->devices, diag);

	return status == STATUS_OK
		       ? nsys_rows_each(reader, &map_shape, add_map, &reader->devices, diag)
		       : status;
}

struct nsys_device_pair *nsys_devices_get(
	struct nsys_devices *devices, int32_t pid, int32_t ordinal)
{
	struct nsys_device_pair *pair;

	for (size_t i = 0; i < devices->pair_count; i++) {
		pair = &devices->pairs[i];
		if (pair->pid == pid && pair->ordinal == ordinal) {
			return pair;
		}
	}
	if (devices->pair_count == NSYS_DEVICE_PAIR_COUNT_MAX) {
		return NULL;
	}
	pair = &devices->pairs[devices->pair_count++];
	*pair = (struct nsys_device_pair){.pid = pid, .ordinal = ordinal};
	return pair;
}

/* Whether another process has told of a device of that number. */
static bool is_shared(const struct nsys_devices *devices, const struct nsys_device_pair *pair)
{
	for (size_t i = 0; i < devices->pair_count; i++) {
		const struct nsys_device_pair *other = &devices->pairs[i];

		if (other != pair && other->ordinal == pair->ordinal && other->is_told) {
			return true;
		}
	}
	return false;
}

const struct nsys_gpu *nsys_devices_gpu(
	struct nsys_devices *devices, const struct nsys_device_pair *pair)
{
	/* Without the table the two numbers are taken for the same, which is said in a note. */
	const int64_t id = pair->is_mapped ? pair->gpu : pair->ordinal;

	for (size_t i = 0; i < devices->gpu_count; i++) {
		if (devices->gpus[i].id == id) {
			devices->was_assumed |= !pair->is_mapped && devices->gpu_count > 1;
			return &devices->gpus[i];
		}
	}
	devices->was_assumed |= !pair->is_mapped && !pair->uuid[0] && is_shared(devices, pair);
	return NULL;
}

const char *nsys_devices_uuid(const struct nsys_gpu *gpu, const struct nsys_device_pair *pair)
{
	return gpu && gpu->uuid[0] ? gpu->uuid : pair->uuid;
}
