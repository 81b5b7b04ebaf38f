/* SPDX-License-Identifier: MIT */
/*
 * When a recording begins, and then once a second: what one that began in the middle must know.
 * Thread names and devices, queue depths, pools, the budget, live buffers, and what each GPU
 * worker is doing and since when.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/status.h"

struct keyframe;
struct pipeline;

/* Starts the thread; `pipeline` is borrowed until it is stopped. */
MUST_CHECK enum status keyframe_start(struct pipeline *pipeline, struct keyframe **out_keyframe);

/* Accepts NULL. */
void keyframe_stop(struct keyframe *keyframe);
