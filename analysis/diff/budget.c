/* SPDX-License-Identifier: MIT */
#include "analysis/diff/budget.h"

#include "analysis/core/duration.h"
#include "analysis/diff/diff.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libinih keeps so much of a section's name, and would cut off the rest without a word. */
#define SECTION_BYTES_MAX 49

/* A megabyte of limits is no budget. */
#define BUDGET_FILE_BYTES_MAX (1L << 20)

#define LIMIT_SECTION "limit "

struct parser {
	struct budget *budget;
	struct diff_settings *settings;
	FILE *file;
	int line;
	int failed_line;
	int empty_line;      /* of a limit's section in which no key was seen so far; 0: none */
	uint32_t thresholds; /* a bit for each that was given */
	enum status status;
	struct diag problem;
};

#define PARSER_FAIL(parser, ...)                                                                   \
	parser_fail((parser), diag_set(&(parser)->problem, STATUS_BAD_USE, __VA_ARGS__))

static int parser_fail(struct parser *parser, enum status status)
{
	parser->status = status;
	parser->failed_line = parser->line;
	return 0;
}

/* A line of [thresholds]: what the command line may say as well. */
static int take_threshold(struct parser *parser, const char *name, const char *value)
{
	struct diff_settings *settings = parser->settings;
	const struct {
		const char *name;
		double *share;
	} table[] = {
		{"absolute", NULL},
		{"relative", &settings->relative},
		{"throughput", &settings->throughput},
		{"false_alarms", &settings->false_alarms},
	};
	const uint32_t count = sizeof(table) / sizeof(table[0]);
	double *share;
	uint32_t i = 0;

	while (i < count && strcmp(table[i].name, name) != 0) {
		i++;
	}
	if (i == count) {
		return PARSER_FAIL(parser,
			"no key '%s' in [thresholds]: there are absolute, relative, throughput and "
			"false_alarms",
			name);
	}
	if (parser->thresholds >> i & 1) {
		return PARSER_FAIL(parser, "%s is there twice in [thresholds]", name);
	}
	parser->thresholds |= 1u << i;
	share = table[i].share;
	if (!share) {
		return budget_parse_absolute(value, settings)
			       ? 1
			       : PARSER_FAIL(parser, "absolute = %s: write it like 1ms or 0.5%%",
					 value);
	}
	if (!(share == &settings->false_alarms ? budget_parse_false_alarms(value, share)
					       : budget_parse_percent(value, share))) {
		return PARSER_FAIL(parser, "%s = %s: a percentage like 10%% is needed%s", name,
			value, share == &settings->false_alarms ? ", from 0.1% to 50%" : "");
	}
	return 1;
}

enum budget_kind budget_limit_kind(const struct budget_limit *limit)
{
	switch (limit->metric) {
	case METRIC_GAPS:
		return BUDGET_PER_UNIT_COUNT;
	case METRIC_P50:
	case METRIC_P95:
	case METRIC_P99:
	case METRIC_MAX:
		return BUDGET_LENGTH_NS;
	case METRIC_UTILISATION:
		return BUDGET_SHARE;
	case METRIC_THROUGHPUT:
		return BUDGET_RATE;
	case METRIC_TIME:
	case METRIC_IDLE:
	case METRIC_SHORT:
	case METRIC_CAUSE:
	case METRIC_BUSY:
	case METRIC_COPYING:
	case METRIC_LATE:
	case METRIC_IN_CALL:
	case METRIC_AFTER:
	case METRIC_COUNT:
	default:
		return limit->is_share ? BUDGET_SHARE : BUDGET_PER_UNIT_NS;
	}
}

