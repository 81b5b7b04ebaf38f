/* SPDX-License-Identifier: MIT */
/* A comparison for a pull request: the outcome, a table of what changed, the rest folded away. */
#include "analysis/diff/phrase.h"
#include "analysis/diff/write.h"
#include "analysis/report/printable.h"

#include <string.h>

/* Of a reason or a path in a list. */
#define LINE_COLUMNS 400

/* What a hosting service makes a link of, though it is no markup. */
static bool is_link(const char *text)
{
	return *text == '@' || *text == '#' || strncmp(text, "://", 3) == 0 ||
	       strncmp(text, "www.", 4) == 0;
}

/*
 * Names are the traced program's: nothing in them may be taken for markup. Calls (@name, #1) and
 * addresses are looked for in the finished text, where no backslash is left: a space of no width
 * after the first character keeps them from being any.
 */
static void write_escaped(const char *text, FILE *stream)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>()#+!|~&@$", *text)) {
			(void)fputc('\\', stream);
		}
		(void)fputc(*text, stream);
		if (is_link(text)) {
			(void)fputs("&#8203;", stream);
		}
	}
}

static void write_line(const char *text, FILE *stream)
{
	char line[PRINTABLE_BYTES_MAX];

	(void)fputs("- ", stream);
	write_escaped(printable_copy(text, LINE_COLUMNS, line), stream);
	(void)fputc('\n', stream);
}

static void write_cell(const char *text, FILE *stream)
{
	(void)fputs("| ", stream);
	write_escaped(text, stream);
	(void)fputc(' ', stream);
}

static void write_row(const struct diff *diff, const struct diff_row *row, FILE *stream)
{
	const struct table_row *figures = row->figures;
	char text[PHRASE_BYTES_MAX];

	write_cell(diff_verdict_name(row->verdict), stream);
	write_cell(phrase_scope(diff, figures->device, text), stream);
	write_cell(phrase_what(figures, text), stream);
	write_cell(phrase_change(diff, figures, text), stream);
	if (figures->samples) {
		(void)fprintf(stream, "| %.4f |\n", row->p);
	} else {
		(void)fputs("| |\n", stream);
	}
}

static bool is_news(enum diff_verdict verdict)
{
	return verdict == DIFF_REGRESSED || verdict == DIFF_IMPROVED || verdict == DIFF_MOVED;
}

/* The rows of one verdict; gives how many rows the table has by now. */
static uint32_t write_verdict(
	const struct diff *diff, enum diff_verdict verdict, uint32_t count, FILE *stream)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[diff->order[i]];

		if (row->verdict != verdict || !write_row_is_visible(diff, row)) {
			continue;
		}
		if (count++ == 0) {
			(void)fputs("\n| | where | what | base -> new | p |\n"
				    "|---|---|---|---|---|\n",
				stream);
		}
		write_row(diff, row, stream);
	}
	return count;
}

static void write_rows(const struct diff *diff, bool wants_news, FILE *stream)
{
	uint32_t count = 0;

	for (unsigned int verdict = 0; verdict < DIFF_VERDICT_COUNT; verdict++) {
		if (is_news((enum diff_verdict)verdict) == wants_news) {
			count = write_verdict(diff, (enum diff_verdict)verdict, count, stream);
		}
	}
	if (count == 0) {
		(void)fputs(wants_news ? "\nNothing changed.\n" : "\nNothing else.\n", stream);
	}
}

static void write_limits(const struct diff *diff, FILE *stream)
{
	char text[PHRASE_BYTES_MAX];
	char name[PRINTABLE_BYTES_MAX];

	if (diff->limit_count > 0) {
		(void)fputs("\n| limit | | |\n|---|---|---|\n", stream);
	}
	for (uint32_t i = 0; i < diff->limit_count; i++) {
		const struct budget_result *result = &diff->limits[i];

		write_cell(printable_copy(result->limit->name, LINE_COLUMNS, name), stream);
		write_cell(result->is_kept ? "kept" : "BROKEN", stream);
		write_cell(phrase_limit(diff, result, text), stream);
		(void)fputs("|\n", stream);
	}
}

void write_markdown(const struct diff *diff, FILE *stream)
{
	(void)fprintf(stream, "### gaptrace: %s\n\n", write_headline(diff));
	for (uint32_t i = 0; i < diff->reasons.count; i++) {
		write_line(diff->reasons.list[i], stream);
	}
	for (uint32_t i = 0; i < diff->notes.count; i++) {
		write_line(diff->notes.list[i], stream);
	}
	if (diff->rows) {
		write_rows(diff, true, stream);
	}
	write_limits(diff, stream);
	if (diff->rows) {
		(void)fputs("\n<details><summary>everything else that was compared</summary>\n",
			stream);
		write_rows(diff, false, stream);
		(void)fputs("\n</details>\n", stream);
	}
	(void)fputc('\n', stream);
	for (uint32_t i = 0; i < diff->run_count; i++) {
		char line[PRINTABLE_BYTES_MAX];

		(void)fputs(i < diff->base_count ? "- base: " : "- new: ", stream);
		write_escaped(printable_copy(diff->runs[i]->path, LINE_COLUMNS, line), stream);
		(void)fputc('\n', stream);
	}
}
