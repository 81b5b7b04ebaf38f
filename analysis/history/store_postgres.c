/* SPDX-License-Identifier: MIT */
/*
 * A history on a PostgreSQL server, or a distributed database that speaks its protocol: plain SQL,
 * one serialisable transaction per call, tried again when the server found a conflict.
 */
#include "analysis/history/store.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SQLSTATEs that a transaction gets only because another ran beside it. */
static const char *const conflict_states[] = {
	"40001", /* serialization_failure */
	"40P01", /* deadlock_detected */
	"23505", /* unique_violation: both made the same table */
	"42P07", /* duplicate_table: the same */
	"42710", /* duplicate_object: the same, when the other was done between two looks */
};

/* Columns of a query of ours. */
#define COLUMN_COUNT_MAX 32

/*
 * How long a server may say nothing at all before it counts as gone: longer than it waits for
 * locks, which it then tells of itself.
 */
#define SILENCE_MS(wait_ms) (3 * (int)(wait_ms) + 5000)

struct postgres {
	struct store store;
	PGconn *connection;
	int silence_ms;
	bool is_silent; /* it did not answer, and will not be asked again */
};

static void postgres_close(struct store *store)
{
	struct postgres *postgres = (struct postgres *)store;

	PQfinish(postgres->connection);
	free(postgres);
}

/* libpq's message is of several lines; the first says it. */
static enum status fail(
	const struct postgres *postgres, enum status status, const char *message, struct diag *diag)
{
	const char *host = PQhost(postgres->connection);
	const char *database = PQdb(postgres->connection);

	return diag_set(diag, status, "history at %s, database %s: %.*s",
		host && host[0] ? host : "the server", database && database[0] ? database : "?",
		(int)strcspn(message, "\n"), message);
}

/* A table that exists already is worth a notice to psql, not to us. */
static void ignore_notice(void *context, const PGresult *result)
{
	(void)context;
	(void)result;
}

/* A statement that waits for another's lock gives up in time; 0 would be for ever. */
static enum status limit_waiting(
	struct postgres *postgres, const struct store_target *target, struct diag *diag)
{
	char sql[64];
	const struct store_statement statement = {.sql = sql};

	(void)snprintf(sql, sizeof(sql), "SET lock_timeout = %u",
		target->wait_ms > 0 ? (unsigned)target->wait_ms : 1);
	return store_postgres.run(&postgres->store, &statement, diag);
}

static bool has_stray_at(const PQconninfoOption *option)
{
	return option->val &&
	       (strcmp(option->keyword, "host") == 0 || strcmp(option->keyword, "dbname") == 0) &&
	       strchr(option->val, '@');
}

/*
 * libpq repeats what it does not understand, and that may be half of a password; one with '/' or
 * '@' in it makes a URI of another host.
 */
static enum status check_connection_string(const char *name, struct diag *diag)
{
	PQconninfoOption *options = PQconninfoParse(name, NULL);
	bool is_good = options != NULL;

	for (const PQconninfoOption *option = options; option && option->keyword; option++) {
		const bool is_port = strcmp(option->keyword, "port") == 0 && option->val;

		is_good = is_good && !has_stray_at(option) &&
			  (!is_port || !option->val[strspn(option->val, "0123456789,")]);
	}
	PQconninfoFree(options);
	return is_good ? STATUS_OK
		       : diag_set(diag, STATUS_BAD_USE,
				 "the connection string is none that libpq understands; it is not "
				 "repeated here, since it may hold a password (in a URI, '/', '@' "
				 "and '%%' are written %%2F, %%40 and %%25; better, use "
				 "~/.pgpass)");
}

static enum status postgres_open(
	const struct store_target *target, struct store **out_store, struct diag *diag)
{
	char timeout_s[16];
	char timeout_ms[16];
	/* What the connection string says comes last, and holds. */
	const char *const names[] = {"connect_timeout", "tcp_user_timeout",
		"fallback_application_name", "client_encoding", "dbname", NULL};
	const char *const values[] = {
		timeout_s, timeout_ms, "gaptrace", "UTF8", target->name, NULL};
	enum status status = check_connection_string(target->name, diag);
	struct postgres *postgres;

	if (status != STATUS_OK) {
		return status;
	}
	postgres = calloc(1, sizeof(*postgres));
	if (!postgres) {
		return STATUS_NO_MEMORY;
	}
	(void)snprintf(timeout_s, sizeof(timeout_s), "%u",
		target->wait_ms > 0 ? (unsigned)(target->wait_ms + 999) / 1000 : 1);
	(void)snprintf(timeout_ms, sizeof(timeout_ms), "%u",
		target->wait_ms > 0 ? (unsigned)target->wait_ms : 1);
	postgres->store.ops = &store_postgres;
	postgres->silence_ms = SILENCE_MS(target->wait_ms);
	postgres->connection = PQconnectdbParams(names, values, 1);
	if (!postgres->connection) {
		free(postgres);
		return STATUS_NO_MEMORY;
	}
	if (PQstatus(postgres->connection) != CONNECTION_OK) {
		status = fail(
			postgres, STATUS_UNAVAILABLE, PQerrorMessage(postgres->connection), diag);
		postgres_close(&postgres->store);
		return status;
	}
	(void)PQsetNoticeReceiver(postgres->connection, ignore_notice, NULL);
	/* So that neither sending nor closing waits for a server that hangs. */
	if (PQsetnonblocking(postgres->connection, 1) != 0) {
		postgres_close(&postgres->store);
		return STATUS_NO_MEMORY;
	}
	status = limit_waiting(postgres, target, diag);
	if (status != STATUS_OK) {
		postgres_close(&postgres->store);
		return status;
	}
	*out_store = &postgres->store;
	return STATUS_OK;
}

