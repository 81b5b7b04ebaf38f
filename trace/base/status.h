/* SPDX-License-Identifier: MIT */
/*
 * The one error type of the project. One table gives each value its HTTP code, process exit code
 * and text, so that the edges cannot disagree. Exit codes are those of sysexits.h where one fits.
 */
#pragma once

#include "trace/base/cleanup.h"

/* clang-format off */
#define STATUS_TABLE(X)                                                   \
	X(OK,            200,  0, "success")                              \
	X(NO_MEMORY,     503, 71, "out of memory")                        \
	X(BAD_INPUT,     400, 65, "input does not parse")                 \
	X(BAD_USE,       400,  2, "wrong use")                            \
	X(OVER_LIMIT,    429, 75, "a configured limit was hit")           \
	X(TOO_LARGE,     413, 65, "larger than can ever be accepted")     \
	X(NOT_FOUND,     404, 66, "no such thing")                        \
	X(EXISTS,        409, 73, "exists already")                       \
	X(PERMISSION,    403, 77, "not permitted")                        \
	X(IO,            500, 74, "input or output failed")               \
	X(NO_SPACE,      507, 74, "no space left")                        \
	X(UNAVAILABLE,   503, 69, "a needed service is not available")    \
	X(UNSUPPORTED,   501, 69, "not supported here")                   \
	X(INVALID_PROOF, 422, 65, "the proof does not verify")            \
	X(STOPPED,       503, 75, "shutting down")                        \
	X(TIMED_OUT,     504, 75, "timed out")                            \
	X(UNTRUSTED,     500,  4, "the recording cannot answer this")     \
	X(INTERNAL,      500, 70, "internal error")
/* clang-format on */

#define STATUS_ENUM(name, http, exit, text) STATUS_##name,
enum status {
	STATUS_TABLE(STATUS_ENUM) STATUS_COUNT
};
#undef STATUS_ENUM

/* A short English text, never NULL, valid for ever. */
const char *status_text(enum status status);

/* The HTTP response code that stands for `status`. */
int status_http_code(enum status status);

/* The process exit code that stands for `status`. */
int status_exit_code(enum status status);

/* The status that stands for `error`, a value of errno. */
enum status status_from_errno(int error);
