/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_text.h"

#include <string.h>

/* 31 years of milliseconds, which fit 63 bits as nanoseconds; more is none of the daemon's. */
#define DIGITS_MAX 12

#define ESCAPE '\033'

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *cuzk_text_number(const char *text, uint64_t *out_value)
{
	uint64_t value = 0;
	size_t length = 0;

	while (is_digit(text[length])) {
		if (length == DIGITS_MAX) {
			return NULL;
		}
		value = value * 10 + (uint64_t)(text[length] - '0');
		length++;
	}
	if (length == 0) {
		return NULL;
	}
	*out_value = value;
	return text + length;
}

static bool begins_key(const char *text, const char *at)
{
	return at == text || at[-1] == ' ' || at[-1] == ',' || at[-1] == '{';
}

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A job's name may hold a list in brackets, with blanks: wdpost-1000-0-[12 255 3]. */
static size_t bare_length(const char *text)
{
	const size_t length = strcspn(text, " ,}");
	const char *open = memchr(text, '[', length);
	const char *close = open ? strchr(open, ']') : NULL;
	const size_t inside = close ? strspn(open, "[0123456789 ]") : 0;

	if (!close || (size_t)(close - open) >= inside) {
		return length;
	}
	return (size_t)(close - text) + strcspn(close, " ,}");
}

/* A quoted value ends at its quote, a bare one where the next field begins. */
static struct cuzk_word value_at(const char *text)
{
	static const char some[] = "Some(";

	if (*text == '"') {
		return (struct cuzk_word){text + 1, strcspn(text + 1, "\"")};
	}
	if (begins_with(text, some)) {
		text += strlen(some);
		return (struct cuzk_word){text, strcspn(text, ")")};
	}
	return (struct cuzk_word){text, bare_length(text)};
}

bool cuzk_text_value(const char *text, const char *key, struct cuzk_word *out_value)
{
	const size_t length = strlen(key);
	const char *at = text;

	while ((at = strstr(at, key)) != NULL) {
		if (begins_key(text, at) && at[length] == '=') {
			*out_value = value_at(at + length + 1);
			return true;
		}
		at += length;
	}
	return false;
}

bool cuzk_text_unsigned(const char *text, const char *key, uint64_t *out_value)
{
	struct cuzk_word word;
	const char *end;

	if (!cuzk_text_value(text, key, &word)) {
		return false;
	}
	end = cuzk_text_number(word.text, out_value);
	if (end && end + 2 == word.text + word.length && begins_with(end, "ms")) {
		return true;
	}
	return end && end == word.text + word.length;
}

/*
 * `2026-03-14T10:08:51.123456789Z stderr F `, as kubelets write it, or the date alone, as docker
 * does. The daemon's own dates have six digits.
 */
static size_t container_prefix(const char *line)
{
	const size_t date = strcspn(line, " ");
	const char *after = line + date;

	if (is_digit(line[0]) &&
		(begins_with(after, " stdout F ") || begins_with(after, " stderr F "))) {
		return date + strlen(" stderr F ");
	}
	if (date == strlen("2026-03-14T10:08:51.123456789Z") && *after == ' ' &&
		is_digit(line[0]) && line[10] == 'T' && line[date - 1] == 'Z') {
		return date + 1;
	}
	return 0;
}

/*
 * `Mar 14 10:08:51 host cuzk-daemon[12]: ` or the same with an ISO date, as journalctl writes it.
 * The process is 12, and 0 where the number is none.
 */
static size_t journal_prefix(const char *line, uint64_t *out_process)
{
	const size_t word = strcspn(line, " ");
	const size_t open = strcspn(line, "[={,\"");
	size_t close;

	*out_process = 0;
	if (line[open] != '[' || (is_digit(line[0]) && line[word - 1] == 'Z')) {
		return 0;
	}
	close = open + 1 + strspn(line + open + 1, "0123456789");
	if (close == open + 1 || !begins_with(line + close, "]: ")) {
		return 0;
	}
	(void)cuzk_text_number(line + open + 1, out_process);
	return close + strlen("]: ");
}

size_t cuzk_text_prefix(const char *line, uint64_t *out_process)
{
	const size_t length = container_prefix(line);

	*out_process = 0;
	return length ? length : journal_prefix(line, out_process);
}

/* How long the colour is that begins there; 0 when none does. */
static size_t colour_length(const char *text)
{
	size_t length;

	if (text[0] != ESCAPE || text[1] != '[') {
		return 0;
	}
	length = 2 + strspn(text + 2, "0123456789;");
	return text[length] ? length + 1 : length;
}

void cuzk_text_clean(char *line)
{
	const char *from = line;
	char *to = line;

	while (*from) {
		const size_t colour = colour_length(from);

		if (colour > 0) {
			from += colour;
			continue;
		}
		if (*from != '\r' && *from != '\n') {
			*to++ = *from;
		}
		from++;
	}
	*to = '\0';
}
