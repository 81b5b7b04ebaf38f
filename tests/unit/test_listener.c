/* SPDX-License-Identifier: MIT */
/*
 * Proves that a socket is there only once it takes connections, what it replaces and what it
 * leaves alone, and that what is wrong with an address or a path is said.
 */
#include "prover/listener.h"
#include "tests/unit/groth16_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* Relative, for a temporary folder's name may be longer than a socket's may. */
static char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)] = "x.sock";
static bool was_there; /* before it was listened on */

int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);

static bool is_there(const char *suffix)
{
	char name[sizeof(path) + 8];
	struct stat info;

	(void)snprintf(name, sizeof(name), "%s%s", path, suffix);
	return lstat(name, &info) == 0;
}

int __wrap_listen(int fd, int backlog)
{
	was_there = is_there("");
	return __real_listen(fd, backlog);
}

static bool can_connect(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_connected = false;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	is_connected = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
	(void)close(fd);
	return is_connected;
}

/* A socket that nobody listens on, as a killed daemon leaves it. */
static void leave_socket(const char *suffix)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%.90s%s", path, suffix);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	(void)close(fd);
}

static void serve_and_close(void)
{
	struct listener listener;
	struct diag diag = {""};

	assert_int_equal(listener_open_unix(path, &diag, &listener), STATUS_OK);
	assert_false(was_there);
	assert_true(can_connect());
	assert_false(is_there("~"));
	listener_close(&listener);
	assert_false(is_there("") || is_there(".lock"));
}

static void a_socket_that_is_there_takes_connections(void **state)
{
	(void)state;
	serve_and_close();
	leave_socket("");
	leave_socket("~");
	serve_and_close();
}

static void one_in_use_is_left_alone(void **state)
{
	struct listener first;
	struct listener second;
	struct diag diag = {""};

	(void)state;
	assert_int_equal(listener_open_unix(path, &diag, &first), STATUS_OK);
	assert_int_equal(listener_open_unix(path, &diag, &second), STATUS_EXISTS);
	assert_true(can_connect());
	listener_close(&first);
}

/* 107 bytes are what a client can name. */
static void the_longest_path_is_served(void **state)
{
	const size_t longest = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;

	(void)state;
	memset(path, 'x', longest);
	path[longest] = '\0';
	serve_and_close();
	(void)snprintf(path, sizeof(path), "x.sock");
}

static void a_folder_that_is_none_is_named(void **state)
{
	struct listener listener;
	struct diag diag = {""};
	FILE *file = fopen(path, "we");

	(void)state;
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(listener_open_unix("x.sock/y.sock", &diag, &listener), STATUS_NOT_FOUND);
	assert_string_equal(
		diag.line, "x.sock/y.sock: no socket can be made there: x.sock is no folder");
	assert_int_equal(unlink(path), 0);
}

static void assert_refused(const char *address, const char *reason)
{
	struct diag diag = {""};

	assert_int_equal(listener_check_tcp(address, &diag), STATUS_BAD_USE);
	if (!strstr(diag.line, reason)) {
		fail_msg("%s", diag.line);
	}
}

static void what_is_wrong_with_an_address_is_said(void **state)
{
	static const char *const good[] = {
		"127.0.0.1:0", "127.0.0.1:65535", "localhost:0", "[::1]:9821"};
	static const char *const bad_hosts[] = {"", ":", ":80", "80", "127.0.0.1", "0.0.0.0:80",
		"::1:80", "[::1]", "localhostx:80"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(listener_check_tcp(good[i], NULL), STATUS_OK);
	}
	for (size_t i = 0; i < sizeof(bad_hosts) / sizeof(bad_hosts[0]); i++) {
		assert_refused(bad_hosts[i], "is no loopback address with a port");
	}
	assert_refused("127.0.0.1:70000", "the port '70000' is no number up to 65535");
	assert_refused("127.0.0.1:99999999999999999999", "is no number up to 65535");
	assert_refused("[::1]:x", "the port 'x' is no number");
	assert_refused("localhost:", "the port '' is no number");
	assert_refused("localhost:-1", "the port '-1' is no number");
	assert_refused("localhost:80x", "the port '80x' is no number");
}

static int enter_folder(void **state)
{
	(void)state;
	return chdir(fixture_folder());
}

static int remove_folder(void **state)
{
	(void)state;
	fixture_remove_folder();
	return chdir("/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_socket_that_is_there_takes_connections),
		cmocka_unit_test(one_in_use_is_left_alone),
		cmocka_unit_test(the_longest_path_is_served),
		cmocka_unit_test(a_folder_that_is_none_is_named),
		cmocka_unit_test(what_is_wrong_with_an_address_is_said),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