static bool is_conflict(const char *state)
{
	for (size_t i = 0; i < sizeof(conflict_states) / sizeof(conflict_states[0]); i++) {
		if (state && strcmp(state, conflict_states[i]) == 0) {
			return true;
		}
	}
	return false;
}

static enum status tell_lost(
	const struct postgres *postgres, const char *sql, const char *what, struct diag *diag)
{
	char message[160];

	(void)snprintf(message, sizeof(message), "the server %s%s", what,
		strcmp(sql, "COMMIT") == 0
			? " while it committed, so it may have done so or not; to add the same "
			  "again is safe"
			: "; nothing was changed");
	return fail(postgres, STATUS_UNAVAILABLE, message, diag);
}

static enum status refuse(struct postgres *postgres, const struct store_statement *statement,
	const PGresult *result, struct diag *diag)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	postgres->store.is_conflict = is_conflict(state);
	if (PQstatus(postgres->connection) == CONNECTION_OK) {
		return fail(postgres,
			state && strncmp(state, "42501", 5) == 0 ? STATUS_PERMISSION : STATUS_IO,
			result ? PQresultErrorMessage(result)
			       : PQerrorMessage(postgres->connection),
			diag);
	}
	return tell_lost(postgres, statement->sql, "went away", diag);
}

/*
 * Sends what is to be sent and waits until a result can be taken; false when the server was silent
 * for too long. A connection that broke has a result that says so.
 */
static bool await_result(const struct postgres *postgres)
{
	for (;;) {
		const int unsent = PQflush(postgres->connection);
		struct pollfd socket = {.fd = PQsocket(postgres->connection),
			.events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
		int ready;

		if (unsent < 0 || (unsent == 0 && !PQisBusy(postgres->connection))) {
			return true;
		}
		ready = poll(&socket, 1, postgres->silence_ms);
		if (ready == 0) {
			return false;
		}
		if (ready > 0 && (socket.revents & ~POLLOUT) &&
			!PQconsumeInput(postgres->connection)) {
			return true;
		}
	}
}

static enum status visit_rows(const struct store_statement *statement, const PGresult *result)
{
	enum status status = STATUS_OK;

	for (int row = 0; row < PQntuples(result) && status == STATUS_OK; row++) {
		const char *values[COLUMN_COUNT_MAX] = {NULL};

		for (int i = 0; i < PQnfields(result) && i < COLUMN_COUNT_MAX; i++) {
			values[i] = PQgetisnull(result, row, i) ? NULL : PQgetvalue(result, row, i);
		}
		status = statement->visit(statement->context, values);
	}
	return status;
}

static enum status take_result(struct postgres *postgres, const struct store_statement *statement,
	const PGresult *result, struct diag *diag)
{
	switch ((int)PQresultStatus(result)) {
	case PGRES_SINGLE_TUPLE:
	case PGRES_TUPLES_OK:
		return statement->visit ? visit_rows(statement, result) : STATUS_OK;
	case PGRES_COMMAND_OK:
		return STATUS_OK;
	default:
		return refuse(postgres, statement, result, diag);
	}
}

/* Takes all that comes, since a connection must be empty before the next statement; the first
 * failure is what matters. */
static enum status take_results(
	struct postgres *postgres, const struct store_statement *statement, struct diag *diag)
{
	enum status status = STATUS_OK;

	while (await_result(postgres)) {
		PGresult *result = PQgetResult(postgres->connection);

		if (!result) {
			return status;
		}
		if (status == STATUS_OK) {
			status = take_result(postgres, statement, result, diag);
		}
		PQclear(result);
	}
	postgres->is_silent = true;
	return tell_lost(postgres, statement->sql, "does not answer", diag);
}

static enum status postgres_run(
	struct store *store, const struct store_statement *statement, struct diag *diag)
{
	struct postgres *postgres = (struct postgres *)store;

	if (postgres->is_silent) {
		return tell_lost(postgres, statement->sql, "does not answer", diag);
	}
	if (PQsendQueryParams(postgres->connection, statement->sql, (int)statement->value_count,
		    NULL, statement->values, NULL, NULL, 0) != 1) {
		return refuse(postgres, statement, NULL, diag);
	}
	/* Row by row: the reports of all runs are more than should be in memory at once. Where that
	 * cannot be, they come all the same. */
	(void)PQsetSingleRowMode(postgres->connection);
	return take_results(postgres, statement, diag);
}

const struct store_ops store_postgres = {
	.id_type = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
	.begin = "BEGIN ISOLATION LEVEL SERIALIZABLE",
	.open = postgres_open,
	.run = postgres_run,
	/* A server's database is shared: the tables of others are none of our business. */
	.count_tables = "SELECT count(*), 0 FROM information_schema.tables WHERE table_schema = "
			"current_schema() AND table_name IN ('gaptrace_meta', 'gaptrace_runs')",
	.close = postgres_close,
};
