/* SPDX-License-Identifier: MIT */
/*
 * CUPTI's records to trace events. Kinds that were not asked for are counted and skipped; a buffer
 * that cannot be walked to its end is counted as damaged. Names of kernels and the data of
 * overheads are pointers that CUPTI owns or hands over: records come from CUPTI alone.
 * One thread uses it.
 */
#pragma once

#include "trace/cupti/activity_facts.h"
#include "trace/cupti/clock_sync.h"
#include "trace/cupti/cupti_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct activity_decoder {
	const struct cupti_api *api; /* borrows */
	struct clock_sync *clock;    /* borrows */
	struct activity_facts facts;
	uint64_t record_count;
	uint64_t unknown_count; /* of kinds that we do not read */
	uint64_t polling_count; /* calls that only ask, and are left out */
	uint64_t damaged_count; /* buffers whose rest could not be read */
};

void activity_decode_init(
	struct activity_decoder *decoder, const struct cupti_api *api, struct clock_sync *clock);

/* Emits an event for each record that makes one. */
void activity_decode(struct activity_decoder *decoder, uint8_t *data, size_t valid_bytes);

/* Of a buffer that will not be decoded: how many records it holds. What they point to is freed. */
uint64_t activity_decode_drop(const struct cupti_api *api, uint8_t *data, size_t valid_bytes);
