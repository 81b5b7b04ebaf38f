/* SPDX-License-Identifier: MIT */
/*
 * Proves that the queue gives entries back in order of (major, minor), equal keys by age and each
 * exactly once, that full and closed queues refuse, and that no wake-up is lost.
 */
#include "prover/priority_queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 2000

static void entries_leave_in_order_of_their_keys(void **state)
{
	struct priority_queue queue;
	struct priority_queue_entry entries[ITEMS];
	uint32_t random = 12345;

	(void)state;
	memset(entries, 0, sizeof(entries));
	assert_int_equal(priority_queue_init(&queue, "queue", ITEMS), STATUS_OK);
	for (uint32_t i = 0; i < ITEMS; i++) {
		random = random * 1664525 + 1013904223;
		entries[i].major = (random >> 16) % 40;
		entries[i].minor = (random >> 8) % 10;
		assert_int_equal(priority_queue_push(&queue, &entries[i]), STATUS_OK);
	}
	for (uint32_t i = 0; i < ITEMS; i++) {
		static struct priority_queue_entry last;
		struct priority_queue_entry *entry = priority_queue_pop(&queue);

		assert_non_null(entry);
		if (i > 0) {
			assert_true(last.major < entry->major ||
				    (last.major == entry->major &&
					    (last.minor < entry->minor ||
						    (last.minor == entry->minor &&
							    last.item.id < entry->item.id))));
		}
		last = *entry;
	}
	assert_int_equal(priority_queue_counts(&queue).depth, 0);
	assert_int_equal(priority_queue_counts(&queue).pushed_count, ITEMS);
	assert_int_equal(priority_queue_counts(&queue).popped_count, ITEMS);
	priority_queue_finish(&queue);
}

/* Two entries with one key both come back: the daemon this is modelled on lost one. */
static void equal_keys_never_replace_each_other(void **state)
{
	struct priority_queue queue;
	struct priority_queue_entry first = {.major = 0, .minor = 0};
	struct priority_queue_entry second = {.major = 0, .minor = 0};

	(void)state;
	assert_int_equal(priority_queue_init(&queue, "queue", 8), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &first), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &second), STATUS_OK);
	assert_true(first.item.id != second.item.id);
	assert_ptr_equal(priority_queue_pop(&queue), &first);
	assert_ptr_equal(priority_queue_pop(&queue), &second);
	priority_queue_finish(&queue);
}

static void a_full_queue_refuses(void **state)
{
	struct priority_queue queue;
	struct priority_queue_entry entries[3] = {{.major = 1}, {.major = 2}, {.major = 3}};

	(void)state;
	assert_int_equal(priority_queue_init(&queue, "queue", 2), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &entries[0]), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &entries[1]), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &entries[2]), STATUS_OVER_LIMIT);
	assert_ptr_equal(priority_queue_pop(&queue), &entries[0]);
	assert_int_equal(priority_queue_push(&queue, &entries[2]), STATUS_OK);
	assert_ptr_equal(priority_queue_pop(&queue), &entries[1]);
	assert_ptr_equal(priority_queue_pop(&queue), &entries[2]);
	priority_queue_finish(&queue);
}

static void a_closed_queue_empties_and_refuses(void **state)
{
	struct priority_queue queue;
	struct priority_queue_entry entries[2] = {{.major = 1}, {.major = 2}};

	(void)state;
	assert_int_equal(priority_queue_init(&queue, "queue", 2), STATUS_OK);
	assert_int_equal(priority_queue_push(&queue, &entries[0]), STATUS_OK);
	priority_queue_close(&queue);
	assert_int_equal(priority_queue_push(&queue, &entries[1]), STATUS_STOPPED);
	assert_int_equal(priority_queue_push_wait(&queue, &entries[1]), STATUS_STOPPED);
	assert_ptr_equal(priority_queue_pop(&queue), &entries[0]);
	assert_null(priority_queue_pop(&queue));
	priority_queue_finish(&queue);
}

struct traffic {
	struct priority_queue queue;
	struct priority_queue_entry entries[4][ITEMS];
	_Atomic uint32_t seen[4 * ITEMS];
	_Atomic uint32_t popped;
};

struct sender {
	struct traffic *traffic;
	uint32_t index;
};

static void *send_all(void *argument)
{
	struct sender *sender = argument;

	for (uint32_t i = 0; i < ITEMS; i++) {
		struct priority_queue_entry *entry = &sender->traffic->entries[sender->index][i];

		entry->item.work.job = 1 + sender->index * ITEMS + i;
		if (priority_queue_push_wait(&sender->traffic->queue, entry) != STATUS_OK) {
			break;
		}
	}
	return NULL;
}

static void *receive_all(void *argument)
{
	struct traffic *traffic = argument;
	struct priority_queue_entry *entry = NULL;

	while ((entry = priority_queue_pop(&traffic->queue))) {
		atomic_fetch_add(&traffic->seen[entry->item.work.job - 1], 1);
		atomic_fetch_add(&traffic->popped, 1);
	}
	return NULL;
}

/* A channel of 3 between four senders and three receivers: it would hang on a lost wake-up. */
static void a_small_channel_passes_everything_once(void **state)
{
	struct traffic *traffic = calloc(1, sizeof(*traffic));
	struct sender senders[4];
	pthread_t sending[4];
	pthread_t receiving[3];

	(void)state;
	assert_non_null(traffic);
	assert_int_equal(priority_queue_init(&traffic->queue, "dispatch", 3), STATUS_OK);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&receiving[i], NULL, receive_all, traffic), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		senders[i] = (struct sender){.traffic = traffic, .index = i};
		assert_int_equal(pthread_create(&sending[i], NULL, send_all, &senders[i]), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(sending[i], NULL), 0);
	}
	priority_queue_close(&traffic->queue);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(receiving[i], NULL), 0);
	}
	assert_int_equal(traffic->popped, 4 * ITEMS);
	for (uint32_t i = 0; i < 4 * ITEMS; i++) {
		assert_int_equal(traffic->seen[i], 1);
	}
	priority_queue_finish(&traffic->queue);
	free(traffic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_leave_in_order_of_their_keys),
		cmocka_unit_test(equal_keys_never_replace_each_other),
		cmocka_unit_test(a_full_queue_refuses),
		cmocka_unit_test(a_closed_queue_empties_and_refuses),
		cmocka_unit_test(a_small_channel_passes_everything_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
