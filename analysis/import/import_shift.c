/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_shift.h"

#include "analysis/core/event_fields.h"

#include <string.h>

static uint64_t shifted(uint64_t time_ns, uint64_t shift_ns)
{
	return time_ns > UINT64_MAX - shift_ns ? UINT64_MAX : time_ns + shift_ns;
}

void import_shift_event(struct event *event, uint64_t shift_ns)
{
	const struct event_fields *fields = event_fields_of(event->kind);

	event->time_ns = shifted(event->time_ns, shift_ns);
	for (size_t i = 0; i < EVENT_FIELD_COUNT_MAX && fields->fields[i].name; i++) {
		void *field = (char *)event + fields->fields[i].offset;
		uint64_t time_ns;

		if (fields->fields[i].storage == FIELD_TIME) {
			memcpy(&time_ns, field, sizeof(time_ns));
			time_ns = shifted(time_ns, shift_ns);
			memcpy(field, &time_ns, sizeof(time_ns));
		}
	}
}
