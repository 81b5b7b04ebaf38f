/* SPDX-License-Identifier: MIT */
#include "trace/cupti/collector_options.h"

#include "trace/base/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A recording that lags by more than 10 s is not live; the pool is reserved whole at the start. */
#define FLUSH_MS         100
#define FLUSH_MS_MIN     10
#define FLUSH_MS_MAX     10000
#define BUFFER_COUNT     64
#define BUFFER_COUNT_MIN 4
#define BUFFER_COUNT_MAX 4096

struct word {
	const char *text;
	int value;
};

enum api_choice {
	API_NONE,
	API_RUNTIME,
	API_DRIVER,
	API_BOTH,
};

static const struct word api_words[] = {{"none", API_NONE}, {"runtime", API_RUNTIME},
	{"driver", API_DRIVER}, {"both", API_BOTH}, {NULL, 0}};
static const struct word graph_words[] = {{"node", 0}, {"graph", 1}, {NULL, 0}};
static const struct word switch_words[] = {{"0", 0}, {"1", 1}, {NULL, 0}};
static const struct word clock_words[] = {{"auto", CLOCK_CHOICE_AUTO},
	{"callback", CLOCK_CHOICE_CALLBACK}, {"default", CLOCK_CHOICE_DEFAULT}, {NULL, 0}};

/* A program with more rights than its caller does not read its caller's environment. */
static const char *value_of(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

static int read_word(void (*refuse)(const char *name, const char *value), const char *name,
	const struct word *words, int otherwise)
{
	const char *value = value_of(name);

	if (!value) {
		return otherwise;
	}
	for (const struct word *word = words; word->text; word++) {
		if (strcmp(word->text, value) == 0) {
			return word->value;
		}
	}
	refuse(name, value);
	return otherwise;
}

struct bounds {
	uint32_t otherwise;
	uint32_t min;
	uint32_t max;
};

static uint32_t read_number(
	void (*refuse)(const char *name, const char *value), const char *name, struct bounds bounds)
{
	const char *value = value_of(name);
	char *end = NULL;
	unsigned long number;

	if (!value) {
		return bounds.otherwise;
	}
	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno != 0 || *end || number < bounds.min || number > bounds.max) {
		refuse(name, value);
		return bounds.otherwise;
	}
	return (uint32_t)number;
}

void collector_options_read(
	void (*refuse)(const char *name, const char *value), struct collector_options *out_options)
{
	const int api = read_word(refuse, "GAPTRACE_CUPTI_API", api_words, API_BOTH);

	*out_options = (struct collector_options){
		.library = value_of("GAPTRACE_CUPTI_LIBRARY"),
		.records_runtime = api == API_RUNTIME || api == API_BOTH,
		.records_driver = api == API_DRIVER || api == API_BOTH,
		.records_whole_graphs =
			read_word(refuse, "GAPTRACE_CUPTI_GRAPH", graph_words, 0) == 1,
		.finalizes = read_word(refuse, "GAPTRACE_CUPTI_FINALIZE", switch_words, 0) == 1,
		.clock = (enum clock_choice)read_word(
			refuse, "GAPTRACE_CUPTI_CLOCK", clock_words, CLOCK_CHOICE_AUTO),
		.flush_interval_ns =
			NS_PER_MS * read_number(refuse, "GAPTRACE_CUPTI_FLUSH_MS",
					    (struct bounds){FLUSH_MS, FLUSH_MS_MIN, FLUSH_MS_MAX}),
		.buffer_count_max = read_number(refuse, "GAPTRACE_CUPTI_BUFFERS",
			(struct bounds){BUFFER_COUNT, BUFFER_COUNT_MIN, BUFFER_COUNT_MAX}),
	};
}
