/* SPDX-License-Identifier: MIT */
/*
 * Every lock of the prover is initialised here, so that the daemon can say how often its locks
 * were taken in all and a test can hold that sum against the recording. Finished locks stay in
 * the sum. One registry serves the process: a lock does not know which module counts it.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/status.h"

#include <stdint.h>

/* As gaptrace_mutex_init, and remembered. The lock stays where it is until it is finished. */
MUST_CHECK enum status lock_registry_mutex_init(struct gaptrace_mutex *mutex, const char *name);
void lock_registry_mutex_finish(struct gaptrace_mutex *mutex);

MUST_CHECK enum status lock_registry_rwlock_init(struct gaptrace_rwlock *rwlock, const char *name);
void lock_registry_rwlock_finish(struct gaptrace_rwlock *rwlock);

/*
 * Acquisitions of all locks since the process began, the registry's own lock and this call's
 * included. Exact once the other threads are gone, else a moment's estimate.
 */
uint64_t lock_registry_acquire_count(void);
