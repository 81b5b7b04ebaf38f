/* SPDX-License-Identifier: MIT */
/*
 * A condition variable on one futex word, common to both libraries. The word counts wakes. A
 * waiter reads it while it still holds the mutex and sleeps only if it has not changed since, so a
 * wake that follows a change made under that mutex is never lost. The happens-before between them
 * is the mutex's.
 */
#pragma once

#include "gaptrace/gaptrace.h"
#include "trace/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONDITION_NO_DEADLINE UINT64_MAX
#define CONDITION_ALL         INT_MAX

/*
 * waiter_count: how many wait, and above that whose threads they are, since a child of a fork
 * inherits the count and not the waiters. The top bit is set once somebody waits for it to be 0.
 */
#define CONDITION_FINISHING    0x80000000U
#define CONDITION_PROCESS_MASK 0x7ff00000U
#define CONDITION_PROCESS_ONE  0x00100000U
#define CONDITION_COUNT_MASK   0x000fffffU

/* In waiter_count while it counts threads of this process; another one in each child of a fork. */
extern uint32_t condition_process;

/* The word may be gone by now; the kernel says so in errno, which is not the host's business. */
static inline void condition_futex_wake(uint32_t *word, int thread_count)
{
	int error = errno;

	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, thread_count, NULL, NULL, 0);
	errno = error;
}

/* Those that a waiter_count means, none of them a thread of a parent. */
static inline uint32_t condition_waiters(uint32_t word)
{
	return (word & CONDITION_PROCESS_MASK) == condition_process ? word & CONDITION_COUNT_MASK
								    : 0;
}

/* With the mutex held. Gives what condition_wait_sleep takes. */
static inline uint32_t condition_wait_prepare(struct gaptrace_condition *condition)
{
	uint32_t word = __atomic_load_n(&condition->waiter_count, __ATOMIC_SEQ_CST);
	uint32_t next;

	do {
		next = (word & CONDITION_FINISHING) | condition_process |
		       (condition_waiters(word) + 1);
	} while (!__atomic_compare_exchange_n(
		&condition->waiter_count, &word, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return __atomic_load_n(&condition->sequence, __ATOMIC_SEQ_CST);
}

/* Without the mutex. False when `deadline_ns` of CLOCK_MONOTONIC passed first. */
static inline bool condition_wait_sleep(
	struct gaptrace_condition *condition, uint32_t sequence, uint64_t deadline_ns)
{
	struct timespec deadline = clock_timespec(deadline_ns);
	const struct timespec *timeout = deadline_ns == CONDITION_NO_DEADLINE ? NULL : &deadline;
	bool is_awake = true;
	int error = errno;
	uint32_t count;

	if (syscall(SYS_futex, &condition->sequence, FUTEX_WAIT_BITSET_PRIVATE, sequence, timeout,
		    NULL, FUTEX_BITSET_MATCH_ANY) != 0) {
		is_awake = errno != ETIMEDOUT;
		errno = error;
	}
	count = __atomic_fetch_sub(&condition->waiter_count, 1, __ATOMIC_SEQ_CST);
	if ((count & ~CONDITION_PROCESS_MASK) == (CONDITION_FINISHING | 1)) {
		condition_futex_wake(&condition->waiter_count, 1);
	}
	return is_awake;
}

/*
 * A thread whose wait a change under the mutex must end is counted by then: it counted itself
 * under the mutex, before that change.
 */
static inline bool condition_has_waiter(const struct gaptrace_condition *condition)
{
	return condition_waiters(__atomic_load_n(&condition->waiter_count, __ATOMIC_SEQ_CST)) != 0;
}

/* Once the word has changed a waiter may go and free the condition: only the kernel looks at it. */
static inline void condition_wake(struct gaptrace_condition *condition, int thread_count)
{
	(void)__atomic_fetch_add(&condition->sequence, 1, __ATOMIC_SEQ_CST);
	condition_futex_wake(&condition->sequence, thread_count);
}

/*
 * POSIX lets a condition go as soon as its waiters were woken: those that are still on their way
 * out of condition_wait_sleep are waited for, however long a busy machine does not run them, since
 * they write to it.
 */
static inline void condition_leave(struct gaptrace_condition *condition)
{
	uint32_t word =
		__atomic_fetch_or(&condition->waiter_count, CONDITION_FINISHING, __ATOMIC_SEQ_CST);
	int error = errno;

	while (condition_waiters(word) != 0) {
		if (syscall(SYS_futex, &condition->waiter_count, FUTEX_WAIT_PRIVATE,
			    word | CONDITION_FINISHING, NULL, NULL, 0) != 0 &&
			errno != EAGAIN && errno != EINTR) {
			break;
		}
		word = __atomic_load_n(&condition->waiter_count, __ATOMIC_SEQ_CST);
	}
	errno = error;
}
