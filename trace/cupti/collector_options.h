/* SPDX-License-Identifier: MIT */
/* What the environment says about recording a device: docs/recording.md lists the variables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum clock_choice {
	CLOCK_CHOICE_AUTO,     /* the callback, unless this release is known to spoil its stamps */
	CLOCK_CHOICE_CALLBACK, /* CUPTI asks us for the time */
	CLOCK_CHOICE_DEFAULT,  /* CUPTI's own clock, converted */
};

struct collector_options {
	const char *library; /* borrows from the environment; NULL: look for it */
	bool records_runtime;
	bool records_driver;
	bool records_whole_graphs; /* one record for each launch, none for its nodes */
	bool finalizes;
	enum clock_choice clock;
	uint64_t flush_interval_ns;
	uint32_t buffer_count_max;
};

/* `refuse` is called with the name and value of each variable that does not parse; it is ignored
 * then. */
void collector_options_read(
	void (*refuse)(const char *name, const char *value), struct collector_options *out_options);
