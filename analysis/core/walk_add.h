/* SPDX-License-Identifier: MIT */
/* Inside of the walk: takes note of one event. The host's events and the devices' are apart. */
#pragma once

#include "analysis/core/walk_state.h"

MUST_CHECK enum status walk_add_host(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_gpu(struct walk *walk, const struct event *event);
