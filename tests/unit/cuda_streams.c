/* SPDX-License-Identifier: MIT */
#include "tests/unit/cuda_streams.h"

#include <stdlib.h>
#include <string.h>

struct work {
	struct work *next;
	void (*run)(void *argument);
	_Alignas(max_align_t) uint8_t argument[];
};

struct cuda_stream {
	struct cuda_stream *next;
	bool is_lazy;
	struct work *first;
	struct work **last;
	uint64_t put_count;
	uint64_t done_count;
};

static struct cuda_stream *streams;

struct cuda_stream *cuda_stream_create(bool is_lazy)
{
	struct cuda_stream *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		abort();
	}
	stream->is_lazy = is_lazy;
	stream->last = &stream->first;
	stream->next = streams;
	streams = stream;
	return stream;
}

static struct work *take(struct cuda_stream *stream)
{
	struct work *work = stream->first;

	stream->first = work->next;
	if (!stream->first) {
		stream->last = &stream->first;
	}
	return work;
}

void cuda_stream_destroy(struct cuda_stream *stream)
{
	struct cuda_stream **link = &streams;

	while (*link != stream) {
		link = &(*link)->next;
	}
	*link = stream->next;
	while (stream->first) {
		free(take(stream));
	}
	free(stream);
}

void cuda_stream_put(
	struct cuda_stream *stream, void (*run)(void *argument), const void *argument, size_t bytes)
{
	struct work *work = malloc(sizeof(*work) + bytes);

	if (!work) {
		abort();
	}
	work->next = NULL;
	work->run = run;
	memcpy(work->argument, argument, bytes);
	*stream->last = work;
	stream->last = &work->next;
	stream->put_count++;
	if (!stream->is_lazy) {
		const struct cuda_place end = cuda_stream_place(stream);

		cuda_place_run(&end);
	}
}

struct cuda_place cuda_stream_place(struct cuda_stream *stream)
{
	return (struct cuda_place){stream, stream->put_count};
}

bool cuda_place_is_passed(const struct cuda_place *place)
{
	return !place->stream || place->stream->done_count >= place->number;
}

void cuda_place_run(const struct cuda_place *place)
{
	while (!cuda_place_is_passed(place)) {
		struct work *work = take(place->stream);

		work->run(work->argument);
		place->stream->done_count++;
		free(work);
	}
}

void cuda_streams_run_all(void)
{
	for (struct cuda_stream *stream = streams; stream; stream = stream->next) {
		const struct cuda_place end = cuda_stream_place(stream);

		cuda_place_run(&end);
	}
}