/* Sets the metric, by which the unit of the bounds is known. */
static int take_what(struct parser *parser, struct budget_limit *limit, const char *value)
{
	limit->has_what = true;
	limit->is_share = strcmp(value, "idle_share") == 0;
	if (limit->is_share) {
		limit->metric = METRIC_IDLE;
		return 1;
	}
	for (unsigned int metric = 0; metric < METRIC_COUNT; metric++) {
		/* A cause is asked for as idle time of that cause. */
		if (metric != METRIC_CAUSE &&
			strcmp(table_metric_name((enum metric)metric), value) == 0) {
			limit->metric = (enum metric)metric;
			return 1;
		}
	}
	return PARSER_FAIL(parser,
		"what = %s: there are time, idle, idle_share, short_gaps, busy, copying, gaps, "
		"host_late, in_call, after_call, gap_p50, gap_p95, gap_p99, gap_max, utilisation "
		"and throughput",
		value);
}

static int take_cause(struct parser *parser, struct budget_limit *limit, const char *value)
{
	for (unsigned int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (strcmp(cause_name((enum cause)cause), value) == 0) {
			limit->has_cause = true;
			limit->cause = (enum cause)cause;
			return 1;
		}
	}
	return PARSER_FAIL(parser, "there is no cause '%s' (see docs/causes.md)", value);
}

static int take_gpu(struct parser *parser, struct budget_limit *limit, const char *value)
{
	char *end = NULL;

	limit->has_gpu = true;
	if (strcmp(value, "all") == 0 || strcmp(value, "each") == 0) {
		limit->scope = strcmp(value, "all") == 0 ? BUDGET_ALL : BUDGET_EACH;
		return 1;
	}
	limit->scope = BUDGET_ONE;
	errno = 0;
	limit->device_index = strtoll(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end || errno) {
		return PARSER_FAIL(parser, "gpu = %s: each, all, or a number is needed", value);
	}
	return 1;
}

/* The limit itself: its unit follows from what is limited, which must have been said before. */
static int take_bound(
	struct parser *parser, struct budget_limit *limit, const char *name, const char *value)
{
	const enum budget_kind kind = budget_limit_kind(limit);
	const char *wanted = "a duration like 5ms";
	uint64_t duration_ns = 0;
	double bound = 0;
	bool is_good;

	if (!limit->has_what) {
		return PARSER_FAIL(parser, "say what is limited (what = ...) before %s", name);
	}
	if (kind == BUDGET_SHARE) {
		wanted = "a percentage like 80%";
		is_good = budget_parse_percent(value, &bound);
	} else if (kind == BUDGET_PER_UNIT_COUNT || kind == BUDGET_RATE) {
		wanted = "a number";
		is_good = budget_parse_number(value, &bound);
	} else {
		is_good = duration_parse(value, &duration_ns) == STATUS_OK;
		bound = (double)duration_ns;
	}
	if (!is_good) {
		return PARSER_FAIL(parser, "%s = %s: %s is needed", name, value, wanted);
	}
	if (strcmp(name, "at_most") == 0) {
		limit->has_at_most = true;
		limit->at_most = bound;
	} else {
		limit->has_at_least = true;
		limit->at_least = bound;
	}
	return 1;
}

/* A key written twice would leave the reader of the file to guess which one holds. */
static bool is_given(const struct budget_limit *limit, const char *name)
{
	return (strcmp(name, "what") == 0 && limit->has_what) ||
	       (strcmp(name, "cause") == 0 && limit->has_cause) ||
	       (strcmp(name, "gpu") == 0 && limit->has_gpu) ||
	       (strcmp(name, "object") == 0 && *limit->object) ||
	       (strcmp(name, "phase") == 0 && *limit->phase) ||
	       (strcmp(name, "unit") == 0 && *limit->unit) ||
	       (strcmp(name, "at_most") == 0 && limit->has_at_most) ||
	       (strcmp(name, "at_least") == 0 && limit->has_at_least);
}

static int take_limit(
	struct parser *parser, struct budget_limit *limit, const char *name, const char *value)
{
	char *text = strcmp(name, "object") == 0  ? limit->object
		     : strcmp(name, "phase") == 0 ? limit->phase
		     : strcmp(name, "unit") == 0  ? limit->unit
						  : NULL;

