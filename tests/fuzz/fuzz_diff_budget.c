/* SPDX-License-Identifier: MIT */
/* Whatever budget_load() accepts has limits that can be checked; whatever it refuses has a line. */
#include "analysis/diff/diff.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diff_settings settings = diff_settings_default;
	struct budget *budget = NULL;
	struct diag diag = {""};
	char path[64];
	const int descriptor = memfd_create("budget", MFD_CLOEXEC);

	require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	if (budget_load(path, &settings, &budget, &diag) == STATUS_OK) {
		require(budget->limit_count <= BUDGET_LIMIT_COUNT_MAX);
		require(settings.false_alarms >= 0.001 && settings.false_alarms <= 0.5);
		require(settings.relative >= 0 && settings.throughput >= 0);
		for (uint32_t i = 0; i < budget->limit_count; i++) {
			const struct budget_limit *limit = &budget->limits[i];

			require(*limit->name && (limit->has_at_most || limit->has_at_least));
			require(!limit->has_at_most || limit->at_most >= 0);
		}
	} else {
		require(!budget && *diag.line);
	}
	budget_destroy(budget);
	(void)close(descriptor);
	return 0;
}
