/* SPDX-License-Identifier: MIT */
/*
 * Included before every prover source by the build (-include): a lock taken, or the heap trimmed,
 * past the trace library does not compile. The headers come first, since they must name these.
 */
#pragma once

#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

/* clang-format off */
#pragma GCC poison pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock
#pragma GCC poison pthread_mutex_unlock pthread_mutex_init
#pragma GCC poison pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
#pragma GCC poison pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_unlock pthread_rwlock_init
#pragma GCC poison pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_cond_signal pthread_cond_broadcast
#pragma GCC poison pthread_spin_lock pthread_spin_trylock pthread_spin_unlock pthread_barrier_wait
#pragma GCC poison sem_wait sem_trywait sem_timedwait sem_clockwait sem_post
#pragma GCC poison mtx_lock mtx_trylock mtx_timedlock mtx_unlock cnd_wait cnd_timedwait cnd_signal cnd_broadcast
#pragma GCC poison malloc_trim
/* clang-format on */
