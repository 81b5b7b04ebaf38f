/* SPDX-License-Identifier: MIT */
/* Inside of the walk: gaps at the edges of the window, which nothing ended. Rule 9. */
#pragma once

#include "analysis/core/walk_feed.h"

void walk_edge_charge(struct walk_explanation *explanation);
