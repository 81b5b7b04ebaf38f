/* SPDX-License-Identifier: MIT */
/*
 * A trace with a stream cut in the middle of a packet is refused as a whole by source.ctf.fs. This
 * makes a directory beside it, in the folder for temporary files, in which every stream ends with
 * its last whole packet: links to what is good, shortened copies of what is not.
 */
#pragma once

#include "analysis/plugin/salvage_guard.h"
#include "trace/base/cleanup.h"
#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* What was left out of one stream. */
struct salvage_cut {
	const char *path;
	uint64_t kept_bytes;
	uint64_t lost_bytes;
	bool has_range; /* the header of the packet that was cut is still there */
	uint64_t begin_ns;
	uint64_t end_ns;
};

struct salvage_listener {
	void *context;
	enum status (*cut)(void *context, const struct salvage_cut *cut);
};

/* What was made; all zeros: nothing. */
struct salvage {
	char *directory;
	struct salvage_guard guard;
};

/*
 * Gives the made directory; to be removed with salvage_remove, or gone with this process. NOT_FOUND
 * when no stream of the trace is cut and no index is damaged, so that there is nothing to mend.
 * Indexes are left out.
 */
MUST_CHECK enum status salvage_make(const char *trace, const struct salvage_listener *listener,
	struct salvage *out_salvage, struct diag *diag);

/* Removes the directory, if there is one. */
void salvage_remove(struct salvage *salvage);
