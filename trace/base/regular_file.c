/* SPDX-License-Identifier: MIT */
#include "trace/base/regular_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int regular_file_open(const char *path, struct stat *out_facts)
{
	struct stat facts;
	int descriptor;
	int error;

	assert(path);

	if (stat(path, &facts) != 0) {
		return -1;
	}
	if (!S_ISREG(facts.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	/* Another may have taken its place meanwhile. */
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0) {
		return -1;
	}
	if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
		error = S_ISREG(facts.st_mode) ? errno : EINVAL;
		(void)close(descriptor);
		errno = error;
		return -1;
	}
	if (out_facts) {
		*out_facts = facts;
	}
	return descriptor;
}
