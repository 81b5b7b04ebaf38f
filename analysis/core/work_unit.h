/* SPDX-License-Identifier: MIT */
/*
 * What counts as a unit of work: a partition proved, or what the user chose instead because the
 * recording knows no partitions: the end of a span, a kernel, or an event.
 */
#pragma once

#include "analysis/core/event.h"
#include "trace/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

enum work_unit_kind {
	WORK_UNIT_PARTITION,
	WORK_UNIT_SPAN,
	WORK_UNIT_KERNEL,
	WORK_UNIT_EVENT
};

/* All zero is the partition. */
struct work_unit {
	enum work_unit_kind kind;
	char name[NAME_BYTES_MAX]; /* "" of a partition; as it was written */
	enum event_kind event;     /* of WORK_UNIT_EVENT */
};

/*
 * Reads `partition`, `span:NAME`, `kernel:NAME` and `event:NAME`. Names of spans and kernels may be
 * patterns of fnmatch(3), such as `*flash_fwd*`.
 */
MUST_CHECK enum status work_unit_parse(
	const char *text, struct work_unit *out_unit, struct diag *diag);

/* partition, span, kernel or event, valid for ever. */
const char *work_unit_kind_name(const struct work_unit *unit);

/* Whether `event` ends a unit that was chosen by name, and when; never of a partition. */
bool work_unit_ends(const struct work_unit *unit, const struct event *event, uint64_t *out_end_ns);
