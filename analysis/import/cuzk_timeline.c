/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_timeline.h"

#include "analysis/import/cuzk_text.h"
#include "gaptrace/schema.h"

#include <string.h>

/* Partitions of a proof and workers of a daemon: at most some dozens; more is no such number. */
#define INDEX_MAX 1000000

static const char *const words[CUZK_TIMELINE_EVENT_COUNT] = {
#define WORD(constant, word) [CUZK_##constant] = (word),
	CUZK_TIMELINE_TABLE(WORD)
#undef WORD
};

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The event whose word and comma `text` begins with; gives what follows. */
static const char *find_event(const char *text, enum cuzk_timeline_event *out_event)
{
	for (int i = 0; i < CUZK_TIMELINE_EVENT_COUNT; i++) {
		const size_t length = strlen(words[i]);

		if (begins_with(text, words[i]) && text[length] == ',') {
			*out_event = (enum cuzk_timeline_event)i;
			return text + length + 1;
		}
	}
	return NULL;
}

/* One field of a detail, up to the next comma. */
static bool is_field(const char *text)
{
	static const char *const keys[] = {
		"partition=", "kind=", "worker=", "synth_ms=", "gpu_ms=", "monolithic"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (begins_with(text, keys[i])) {
			return true;
		}
	}
	return false;
}

/* The comma before the detail: the fields at the end of the line; the job before it may hold all.
 */
static char *find_detail(char *job)
{
	char *detail = NULL;

	for (char *at = job + strlen(job); at > job; at--) {
		if (*at != ',') {
			continue;
		}
		if (!is_field(at + 1)) {
			break;
		}
		detail = at;
	}
	return detail;
}

static bool take_index(const char *detail, const char *key, int32_t *out_index)
{
	uint64_t value;

	if (!cuzk_text_unsigned(detail, key, &value)) {
		return false;
	}
	if (value > INDEX_MAX) {
		return false;
	}
	*out_index = (int32_t)value;
	return true;
}

/* Whether what the event must tell is there. */
static bool take_detail(const char *detail, struct cuzk_timeline *timeline)
{
	const bool has_partition = take_index(detail, "partition", &timeline->partition);
	const bool has_worker = take_index(detail, "worker", &timeline->worker);
	struct cuzk_word kind;

	switch (timeline->event) {
	case CUZK_SYNTH_START:
		if (cuzk_text_value(detail, "kind", &kind)) {
			timeline->kind = kind.text;
			return kind.length > 0;
		}
		return has_partition;
	case CUZK_SYNTH_END:
		return cuzk_text_unsigned(detail, "synth_ms", &timeline->duration_ms);
	case CUZK_GPU_QUEUE:
		return has_partition || strcmp(detail, "monolithic") == 0;
	case CUZK_GPU_PICKUP:
	case CUZK_GPU_START:
		return has_worker;
	case CUZK_GPU_END:
		return has_worker && cuzk_text_unsigned(detail, "gpu_ms", &timeline->duration_ms);
	case CUZK_TIMELINE_EVENT_COUNT:
		break;
	}
	return false;
}

enum cuzk_timeline_result cuzk_timeline_parse(char *line, struct cuzk_timeline *out_timeline)
{
	static const char prefix[] = "TIMELINE,";
	struct cuzk_timeline timeline = {.kind = "",
		.partition = CUZK_NONE,
		.worker = CUZK_NONE,
		.duration_ms = GAPTRACE_UNKNOWN};
	const char *after;
	char *job;
	char *detail;

	if (!begins_with(line, prefix)) {
		return CUZK_TIMELINE_OTHER;
	}
	after = cuzk_text_number(line + strlen(prefix), &timeline.time_ms);
	if (!after || *after != ',') {
		return CUZK_TIMELINE_BAD;
	}
	if (begins_with(after + 1, "CHAN_SEND,")) {
		return CUZK_TIMELINE_OTHER;
	}
	after = find_event(after + 1, &timeline.event);
	if (!after) {
		return CUZK_TIMELINE_BAD;
	}
	job = line + (after - line);
	detail = find_detail(job);
	if (!detail || !take_detail(detail + 1, &timeline)) {
		return CUZK_TIMELINE_BAD;
	}
	*detail = '\0';
	timeline.job = job;
	*out_timeline = timeline;
	return CUZK_TIMELINE_OK;
}
