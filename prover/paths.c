/* SPDX-License-Identifier: MIT */
#include "prover/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* By the XDG base directory specification a path that is not absolute counts as not set. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

static enum status fitted(int length, size_t size, struct diag *diag)
{
	if (length < 0 || (size_t)length >= size) {
		return diag_set(diag, STATUS_BAD_USE, "a directory's name is longer than %zu bytes",
			size - 1);
	}
	return STATUS_OK;
}

enum status paths_state_dir(struct diag *diag, char *path, size_t size)
{
	const char *service = environment("STATE_DIRECTORY");
	const char *state = environment("XDG_STATE_HOME");
	const char *home = environment("HOME");

	if (service) {
		/* systemd separates several by colons; the first is the daemon's. */
		return fitted(snprintf(path, size, "%.*s", (int)strcspn(service, ":"), service),
			size, diag);
	}
	if (state) {
		return fitted(snprintf(path, size, "%s/gaptrace", state), size, diag);
	}
	if (home) {
		return fitted(snprintf(path, size, "%s/.local/state/gaptrace", home), size, diag);
	}
	return diag_set(diag, STATUS_BAD_USE,
		"neither XDG_STATE_HOME nor HOME is an absolute path; say --state-dir DIR");
}

enum status paths_socket(const char *state_dir, struct diag *diag, char *path, size_t size)
{
	const char *runtime = environment("XDG_RUNTIME_DIR");

	if (runtime) {
		return fitted(
			snprintf(path, size, "%s/gaptrace/proverd.sock", runtime), size, diag);
	}
	if (!state_dir) {
		return diag_set(diag, STATUS_BAD_USE,
			"no XDG_RUNTIME_DIR, XDG_STATE_HOME or HOME says where the daemon's socket "
			"is; say --socket PATH");
	}
	return fitted(snprintf(path, size, "%s/proverd.sock", state_dir), size, diag);
}

/* One folder of a path; its parent is there. */
static enum status make_one(const char *path, struct diag *diag)
{
	struct stat info;

	/* Keys and sockets lie below: nobody else's business. */
	if (mkdir(path, 0700) == 0) {
		return STATUS_OK;
	}
	if (errno != EEXIST) {
		return diag_set(diag, status_from_errno(errno), "%s: cannot be made: %s", path,
			strerror(errno));
	}
	if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
		return diag_set(diag, STATUS_EXISTS, "%s: exists and is no directory", path);
	}
	return STATUS_OK;
}

enum status paths_make_dir(const char *path, struct diag *diag)
{
	char partial[PATH_MAX];

	if ((size_t)snprintf(partial, sizeof(partial), "%s", path) >= sizeof(partial)) {
		return diag_set(diag, STATUS_BAD_USE, "%s: the name is too long", path);
	}
	for (char *at = partial + 1;; at++) {
		const char kept = *at;
		enum status status = STATUS_OK;

		if (kept != '/' && kept != '\0') {
			continue;
		}
		*at = '\0';
		status = make_one(partial, diag);
		*at = kept;
		if (status != STATUS_OK || kept == '\0') {
			return status;
		}
	}
}
