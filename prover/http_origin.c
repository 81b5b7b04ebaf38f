/* SPDX-License-Identifier: MIT */
#include "prover/http_origin.h"

#include <microhttpd.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* A name that a page's server chose, and that its DNS says is this host, is not among them. The
 * port may be any: a tunnel has its own. */
static bool is_loopback_host(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);

		if (strncasecmp(host, names[i], length) == 0) {
			const char *port = host + length;

			return *port == '\0' ||
			       (*port == ':' && port[1 + strspn(port + 1, "0123456789")] == '\0');
		}
	}
	return false;
}

enum status http_origin_check(struct MHD_Connection *connection, bool is_tcp, struct diag *diag)
{
	const char *origin =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
	const char *host =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	if (origin) {
		return diag_set(diag, STATUS_PERMISSION,
			"requests of web pages are refused: this one has the header Origin: %.100s",
			origin);
	}
	/* Only old clients leave it out, and browsers never. A unix socket is no page's to reach,
	 * and its clients may put in anything. */
	if (is_tcp && host && !is_loopback_host(host)) {
		return diag_set(diag, STATUS_PERMISSION,
			"the header Host: %.100s is not this host's: connect to 127.0.0.1, [::1] "
			"or "
			"localhost by that name",
			host);
	}
	return STATUS_OK;
}
