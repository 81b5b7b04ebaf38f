/* SPDX-License-Identifier: MIT */
#include "trace/base/path.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The first folder on the way to `path` that is none, cut out of `path`; false when all are. */
static bool find_fault(const char *path, char out_folder[PATH_MAX])
{
	const char *slash = strchr(path + strspn(path, "/"), '/');
	struct stat facts;

	for (; slash; slash = strchr(slash + strspn(slash, "/"), '/')) {
		const size_t length = (size_t)(slash - path);

		if (length >= PATH_MAX) {
			return false;
		}
		memcpy(out_folder, path, length);
		out_folder[length] = '\0';
		if (stat(out_folder, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
			return true;
		}
	}
	return false;
}

bool path_has_folders(const char *path)
{
	const int kept_errno = errno;
	char folder[PATH_MAX];
	const bool has_folders = !find_fault(path, folder);

	errno = kept_errno;
	return has_folders;
}

const char *path_reason(const char *path, int error, char out_text[PATH_REASON_BYTES])
{
	const int kept_errno = errno;
	char folder[PATH_MAX];

	assert(path && out_text);

	if ((error == ENOENT || error == ENOTDIR) && find_fault(path, folder)) {
		(void)snprintf(out_text, PATH_REASON_BYTES,
			error == ENOENT ? "there is no folder %s" : "%s is no folder", folder);
	} else {
		(void)snprintf(out_text, PATH_REASON_BYTES, "%s", strerror(error));
	}
	errno = kept_errno;
	return out_text;
}
