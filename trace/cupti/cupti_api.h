/* SPDX-License-Identifier: MIT */
/*
 * The calls of libcupti, looked up at run time: nothing here is linked to CUDA, and a machine
 * without it loses nothing but device records.
 */
#pragma once

#include "trace/base/diag.h"
#include "trace/base/status.h"

#include <cupti.h>
#include <stdint.h>

/* Which layouts of records this was compiled with. Updates of a release do not change them. */
#define CUPTI_RELEASE(version) ((version) / 100)

/* clang-format off */
/* X(member, symbol): a library without one of them is refused. */
#define CUPTI_NEEDED(X)                                                   \
	X(get_version,            cuptiGetVersion)                        \
	X(get_result_string,      cuptiGetResultString)                   \
	X(get_callback_name,      cuptiGetCallbackName)                   \
	X(get_timestamp,          cuptiGetTimestamp)                      \
	X(subscribe,              cuptiSubscribe_v2)                      \
	X(unsubscribe,            cuptiUnsubscribe)                       \
	X(set_thread_id_type,     cuptiSetThreadIdType)                   \
	X(set_attribute,          cuptiActivitySetAttribute)              \
	X(register_timestamp,     cuptiActivityRegisterTimestampCallback) \
	X(register_callbacks,     cuptiActivityRegisterCallbacks)         \
	X(enable,                 cuptiActivityEnable)                    \
	X(next_record,            cuptiActivityGetNextRecord)             \
	X(flush_all,              cuptiActivityFlushAll)                  \
	X(dropped_count,          cuptiActivityGetNumDroppedRecords)

/* Members may be NULL. */
#define CUPTI_OPTIONAL(X)                                                 \
	X(enable_runtime_call,    cuptiActivityEnableRuntimeApi)          \
	X(enable_driver_call,     cuptiActivityEnableDriverApi)           \
	X(enable_all_syncs,       cuptiActivityEnableAllSyncRecords)      \
	X(finalize,               cuptiFinalize)
/* clang-format on */

struct cupti_api {
	void *library;
#define CUPTI_MEMBER(member, symbol) __typeof__(&symbol) member;
	CUPTI_NEEDED(CUPTI_MEMBER)
	CUPTI_OPTIONAL(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

/*
 * `path` NULL: where the dynamic loader and CUDA's packages have it. The library stays loaded. Of
 * another release it is STATUS_UNSUPPORTED: it would write records that we read wrongly.
 */
MUST_CHECK enum status cupti_api_open(
	const char *path, struct diag *diag, struct cupti_api *out_api);

/* CUPTI's own text for a result, never NULL. */
const char *cupti_api_text(const struct cupti_api *api, CUptiResult result);