	if (is_given(limit, name)) {
		return PARSER_FAIL(parser, "%s is there twice in [limit %s]", name, limit->name);
	}
	if (text) {
		(void)snprintf(text, BUDGET_TEXT_BYTES_MAX, "%s", value);
		return 1;
	}
	if (strcmp(name, "what") == 0) {
		return take_what(parser, limit, value);
	}
	if (strcmp(name, "cause") == 0) {
		return take_cause(parser, limit, value);
	}
	if (strcmp(name, "gpu") == 0) {
		return take_gpu(parser, limit, value);
	}
	if (strcmp(name, "at_most") == 0 || strcmp(name, "at_least") == 0) {
		return take_bound(parser, limit, name, value);
	}
	return PARSER_FAIL(parser,
		"no key '%s' in a limit: there are what, gpu, cause, object, phase, unit, at_most "
		"and at_least",
		name);
}

/* Sections of one name are one limit: libinih does not tell where a section begins. */
static struct budget_limit *limit_of(struct parser *parser, const char *name)
{
	struct budget *budget = parser->budget;
	struct budget_limit *limit;

	name += strspn(name, " ");
	for (uint32_t i = 0; i < budget->limit_count; i++) {
		if (strcmp(budget->limits[i].name, name) == 0) {
			return &budget->limits[i];
		}
	}
	if (!*name || budget->limit_count == BUDGET_LIMIT_COUNT_MAX) {
		(void)(*name ? PARSER_FAIL(parser, "more than %d limits", BUDGET_LIMIT_COUNT_MAX)
			     : PARSER_FAIL(parser, "%s", "a limit needs a name"));
		return NULL;
	}
	limit = &budget->limits[budget->limit_count++];
	*limit = (struct budget_limit){.scope = BUDGET_EACH, .line = parser->line};
	(void)snprintf(limit->name, sizeof(limit->name), "%s", name);
	return limit;
}

static int take_line(void *user, const char *section, const char *name, const char *value)
{
	struct parser *parser = user;
	struct budget_limit *limit;

	if (parser->status != STATUS_OK) {
		return 0;
	}
	if (strcmp(section, "thresholds") == 0) {
		return take_threshold(parser, name, value);
	}
	if (strncmp(section, LIMIT_SECTION, strlen(LIMIT_SECTION)) != 0) {
		if (!*section) {
			return PARSER_FAIL(parser,
				"key '%s' stands before any section: there are [thresholds] and "
				"[limit NAME]",
				name);
		}
		return PARSER_FAIL(parser,
			"key '%s' is in section [%s]: there are [thresholds] and [limit NAME]",
			name, section);
	}
	limit = limit_of(parser, section + strlen(LIMIT_SECTION));
	return limit ? take_limit(parser, limit, name, value) : 0;
}

/*
 * libinih tells of keys only: a limit whose keys are all commented out would be none, and nobody
 * would know. `line` NULL: the file ends.
 */
static void notice_section(struct parser *parser, const char *line)
{
	if (line) {
		line += strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
		line += strspn(line, " \t");
		if (*line == '[' && strcspn(line + 1, "]") > SECTION_BYTES_MAX &&
			parser->status == STATUS_OK) {
			(void)PARSER_FAIL(parser, "a section's name is longer than %d bytes",
				SECTION_BYTES_MAX);
		}
		if (*line != '[') {
			parser->empty_line = strchr(";#\r\n", *line) ? parser->empty_line : 0;
			return;
		}
	}
	if (parser->empty_line > 0 && parser->status == STATUS_OK) {
		(void)PARSER_FAIL(parser, "the limit that begins here has no keys");
		parser->failed_line = parser->empty_line;
	}
	parser->empty_line = line && strncmp(line + 1, LIMIT_SECTION, strlen(LIMIT_SECTION)) == 0
				     ? parser->line
				     : 0;
}

