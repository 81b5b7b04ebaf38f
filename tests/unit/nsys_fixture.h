/* SPDX-License-Identifier: MIT */
/* Small SQLite files as nsys exports them, and what the reader tells of them. */
#pragma once

#include "analysis/import/import.h"

#include <stddef.h>

/* Tables as the exports of one version have them, without rows. */
#define NSYS_STRINGS                                                                               \
	"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
#define NSYS_KERNELS                                                                               \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"   \
	" deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,"          \
	" streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"                    \
	" demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,"        \
	" launchType INTEGER, graphNodeId INTEGER, graphId INTEGER);"
#define NSYS_RUNTIME                                                                               \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"  \
	" eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER,"                  \
	" nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
#define NSYS_NVTX                                                                                  \
	"CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT "    \
	"NULL,"                                                                                    \
	" rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,"         \
	" endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, jsonText TEXT);"
#define NSYS_META(version)                                                                         \
	"CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"                          \
	"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION','" version "'),"             \
	"('EXPORT_PRODUCT_VERSION','2026.2.1.210');"

/* globalTid of thread 77 in process 42, and its globalPid. */
#define NSYS_THREAD  "((1<<56)|(42<<24)|77)"
#define NSYS_PROCESS "((1<<56)|(42<<24))"

#define NSYS_FIXTURE_EVENTS_MAX 4096

/* What a reader told; strings are copies. */
struct nsys_fixture {
	char path[64];
	struct event events[NSYS_FIXTURE_EVENTS_MAX];
	char *texts[NSYS_FIXTURE_EVENTS_MAX];
	size_t count; /* those beyond the array are counted only */
	bool has_epoch;
	uint64_t epoch_ns;
	enum status status; /* of the open */
	struct diag diag;
};

/* Makes a file from SQL and reads it to its end; checks what is so for every file: a SOURCE note
 * first, events in order of time, devices before their operations, nothing left beside the file. */
struct nsys_fixture *nsys_fixture_read(const char *sql);
/* Makes the file only. */
struct nsys_fixture *nsys_fixture_make(const char *sql);
/* Reads what is at fixture->path. */
void nsys_fixture_run(struct nsys_fixture *fixture);
/* Accepts NULL. */
void nsys_fixture_destroy(struct nsys_fixture *fixture);
DEFINE_AUTO(struct nsys_fixture, nsys_fixture_destroy)

size_t nsys_fixture_count(const struct nsys_fixture *fixture, enum event_kind kind);
/* The index-th of a kind; fails the test when there are fewer. */
const struct event *nsys_fixture_get(
	const struct nsys_fixture *fixture, enum event_kind kind, size_t index);
/* The note of a kind whose text has `part` in it, NULL for none. */
const struct event *nsys_fixture_note(
	const struct nsys_fixture *fixture, enum event_note_kind kind, const char *part);
