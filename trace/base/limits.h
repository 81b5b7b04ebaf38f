/* SPDX-License-Identifier: MIT */
/* Limits that several folders share, each with its reason; a module's own stand in its header. */
#pragma once

/* One terminal line of error: a path, a place, a mend. Longer is not read. */
#define DIAG_LINE_BYTES_MAX 512

/* A name in an event (lock, queue, span, kernel). LTTng copies it whole into the ring. */
#define NAME_BYTES_MAX 256

/* Devices of one daemon, and of one report: more than any host has GPUs. */
#define DEVICE_COUNT_MAX 64
