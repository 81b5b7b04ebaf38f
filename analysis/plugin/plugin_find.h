/* SPDX-License-Identifier: MIT */
/* Babeltrace's own plugins, from where the user and the system keep them. */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <babeltrace2/babeltrace.h>

/* Gives a reference. UNAVAILABLE and a line: it is not installed. */
MUST_CHECK enum status plugin_find(
	const char *name, struct diag *diag, const bt_plugin **out_plugin);
