/* SPDX-License-Identifier: MIT */
/* A comparison as JUnit XML: a test case for each figure that decides, and for each limit. */
#include "analysis/diff/phrase.h"
#include "analysis/diff/write.h"
#include "analysis/report/printable.h"

/* Of a reason or a limit's name. */
#define LINE_COLUMNS 400

/* Plain ASCII already: only what XML takes for itself is left. */
static void write_escaped(const char *text, FILE *stream)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			(void)fputs("&amp;", stream);
			break;
		case '<':
			(void)fputs("&lt;", stream);
			break;
		case '>':
			(void)fputs("&gt;", stream);
			break;
		case '"':
			(void)fputs("&quot;", stream);
			break;
		default:
			(void)fputc(*text, stream);
			break;
		}
	}
}

static void write_attribute(const char *name, const char *value, FILE *stream)
{
	(void)fprintf(stream, " %s=\"", name);
	write_escaped(value, stream);
	(void)fputc('"', stream);
}

/* The same rows whatever the outcome, so that a test case has a history. */
static bool is_case(const struct diff *diff, const struct diff_row *row)
{
	return diff_row_is_gate(row->figures) && write_row_is_visible(diff, row);
}

static void write_case(const char *group, const char *name, FILE *stream)
{
	(void)fputs("  <testcase", stream);
	write_attribute("classname", group, stream);
	write_attribute("name", name, stream);
	(void)fputs(">\n", stream);
}

/* `element` NULL: it passed, and the message is for the record. */
static void write_result(const char *element, const char *message, FILE *stream)
{
	if (element) {
		(void)fprintf(stream, "    <%s", element);
		write_attribute("message", message, stream);
		(void)fputs("/>\n", stream);
	} else {
		(void)fputs("    <system-out>", stream);
		write_escaped(message, stream);
		(void)fputs("</system-out>\n", stream);
	}
	(void)fputs("  </testcase>\n", stream);
}

static void write_row(const struct diff *diff, const struct diff_row *row, FILE *stream)
{
	char scope[PHRASE_BYTES_MAX];
	char what[PHRASE_BYTES_MAX];
	char values[PHRASE_BYTES_MAX];
	char message[2 * PHRASE_BYTES_MAX];

	write_case(phrase_scope(diff, row->figures->device, scope), phrase_what(row->figures, what),
		stream);
	(void)snprintf(message, sizeof(message), "%s: %s, p %.4f", diff_verdict_name(row->verdict),
		phrase_change(diff, row->figures, values), row->p);
	write_result(row->verdict == DIFF_REGRESSED ? "failure" : NULL, message, stream);
}

static void write_limit(const struct diff *diff, const struct budget_result *result, FILE *stream)
{
	char scope[PHRASE_BYTES_MAX];
	char name[PRINTABLE_BYTES_MAX];
	char text[PHRASE_BYTES_MAX];
	char title[PRINTABLE_BYTES_MAX + PHRASE_BYTES_MAX];

	(void)snprintf(title, sizeof(title), "%s (%s)",
		printable_copy(result->limit->name, LINE_COLUMNS, name),
		phrase_scope(diff, result->device, scope));
	write_case("budget", title, stream);
	write_result(result->is_kept ? NULL : "failure", phrase_limit(diff, result, text), stream);
}

static void write_reasons(const struct diff *diff, FILE *stream)
{
	char text[PRINTABLE_BYTES_MAX];

	for (uint32_t i = 0; i < diff->reasons.count; i++) {
		write_case("comparison",
			diff->outcome == DIFF_UNTRUSTED ? "the recordings are to be trusted"
							: "the runs are comparable",
			stream);
		write_result(
			"error", printable_copy(diff->reasons.list[i], LINE_COLUMNS, text), stream);
	}
}

void write_junit(const struct diff *diff, FILE *stream)
{
	uint32_t tests = diff->reasons.count + diff->limit_count;
	uint32_t failures = 0;

	for (uint32_t i = 0; i < diff->row_count; i++) {
		tests += is_case(diff, &diff->rows[i]);
		failures += diff->rows[i].verdict == DIFF_REGRESSED;
	}
	for (uint32_t i = 0; i < diff->limit_count; i++) {
		failures += !diff->limits[i].is_kept;
	}
	(void)fprintf(stream,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		" <testsuite name=\"gaptrace diff\" tests=\"%u\" failures=\"%u\" errors=\"%u\">\n",
		tests, failures, diff->reasons.count);
	write_reasons(diff, stream);
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[diff->order[i]];

		if (is_case(diff, row)) {
			write_row(diff, row, stream);
		}
	}
	for (uint32_t i = 0; i < diff->limit_count; i++) {
		write_limit(diff, &diff->limits[i], stream);
	}
	(void)fputs(" </testsuite>\n</testsuites>\n", stream);
}
