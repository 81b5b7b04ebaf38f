/* SPDX-License-Identifier: MIT */
#include "analysis/cli/history_print.h"

#include "analysis/history/time_text.h"
#include "analysis/report/printable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* Of what is no terminal: as wide as one has been since there are terminals. */
#define COLUMNS_DEFAULT 80

/* A field of CSV by RFC 4180; a line break inside becomes a space, as most readers need. */
static void write_field(FILE *stream, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, stream);
		return;
	}
	(void)fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"') {
			(void)fputc('"', stream);
		}
		(void)fputc(*text == '\n' || *text == '\r' ? ' ' : *text, stream);
	}
	(void)fputc('"', stream);
}

static void begin_csv(FILE *stream)
{
	(void)fputs("id", stream);
	/* The report is the last column, and not listed: `show` gives it. */
	for (int i = 0; i < STORE_COLUMN_REPORT; i++) {
		(void)fprintf(stream, ",%s", store_column_name((enum store_column)i));
	}
	(void)fputs("\r\n", stream);
}

static void print_csv(FILE *stream, const struct history_found *found)
{
	(void)fputs(found->id, stream);
	for (int i = 0; i < STORE_COLUMN_REPORT; i++) {
		(void)fputc(',', stream);
		write_field(stream, found->values[i]);
	}
	(void)fputs("\r\n", stream);
}

static void print_json(struct json_writer *writer, const struct history_found *found)
{
	json_writer_object_begin(writer, NULL, true);
	json_writer_unsigned(writer, "id", strtoull(found->id, NULL, 10));
	for (int i = 0; i < STORE_COLUMN_REPORT; i++) {
		const enum store_column column = (enum store_column)i;

		if (store_column_is_number(column)) {
			json_writer_unsigned(writer, store_column_name(column),
				strtoull(found->values[i], NULL, 10));
		} else {
			json_writer_string(writer, store_column_name(column), found->values[i]);
		}
	}
	json_writer_object_end(writer);
}

/* A text that is missing is a dash, so that columns stay countable. */
static void print_text_column(FILE *stream, int columns, const char *text)
{
	char kept[PRINTABLE_BYTES_MAX];

	(void)fprintf(stream, " %-*s", columns,
		text[0] ? printable_copy(text, (size_t)columns, kept) : "-");
}

static double figure(enum trend_kind kind, const struct history_found *found)
{
	const struct trend_metric metric = {.kind = kind};
	double value = (double)NAN;

	/* These figures need no report, so nothing can fail. */
	return trend_value(&metric, found, &value, NULL) == STATUS_OK ? value : (double)NAN;
}

static void print_figure(FILE *stream, int columns, double value)
{
	if (isnan(value)) {
		(void)fprintf(stream, " %*s", columns, "-");
	} else {
		(void)fprintf(stream, " %*.4g", columns, value);
	}
}

static void print_text(FILE *stream, const struct history_found *found)
{
	const bool is_trusted = strcmp(found->values[STORE_COLUMN_TRUSTED], "1") == 0;
	char kept[PRINTABLE_BYTES_MAX];
	char time[TIME_TEXT_BYTES];

	(void)fprintf(stream, "%6s %s", found->id,
		time_text_format(strtoull(found->values[STORE_COLUMN_TIME_S], NULL, 10), time));
	print_text_column(stream, 12, found->values[STORE_COLUMN_HOST]);
	print_text_column(stream, 12, found->values[STORE_COLUMN_BUILD]);
	print_text_column(stream, 10, found->values[STORE_COLUMN_PROFILE]);
	(void)fprintf(stream, " %8s", found->values[STORE_COLUMN_WORK_COUNT]);
	print_figure(stream, 10, figure(TREND_GAP, found));
	print_figure(stream, 7, figure(TREND_UTILISATION, found));
	print_text_column(stream, 9, is_trusted ? found->values[STORE_COLUMN_MARK] : "UNTRUSTED");
	/* Whole where it can be, since --devices wants it so. */
	(void)fprintf(stream, "  %s\n",
		printable_copy(found->values[STORE_COLUMN_DEVICES], PRINTABLE_BYTES_MAX - 1, kept));
}

