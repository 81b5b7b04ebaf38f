/* SPDX-License-Identifier: MIT */
/* Any order of any events: the walk takes them, and parts always sum to their gap. */
#include "walk_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	walk_events_replay(data, size);
	return 0;
}
