/* SPDX-License-Identifier: MIT */
/*
 * A database that keeps runs: an SQLite file or a PostgreSQL server, behind one struct of
 * functions. Both get the same plain SQL, with $1, $2 for values, which always travel as text.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* How long to wait for somebody who writes, or for a server that does not answer. */
#define STORE_WAIT_DEFAULT_MS 10000

/* A serialisation failure means that another got through: so many in a row are a fault. */
#define STORE_TRY_COUNT_MAX 30

/* Values of one statement: the columns of a run, and room for filters. */
#define STORE_VALUE_COUNT_MAX 32

enum store_mode {
	STORE_READ,  /* must exist; is not changed */
	STORE_WRITE, /* is made when it does not exist */
};

struct store_target {
	const char *name; /* a path, or a connection string */
	enum store_mode mode;
	uint32_t wait_ms;
};

struct store {
	const struct store_ops *ops;
	enum store_mode mode;
	bool is_conflict; /* the last failure was another's doing: the transaction may be tried
			     again */
};

/* Columns of one row as text, NULL where the database has none. */
typedef enum status store_visitor(void *context, const char *const *values);

struct store_statement {
	const char *sql;
	const char *values[STORE_VALUE_COUNT_MAX];
	uint32_t value_count;
	store_visitor *visit; /* NULL: rows are not looked at */
	void *context;
};

/* What a database must provide. */
struct store_ops {
	const char *id_type; /* of a column that numbers its rows */
	const char *begin;   /* opens a transaction that will write */
	MUST_CHECK enum status (*open)(
		const struct store_target *target, struct store **out_store, struct diag *diag);
	MUST_CHECK enum status (*run)(
		struct store *store, const struct store_statement *statement, struct diag *diag);
	/* One query of one row: how many of our tables there are, and how many of others forbid
	 * ours. At one moment, since another process may be making them. */
	const char *count_tables;
	void (*close)(struct store *store);
};

extern const struct store_ops store_sqlite;
#ifdef GAPTRACE_POSTGRES
extern const struct store_ops store_postgres;
#endif

/* Opens, and makes or checks the tables. */
MUST_CHECK enum status store_open(
	const struct store_target *target, struct store **out_store, struct diag *diag);

MUST_CHECK enum status store_run(
	struct store *store, const struct store_statement *statement, struct diag *diag);

/* What a transaction does; called again from the start when it met another's. */
typedef enum status store_body(void *context, struct store *store, struct diag *diag);

/* All that `body` does or nothing of it. */
MUST_CHECK enum status store_transact(
	struct store *store, store_body *body, void *context, struct diag *diag);

/* Accepts NULL. */
void store_close(struct store *store);
DEFINE_AUTO(struct store, store_close)
