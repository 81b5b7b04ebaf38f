/* SPDX-License-Identifier: MIT */
#include "analysis/import/nsys_database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 100

/* Longer strings are no names; a row may still hold longer ones in columns that are not read. */
#define TEXT_BYTES_MAX (4 * 1024 * 1024)

/* A CREATE TABLE statement with a comment per column takes some 10 kB. */
#define SQL_BYTES_MAX (256 * 1024)

/* Pages kept in memory, and how much a sort holds before it goes to a temporary file. */
#define CACHE_KIBIBYTES "2048"

/* A sort and a read take some 60 steps for a row, and no row is shorter than 8 bytes. */
#define STEPS_PER_BYTE 16
#define STEPS_MIN      4000000
#define STEPS_AT_ONCE  10000

/* Big-endian, as all numbers of an SQLite header. */
static uint32_t read_number(const unsigned char *bytes, size_t count)
{
	uint32_t number = 0;

	for (size_t i = 0; i < count; i++) {
		number = number << 8 | bytes[i];
	}
	return number;
}

/* Looks at the file before SQLite does: its messages name neither the file nor the mend. */
static enum status check_file(struct nsys_database *database, struct diag *diag)
{
	unsigned char header[HEADER_BYTES] = {0};
	struct stat facts;
	uint64_t page_bytes;
	uint64_t told_bytes;
	ssize_t got = -1;

	database->file = fopen(database->path, "re");
	if (!database->file) {
		return diag_set(
			diag, status_from_errno(errno), "%s: %s", database->path, strerror(errno));
	}
	if (fstat(fileno(database->file), &facts) == 0) {
		got = pread(fileno(database->file), header, sizeof(header), 0);
	}
	if (got < 0) {
		return diag_set(
			diag, STATUS_IO, "%s: cannot be read: %s", database->path, strerror(errno));
	}
	if (got < HEADER_BYTES || memcmp(header, "SQLite format 3", 16) != 0) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: no SQLite file; make one with: nsys export --type sqlite REPORT",
			database->path);
	}

	database->file_bytes = (uint64_t)facts.st_size;
	database->modified = facts.st_mtim;
	page_bytes = read_number(header + 16, 2);
	page_bytes = page_bytes == 1 ? 65536 : page_bytes;
	/* The page count counts only when it was written together with the change counter. */
	told_bytes = read_number(header + 28, 4) * page_bytes;
	if (read_number(header + 24, 4) == read_number(header + 92, 4) &&
		told_bytes > database->file_bytes) {
		database->missing_bytes = told_bytes - database->file_bytes;
	}
	return STATUS_OK;
}

/* Whether SQLite left a file of that suffix beside the database. One that is done with is gone,
 * empty, or begins with a zero. */
static bool has_companion(const char *path, const char *suffix)
{
	char *companion = NULL;
	FILE *file = NULL;
	struct stat facts;
	int first = EOF;

	if (asprintf(&companion, "%s%s", path, suffix) >= 0) {
		if (stat(companion, &facts) == 0 && S_ISREG(facts.st_mode)) {
			file = fopen(companion, "re");
		}
		free(companion);
	}
	if (file) {
		first = fgetc(file);
		(void)fclose(file);
	}
	return first != EOF && first != 0;
}

/* `immutable`: no lock, no journal and no shared memory beside a file that may be read-only. */
static char *make_uri(const char *path)
{
	static const char query[] = "?mode=ro&immutable=1";
	static const char digits[] = "0123456789abcdef";
	const char *prefix = path[0] == '/' ? "file://" : "file:./";
	const size_t prefix_bytes = strlen(prefix);
	char *uri = malloc(prefix_bytes + 3 * strlen(path) + sizeof(query));
	char *to = uri;

	if (!uri) {
		return NULL;
	}
	memcpy(to, prefix, prefix_bytes);
	to += prefix_bytes;
	for (const char *from = path; *from; from++) {
		if (strchr("%?#:", *from)) {
			*to++ = '%';
			*to++ = digits[(unsigned char)*from >> 4];
			*to++ = digits[(unsigned char)*from & 15];
		} else {
			*to++ = *from;
		}
	}
	memcpy(to, query, sizeof(query));
	return uri;
}