void history_print_begin(struct history_printer *printer, enum history_format format, FILE *stream)
{
	*printer = (struct history_printer){.format = format, .stream = stream};
	switch (format) {
	case HISTORY_TEXT:
		(void)fprintf(stream, "%6s %-20s %-12s %-12s %-10s %8s %10s %7s %-9s  %s\n", "id",
			"time", "host", "build", "profile", "work", "gap ms", "busy %", "mark",
			"devices");
		break;
	case HISTORY_CSV:
		begin_csv(stream);
		break;
	case HISTORY_JSON:
		json_writer_init(&printer->writer, stream);
		json_writer_object_begin(&printer->writer, NULL, false);
		json_writer_string(&printer->writer, "schema", "gaptrace.history/1");
		json_writer_array_begin(&printer->writer, "runs", false);
		break;
	}
}

void history_print_run(struct history_printer *printer, const struct history_found *found)
{
	printer->count++;
	switch (printer->format) {
	case HISTORY_TEXT:
		print_text(printer->stream, found);
		break;
	case HISTORY_CSV:
		print_csv(printer->stream, found);
		break;
	case HISTORY_JSON:
		print_json(&printer->writer, found);
		break;
	}
}

void history_print_end(struct history_printer *printer)
{
	if (printer->format == HISTORY_TEXT) {
		(void)fprintf(printer->stream,
			"%" PRIu64 " run%s; gap ms: without a kernel, per unit of work, all GPUs\n",
			printer->count, printer->count == 1 ? "" : "s");
	}
	if (printer->format == HISTORY_JSON) {
		json_writer_array_end(&printer->writer);
		json_writer_object_end(&printer->writer);
	}
}

static void print_trend_csv(
	const struct trend_point *points, uint32_t count, const char *unit, FILE *stream)
{
	char time[TIME_TEXT_BYTES];

	(void)fputs("id,time,value,unit,mark\r\n", stream);
	for (uint32_t i = 0; i < count; i++) {
		(void)fprintf(stream, "%" PRId64 ",%s,", points[i].id,
			time_text_format(points[i].time_s, time));
		if (!isnan(points[i].value)) {
			(void)fprintf(stream, "%.9g", points[i].value);
		}
		(void)fputc(',', stream);
		write_field(stream, unit);
		(void)fprintf(stream, ",%s\r\n", points[i].is_bad ? HISTORY_BAD : "");
	}
}

static void print_trend_json(
	const struct trend_point *points, uint32_t count, const char *unit, FILE *stream)
{
	struct json_writer writer;

	json_writer_init(&writer, stream);
	json_writer_object_begin(&writer, NULL, false);
	json_writer_string(&writer, "schema", "gaptrace.trend/1");
	json_writer_string(&writer, "unit", unit);
	json_writer_array_begin(&writer, "points", false);
	for (uint32_t i = 0; i < count; i++) {
		json_writer_object_begin(&writer, NULL, true);
		json_writer_signed(&writer, "id", points[i].id);
		json_writer_unsigned(&writer, "time_s", points[i].time_s);
		json_writer_real(&writer, "value", points[i].value);
		json_writer_bool(&writer, "bad", points[i].is_bad);
		json_writer_object_end(&writer);
	}
	json_writer_array_end(&writer);
	json_writer_object_end(&writer);
}

/* Of the terminal, if it is one: a plot that is broken into lines is none. */
static uint32_t columns_of(FILE *stream)
{
	struct winsize size = {0};

	return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
										: COLUMNS_DEFAULT;
}

void history_print_trend(enum history_format format, const struct trend_point *points,
	uint32_t count, const char *unit, FILE *stream)
{
	switch (format) {
	case HISTORY_TEXT:
		trend_plot(points, count, unit, columns_of(stream), stream);
		break;
	case HISTORY_CSV:
		print_trend_csv(points, count, unit, stream);
		break;
	case HISTORY_JSON:
		print_trend_json(points, count, unit, stream);
		break;
	}
}
