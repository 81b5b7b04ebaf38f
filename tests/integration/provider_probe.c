/* SPDX-License-Identifier: MIT */
/* A provider that is none: it tells what libgaptrace made of the environment when it loads one. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void tell(void)
{
	const char *timeout = getenv("LTTNG_UST_REGISTER_TIMEOUT");

	printf("while loading: %s\n", timeout ? timeout : "unset");
}