/* Counts lines, and notices one that libinih would take for two. */
static char *read_line(char *line, int capacity, void *user)
{
	struct parser *parser = user;
	size_t length;
	size_t blanks;

	if (!fgets(line, capacity, parser->file)) {
		notice_section(parser, NULL);
		return NULL;
	}
	parser->line++;
	notice_section(parser, line);
	length = strlen(line);
	if (length + 1 >= (size_t)capacity && line[length - 1] != '\n' &&
		parser->status == STATUS_OK) {
		(void)PARSER_FAIL(parser, "a line is longer than 198 bytes");
	}
	if (ftell(parser->file) > BUDGET_FILE_BYTES_MAX && parser->status == STATUS_OK) {
		(void)PARSER_FAIL(parser, "over a megabyte is no budget");
	}
	/* libinih takes an indented line for more of the value above it. */
	blanks = strspn(line, " \t");
	memmove(line, line + blanks, length - blanks + 1);
	return parser->status == STATUS_OK ? line : NULL;
}

/* What only the whole limit shows; keys come in any order. */
static enum status check_limits(const struct budget *budget, struct diag *diag)
{
	for (uint32_t i = 0; i < budget->limit_count; i++) {
		const struct budget_limit *limit = &budget->limits[i];
		const char *problem = NULL;

		if (!limit->has_at_most && !limit->has_at_least) {
			problem = "has neither at_most nor at_least";
		} else if (limit->has_at_most && limit->has_at_least &&
			   limit->at_most < limit->at_least) {
			problem = "cannot be kept: at_most is below at_least";
		} else if ((limit->has_cause || *limit->object || *limit->phase) &&
			   limit->metric != METRIC_IDLE) {
			problem = "has a cause, which only what = idle and idle_share have";
		} else if (limit->scope == BUDGET_ALL &&
			   budget_limit_kind(limit) == BUDGET_LENGTH_NS) {
			problem =
				"is on lengths of gaps, which each GPU has for itself: gpu = each";
		} else if (limit->scope == BUDGET_ONE &&
			   (limit->metric == METRIC_TIME || limit->metric == METRIC_THROUGHPUT)) {
			problem = "is on what all GPUs have together: leave gpu out";
		}
		if (problem) {
			return diag_set(diag, STATUS_BAD_USE, "%s:%d: [limit %s] %s", budget->path,
				limit->line, limit->name, problem);
		}
	}
	return STATUS_OK;
}

static enum status parse_file(struct parser *parser, struct diag *diag)
{
	const char *path = parser->budget->path;
	int line;

	parser->file = fopen(path, "re");
	if (!parser->file) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	line = ini_parse_stream(read_line, parser, take_line, parser);
	if (ferror(parser->file)) {
		(void)fclose(parser->file);
		return diag_set(
			diag, STATUS_BAD_INPUT, "%s: cannot be read: is it a directory?", path);
	}
	(void)fclose(parser->file);
	/* What is no line of an INI file comes first: it may be why a later one is wrong. */
	if (parser->status != STATUS_OK && (line <= 0 || line >= parser->failed_line)) {
		return diag_set(diag, parser->status, "%s:%d: %s", path, parser->failed_line,
			parser->problem.line);
	}
	if (line != 0) {
		return diag_set(diag, STATUS_BAD_USE, "%s:%d: neither [section] nor key = value",
			path, line);
	}
	return check_limits(parser->budget, diag);
}

enum status budget_load(const char *path, struct diff_settings *settings,
	struct budget **out_budget, struct diag *diag)
{
	AUTO(budget_destroy) struct budget *budget = calloc(1, sizeof(*budget));
	struct parser parser = {.budget = budget, .settings = settings};
	enum status status;

	if (!budget) {
		return STATUS_NO_MEMORY;
	}
	budget->path = strdup(path);
	if (!budget->path) {
		return STATUS_NO_MEMORY;
	}
	status = parse_file(&parser, diag);
	if (status == STATUS_OK) {
		*out_budget = MOVE(budget);
	}
	return status;
}

void budget_destroy(struct budget *budget)
{
	if (!budget) {
		return;
	}
	free(budget->path);
	free(budget);
}
