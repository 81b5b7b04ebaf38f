/* SPDX-License-Identifier: MIT */
#include "analysis/diff/write.h"

#include <math.h>
#include <string.h>

static const struct write_format formats[] = {
	{"text", write_text},
	{"markdown", write_markdown},
	{"json", write_json},
	{"junit", write_junit},
};

const struct write_format *write_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			return &formats[i];
		}
	}
	return NULL;
}

bool write_row_is_visible(const struct diff *diff, const struct diff_row *row)
{
	const struct table_row *figures = row->figures;

	if (row->verdict != DIFF_SAME || figures->metric != METRIC_CAUSE) {
		return true;
	}
	return fmax(figures->base_value, figures->new_value) >= diff->absolute_ns;
}

const char *write_headline(const struct diff *diff)
{
	switch (diff->outcome) {
	case DIFF_PASSED:
		return diff->base_count > 0 ? "no regression" : "within the budget";
	case DIFF_WORSE:
		return diff->base_count > 0 ? "REGRESSION" : "OVER THE BUDGET";
	case DIFF_NOT_COMPARABLE:
		return "NOT COMPARABLE";
	case DIFF_UNTRUSTED:
	default:
		return "NOT TO BE TRUSTED";
	}
}
