/* SPDX-License-Identifier: MIT */
/*
 * Calls of CUDA's runtime and driver, known to CUPTI by number: which of them only ask something
 * and return at once, and what a call is called.
 */
#pragma once

#include "trace/cupti/cupti_api.h"

#include <stdbool.h>
#include <stddef.h>

/* They are called in loops, say nothing about a device, and would be most of a recording. */
bool api_calls_is_polling(CUpti_CallbackDomain domain, CUpti_CallbackId call);

/* Asks CUPTI to leave those out. Where it cannot, they are left out when their records come. */
void api_calls_leave_out_polling(const struct cupti_api *api, CUpti_CallbackDomain domain);

/* The name as it stands in a program: without the suffixes that tell versions apart. */
void api_calls_name(const struct cupti_api *api, CUpti_CallbackDomain domain, CUpti_CallbackId call,
	char *name, size_t bytes);