static int count_steps(void *context)
{
	struct nsys_database *database = context;

	if (database->steps_left < STEPS_AT_ONCE) {
		return 1;
	}
	database->steps_left -= STEPS_AT_ONCE;
	return 0;
}

static void distrust(struct nsys_database *database)
{
	sqlite3 *db = database->db;

	(void)sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	database->steps_left = STEPS_MIN + STEPS_PER_BYTE * database->file_bytes;
	sqlite3_progress_handler(db, STEPS_AT_ONCE, count_steps, database);
}

static int read_schema(sqlite3 *db)
{
	return sqlite3_exec(db, "SELECT count(*) FROM pragma_table_list", NULL, NULL, NULL);
}

/* Reads the schema: a file that is none at all ends here. */
static enum status check_schema(struct nsys_database *database, struct diag *diag)
{
	static const char settings[] = "PRAGMA cache_size=-" CACHE_KIBIBYTES ";"
				       "PRAGMA temp_store=FILE;"
				       "PRAGMA cell_size_check=ON;"
				       "PRAGMA mmap_size=0";
	sqlite3 *db = database->db;
	int code = sqlite3_exec(db, settings, NULL, NULL, NULL);

	if (code == SQLITE_OK) {
		code = read_schema(db);
	}
	/*
	 * A cut file, or one whose schema is damaged, is refused unless the schema may be written,
	 * which nothing here does. The first statement after that still fails; what comes then sees
	 * those tables that could be read.
	 */
	if ((code & 0xff) == SQLITE_CORRUPT) {
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
		(void)sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
		database->is_partial = read_schema(db) != SQLITE_OK;
		code = database->is_partial ? read_schema(db) : SQLITE_OK;
	}
	if (code == SQLITE_OK) {
		return STATUS_OK;
	}
	if ((code & 0xff) == SQLITE_NOMEM) {
		return STATUS_NO_MEMORY;
	}
	return diag_set(diag, STATUS_BAD_INPUT, "%s: schema: %s; export the report again",
		database->path, sqlite3_errmsg(db));
}

enum status nsys_database_open(struct nsys_database *database, const char *path, struct diag *diag)
{
	char *uri;
	int code;
	enum status status;

	*database = (struct nsys_database){.path = path};
	status = check_file(database, diag);
	if (status != STATUS_OK) {
		return status;
	}
	uri = make_uri(path);
	if (!uri) {
		return STATUS_NO_MEMORY;
	}
	code = sqlite3_open_v2(uri, &database->db,
		SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (code != SQLITE_OK) {
		status = diag_set(diag, code == SQLITE_NOMEM ? STATUS_NO_MEMORY : STATUS_IO,
			"%s: %s", path, sqlite3_errstr(code));
	} else {
		distrust(database);
		database->has_log = has_companion(path, "-wal");
		database->has_journal = has_companion(path, "-journal");
		status = check_schema(database, diag);
	}
	if (status != STATUS_OK) {
		nsys_database_close(database);
	}
	database->path = NULL;
	return status;
}

bool nsys_database_has_changed(const struct nsys_database *database)
{
	struct stat facts;

	return fstat(fileno(database->file), &facts) == 0 &&
	       (facts.st_mtim.tv_sec != database->modified.tv_sec ||
		       facts.st_mtim.tv_nsec != database->modified.tv_nsec ||
		       (uint64_t)facts.st_size != database->file_bytes);
}

void nsys_database_close(struct nsys_database *database)
{
	if (database->file) {
		(void)fclose(database->file);
	}
	(void)sqlite3_finalize(database->find_table);
	(void)sqlite3_finalize(database->find_other);
	(void)sqlite3_finalize(database->find_column);
	(void)sqlite3_close_v2(database->db);
	(void)sqlite3_close_v2(database->scratch);
	*database = (struct nsys_database){.db = NULL};
}

/* One question with one answer, about names that are bound and never part of the SQL. */
static bool has_answer(struct nsys_database *database, sqlite3_stmt *question, const char *first,
	const char *second)
{
	bool has_row = false;

	if (question && sqlite3_bind_text(question, 1, first, -1, SQLITE_STATIC) == SQLITE_OK &&
		(!second ||
			sqlite3_bind_text(question, 2, second, -1, SQLITE_STATIC) == SQLITE_OK)) {
		has_row = nsys_database_step(database, question) == NSYS_STEP_ROW;
	}
	if (question) {
		(void)sqlite3_reset(question);
		(void)sqlite3_clear_bindings(question);
	}
	return has_row;
}

bool nsys_database_has_table(struct nsys_database *database, const char *name)
{
	if (!database->find_table) {
		database->find_table = nsys_database_prepare(database,
			"SELECT 1 FROM pragma_table_list WHERE schema='main' AND type='table'"
			" AND name=?1 COLLATE NOCASE");
	}
	return has_answer(database, database->find_table, name, NULL);
}

bool nsys_database_has_other(struct nsys_database *database, const char *name)
{
	if (!database->find_other) {
		database->find_other = nsys_database_prepare(database,
			"SELECT 1 FROM pragma_table_list WHERE schema='main' AND type<>'table'"
			" AND name=?1 COLLATE NOCASE");
	}
	return has_answer(database, database->find_other, name, NULL);
}

bool nsys_database_has_column(struct nsys_database *database, const char *table, const char *column)
{
	/* table_info leaves out generated columns, whose expressions are the file's. */
	if (!database->find_column) {
		database->find_column = nsys_database_prepare(database,
			"SELECT 1 FROM pragma_table_info(?1,'main') WHERE name=?2 COLLATE NOCASE");
	}
	return has_answer(database, database->find_column, table, column);
}

sqlite3_stmt *nsys_database_prepare(struct nsys_database *database, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	(void)sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL);
	return statement;
}

