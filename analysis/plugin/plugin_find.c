/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/plugin_find.h"

#include "analysis/plugin/trial.h"

/* Plugins come from the user's and the system's folders, never from this program. */
#define FIND_ENVIRONMENT BT_TRUE
#define FIND_USER        BT_FALSE
#define FIND_SYSTEM      BT_TRUE
#define FIND_STATIC      BT_TRUE
#define FIND_STRICT      BT_FALSE

enum status plugin_find(const char *name, struct diag *diag, const bt_plugin **out_plugin)
{
	char reason[TRIAL_REASON_BYTES];

	if (bt_plugin_find(name, FIND_ENVIRONMENT, FIND_USER, FIND_SYSTEM, FIND_STATIC, FIND_STRICT,
		    out_plugin) == BT_PLUGIN_FIND_STATUS_OK) {
		return STATUS_OK;
	}
	trial_take_reason(reason);
	return diag_set(diag, STATUS_UNAVAILABLE,
		"babeltrace2's plugin `%s` was not found; install the package babeltrace2", name);
}
