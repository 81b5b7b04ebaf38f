/* SPDX-License-Identifier: MIT */
/* Vectors: what the CUDA device leaves is what the cpu device leaves, and how fast bytes get there.
 */
#include "tests/gpu/rates.h"

#include "trace/base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_GB 1e9

static void fill(blst_fr *vector, uint64_t count)
{
	uint64_t random = 20261130;

	for (uint64_t i = 0; i < count; i++) {
		const uint64_t words[4] = {rates_random(&random), rates_random(&random),
			rates_random(&random), rates_random(&random) >> 2};

		blst_fr_from_uint64(&vector[i], words);
	}
}

static enum status run_transform(struct rates_rig *rig, void *unused)
{
	(void)unused;
	return rig->ops->transform(
		rig->stream, rig->key, DEVICE_VECTOR_A, (struct device_place){rig->memory, 0});
}

/* The vector after one transform, and the time of one. */
static enum status transform_on(const struct device_ops *ops, const struct zkey *zkey,
	blst_fr *vector, bool is_timed, uint64_t *out_ns)
{
	const uint64_t bytes = (uint64_t)zkey->domain_size * sizeof(*vector);
	struct rates_rig rig;
	uint64_t begin_ns;
	enum status status = rates_rig_open(&rig, ops, zkey, bytes);

	if (status == STATUS_OK) {
		status = rates_upload(&rig, 0, vector, bytes);
	}
	begin_ns = clock_now_ns();
	if (status == STATUS_OK) {
		status = run_transform(&rig, NULL);
	}
	if (status == STATUS_OK) {
		status = rig.ops->stream_synchronize(rig.stream);
	}
	*out_ns = clock_now_ns() - begin_ns;
	if (status == STATUS_OK) {
		status = rates_download(&rig, 0, vector, bytes);
	}
	if (status == STATUS_OK && is_timed) {
		status = rates_time(&rig, run_transform, NULL, out_ns);
	}
	rates_rig_close(&rig);
	return status;
}

enum status rates_transform(const struct device_ops *ops, uint32_t log2)
{
	const struct zkey zkey = {.wire_count = 1, .domain_size = 1u << log2, .domain_log2 = log2};
	const size_t bytes = sizeof(blst_fr) << log2;
	blst_fr *expected = malloc(bytes);
	blst_fr *actual = malloc(bytes);
	uint64_t host_ns = 0;
	uint64_t device_ns = 0;
	enum status status = expected && actual ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK) {
		fill(expected, zkey.domain_size);
		memcpy(actual, expected, bytes);
		status = transform_on(&device_cpu, &zkey, expected, false, &host_ns);
	}
	if (status == STATUS_OK) {
		status = transform_on(ops, &zkey, actual, true, &device_ns);
	}
	if (status == STATUS_OK && memcmp(expected, actual, bytes) != 0) {
		status = STATUS_INTERNAL;
	}
	(void)printf("{\"what\": \"transform\", \"log2\": %u, \"device_ns\": %" PRIu64
		     ", \"cpu_ns\": %" PRIu64 ", \"right\": %s}\n",
		log2, device_ns, host_ns, status == STATUS_OK ? "true" : "false");
	free(expected);
	free(actual);
	return status;
}

static enum status run_upload(struct rates_rig *rig, void *copy)
{
	return rig->ops->upload(rig->stream, copy);
}

/* Bytes a second, up, from memory of one kind; what came back must be what went up. */
static enum status copy_rate(
	struct rates_rig *rig, struct device_copy *copy, void *back, double *out_gb_per_s)
{
	uint64_t took_ns = 1;
	enum status status = rates_time(rig, run_upload, copy, &took_ns);

	*out_gb_per_s = (double)copy->bytes / BYTES_PER_GB / ((double)took_ns / (double)NS_PER_S);
	if (status == STATUS_OK) {
		status = rates_download(rig, 0, back, copy->bytes);
	}
	return status == STATUS_OK && memcmp(back, copy->host, copy->bytes) != 0 ? STATUS_INTERNAL
										 : status;
}

enum status rates_copies(const struct device_ops *ops, uint32_t log2)
{
	const struct zkey zkey = {.wire_count = 1, .domain_size = 2, .domain_log2 = 1};
	const uint64_t bytes = sizeof(blst_fr) << log2;
	struct device_copy copy = {.bytes = bytes, .host = malloc(bytes)};
	blst_fr *back = calloc(1, bytes);
	void *pinned = NULL;
	double rates[2] = {0, 0};
	struct rates_rig rig;
	enum status status = rates_rig_open(&rig, ops, &zkey, bytes);

	if (!copy.host || !back) {
		status = STATUS_NO_MEMORY;
	}
	copy.memory = rig.memory;
	if (status == STATUS_OK) {
		fill(copy.host, 1u << log2);
		status = copy_rate(&rig, &copy, back, &rates[0]);
	}
	if (status == STATUS_OK) {
		status = rig.ops->pinned_alloc(rig.device, bytes, &pinned);
	}
	if (status == STATUS_OK) {
		memcpy(pinned, copy.host, bytes);
		free(copy.host);
		copy.host = pinned;
		copy.is_pinned = true;
		memset(back, 0, bytes);
		status = copy_rate(&rig, &copy, back, &rates[1]);
	}
	(void)printf("{\"what\": \"copies\", \"log2\": %u, \"pageable_gb_per_s\": %.2f, "
		     "\"pinned_gb_per_s\": %.2f, \"right\": %s}\n",
		log2, rates[0], rates[1], status == STATUS_OK ? "true" : "false");
	if (pinned) {
		rig.ops->pinned_free(rig.device, pinned, bytes);
	} else {
		free(copy.host);
	}
	free(back);
	rates_rig_close(&rig);
	return status;
}
