/* SPDX-License-Identifier: MIT */
/*
 * Streams as a device may run them: work in the order it was put there, on some as early and on
 * others as late as anybody's waiting allows. What lacks an event between two streams, or is freed
 * too early, then goes wrong every time, and not once in a while on a GPU. One thread at a time
 * uses them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuda_stream;

/* A place in a stream's work, to be waited for; all zero: nothing. */
struct cuda_place {
	struct cuda_stream *stream;
	uint64_t number;
};

struct cuda_stream *cuda_stream_create(bool is_lazy);
/* What was not run is not run any more. */
void cuda_stream_destroy(struct cuda_stream *stream);

/* Puts work behind what is there, and does it at once if the stream is not a lazy one. The work
 * gets a copy of its argument, aligned for anything. */
void cuda_stream_put(struct cuda_stream *stream, void (*run)(void *argument), const void *argument,
	size_t bytes);

/* Behind all that was put there so far. */
struct cuda_place cuda_stream_place(struct cuda_stream *stream);
bool cuda_place_is_passed(const struct cuda_place *place);
/* Runs what is up to the place, and what that waits for. */
void cuda_place_run(const struct cuda_place *place);
void cuda_streams_run_all(void);
