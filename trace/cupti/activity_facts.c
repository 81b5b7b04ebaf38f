/* SPDX-License-Identifier: MIT */
#include "trace/cupti/activity_facts.h"

#include <string.h>

void activity_facts_init(struct activity_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
}

void activity_facts_context(struct activity_facts *facts, uint32_t context, uint32_t device)
{
	uint32_t i = 0;

	if (device >= DEVICE_COUNT_MAX) {
		return;
	}
	facts->has_device[device] = true;
	while (i < facts->context_count && facts->contexts[i].context != context) {
		i++;
	}
	if (i < CONTEXT_COUNT_MAX) {
		facts->contexts[i].context = context;
		facts->contexts[i].device = (int32_t)device;
		facts->context_count += i == facts->context_count;
	}
}

int32_t activity_facts_device(const struct activity_facts *facts, uint32_t context)
{
	for (uint32_t i = 0; i < facts->context_count; i++) {
		if (facts->contexts[i].context == context) {
			return facts->contexts[i].device;
		}
	}
	return -1;
}

static uint32_t event_slot(uint32_t context, uint32_t event)
{
	return (context * 31 + event) % EVENT_SLOT_COUNT;
}

void activity_facts_event(
	struct activity_facts *facts, uint32_t context, uint32_t event, uint32_t stream)
{
	const uint32_t slot = event_slot(context, event);

	facts->events[slot].context = context;
	facts->events[slot].event = event;
	facts->events[slot].stream = stream;
	facts->events[slot].is_used = true;
}

uint32_t activity_facts_event_stream(
	const struct activity_facts *facts, uint32_t context, uint32_t event)
{
	const uint32_t slot = event_slot(context, event);

	return facts->events[slot].is_used && facts->events[slot].context == context &&
			       facts->events[slot].event == event
		       ? facts->events[slot].stream
		       : 0;
}

/* The slot of that correlation, emptied if another had it. */
static uint32_t launch_slot(struct activity_facts *facts, uint32_t correlation)
{
	const uint32_t slot = correlation % LAUNCH_SLOT_COUNT;

	if (facts->launches[slot].correlation != correlation) {
		facts->launches[slot].correlation = correlation;
		facts->launches[slot].launch_ns = 0;
		facts->launches[slot].start_ns = 0;
	}
	return slot;
}

bool activity_facts_launch(struct activity_facts *facts, uint32_t correlation, uint64_t launch_ns,
	uint64_t *out_start_ns)
{
	const uint32_t slot = launch_slot(facts, correlation);
	const bool is_first = facts->launches[slot].launch_ns == 0;

	/* A runtime call and the driver call in it may share a number: the earlier one counts. */
	if (is_first || launch_ns < facts->launches[slot].launch_ns) {
		facts->launches[slot].launch_ns = launch_ns;
	}
	*out_start_ns = facts->launches[slot].start_ns;
	return is_first && *out_start_ns != 0;
}

bool activity_facts_start(struct activity_facts *facts, uint32_t correlation, uint64_t start_ns,
	uint64_t *out_launch_ns)
{
	const uint32_t slot = launch_slot(facts, correlation);
	const bool is_first = facts->launches[slot].start_ns == 0;

	if (is_first) {
		facts->launches[slot].start_ns = start_ns;
	}
	*out_launch_ns = facts->launches[slot].launch_ns;
	return is_first && *out_launch_ns != 0;
}
