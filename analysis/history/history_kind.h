/* SPDX-License-Identifier: MIT */
/*
 * The kind of a run: with runs of the same devices, profile, unit of work and threshold, simulated
 * or not, it can be compared, with others it cannot. Owns its texts.
 */
#pragma once

#include "analysis/history/history.h"

/* All zero is any kind. */
struct history_kind {
	char *devices;
	char *profile;
	char *work_unit;
	char *work_name;
	char *threshold_ns;
	char *simulated;
	char *fingerprint; /* of a report: its own run is not among those it is compared with */
};

/* The report does not know its profile: it is the filter's, or none. */
MUST_CHECK enum status history_kind_of_report(
	const char *path, struct history_kind *kind, struct diag *diag);

/* Of the newest run that the filter finds; any kind when there is none. */
MUST_CHECK enum status history_kind_of_newest(struct store *store,
	const struct history_filter *filter, struct history_kind *kind, struct diag *diag);

/* Narrows the filter, where it leaves something open; it borrows the kind's texts. */
void history_kind_narrow(const struct history_kind *kind, struct history_filter *filter);

void history_kind_finish(struct history_kind *kind);
