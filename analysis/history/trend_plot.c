/* SPDX-License-Identifier: MIT */
#include "analysis/history/time_text.h"
#include "analysis/history/trend.h"

#include <inttypes.h>
#include <math.h>

/* The numbers at the left of the plot, and what stands between them and it. */
#define LABEL_COLUMNS 14
#define PLOT_ROWS     12

struct range {
	double low;
	double high;
};

/* From 0, since a figure that only looks as if it doubled helps nobody. */
static struct range range_of(const struct trend_point *points, uint32_t count)
{
	struct range range = {0, 0};

	for (uint32_t i = 0; i < count; i++) {
		if (!isnan(points[i].value) && points[i].value > range.high) {
			range.high = points[i].value;
		}
	}
	if (range.high <= 0) {
		range.high = 1;
	}
	return range;
}

static int row_of(const struct range *range, double value)
{
	return (int)((value - range->low) / (range->high - range->low) * (PLOT_ROWS - 1) + 0.5);
}

static char mark_at(const struct trend_point *point, const struct range *range, int row)
{
	if (isnan(point->value)) {
		return row == 0 ? '?' : ' ';
	}
	if (row != row_of(range, point->value)) {
		return ' ';
	}
	return point->is_bad ? 'x' : '*';
}

void trend_plot(const struct trend_point *points, uint32_t count, const char *unit,
	uint32_t columns, FILE *stream)
{
	char first[TIME_TEXT_BYTES];
	char last[TIME_TEXT_BYTES];
	const uint32_t kept = columns > LABEL_COLUMNS + 1 ? columns - LABEL_COLUMNS : 1;
	const uint32_t left_out = count > kept ? count - kept : 0;
	struct range range;

	points += left_out;
	count -= left_out;
	if (count == 0) {
		(void)fputs("no runs\n", stream);
		return;
	}
	range = range_of(points, count);
	(void)fprintf(stream, "%s\n", unit);
	for (int row = PLOT_ROWS - 1; row >= 0; row--) {
		(void)fprintf(stream, "%11.4g |",
			range.low + (range.high - range.low) * row / (PLOT_ROWS - 1));
		for (uint32_t i = 0; i < count; i++) {
			(void)fputc(mark_at(&points[i], &range, row), stream);
		}
		(void)fputc('\n', stream);
	}
	(void)fprintf(stream, "%11s +", "");
	for (uint32_t i = 0; i < count; i++) {
		(void)fputc('-', stream);
	}
	(void)fprintf(stream,
		"\n%13srun %" PRId64 " of %s to run %" PRId64
		" of %s\n%13s* a run   x marked bad   "
		"? no work in it\n",
		"", points[0].id, time_text_format(points[0].time_s, first), points[count - 1].id,
		time_text_format(points[count - 1].time_s, last), "");
	if (left_out > 0) {
		(void)fprintf(stream,
			"%13s%" PRIu32 " older runs are left out; --format csv has them\n", "",
			left_out);
	}
}
