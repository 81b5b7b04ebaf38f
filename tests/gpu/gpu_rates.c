/* SPDX-License-Identifier: MIT */
/*
 * gpu_rates probe | transform | copies | msm | ones LOG2_MIN LOG2_MAX: how fast the CUDA device is,
 * by size, and whether what it leaves is right. Exits with 77 where there is no CUDA device.
 */
#include "tests/gpu/rates.h"

#include "trace/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger ones are more than the field's sums take, and minutes of work on the host. */
#define LOG2_MAX 26

#define TIMED_NS        (100 * NS_PER_MS)
#define TIMED_COUNT_MAX 64

enum {
	EXIT_WRONG = 1,
	EXIT_USAGE = 2,
	EXIT_SKIPPED = 77
};

uint64_t rates_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

enum status rates_rig_open(struct rates_rig *rig, const struct device_ops *ops,
	const struct zkey *zkey, uint64_t memory_bytes)
{
	/* All of the host's CPUs, for the device that is compared with. */
	struct device_config config = {.lane_thread_count = 16};
	struct diag diag = {""};
	enum status status;

	*rig = (struct rates_rig){.ops = ops};
	device_shape_of_key(zkey, &rig->shape);
	status = device_driver_create(&rig->driver);
	if (status == STATUS_OK) {
		config.driver = rig->driver;
		status = ops->open(&config, &diag, &rig->device);
	}
	if (status == STATUS_OK) {
		status = ops->key_load(rig->device, zkey, &rig->shape, &rig->key);
	}
	if (status == STATUS_OK) {
		status = ops->memory_alloc(rig->device, memory_bytes, &rig->memory);
	}
	return status == STATUS_OK ? ops->stream_open(rig->device, &rig->stream) : status;
}

/* Says what the driver said, if anything failed. */
void rates_rig_close(struct rates_rig *rig)
{
	struct diag words = {""};

	if (rig->device) {
		if (rig->ops->failure) {
			rig->ops->failure(rig->device, &words);
		}
		rig->ops->stream_close(rig->device, rig->stream);
		rig->ops->memory_free(rig->device, rig->memory);
		rig->ops->key_unload(rig->device, rig->key);
		rig->ops->close(rig->device);
	}
	device_driver_destroy(rig->driver);
	if (words.line[0]) {
		(void)fprintf(stderr, "gpu_rates: %s\n", words.line);
	}
}

enum status rates_upload(struct rates_rig *rig, uint64_t offset, const void *host, uint64_t bytes)
{
	/* Uploads only read; the struct serves downloads, too. */
	const struct device_copy copy = {.memory = rig->memory,
		.offset_bytes = offset,
		.bytes = bytes,
		.host = (void *)(uintptr_t)host};

	return rig->ops->upload(rig->stream, &copy);
}

enum status rates_download(struct rates_rig *rig, uint64_t offset, void *host, uint64_t bytes)
{
	const struct device_copy copy = {
		.memory = rig->memory, .offset_bytes = offset, .bytes = bytes, .host = host};
	const enum status status = rig->ops->download(rig->stream, &copy);
	const enum status waited = rig->ops->stream_synchronize(rig->stream);

	return status == STATUS_OK ? waited : status;
}

static enum status run_times(struct rates_rig *rig,
	enum status (*run)(struct rates_rig *rig, void *context), void *context, uint32_t count,
	uint64_t *out_ns)
{
	const uint64_t begin_ns = clock_now_ns();
	enum status status = STATUS_OK;
	enum status waited;

	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		status = run(rig, context);
	}
	waited = rig->ops->stream_synchronize(rig->stream);
	*out_ns = clock_now_ns() - begin_ns;
	return status == STATUS_OK ? waited : status;
}

enum status rates_time(struct rates_rig *rig,
	enum status (*run)(struct rates_rig *rig, void *context), void *context, uint64_t *out_ns)
{
	uint64_t took_ns = 0;
	uint64_t count;
	/* The first one loads kernels and allocates scratch. */
	enum status status = run_times(rig, run, context, 1, &took_ns);

	if (status == STATUS_OK) {
		status = run_times(rig, run, context, 1, &took_ns);
	}
	if (status != STATUS_OK) {
		return status;
	}
	count = TIMED_NS / (took_ns + 1) + 1;
	count = count < TIMED_COUNT_MAX ? count : TIMED_COUNT_MAX;
	status = run_times(rig, run, context, (uint32_t)count, &took_ns);
	*out_ns = took_ns / count;
	return status;
}

static int probe(void)
{
	struct device_config config = {0};
	struct device *device = NULL;
	struct diag diag = {""};
	enum status status = device_driver_create(&config.driver);

	if (status == STATUS_OK) {
		status = device_cuda.open(&config, &diag, &device);
		device_cuda.close(device);
		device_driver_destroy(config.driver);
	}
	if (status != STATUS_OK) {
		(void)printf("skipped: %s\n", diag.line);
		return EXIT_SKIPPED;
	}
	return EXIT_SUCCESS;
}

static enum status measure(const char *what, uint32_t log2, blst_p1_affine *points)
{
	if (strcmp(what, "transform") == 0) {
		return rates_transform(&device_cuda, log2);
	}
	if (strcmp(what, "copies") == 0) {
		return rates_copies(&device_cuda, log2);
	}
	if (strcmp(what, "ones") == 0) {
		return rates_ones(&device_cuda, log2, points);
	}
	return rates_msm(&device_cuda, log2, points);
}

static int measure_all(const char *what, uint32_t first, uint32_t last)
{
	const bool has_points = strcmp(what, "msm") == 0 || strcmp(what, "ones") == 0;
	blst_p1_affine *points = NULL;
	enum status status = has_points ? rates_points_create(last, &points) : STATUS_OK;

	for (uint32_t log2 = first; log2 <= last && status == STATUS_OK; log2++) {
		status = measure(what, log2, points);
		(void)fflush(stdout);
		if (status != STATUS_OK) {
			(void)fprintf(stderr, "gpu_rates: %s of 2^%u: %s\n", what, log2,
				status_text(status));
		}
	}
	free(points);
	return status == STATUS_OK ? EXIT_SUCCESS : EXIT_WRONG;
}

int main(int argc, char **argv)
{
	const char *const modes[] = {"transform", "copies", "msm", "ones"};
	const bool is_probe = argc == 2 && strcmp(argv[1], "probe") == 0;
	const unsigned long first = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const unsigned long last = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	bool is_known = is_probe;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]) && argc == 4; i++) {
		is_known |= strcmp(argv[1], modes[i]) == 0;
	}
	if (!is_known || (!is_probe && (first < 1 || last < first || last > LOG2_MAX))) {
		(void)fprintf(stderr,
			"usage: gpu_rates probe | transform|copies|msm|ones LOG2_MIN LOG2_MAX\n");
		return EXIT_USAGE;
	}
	if (is_probe || probe() != EXIT_SUCCESS) {
		return is_probe ? probe() : EXIT_SKIPPED;
	}
	return measure_all(argv[1], (uint32_t)first, (uint32_t)last);
}
