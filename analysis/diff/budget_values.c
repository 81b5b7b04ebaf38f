/* SPDX-License-Identifier: MIT */
/* The values of a budget file and of the options that mean the same. */
#include "analysis/core/duration.h"
#include "analysis/diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Below, no number of runs that anybody makes can tell; above, a coin would do. */
#define FALSE_ALARMS_MIN 0.001
#define FALSE_ALARMS_MAX 0.5

static bool parse_real(const char *text, const char **out_end, double *out_value)
{
	char *end = NULL;

	/* Digits and one point: strtod alone would take signs, blanks, hexadecimal and infinity. */
	if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") > 18) {
		return false;
	}
	errno = 0;
	*out_value = strtod(text, &end);
	*out_end = end;
	return errno == 0 && end == text + strspn(text, "0123456789.");
}

bool budget_parse_number(const char *text, double *out_value)
{
	const char *end;

	return parse_real(text, &end, out_value) && *end == '\0';
}

bool budget_parse_percent(const char *text, double *out_share)
{
	const char *end;
	double value;

	if (!parse_real(text, &end, &value) || value > 1000) {
		return false;
	}
	end += strspn(end, " ");
	if (strcmp(end, "%") != 0) {
		return false;
	}
	*out_share = value / 100;
	return true;
}

bool budget_parse_false_alarms(const char *text, double *out_share)
{
	double share = 0;

	if (!budget_parse_percent(text, &share) || share < FALSE_ALARMS_MIN ||
		share > FALSE_ALARMS_MAX) {
		return false;
	}
	*out_share = share;
	return true;
}

bool budget_parse_absolute(const char *text, struct diff_settings *settings)
{
	if (budget_parse_percent(text, &settings->absolute_share)) {
		settings->has_absolute_ns = false;
		return true;
	}
	settings->has_absolute_ns = duration_parse(text, &settings->absolute_ns) == STATUS_OK;
	return settings->has_absolute_ns;
}
