/* SPDX-License-Identifier: MIT */
#include "device_rig.h"

#include "groth16_fixture.h"

#include <blst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CIRCUIT "sha256:2"

static struct {
	struct zkey *key;
	struct wtns *witness;
} shared;

static void must(enum status status, const char *what)
{
	if (status != STATUS_OK) {
		(void)fprintf(stderr, "%s: %s\n", what, status_text(status));
		abort();
	}
}

static void make_key(void)
{
	if (!shared.key) {
		fixture_values(CIRCUIT, 1, NULL, &shared.witness, &shared.key);
	}
}

const struct zkey *device_rig_zkey(void)
{
	make_key();
	return shared.key;
}

const struct wtns *device_rig_witness(void)
{
	make_key();
	return shared.witness;
}

void device_rig_free_key(void)
{
	zkey_destroy(MOVE(shared.key));
	wtns_destroy(MOVE(shared.witness));
}

void device_rig_open(struct device_rig *rig, const char *backend, struct device_config config)
{
	struct diag diag = {""};

	*rig = (struct device_rig){.ops = device_find(backend)};
	if (!config.driver) {
		must(device_driver_create(&rig->driver), "driver");
		config.driver = rig->driver;
	}
	if (config.model.time_scale == 0) {
		config.model = device_model_rtx_5070_ti;
		config.model.time_scale = 0.001;
	}
	must(rig->ops->open(&config, &diag, &rig->device), "open");
	if (rig->ops->makes_proofs) {
		device_shape_of_key(device_rig_zkey(), &rig->shape);
	} else {
		rig->shape = device_shape_porep_32g;
		rig->shape.domain_size = 1u << 16; /* so that vectors fit the rig's memory */
		rig->shape.key_bytes = 0;          /* and no time is spent on the key */
	}
	must(rig->ops->key_load(rig->device, rig->ops->makes_proofs ? device_rig_zkey() : NULL,
		     &rig->shape, &rig->key),
		"key");
	must(rig->ops->stream_open(rig->device, &rig->streams[0]), "stream");
	must(rig->ops->stream_open(rig->device, &rig->streams[1]), "stream");
	must(rig->ops->event_open(rig->device, &rig->event), "event");
	must(rig->ops->memory_alloc(rig->device, RIG_COPY_BYTES, &rig->memory), "memory");
	must(rig->ops->memory_alloc(rig->device, RIG_KERNEL_BYTES, &rig->kernel_memory), "memory");
	must(rig->ops->pinned_alloc(rig->device, RIG_COPY_BYTES, &rig->pinned), "pinned");
	if (rig->ops->makes_proofs) {
		struct device_copy copy = device_rig_copy(rig, NULL, RIG_KERNEL_BYTES);

		copy.memory = rig->kernel_memory;
		/* Small scalars, so that what kernels read is defined and canonical. */
		memset(rig->pinned, 0, RIG_COPY_BYTES);
		for (uint32_t i = 0; i < RIG_COPY_BYTES; i += sizeof(blst_scalar)) {
			memcpy((uint8_t *)rig->pinned + i, &i, sizeof(i));
			((uint8_t *)rig->pinned)[i + 30] = (uint8_t)(i >> 5);
		}
		must(rig->ops->upload(rig->streams[0], &copy), "upload");
		must(rig->ops->stream_synchronize(rig->streams[0]), "synchronize");
	}
}

void device_rig_close(struct device_rig *rig)
{
	rig->ops->stream_close(rig->device, rig->streams[0]);
	rig->ops->stream_close(rig->device, rig->streams[1]);
	rig->ops->event_close(rig->device, rig->event);
	rig->ops->memory_free(rig->device, rig->memory);
	rig->ops->memory_free(rig->device, rig->kernel_memory);
	rig->ops->pinned_free(rig->device, rig->pinned, RIG_COPY_BYTES);
	rig->ops->key_unload(rig->device, rig->key);
	rig->ops->close(rig->device);
	device_driver_destroy(rig->driver);
}

struct device_place device_rig_vector(const struct device_rig *rig, int vector)
{
	return (struct device_place){
		.memory = rig->kernel_memory,
		.offset_bytes = (uint64_t)vector * rig->shape.domain_size * sizeof(blst_fr),
	};
}

struct device_place device_rig_result(const struct device_rig *rig, int number)
{
	return (struct device_place){
		.memory = rig->kernel_memory,
		.offset_bytes = RIG_KERNEL_BYTES - (uint64_t)(number + 1) * sizeof(blst_p1),
	};
}

struct device_copy device_rig_copy(const struct device_rig *rig, void *host, uint64_t bytes)
{
	return (struct device_copy){
		.memory = rig->memory,
		.bytes = bytes,
		.host = host ? host : rig->pinned,
		.is_pinned = !host,
	};
}

enum status device_rig_launch(struct device_rig *rig, int stream)
{
	return rig->ops->msm_h(rig->streams[stream], rig->key, device_rig_vector(rig, 2),
		device_rig_result(rig, stream));
}
