/* SPDX-License-Identifier: MIT */
/*
 * What a profile's ring buffers take of the machine's memory, and how to make them fit. LTTng
 * allocates them whole, for every possible CPU and every user that runs traced programs, in
 * /dev/shm: CPUs x (sub-buffers + 1) x size for each channel.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"
#include "trace/record/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct buffers_room {
	uint32_t cpu_count; /* possible CPUs: a virtual machine may list many more than it has */
	uint64_t shm_free_bytes;
	uint64_t memory_free_bytes;
};

/* Reads /sys/devices/system/cpu/possible, /dev/shm and /proc/meminfo. */
MUST_CHECK enum status buffers_measure_room(struct buffers_room *out_room, struct diag *diag);

/* The number of CPUs in a list as "0-3,8": the highest and one. 0 when it does not parse. */
uint32_t buffers_parse_cpus(const char *list);

/* Memory of all channels for one user. */
uint64_t buffers_bytes(const struct profile *profile, uint32_t cpu_count);

/*
 * Makes the sub-buffers smaller, largest channel first, until they take at most half of what is
 * free in /dev/shm and a quarter of free memory. STATUS_NO_SPACE when even the smallest do not fit.
 */
MUST_CHECK enum status buffers_fit(struct profile *profile, const struct buffers_room *room,
	bool *out_is_reduced, struct diag *diag);
