/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_clock.h"

#include "analysis/import/cuzk_text.h"
#include "gaptrace/schema.h"
#include "trace/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* Lines that wait for their partner: a day's partitions when the two logs are read one by one. */
#define HALF_COUNT 65536

/* How long one difference holds: 10 ppm of slew is 6 ms of it. */
#define BUCKET_NS (600 * NS_PER_S)

/* A year and a quarter of them. */
#define BUCKET_COUNT_MAX 65536 /* what comes later uses the last one */

/*
 * Nothing but writing lies between the two lines about what is queued or started. Where these
 * differ by more, UTC was set.
 */
#define STEP_NS (500 * NS_PER_MS)

/* Setting UTC, and a pipe that is full for a while, make a few such differences, no more than one
 * in so many pairs; two daemons, one whenever the other has its turn. */
#define TURN_COUNT_MIN 8
#define PAIRS_PER_TURN 8

/* A line without its partner. */
struct half {
	uint64_t key; /* of what both lines tell; 0: an empty place */
	bool is_tracing;
	bool is_ambiguous; /* a job's name was used again: nobody knows which line is whose partner
			    */
	uint64_t time_ns;
};

struct bucket {
	uint64_t utc; /* in units of BUCKET_NS */
	uint64_t offset_ns;
	uint64_t prompt_min_ns; /* of pairs without a delay; UINT64_MAX without one */
	uint64_t prompt_max_ns;
};

struct cuzk_clock {
	struct half halves[HALF_COUNT];
	struct bucket *buckets; /* in order of time */
	size_t bucket_count;
	size_t bucket_capacity;
	uint64_t pair_count;
	uint64_t prompt_count;     /* pairs without a delay */
	uint64_t turn_count;       /* of those, how many differ from the one before by a step */
	uint64_t prompt_offset_ns; /* the last one's */
};

/* What both lines of a pair tell. */
struct pair_facts {
	enum cuzk_timeline_event event;
	struct cuzk_word job;
	uint64_t partition;
	uint64_t duration_ms;
};

