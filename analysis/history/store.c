/* SPDX-License-Identifier: MIT */
#include "analysis/history/store.h"

#include "analysis/history/store_tables.h"
#include "trace/base/clock.h"

#include <string.h>
#include <time.h>

#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz"

/* "word=" begins a connection string, whichever of libpq's many words comes first. A file whose
 * path begins so is named by "./". */
static bool is_connection(const char *name)
{
	const size_t length = strspn(name, LOWER_CASE "_");

	return strncmp(name, "postgresql://", strlen("postgresql://")) == 0 ||
	       strncmp(name, "postgres://", strlen("postgres://")) == 0 ||
	       (length > 0 && name[length + strspn(name + length, " ")] == '=');
}

/* Of another kind of server, or misspelt: a file of that name would hold a password in its path. */
static bool is_foreign_address(const char *name)
{
	return strncmp(name + strcspn(name, ":/"), "://", 3) == 0;
}

static enum status find_ops(const char *name, const struct store_ops **out_ops, struct diag *diag)
{
	if (!is_connection(name)) {
		*out_ops = &store_sqlite;
		return STATUS_OK;
	}
#ifdef GAPTRACE_POSTGRES
	(void)diag;
	*out_ops = &store_postgres;
	return STATUS_OK;
#else
	return diag_set(diag, STATUS_UNSUPPORTED,
		"this gaptrace was built without libpq; a path names an SQLite file");
#endif
}

enum status store_open(
	const struct store_target *target, struct store **out_store, struct diag *diag)
{
	AUTO(store_close) struct store *store = NULL;
	const struct store_ops *ops = NULL;
	enum status status = STATUS_OK;

	if (target->name[0] == '\0') {
		return diag_set(diag, STATUS_BAD_USE, "name a file or a server");
	}
	if (!is_connection(target->name) && is_foreign_address(target->name)) {
		return diag_set(diag, STATUS_BAD_USE,
			"a server's address begins with postgresql://; any other database is a "
			"file, named by its path");
	}
	status = find_ops(target->name, &ops, diag);
	if (status == STATUS_OK) {
		status = ops->open(target, &store, diag);
	}
	if (status != STATUS_OK) {
		return status;
	}
	store->ops = ops;
	store->mode = target->mode;
	status = store_tables_check(store, target->name, diag);
	if (status == STATUS_OK) {
		*out_store = MOVE(store);
	}
	return status;
}

enum status store_run(
	struct store *store, const struct store_statement *statement, struct diag *diag)
{
	store->is_conflict = false;
	return store->ops->run(store, statement, diag);
}

static enum status run_plain(struct store *store, const char *sql, struct diag *diag)
{
	const struct store_statement statement = {.sql = sql};

	return store_run(store, &statement, diag);
}

/* Longer after each failure, and not as long as the others wait. */
static void pause_before(uint32_t try_number)
{
	const uint64_t now_ns = clock_now_ns();
	const uint64_t most_ns = NS_PER_MS << (try_number < 6 ? try_number : 6);
	const struct timespec pause = clock_timespec(most_ns / 2 + now_ns % (most_ns / 2));

	(void)nanosleep(&pause, NULL);
}

static enum status transact_once(
	struct store *store, store_body *body, void *context, struct diag *diag)
{
	enum status status = run_plain(store, store->ops->begin, diag);

	if (status != STATUS_OK) {
		return status;
	}
	status = body(context, store, diag);
	if (status == STATUS_OK) {
		status = run_plain(store, "COMMIT", diag);
	}
	if (status != STATUS_OK) {
		struct diag ignored;
		const bool is_conflict = store->is_conflict;

		/* The first failure is what matters; a lost connection has rolled back. */
		if (run_plain(store, "ROLLBACK", &ignored) != STATUS_OK) {
			ignored.line[0] = '\0';
		}
		store->is_conflict = is_conflict;
	}
	return status;
}

enum status store_transact(struct store *store, store_body *body, void *context, struct diag *diag)
{
	enum status status = STATUS_OK;

	for (uint32_t i = 0; i < STORE_TRY_COUNT_MAX; i++) {
		if (i > 0) {
			pause_before(i);
		}
		status = transact_once(store, body, context, diag);
		if (status == STATUS_OK || !store->is_conflict) {
			return status;
		}
	}
	return status;
}

void store_close(struct store *store)
{
	if (store) {
		store->ops->close(store);
	}
}
