/* SPDX-License-Identifier: MIT */
/* Whatever profile_load() accepts can be handed to LTTng; whatever it refuses has a line that says
 * why. */
#include "trace/record/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true) {
		abort();
	}
}

static bool is_power_of_two(uint64_t value)
{
	return value && (value & (value - 1)) == 0;
}

static void check(const struct profile *profile)
{
	require(profile->channel_count >= 1 && profile->channel_count <= PROFILE_CHANNEL_COUNT_MAX);
	for (size_t i = 0; i < profile->channel_count; i++) {
		const struct profile_channel *channel = &profile->channels[i];

		require(*channel->name && strcmp(channel->name, "metadata") != 0);
		require(is_power_of_two(channel->subbuffer_bytes));
		require(is_power_of_two(channel->subbuffer_count) && channel->subbuffer_count >= 2);
		require(channel->flush_us <= UINT32_MAX);
		require(channel->event_count >= 1 &&
			channel->event_count <= PROFILE_EVENT_COUNT_MAX);
		for (size_t j = 0; j < channel->event_count; j++) {
			require(strchr(channel->events[j].name, ':'));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = NULL;
	struct diag diag = {.line = ""};
	char path[64];
	int fd = memfd_create("profile", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (profile_load(path, &profile, &diag) == STATUS_OK) {
		check(profile);
	} else {
		require(!profile && *diag.line);
	}
	profile_destroy(profile);
	(void)close(fd);
	return 0;
}
