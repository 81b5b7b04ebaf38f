/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_events.h"

#include <stdlib.h>

struct nsys_events {
	struct nsys_database *database;
	sqlite3_stmt *lookup; /* NULL: nothing is known */
};

/* A table of its own with a key, in a temporary file: the file's has no index. */
static const char copy[] =
	"CREATE TEMP TABLE event_streams (sync INTEGER, process INTEGER, stream INTEGER,"
	" PRIMARY KEY (sync, process)) WITHOUT ROWID;"
	"INSERT OR IGNORE INTO temp.event_streams SELECT eventSyncId, globalPid, streamId"
	" FROM main.CUPTI_ACTIVITY_KIND_CUDA_EVENT NOT INDEXED"
	" WHERE eventSyncId IS NOT NULL AND globalPid IS NOT NULL";

static const char lookup[] = "SELECT stream FROM temp.event_streams WHERE sync=?1 AND process=?2";

static bool has_table(struct nsys_database *database)
{
	static const char table[] = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";

	return nsys_database_has_table(database, table) &&
	       nsys_database_has_column(database, table, "eventSyncId") &&
	       nsys_database_has_column(database, table, "globalPid") &&
	       nsys_database_has_column(database, table, "streamId");
}

enum status nsys_events_create(struct nsys_database *database, struct nsys_events **out_events)
{
	struct nsys_events *events = calloc(1, sizeof(*events));

	if (!events) {
		return STATUS_NO_MEMORY;
	}
	events->database = database;
	/* Rows that cannot be copied are waits for nobody knows what, as those without the table.
	 */
	if (has_table(database) &&
		sqlite3_exec(database->db, copy, NULL, NULL, NULL) == SQLITE_OK) {
		events->lookup = nsys_database_prepare(database, lookup);
	}
	*out_events = events;
	return STATUS_OK;
}

void nsys_events_destroy(struct nsys_events *events)
{
	if (events) {
		(void)sqlite3_finalize(events->lookup);
		free(events);
	}
}

uint32_t nsys_events_stream(struct nsys_events *events, int64_t sync_id, int64_t process)
{
	uint32_t stream = 0;

	if (events->lookup && sqlite3_bind_int64(events->lookup, 1, sync_id) == SQLITE_OK &&
		sqlite3_bind_int64(events->lookup, 2, process) == SQLITE_OK) {
		if (nsys_database_step(events->database, events->lookup) == NSYS_STEP_ROW) {
			stream = (uint32_t)sqlite3_column_int64(events->lookup, 0);
		}
		(void)sqlite3_reset(events->lookup);
	}
	return stream;
}
