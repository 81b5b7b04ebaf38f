/* SPDX-License-Identifier: MIT */
#include "trace/base/status.h"

#include <errno.h>

struct status_row {
	const char *text;
	int http_code;
	int exit_code;
};

#define STATUS_ROW(name, http, exit, text) [STATUS_##name] = {text, http, exit},
static const struct status_row rows[STATUS_COUNT] = {STATUS_TABLE(STATUS_ROW)};
#undef STATUS_ROW

static const struct status_row *row_of(enum status status)
{
	return (unsigned int)status < STATUS_COUNT ? &rows[status] : &rows[STATUS_INTERNAL];
}

const char *status_text(enum status status)
{
	return row_of(status)->text;
}

int status_http_code(enum status status)
{
	return row_of(status)->http_code;
}

int status_exit_code(enum status status)
{
	return row_of(status)->exit_code;
}

enum status status_from_errno(int error)
{
	switch (error) {
	case 0:
		return STATUS_OK;
	case ENOMEM:
		return STATUS_NO_MEMORY;
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
	case ELOOP:
		return STATUS_NOT_FOUND;
	case EEXIST:
	case EADDRINUSE:
		return STATUS_EXISTS;
	case EACCES:
	case EPERM:
	case EROFS:
		return STATUS_PERMISSION;
	case ENOSPC:
	case EDQUOT:
		return STATUS_NO_SPACE;
	case EINVAL:
		return STATUS_BAD_USE;
	case EFBIG:
	case EMSGSIZE:
	case ENAMETOOLONG:
		return STATUS_TOO_LARGE;
	case EAGAIN:
	case EMFILE:
	case ENFILE:
		return STATUS_OVER_LIMIT;
	case ECONNREFUSED:
	case ECONNRESET:
	case EPIPE:
		return STATUS_UNAVAILABLE;
	case ETIMEDOUT:
		return STATUS_TIMED_OUT;
	default:
		return STATUS_IO;
	}
}
