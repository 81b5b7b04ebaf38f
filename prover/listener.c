/* SPDX-License-Identifier: MIT */
#include "prover/listener.h"

#include "trace/base/path.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A unix socket's path in the making: one that is there accepts connections. A single byte, for the
 * kernel takes a path that fills its field without a zero, so no path is too long for this. */
#define LISTENER_MAKING_SUFFIX '~'

/* Connections that may wait to be accepted. */
#define LISTENER_BACKLOG 128

static enum status fail(struct diag *diag, const char *name, const char *what, int error)
{
	return diag_set(diag, status_from_errno(error), "%s: %s: %s", name, what, strerror(error));
}

/* Whether the file that is locked is still the one of that name. */
static bool is_lock_there(int lock_fd, const char *lock_path)
{
	struct stat locked;
	struct stat named;

	return fstat(lock_fd, &locked) == 0 && stat(lock_path, &named) == 0 &&
	       locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

/*
 * The lock tells a live daemon from a dead one without a race between two that start. Whoever holds
 * it, and only he, removes its file at the end; one that was opened before and locked after that is
 * no lock, so it is opened again.
 */
static enum status take_lock(const char *path, struct diag *diag, struct listener *listener)
{
	char lock_path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + sizeof(".lock")];
	char reason[PATH_REASON_BYTES];

	(void)snprintf(lock_path, sizeof(lock_path), "%s.lock", path);
	do {
		if (listener->lock_fd >= 0) {
			(void)close(listener->lock_fd);
		}
		listener->lock_fd = open(lock_path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		if (listener->lock_fd < 0) {
			return diag_set(diag, status_from_errno(errno),
				"%s: no socket can be made there: %s", path,
				path_reason(path, errno, reason));
		}
		if (flock(listener->lock_fd, LOCK_EX | LOCK_NB) != 0) {
			return diag_set(diag, STATUS_EXISTS,
				"%s: in use by a daemon that runs; stop it, or choose another with "
				"--socket",
				path);
		}
	} while (!is_lock_there(listener->lock_fd, lock_path));
	(void)snprintf(listener->lock_path, sizeof(listener->lock_path), "%s", lock_path);
	return STATUS_OK;
}

/* Someone else's file is not removed, and neither is a socket that somebody answers on. */
static enum status remove_stale(
	const char *path, const struct sockaddr_un *address, struct diag *diag)
{
	struct stat info;
	int probe = -1;
	bool is_alive = false;

	if (lstat(path, &info) != 0) {
		return errno == ENOENT ? STATUS_OK : fail(diag, path, "cannot be looked at", errno);
	}
	if (!S_ISSOCK(info.st_mode)) {
		return diag_set(diag, STATUS_EXISTS, "%s: exists and is no socket", path);
	}
	/* A program that is no proverd takes no lock of ours, but it answers. */
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	is_alive = probe >= 0 &&
		   connect(probe, (const struct sockaddr *)address, sizeof(*address)) == 0;
	if (probe >= 0) {
		(void)close(probe);
	}
	if (is_alive) {
		return diag_set(diag, STATUS_EXISTS,
			"%s: in use by a program that runs; stop it, or choose another with "
			"--socket",
			path);
	}
	if (unlink(path) != 0) {
		return fail(diag, path, "the socket a dead daemon left cannot be removed", errno);
	}
	return STATUS_OK;
}

/* Binds beside `address` and moves the socket there once it listens: a client that sees it gets in.
 */
static enum status bind_unix(
	const struct sockaddr_un *address, struct diag *diag, struct listener *listener)
{
	struct sockaddr_un making = *address;
	char making_path[sizeof(making.sun_path) + 1];
	const size_t length = strlen(address->sun_path);
	mode_t mask = 0;
	struct stat info;
	int result = 0;

	making.sun_path[length] = LISTENER_MAKING_SUFFIX;
	(void)snprintf(making_path, sizeof(making_path), "%s%c", address->sun_path,
		LISTENER_MAKING_SUFFIX);
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0) {
		return fail(diag, address->sun_path, "no socket", errno);
	}
	/* Of a daemon that was killed here; with the lock held no other is at it. */
	if (lstat(making_path, &info) == 0 && S_ISSOCK(info.st_mode)) {
		(void)unlink(making_path);
	}
	/* Only the daemon's user may connect; no other thread runs yet that the mask could hurt. */
	mask = umask(0177);
	result = bind(listener->fd, (const struct sockaddr *)&making, sizeof(making));
	(void)umask(mask);
	if (result != 0) {
		return fail(diag, making_path, "cannot bind", errno);
	}
	if (listen(listener->fd, LISTENER_BACKLOG) != 0 ||
		rename(making_path, address->sun_path) != 0) {
		enum status status = fail(diag, address->sun_path, "cannot listen", errno);

		(void)unlink(making_path);
		return status;
	}
	(void)snprintf(listener->path, sizeof(listener->path), "%s", address->sun_path);
	return STATUS_OK;
}

