/* SPDX-License-Identifier: MIT */
#include "trace/emit/condition.h"

#include <pthread.h>

uint32_t condition_process;

static void fork_child(void)
{
	condition_process = (condition_process + CONDITION_PROCESS_ONE) & CONDITION_PROCESS_MASK;
}

__attribute__((constructor)) static void fork_watch(void)
{
	(void)pthread_atfork(NULL, NULL, fork_child);
}
