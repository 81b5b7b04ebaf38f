/* SPDX-License-Identifier: MIT */
/* Inside of the walk: takes note of one event. The host's events and the devices' are apart. */
#pragma once

#include "analysis/core/walk_state.h"

MUST_CHECK enum status walk_add_host(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_gpu(struct walk *walk, const struct event *event);

/* Events of each of these sorts. */
MUST_CHECK enum status walk_add_lock(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_queue(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_task(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_wait(struct walk *walk, const struct event *event);
MUST_CHECK enum status walk_add_budget(struct walk *walk, const struct event *event);
