/* SPDX-License-Identifier: MIT */
/* The tables of a store: made when it is new, and refused when a newer gaptrace made them. */
#pragma once

#include "analysis/history/store.h"

/* Told in gaptrace_meta. A change that an older gaptrace cannot live with raises it. */
#define STORE_SCHEMA_VERSION 1

#define STORE_TEXT   false
#define STORE_NUMBER true

/* clang-format off */
/* The columns of a run: X(constant, name, whether it is a number). The report comes last. */
#define STORE_COLUMNS(X)                           \
	X(FINGERPRINT,  fingerprint,  STORE_TEXT)   \
	X(ADDED_S,      added_s,      STORE_NUMBER) \
	X(TIME_S,       time_s,       STORE_NUMBER) \
	X(HOST,         host,         STORE_TEXT)   \
	X(BUILD,        build,        STORE_TEXT)   \
	X(PROFILE,      profile,      STORE_TEXT)   \
	X(MARK,         mark,         STORE_TEXT)   \
	X(DEVICES,      devices,      STORE_TEXT)   \
	X(DEVICE_COUNT, device_count, STORE_NUMBER) \
	X(WORK_UNIT,    work_unit,    STORE_TEXT)   \
	X(WORK_NAME,    work_name,    STORE_TEXT)   \
	X(THRESHOLD_NS, threshold_ns, STORE_NUMBER) \
	X(SIMULATED,    simulated,    STORE_NUMBER) \
	X(TRUSTED,      trusted,      STORE_NUMBER) \
	X(WORK_COUNT,   work_count,   STORE_NUMBER) \
	X(WINDOW_NS,    window_ns,    STORE_NUMBER) \
	X(BUSY_NS,      busy_ns,      STORE_NUMBER) \
	X(COPYING_NS,   copying_ns,   STORE_NUMBER) \
	X(GAP_NS,       gap_ns,       STORE_NUMBER) \
	X(GAPS,         gaps,         STORE_NUMBER) \
	X(MAX_GAP_NS,   max_gap_ns,   STORE_NUMBER) \
	X(REPORT,       report,       STORE_TEXT)
/* clang-format on */

#define STORE_COLUMN_ENUM(constant, name, is_number) STORE_COLUMN_##constant,
enum store_column {
	STORE_COLUMNS(STORE_COLUMN_ENUM) STORE_COLUMN_COUNT
};
#undef STORE_COLUMN_ENUM

const char *store_column_name(enum store_column column);
bool store_column_is_number(enum store_column column);

/* Makes the tables of a new store that may be written; else checks that they are ours. */
MUST_CHECK enum status store_tables_check(struct store *store, const char *name, struct diag *diag);
