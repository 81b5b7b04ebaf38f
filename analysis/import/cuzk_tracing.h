/* SPDX-License-Identifier: MIT */
/*
 * Lines of the daemon's tracing log: `<UTC>Z LEVEL [span{fields}: ]target: message k=v`. Only the
 * messages that tell times are known by name.
 */
#pragma once

#include "analysis/import/cuzk_text.h"

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* X(constant, what the message begins with) */
#define CUZK_TRACING_TABLE(X)                                                        \
	X(HOT_PATH,        "GPU_TIMING hot_path pre-prove overhead")                 \
	X(PROVE_START,     "GPU_TIMING spawn_blocking prove_start")                  \
	X(START_RETURNED,  "GPU_TIMING prove_start returned")                        \
	X(GPU_COMPLETE,    "partition GPU prove complete")                           \
	X(TRIM,            "FIN_TIMING malloc_trim")                                 \
	X(FINALIZER,       "FIN_TIMING finalizer partition")                         \
	X(FINALIZER_WHOLE, "FIN_TIMING finalizer monolithic")                        \
	X(ASSEMBLED,       "Phase 7: all partitions complete, proof assembled")      \
	X(COMPLETED,       "proof completed successfully (pipeline)")                \
	X(SELF_CHECKED,    "PoRep proof self-check PASSED")                          \
	X(SYNTH_COMPLETE,  "partition synthesis complete, pushing to GPU queue")     \
	X(ENQUEUED,        "job enqueued")                                           \
	X(SRS_LOADED,      "SRS loaded successfully")                                \
	X(BUDGET_WAITING,  "waiting for budget (acquire blocked)")                   \
	X(BUDGET_ACQUIRED, "budget acquired")
/* clang-format on */

#define CUZK_TRACING_ENUM(constant, message) CUZK_TRACING_##constant,
enum cuzk_tracing_message {
	CUZK_TRACING_TABLE(CUZK_TRACING_ENUM) CUZK_TRACING_OTHER
};
#undef CUZK_TRACING_ENUM

struct cuzk_tracing {
	uint64_t utc_ns; /* since 1970 */
	enum cuzk_tracing_message message;
	const char *fields; /* after the message, in the line */
	int32_t worker; /* of the span gpu_worker around it, and its GPU; CUZK_NONE without one */
	int32_t gpu;
	struct cuzk_word job; /* of that span; empty without one */
};

/* False when the line is none. */
bool cuzk_tracing_parse(const char *line, struct cuzk_tracing *out_tracing);

/* Whether the line is one of cuzk's as tracing's JSON formatter writes it, for which the daemon has
 * to be rebuilt. */
bool cuzk_tracing_is_json(const char *line);
