/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_starts.h"

/* Threads write their lines in another order than they took the time, but not by that much. */
#define BACK_MS 10000

static void push(struct cuzk_starts *starts, uint64_t line, uint64_t time_ms)
{
	starts->before_ms[0] = starts->seen > 0 ? starts->before_ms[1] : time_ms;
	starts->before_ms[1] = time_ms;
	starts->before_line = line;
	starts->seen++;
}

static void add_odd(struct cuzk_starts *starts, uint64_t line)
{
	if (starts->odd_count < CUZK_ODD_LINE_COUNT) {
		starts->odd_lines[starts->odd_count++] = line;
	}
}

/* The time agrees with what came before: was the line between them a damaged one? */
static void go_on(struct cuzk_starts *starts, uint64_t line, uint64_t time_ms)
{
	if (starts->is_doubtful) {
		add_odd(starts, starts->doubtful_line);
		starts->is_doubtful = false;
	}
	if (starts->seen > 1 && time_ms + BACK_MS < starts->before_ms[1]) {
		add_odd(starts, starts->before_line);
		starts->before_ms[1] = starts->before_ms[0];
	}
	push(starts, line, time_ms);
}

/* Against the smaller of the two before it: the other may be the one that is damaged. */
static bool goes_back(const struct cuzk_starts *starts, uint64_t time_ms)
{
	const uint64_t before_ms = starts->before_ms[0] < starts->before_ms[1]
					   ? starts->before_ms[0]
					   : starts->before_ms[1];

	return starts->seen > 0 && time_ms + BACK_MS < before_ms;
}

bool cuzk_starts_add(struct cuzk_starts *starts, uint64_t line, uint64_t time_ms)
{
	if (!goes_back(starts, time_ms)) {
		go_on(starts, line, time_ms);
		return false;
	}
	if (!starts->is_doubtful) {
		starts->is_doubtful = true;
		starts->doubtful_line = line;
		starts->doubtful_ms = time_ms;
		return false;
	}
	starts->is_doubtful = false;
	starts->count++;
	starts->line = starts->doubtful_line;
	starts->time_ms = starts->doubtful_ms;
	starts->seen = 0;
	push(starts, starts->doubtful_line, starts->doubtful_ms);
	push(starts, line, time_ms);
	return true;
}

bool cuzk_starts_is_odd(const struct cuzk_starts *starts, uint64_t line)
{
	bool is_odd = starts->is_doubtful && starts->doubtful_line == line;

	for (size_t i = 0; i < starts->odd_count && !is_odd; i++) {
		is_odd = starts->odd_lines[i] == line;
	}
	return is_odd;
}
