/* SPDX-License-Identifier: MIT */
/* What the values of an event's fields are called in a trace, for those that are enumerations. */
#pragma once

#include "analysis/core/event_fields.h"

struct enum_label {
	uint64_t value;
	const char *label; /* NULL: no more */
};

/* The labels of a field, valid for ever; NULL when it is no enumeration. */
const struct enum_label *enum_labels_of(enum event_kind kind, const struct event_field *field);
