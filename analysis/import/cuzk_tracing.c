/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_tracing.h"

#include "analysis/import/cuzk_text.h"
#include "analysis/import/cuzk_timeline.h"

#include "trace/base/clock.h"

#include <string.h>

#define DAYS_PER_ERA 146097 /* of 400 years */

/* Spans around one message; the daemon nests at most two. */
#define SPANS_MAX 8 /* leaves room for other versions */

/* Worker and GPU numbers are small. */
#define INDEX_MAX 1000000 /* more is no such number */

struct date {
	uint64_t year;
	uint64_t month;
	uint64_t day;
};

/* Days since 1970-01-01 of the Gregorian calendar, counted in years that begin in March. */
static uint64_t days_since_epoch(const struct date *date)
{
	const uint64_t year = date->year - (date->month <= 2);
	const uint64_t era = year / 400;
	const uint64_t year_of_era = year - era * 400;
	const uint64_t month = (date->month + 9) % 12;
	const uint64_t day_of_year = (153 * month + 2) / 5 + date->day - 1;
	const uint64_t day_of_era =
		year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * DAYS_PER_ERA + day_of_era - 719468;
}

/* `count` digits as a number. */
static bool take_digits(const char **text, int count, uint64_t *out_value)
{
	*out_value = 0;
	for (int i = 0; i < count; i++, (*text)++) {
		if (**text < '0' || **text > '9') {
			return false;
		}
		*out_value = *out_value * 10 + (uint64_t)(**text - '0');
	}
	return true;
}

static bool take_char(const char **text, char c)
{
	if (**text != c) {
		return false;
	}
	(*text)++;
	return true;
}

/* 2026-03-14T10:08:51.982713Z */
static bool take_time(const char **text, uint64_t *out_ns)
{
	struct date date;
	uint64_t hour;
	uint64_t minute;
	uint64_t second;
	uint64_t micros;

	if (!take_digits(text, 4, &date.year) || !take_char(text, '-') ||
		!take_digits(text, 2, &date.month) || !take_char(text, '-') ||
		!take_digits(text, 2, &date.day) || !take_char(text, 'T') ||
		!take_digits(text, 2, &hour) || !take_char(text, ':') ||
		!take_digits(text, 2, &minute) || !take_char(text, ':') ||
		!take_digits(text, 2, &second) || !take_char(text, '.') ||
		!take_digits(text, 6, &micros) || !take_char(text, 'Z')) {
		return false;
	}
	/* Beyond 2200 the nanoseconds would not fit; a leap second is the next minute's first. */
	if (date.year < 1970 || date.year > 2200 || date.month < 1 || date.month > 12 ||
		date.day < 1 || date.day > 31 || hour > 23 || minute > 59 || second > 60) {
		return false;
	}
	*out_ns = (((days_since_epoch(&date) * 24 + hour) * 60 + minute) * 60 + second) * NS_PER_S +
		  micros * NS_PER_US;
	return true;
}

static bool is_word(const char *text, const char *end)
{
	for (; text < end; text++) {
		if ((*text < 'a' || *text > 'z') && (*text < 'A' || *text > 'Z') &&
			(*text < '0' || *text > '9') && *text != '_' && *text != ':') {
			return false;
		}
	}
	return true;
}

/* The end of a span's fields, whose quoted values may hold braces; NULL when there is none. */
static const char *fields_end(const char *text)
{
	bool is_quoted = false;

	for (; *text; text++) {
		if (*text == '"') {
			is_quoted = !is_quoted;
		} else if (*text == '}' && !is_quoted) {
			return text;
		}
	}
	return NULL;
}

static int32_t take_index(const char *fields, const char *key)
{
	uint64_t value;

	return cuzk_text_unsigned(fields, key, &value) && value <= INDEX_MAX ? (int32_t)value
									     : CUZK_NONE;
}

/* Past spans and target, to the message; takes note of the worker's span. */
static const char *find_message(const char *text, struct cuzk_tracing *tracing)
{
	for (int i = 0; i < SPANS_MAX; i++) {
		const char *open = text + strcspn(text, "{ ");
		const char *close;

		if (*open == ' ' && open > text && open[-1] == ':' && is_word(text, open)) {
			return open + 1; /* the target */
		}
		if (*open != '{' || !is_word(text, open)) {
			return NULL;
		}
		close = fields_end(open + 1);
		if (!close || close[1] != ':') {
			return NULL;
		}
		if (strncmp(text, "gpu_worker{", strlen("gpu_worker{")) == 0) {
			tracing->worker = take_index(open, "worker_id");
			tracing->gpu = take_index(open, "gpu");
			(void)cuzk_text_value(open, "job_id", &tracing->job);
		}
		text = close + 2;
		text += *text == ' ';
	}
	return NULL;
}

bool cuzk_tracing_parse(const char *line, struct cuzk_tracing *out_tracing)
{
	static const char *const messages[] = {
#define MESSAGE(constant, message) [CUZK_TRACING_##constant] = (message),
		CUZK_TRACING_TABLE(MESSAGE)
#undef MESSAGE
	};
	struct cuzk_tracing tracing = {.message = CUZK_TRACING_OTHER,
		.fields = "",
		.job = {"", 0},
		.worker = CUZK_NONE,
		.gpu = CUZK_NONE};
	const char *text = line;

	if (!take_time(&text, &tracing.utc_ns)) {
		return false;
	}
	text += strspn(text, " ");
	text += strcspn(text, " "); /* the level */
	text += strspn(text, " ");
	text = find_message(text, &tracing);
	for (size_t i = 0; text && i < sizeof(messages) / sizeof(messages[0]); i++) {
		const size_t length = strlen(messages[i]);

		if (strncmp(text, messages[i], length) == 0 &&
			(text[length] == ' ' || text[length] == '\0')) {
			tracing.message = (enum cuzk_tracing_message)i;
			tracing.fields = text + length;
		}
	}
	*out_tracing = tracing;
	return true;
}

bool cuzk_tracing_is_json(const char *line)
{
	static const char begin[] = "{\"timestamp\":";

	return strncmp(line, begin, strlen(begin)) == 0 && strstr(line, "\"cuzk_") != NULL;
}
