/* SPDX-License-Identifier: MIT */
/* A transaction is tried again after a conflict, and only then; what it did before is undone. */
#include "analysis/history/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A database that fails as it is told, and notes what it was asked for. */
struct fake {
	struct store store;
	char log[512];
	const char *fails_at; /* this statement */
	uint32_t fail_count;  /* so many times */
	bool is_conflict;
};

static enum status fake_run(
	struct store *store, const struct store_statement *statement, struct diag *diag)
{
	struct fake *fake = (struct fake *)store;
	const size_t used = strlen(fake->log);

	(void)snprintf(fake->log + used, sizeof(fake->log) - used, "%s;", statement->sql);
	if (fake->fail_count > 0 && strcmp(statement->sql, fake->fails_at) == 0) {
		fake->fail_count--;
		store->is_conflict = fake->is_conflict;
		return diag_set(diag, STATUS_IO, "the fake failed");
	}
	return STATUS_OK;
}

static const struct store_ops fake_ops = {.begin = "BEGIN", .run = fake_run};

static enum status insert(void *context, struct store *store, struct diag *diag)
{
	const struct store_statement statement = {.sql = "INSERT"};

	(*(uint32_t *)context)++;
	return store_run(store, &statement, diag);
}

static enum status transact(struct fake *fake, uint32_t *out_calls, struct diag *diag)
{
	fake->store.ops = &fake_ops;
	*out_calls = 0;
	return store_transact(&fake->store, insert, out_calls, diag);
}

static void a_conflict_is_tried_again(void **state)
{
	struct fake fake = {.fails_at = "COMMIT", .fail_count = 2, .is_conflict = true};
	struct diag diag = {""};
	uint32_t calls;

	(void)state;
	assert_int_equal(transact(&fake, &calls, &diag), STATUS_OK);
	assert_int_equal(calls, 3);
	assert_string_equal(fake.log, "BEGIN;INSERT;COMMIT;ROLLBACK;BEGIN;INSERT;COMMIT;ROLLBACK;"
				      "BEGIN;INSERT;COMMIT;");
}

static void any_other_failure_is_told_at_once(void **state)
{
	static const char *const statements[] = {"BEGIN", "INSERT", "COMMIT"};
	static const char *const logs[] = {
		"BEGIN;", "BEGIN;INSERT;ROLLBACK;", "BEGIN;INSERT;COMMIT;ROLLBACK;"};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct fake fake = {.fails_at = statements[i], .fail_count = 1};
		struct diag diag = {""};
		uint32_t calls;

		assert_int_equal(transact(&fake, &calls, &diag), STATUS_IO);
		assert_string_equal(fake.log, logs[i]);
		assert_string_equal(diag.line, "the fake failed");
	}
}

static void conflicts_without_end_are_given_up(void **state)
{
	struct fake fake = {.fails_at = "BEGIN", .fail_count = UINT32_MAX, .is_conflict = true};
	struct diag diag = {""};
	uint32_t calls;

	(void)state;
	assert_int_equal(transact(&fake, &calls, &diag), STATUS_IO);
	assert_int_equal(calls, 0);
	assert_int_equal(UINT32_MAX - fake.fail_count, STORE_TRY_COUNT_MAX);
}

static void a_name_says_which_database_it_is(void **state)
{
	static const char *const servers[] = {"postgresql://127.0.0.1:1/x", "host=127.0.0.1 port=1",
		"dbname=x host=127.0.0.1 port=1", "password=x host=127.0.0.1 port=1",
		"sslmode = disable host=127.0.0.1 port=1"};
	struct diag diag = {""};
	struct store *store = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
		const struct store_target target = {
			.name = servers[i], .mode = STORE_READ, .wait_ms = 2000};
		const enum status status = store_open(&target, &store, &diag);

		/* Nobody listens there; without libpq the name alone is refused. */
		assert_true(status == STATUS_UNAVAILABLE || status == STATUS_UNSUPPORTED);
		assert_null(store);
	}
	assert_int_equal(
		store_open(&(struct store_target){.name = ""}, &store, &diag), STATUS_BAD_USE);
	assert_int_equal(
		store_open(&(struct store_target){.name = "/nowhere/x=1.db"}, &store, &diag),
		STATUS_NOT_FOUND);
}

/* Whatever is wrong with the string, and with no file made of that name. */
static void a_password_is_told_to_nobody(void **state)
{
	static const char *const names[] = {"postgresql://u:hunter2%zz@127.0.0.1:1/x",
		"postgresql://u:hunter2@[127.0.0.1:1/x", "postgresql://u:hunter2/a@127.0.0.1:1/x",
		"postgresql://u:a/hunter2@127.0.0.1:1/x", "postgresql://u:a@hunter2@127.0.0.1:1/x",
		"postgresql://u@127.0.0.1:1/x?hunter2", "host=127.0.0.1 port=1 password=a hunter2",
		"host=127.0.0.1 port=hunter2", "passwort=hunter2 host=127.0.0.1",
		"mysql://u:hunter2@127.0.0.1/x", "Postgresql://u:hunter2@127.0.0.1/x"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct store_target target = {
			.name = names[i], .mode = STORE_WRITE, .wait_ms = 2000};
		struct diag diag = {""};
		struct store *store = NULL;
		const enum status status = store_open(&target, &store, &diag);

		assert_true(status == STATUS_BAD_USE || status == STATUS_UNSUPPORTED);
		assert_null(store);
		assert_string_not_equal(diag.line, "");
		assert_null(strstr(diag.line, "hunter2"));
	}
}

static void what_keeps_nothing_is_no_history(void **state)
{
	static const char *const names[] = {":memory:", "/dev/null", "/"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct store_target target = {.name = names[i], .mode = STORE_WRITE};
		struct diag diag = {""};
		struct store *store = NULL;

		assert_int_equal(store_open(&target, &store, &diag), STATUS_BAD_USE);
		assert_null(store);
		assert_non_null(strstr(diag.line, names[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_conflict_is_tried_again),
		cmocka_unit_test(any_other_failure_is_told_at_once),
		cmocka_unit_test(conflicts_without_end_are_given_up),
		cmocka_unit_test(a_name_says_which_database_it_is),
		cmocka_unit_test(a_password_is_told_to_nobody),
		cmocka_unit_test(what_keeps_nothing_is_no_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