enum nsys_step nsys_database_step(const struct nsys_database *database, sqlite3_stmt *statement)
{
	const int code = sqlite3_step(statement);

	switch (code & 0xff) {
	case SQLITE_ROW:
		return NSYS_STEP_ROW;
	case SQLITE_DONE:
		return NSYS_STEP_END;
	case SQLITE_NOMEM:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
		return NSYS_STEP_FAILED;
	case SQLITE_IOERR:
		/* Past the end of a cut file is damage; a disk that fails is not. */
		return code == SQLITE_IOERR_SHORT_READ || database->missing_bytes > 0
			       ? NSYS_STEP_DAMAGED
			       : NSYS_STEP_FAILED;
	default:
		return NSYS_STEP_DAMAGED;
	}
}

sqlite3 *nsys_database_scratch(struct nsys_database *database)
{
	static const char settings[] = "PRAGMA journal_mode=OFF;"
				       "PRAGMA synchronous=OFF;"
				       "PRAGMA temp_store=FILE;"
				       "PRAGMA cache_size=-" CACHE_KIBIBYTES;
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	/* Without a name it is a file that is gone when it is closed. */
	if (!database->scratch &&
		(sqlite3_open_v2("", &database->scratch, flags, NULL) != SQLITE_OK ||
			sqlite3_exec(database->scratch, settings, NULL, NULL, NULL) != SQLITE_OK)) {
		(void)sqlite3_close_v2(database->scratch);
		database->scratch = NULL;
	}
	return database->scratch;
}

const char *nsys_database_fault(const struct nsys_database *database)
{
	return (sqlite3_errcode(database->db) & 0xff) == SQLITE_INTERRUPT
		       ? "more rows than the file can hold: its pages form a cycle"
		       : sqlite3_errmsg(database->db);
}

enum status nsys_database_failure(sqlite3 *db, struct diag *diag)
{
	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_NOMEM:
		return diag_set(diag, STATUS_NO_MEMORY, "nsys: no memory to read the file");
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
		return diag_set(diag, STATUS_NO_SPACE,
			"nsys: no room for a temporary file to sort rows in; "
			"set SQLITE_TMPDIR to a folder with as much room as the file takes");
	default:
		return diag_set(diag, STATUS_IO, "nsys: %s", sqlite3_errmsg(db));
	}
}
