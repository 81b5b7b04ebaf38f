/* SPDX-License-Identifier: MIT */
#include "analysis/import/cuzk_files.h"

#include "analysis/import/cuzk_tracing.h"
#include "trace/base/clock.h"

/* A date is in one of the first lines, or in none. */
#define LINE_COUNT_MAX 1000

/* Lines of one log may be a little out of order where it was cut, and UTC may have been set. */
#define OVERLAP_NS_MAX (60 * NS_PER_S)

/* No date: behind all others. */
#define UNDATED UINT64_MAX

/* A file that cannot be read has no date: whoever reads it will say why. */
static uint64_t date_of(const char *path)
{
	AUTO(cuzk_lines_close) struct cuzk_lines *lines = NULL;
	struct cuzk_tracing tracing;
	struct diag diag = {""};
	char *line = NULL;

	if (cuzk_lines_open(&path, 1, &diag, &lines) != STATUS_OK) {
		return UNDATED;
	}
	for (int i = 0; i < LINE_COUNT_MAX; i++) {
		if (cuzk_lines_next(lines, &line, &diag) != STATUS_OK || !line) {
			return UNDATED;
		}
		if (cuzk_tracing_parse(line, &tracing)) {
			return tracing.utc_ns;
		}
	}
	return UNDATED;
}

void cuzk_files_order(const char **paths, size_t count)
{
	uint64_t dates[CUZK_FILE_COUNT_MAX];

	for (size_t i = 0; i < count && i < CUZK_FILE_COUNT_MAX; i++) {
		const char *path = paths[i];
		const uint64_t date = date_of(path);
		size_t to = i;

		for (; to > 0 && dates[to - 1] > date; to--) {
			dates[to] = dates[to - 1];
			paths[to] = paths[to - 1];
		}
		dates[to] = date;
		paths[to] = path;
	}
}

static bool tell_of_the_same_time(const struct cuzk_dates *left, const struct cuzk_dates *right)
{
	const uint64_t begin_ns =
		left->first_ns > right->first_ns ? left->first_ns : right->first_ns;
	const uint64_t end_ns = left->last_ns < right->last_ns ? left->last_ns : right->last_ns;

	return begin_ns + OVERLAP_NS_MAX < end_ns;
}

enum status cuzk_files_check(const struct cuzk_lines *lines, const struct cuzk_dates *dates,
	size_t count, struct diag *diag)
{
	for (size_t i = 1; i < count; i++) {
		size_t j = 0;

		while (j < i && !tell_of_the_same_time(&dates[j], &dates[i])) {
			j++;
		}
		if (j < i) {
			return diag_set(diag, STATUS_BAD_USE,
				"%s and %s tell of the same time: logs of two daemons are two "
				"reports, and of two copies of one log name one",
				cuzk_lines_path(lines, j), cuzk_lines_path(lines, i));
		}
	}
	return STATUS_OK;
}
