/* SPDX-License-Identifier: MIT */
/*
 * Which requests a daemon without authentication must not serve: those that a web page makes the
 * browser of somebody on this host send. Browsers say so in headers that a page cannot forge.
 */
#pragma once

#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>

struct MHD_Connection;

/* PERMISSION, with the header that decided, for a request of a web page. */
MUST_CHECK enum status http_origin_check(
	struct MHD_Connection *connection, bool is_tcp, struct diag *diag);