/* The two times of one moment. */
struct pair {
	uint64_t utc_ns;
	uint64_t engine_ns;
	bool is_prompt;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static uint64_t key_of(const struct pair_facts *facts)
{
	uint64_t hash = mix(facts->event + 1, facts->partition);

	for (size_t i = 0; i < facts->job.length; i++) {
		hash = mix(hash, (unsigned char)facts->job.text[i]);
	}
	hash = mix(hash, facts->duration_ms);
	return hash ? hash : 1;
}

enum status cuzk_clock_create(struct cuzk_clock **out_clock)
{
	*out_clock = calloc(1, sizeof(**out_clock));
	return *out_clock ? STATUS_OK : STATUS_NO_MEMORY;
}

/* The place of the bucket of that time, or where it is to be put. */
static size_t find_bucket(const struct cuzk_clock *clock, uint64_t utc)
{
	size_t low = 0;
	size_t high = clock->bucket_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (clock->buckets[middle].utc < utc) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static uint64_t smaller(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

static void add_to_bucket(struct bucket *bucket, uint64_t offset_ns, bool is_prompt)
{
	bucket->offset_ns = smaller(bucket->offset_ns, offset_ns);
	if (is_prompt) {
		bucket->prompt_min_ns = smaller(bucket->prompt_min_ns, offset_ns);
		bucket->prompt_max_ns =
			offset_ns > bucket->prompt_max_ns ? offset_ns : bucket->prompt_max_ns;
	}
}

static void note_turn(struct cuzk_clock *clock, uint64_t offset_ns)
{
	const uint64_t before_ns = clock->prompt_offset_ns;
	const uint64_t step_ns =
		offset_ns > before_ns ? offset_ns - before_ns : before_ns - offset_ns;

	clock->turn_count += clock->prompt_count++ > 0 && step_ns > STEP_NS;
	clock->prompt_offset_ns = offset_ns;
}

static enum status add_pair(struct cuzk_clock *clock, const struct pair *pair)
{
	const uint64_t utc = pair->utc_ns / BUCKET_NS;
	const size_t i = find_bucket(clock, utc);
	const uint64_t offset_ns = pair->utc_ns - pair->engine_ns;

	if (pair->utc_ns < pair->engine_ns) {
		return STATUS_OK;
	}
	clock->pair_count++;
	if (pair->is_prompt) {
		note_turn(clock, offset_ns);
	}
	if (i < clock->bucket_count && clock->buckets[i].utc == utc) {
		add_to_bucket(&clock->buckets[i], offset_ns, pair->is_prompt);
		return STATUS_OK;
	}
	if (clock->bucket_count == BUCKET_COUNT_MAX) {
		return STATUS_OK;
	}
	if (clock->bucket_count == clock->bucket_capacity) {
		const size_t capacity = clock->bucket_capacity ? clock->bucket_capacity * 2 : 64;
		struct bucket *buckets = reallocarray(clock->buckets, capacity, sizeof(*buckets));

		if (!buckets) {
			return STATUS_NO_MEMORY;
		}
		clock->buckets = buckets;
		clock->bucket_capacity = capacity;
	}
	memmove(&clock->buckets[i + 1], &clock->buckets[i],
		(clock->bucket_count - i) * sizeof(clock->buckets[0]));
	clock->buckets[i] = (struct bucket){utc, UINT64_MAX, UINT64_MAX, 0};
	add_to_bucket(&clock->buckets[i], offset_ns, pair->is_prompt);
	clock->bucket_count++;
	return STATUS_OK;
}

static enum status add_half(
	struct cuzk_clock *clock, const struct pair_facts *facts, bool is_tracing, uint64_t time_ns)
{
	const uint64_t key = key_of(facts);
	struct half *half = &clock->halves[key % HALF_COUNT];
	const struct pair pair = {
		.utc_ns = is_tracing ? time_ns : half->time_ns,
		.engine_ns = is_tracing ? half->time_ns : time_ns,
		.is_prompt = facts->event != CUZK_GPU_END,
	};

	if (half->key != key) {
		*half = (struct half){.key = key, .is_tracing = is_tracing, .time_ns = time_ns};
		return STATUS_OK;
	}
	half->is_ambiguous |= half->is_tracing == is_tracing;
	if (half->is_ambiguous) {
		return STATUS_OK;
	}
	half->key = 0;
	return add_pair(clock, &pair);
}

void cuzk_clock_restart(struct cuzk_clock *clock)
{
	for (size_t i = 0; i < HALF_COUNT; i++) {
		if (!clock->halves[i].is_tracing) {
			clock->halves[i] = (struct half){0};
		}
	}
	clock->bucket_count = 0;
	clock->pair_count = 0;
	clock->prompt_count = 0;
	clock->turn_count = 0;
}

enum status cuzk_clock_add_timeline(struct cuzk_clock *clock, const struct cuzk_timeline *timeline)
{
	struct pair_facts facts = {
		.event = timeline->event,
		.job = {timeline->job, strlen(timeline->job)},
		.partition = (uint64_t)(int64_t)timeline->partition,
	};

	if ((timeline->partition == CUZK_NONE) != (timeline->event == CUZK_GPU_START)) {
		return STATUS_OK;
	}
	switch ((int)timeline->event) {
	case CUZK_GPU_QUEUE:
		break;
	case CUZK_GPU_START:
		facts.partition = (uint64_t)timeline->worker;
		break;
	case CUZK_GPU_END:
		facts.duration_ms = timeline->duration_ms;
		break;
	default:
		return STATUS_OK;
	}
	return add_half(clock, &facts, false, timeline->time_ms * NS_PER_MS);
}

/* What a worker writes before it starts a job in one piece. */
static enum status add_whole(struct cuzk_clock *clock, const struct cuzk_tracing *tracing)
{
	const struct pair_facts facts = {.event = CUZK_GPU_START,
		.job = tracing->job,
		.partition = (uint64_t)tracing->worker};
	uint64_t partition;

	if (tracing->worker == CUZK_NONE || tracing->job.length == 0 ||
		cuzk_text_unsigned(tracing->fields, "partition", &partition)) {
		return STATUS_OK;
	}
	return add_half(clock, &facts, true, tracing->utc_ns);
}

enum status cuzk_clock_add_tracing(struct cuzk_clock *clock, const struct cuzk_tracing *tracing)
{
	struct pair_facts facts = {0};

	switch ((int)tracing->message) {
	case CUZK_TRACING_HOT_PATH:
		return add_whole(clock, tracing);
	case CUZK_TRACING_SYNTH_COMPLETE:
		facts.event = CUZK_GPU_QUEUE;
		break;
	case CUZK_TRACING_GPU_COMPLETE:
		facts.event = CUZK_GPU_END;
		if (!cuzk_text_unsigned(tracing->fields, "gpu_ms", &facts.duration_ms)) {
			return STATUS_OK;
		}
		break;
	default:
		return STATUS_OK;
	}
	if (!cuzk_text_value(tracing->fields, "job_id", &facts.job) ||
		!cuzk_text_unsigned(tracing->fields, "partition", &facts.partition)) {
		return STATUS_OK;
	}
	return add_half(clock, &facts, true, tracing->utc_ns);
}

uint64_t cuzk_clock_pair_count(const struct cuzk_clock *clock)
{
	return clock->pair_count;
}

bool cuzk_clock_takes_turns(const struct cuzk_clock *clock)
{
	return clock->turn_count >= TURN_COUNT_MIN &&
	       clock->turn_count > clock->prompt_count / PAIRS_PER_TURN;
}

/* Its own ten minutes, or the nearest earlier ones, or the first. */
static const struct bucket *bucket_at(const struct cuzk_clock *clock, uint64_t utc_ns)
{
	const uint64_t utc = utc_ns / BUCKET_NS;
	size_t i = find_bucket(clock, utc);

	if (i == clock->bucket_count || (clock->buckets[i].utc != utc && i > 0)) {
		i--;
	}
	return &clock->buckets[i];
}

static bool is_stepped(const struct bucket *bucket)
{
	return bucket->prompt_min_ns < bucket->prompt_max_ns &&
	       bucket->prompt_max_ns - bucket->prompt_min_ns > STEP_NS;
}

bool cuzk_clock_is_set(const struct cuzk_clock *clock, uint64_t utc_ns)
{
	return clock->bucket_count > 0 && is_stepped(bucket_at(clock, utc_ns));
}

bool cuzk_clock_time(const struct cuzk_clock *clock, uint64_t utc_ns, uint64_t *out_time_ns)
{
	const struct bucket *bucket = NULL;

	if (clock->bucket_count == 0) {
		return false;
	}
	bucket = bucket_at(clock, utc_ns);
	*out_time_ns = utc_ns - bucket->offset_ns;
	return utc_ns >= bucket->offset_ns && !is_stepped(bucket);
}

bool cuzk_clock_epoch(const struct cuzk_clock *clock, uint64_t *out_epoch_ns)
{
	if (clock->bucket_count == 0) {
		return false;
	}
	*out_epoch_ns = clock->buckets[0].offset_ns;
	return true;
}

void cuzk_clock_destroy(struct cuzk_clock *clock)
{
	if (clock) {
		free(clock->buckets);
		free(clock);
	}
}