enum status listener_open_unix(const char *path, struct diag *diag, struct listener *out_listener)
{
	struct listener listener = {.fd = -1, .lock_fd = -1};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	enum status status = STATUS_OK;

	assert(path && out_listener);

	if (strlen(path) >= sizeof(address.sun_path)) {
		return diag_set(diag, STATUS_BAD_USE,
			"%s: a unix socket's path has at most %zu bytes", path,
			sizeof(address.sun_path) - 1);
	}
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	status = take_lock(path, diag, &listener);
	if (status == STATUS_OK) {
		status = remove_stale(path, &address, diag);
	}
	if (status == STATUS_OK) {
		status = bind_unix(&address, diag, &listener);
	}
	if (status != STATUS_OK) {
		listener_close(&listener);
		return status;
	}
	(void)snprintf(listener.name, sizeof(listener.name), "unix:%s", path);
	*out_listener = listener;
	return STATUS_OK;
}

struct tcp_address {
	int family;
	struct sockaddr_storage storage;
	socklen_t size;
};

/* Only loopback: the daemon has no authentication. */
static enum status parse_address(
	const char *text, struct diag *diag, struct tcp_address *out_address)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out_address->storage;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out_address->storage;
	/* Of "[::1]:80" the last colon parts the port. */
	const char *colon = strrchr(text, ':');
	const size_t length = colon ? (size_t)(colon - text) : 0;
	const bool is_v6 = length == 5 && strncmp(text, "[::1]", length) == 0;
	char *end = NULL;
	unsigned long port = 0;

	memset(out_address, 0, sizeof(*out_address));
	if (!is_v6 && (length != 9 || (strncmp(text, "127.0.0.1", length) != 0 &&
					      strncmp(text, "localhost", length) != 0))) {
		return diag_set(diag, STATUS_BAD_USE,
			"'%s' is no loopback address with a port; write 127.0.0.1:PORT or "
			"[::1]:PORT, for the daemon serves whoever connects",
			text);
	}
	/* Digits only: strtoul() alone would take signs, blanks and an empty text. */
	port = strtoul(colon + 1, &end, 10);
	if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || port > 65535) {
		return diag_set(diag, STATUS_BAD_USE,
			"'%s': the port '%s' is no number up to 65535", text, colon + 1);
	}
	if (is_v6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		v6->sin6_addr = in6addr_loopback;
		out_address->family = AF_INET6;
		out_address->size = sizeof(*v6);
	} else {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		out_address->family = AF_INET;
		out_address->size = sizeof(*v4);
	}
	return STATUS_OK;
}

enum status listener_check_tcp(const char *address, struct diag *diag)
{
	struct tcp_address parsed;

	return parse_address(address, diag, &parsed);
}

/* The port that the kernel chose, for port 0. */
static uint16_t bound_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address;
	socklen_t size = sizeof(address);

	memset(&address, 0, sizeof(address));
	(void)getsockname(fd, &address.any, &size);
	return ntohs(
		address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

enum status listener_open_tcp(const char *address, struct diag *diag, struct listener *out_listener)
{
	struct listener listener = {.fd = -1, .lock_fd = -1};
	struct tcp_address parsed = {.size = 0};
	int reuse = 1;
	enum status status = parse_address(address, diag, &parsed);

	assert(address && out_listener);

	if (status != STATUS_OK) {
		return status;
	}
	listener.fd = socket(parsed.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener.fd < 0) {
		return fail(diag, address, "no socket", errno);
	}
	/* A port in TIME_WAIT of the daemon before is free for this one. */
	(void)setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
	if (bind(listener.fd, (struct sockaddr *)&parsed.storage, parsed.size) != 0) {
		status = errno == EADDRINUSE
				 ? diag_set(diag, STATUS_EXISTS,
					   "%s: the port is in use; choose another with --listen",
					   address)
				 : fail(diag, address, "cannot bind", errno);
	} else if (listen(listener.fd, LISTENER_BACKLOG) != 0) {
		status = fail(diag, address, "cannot listen", errno);
	}
	if (status != STATUS_OK) {
		listener_close(&listener);
		return status;
	}
	(void)snprintf(listener.name, sizeof(listener.name), "http://%.*s:%u",
		(int)(strrchr(address, ':') - address), address, bound_port(listener.fd));
	*out_listener = listener;
	return STATUS_OK;
}

void listener_close(struct listener *listener)
{
	if (listener->fd >= 0) {
		(void)close(listener->fd);
		listener->fd = -1;
	}
	if (listener->path[0] != '\0') {
		/* Before the lock is let go: after it the socket may be another daemon's. */
		(void)unlink(listener->path);
		listener->path[0] = '\0';
	}
	/* While it is locked: after that the file may be another daemon's. */
	if (listener->lock_path[0] != '\0') {
		(void)unlink(listener->lock_path);
		listener->lock_path[0] = '\0';
	}
	if (listener->lock_fd >= 0) {
		(void)close(listener->lock_fd);
		listener->lock_fd = -1;
	}
}
