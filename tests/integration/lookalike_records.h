/* SPDX-License-Identifier: MIT */
/* The walk over a buffer of records, as libcupti does it, for where there is no libcupti. */
#pragma once

#include <cupti.h>
#include <stddef.h>

/* 0: a kind that the look-alike does not know. */
size_t lookalike_record_bytes(CUpti_ActivityKind kind);
