/* SPDX-License-Identifier: MIT */
#include "analysis/history/time_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 9999-12-31T23:59:59Z: what comes later does not fit the text. */
#define TIME_S_MAX 253402300799ULL

static enum status parse_seconds(const char *text, uint64_t *out_time_s)
{
	char *end = NULL;
	unsigned long long seconds;

	if (!isdigit((unsigned char)text[0])) {
		return STATUS_BAD_INPUT;
	}
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno != 0 || *end || seconds > TIME_S_MAX) {
		return STATUS_BAD_INPUT;
	}
	*out_time_s = seconds;
	return STATUS_OK;
}

/* strptime takes the 31st of February, which timegm makes another day. */
static bool is_that_day(const struct tm *written, time_t seconds)
{
	struct tm real = {0};

	return gmtime_r(&seconds, &real) && real.tm_mday == written->tm_mday &&
	       real.tm_mon == written->tm_mon;
}

enum status time_text_parse(const char *text, uint64_t *out_time_s)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
		"%Y-%m-%d"};

	if (text[0] == '@') {
		return parse_seconds(text + 1, out_time_s);
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm written = {0};
		struct tm broken;
		const char *end = strptime(text, formats[i], &written);
		time_t seconds;

		if (!end || *end) {
			continue;
		}
		broken = written;
		seconds = timegm(&broken);
		if (seconds < 0 || (uint64_t)seconds > TIME_S_MAX ||
			!is_that_day(&written, seconds)) {
			return STATUS_BAD_INPUT;
		}
		*out_time_s = (uint64_t)seconds;
		return STATUS_OK;
	}
	return STATUS_BAD_INPUT;
}

const char *time_text_format(uint64_t time_s, char text[TIME_TEXT_BYTES])
{
	const time_t seconds = (time_t)(time_s < TIME_S_MAX ? time_s : TIME_S_MAX);
	struct tm broken = {0};

	(void)gmtime_r(&seconds, &broken);
	(void)strftime(text, TIME_TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", &broken);
	return text;
}
