/* SPDX-License-Identifier: MIT */
/* A comparison for a terminal: the outcome first, then what is worse, then all the rest. */
#include "analysis/diff/phrase.h"
#include "analysis/diff/write.h"
#include "analysis/report/printable.h"

#include <inttypes.h>
#include <math.h>

/* Of a line that holds a path or a reason; terminals wrap it. */
#define LINE_COLUMNS 400

struct section {
	enum diff_verdict verdict;
	const char *title;
};

static const struct section sections[] = {
	{DIFF_REGRESSED, "worse"},
	{DIFF_IMPROVED, "better"},
	{DIFF_MOVED, "moved: more here, less elsewhere, no worse in all"},
	{DIFF_NOISE, "changed, but no more than noise can"},
	{DIFF_SAME, "unchanged"},
	{DIFF_ROSE, "rose, which by itself is neither good nor bad"},
	{DIFF_FELL, "fell, which by itself is neither good nor bad"},
	{DIFF_SHOWN, "for the record"},
};

static void write_row(const struct diff *diff, const struct diff_row *row, FILE *stream)
{
	const struct table_row *figures = row->figures;
	const double change = figures->new_value - figures->base_value;
	char scope[PHRASE_BYTES_MAX];
	char what[PHRASE_BYTES_MAX];
	char values[PHRASE_BYTES_MAX];

	(void)fprintf(stream, "  %s: %s, %s", phrase_scope(diff, figures->device, scope),
		phrase_what(figures, what), phrase_change(diff, figures, values));
	/* From next to nothing, a share says nothing. */
	if (fabs(change) < 100 * figures->base_value && row->verdict != DIFF_SAME) {
		(void)fprintf(stream, " (%+.1f %%)", change / figures->base_value * 100);
	}
	if (row->verdict == DIFF_REGRESSED || row->verdict == DIFF_IMPROVED ||
		row->verdict == DIFF_NOISE) {
		(void)fprintf(stream, ", p %.4f", row->p);
	}
	(void)fputc('\n', stream);
}

static void write_section(const struct diff *diff, const struct section *section, FILE *stream)
{
	uint32_t hidden = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[diff->order[i]];

		if (row->verdict != section->verdict) {
			continue;
		}
		if (!write_row_is_visible(diff, row)) {
			hidden++;
			continue;
		}
		if (count++ == 0) {
			(void)fprintf(stream, "\n%s\n", section->title);
		}
		write_row(diff, row, stream);
	}
	if (hidden > 0) {
		(void)fprintf(stream, "%s  and %u causes too small to matter\n",
			count == 0 ? "\nunchanged\n" : "", hidden);
	}
}

static void write_runs(const struct diff *diff, FILE *stream)
{
	char path[PRINTABLE_BYTES_MAX];
	char unit[PHRASE_BYTES_MAX];

	for (uint32_t i = 0; i < diff->run_count; i++) {
		const struct run *run = diff->runs[i];

		(void)fprintf(stream, "%s  %s", i < diff->base_count ? "base" : "new ",
			printable_copy(run->path, LINE_COLUMNS, path));
		if (run->is_readable) {
			(void)fprintf(stream, ": %" PRIu64 " units of work (%s)", run->work_count,
				phrase_unit(diff, unit));
		}
		(void)fputc('\n', stream);
	}
}

static void write_method(const struct diff *diff, FILE *stream)
{
	char threshold[PHRASE_BYTES_MAX];
	char unit[PHRASE_BYTES_MAX];

	if (!diff->rows) {
		return;
	}
	(void)fprintf(stream,
		"a change counts from %s per %s and GPU and %g %% on (%g %% of the time per "
		"unit),\n"
		"when chance would bring it (p) in under %g %% of comparisons; samples are %s\n",
		phrase_value(BUDGET_PER_UNIT_NS, diff->absolute_ns, threshold),
		phrase_unit(diff, unit), diff->settings.relative * 100,
		diff->settings.throughput * 100, diff->settings.false_alarms * 100,
		diff->table->mode == TABLE_BLOCKS ? "batches of work in each run" : "runs");
}

static void write_lines(const struct lines *lines, const char *lead, FILE *stream)
{
	char text[PRINTABLE_BYTES_MAX];

	for (uint32_t i = 0; i < lines->count; i++) {
		(void)fprintf(stream, "%s %s\n", lead,
			printable_copy(lines->list[i], LINE_COLUMNS, text));
	}
}

static void write_limits(const struct diff *diff, bool is_kept, FILE *stream)
{
	char name[PRINTABLE_BYTES_MAX];
	char text[PHRASE_BYTES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < diff->limit_count; i++) {
		const struct budget_result *result = &diff->limits[i];

		if (result->is_kept != is_kept) {
			continue;
		}
		if (count++ == 0) {
			(void)fprintf(stream, "\nlimits %s\n", is_kept ? "kept" : "broken");
		}
		(void)fprintf(stream, "  %s: %s\n",
			printable_copy(result->limit->name, LINE_COLUMNS, name),
			phrase_limit(diff, result, text));
	}
}

void write_text(const struct diff *diff, FILE *stream)
{
	(void)fprintf(stream, "%s\n\n", write_headline(diff));
	write_lines(&diff->reasons, "!", stream);
	write_lines(&diff->notes, "-", stream);
	if (diff->reasons.count + diff->notes.count > 0) {
		(void)fputc('\n', stream);
	}
	write_runs(diff, stream);
	write_method(diff, stream);
	write_limits(diff, false, stream);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		write_section(diff, &sections[i], stream);
	}
	write_limits(diff, true, stream);
}
