/* SPDX-License-Identifier: MIT */
#include "trace/cupti/subscription.h"

#include "trace/cupti/api_calls.h"

#include <stdio.h>

#define SUBSCRIBER_NAME "gaptrace"

/* With a callback 12.6 Update 2 to 13.0 may give kernels zero or wrong stamps, by the release
 * notes of 13.1, which mend it. */
#define CALLBACK_MENDED_RELEASE 1301

bool subscription_wants_callback(const struct collector_options *options)
{
	switch (options->clock) {
	case CLOCK_CHOICE_CALLBACK:
		return true;
	case CLOCK_CHOICE_DEFAULT:
		return false;
	case CLOCK_CHOICE_AUTO:
	default:
		return CUPTI_RELEASE(CUPTI_API_VERSION) >= CALLBACK_MENDED_RELEASE;
	}
}

/* No callback is ever enabled; a subscriber is what keeps other tools out. */
static void CUPTIAPI ignore_callback(
	void *context, CUpti_CallbackDomain domain, CUpti_CallbackId call, const void *data)
{
	(void)context;
	(void)domain;
	(void)call;
	(void)data;
}

static enum status refuse(
	const struct cupti_api *api, CUptiResult result, const char *what, struct diag *diag)
{
	const char *text = cupti_api_text(api, result);

	switch ((int)result) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		return diag_set(diag, STATUS_PERMISSION,
			"%s: %s: the driver keeps profiling to administrators: load it with "
			"NVreg_RestrictProfilingToAdminUsers=0, or give CAP_SYS_ADMIN",
			what, text);
	case CUPTI_ERROR_UNKNOWN:
	case CUPTI_ERROR_NOT_INITIALIZED:
		return diag_set(diag, STATUS_UNAVAILABLE,
			"%s: %s: is there an NVIDIA driver (libcuda.so.1)?", what, text);
	default:
		return diag_set(diag, STATUS_UNSUPPORTED, "%s: %s", what, text);
	}
}

static enum status subscribe(struct collector *collector, struct diag *diag)
{
	char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	CUpti_SubscriberParams params = {
		.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
		.subscriberName = SUBSCRIBER_NAME,
		.oldSubscriberName = holder,
		.oldSubscriberSize = sizeof(holder),
	};
	const CUptiResult result =
		collector->api->subscribe(&collector->subscriber, ignore_callback, NULL, &params);

	if (result == CUPTI_SUCCESS) {
		return STATUS_OK;
	}
	if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
		holder[sizeof(holder) - 1] = '\0';
		return diag_set(diag, STATUS_EXISTS,
			"CUPTI serves one tool at a time, and %s has it: run without that tool",
			holder[0] ? holder : "another one");
	}
	return refuse(collector->api, result, "cuptiSubscribe", diag);
}

struct wanted_kind {
	CUpti_ActivityKind kind;
	bool is_wanted;
};

/* Else records have pthread_self(), which is nobody in the rest of a recording. */
static bool use_system_thread_ids(const struct collector *collector)
{
	const struct cupti_api *api = collector->api;
	const CUptiResult result = api->set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
	char line[DIAG_LINE_BYTES_MAX];

	if (result == CUPTI_SUCCESS) {
		return true;
	}
	(void)snprintf(line, sizeof(line),
		"cuptiSetThreadIdType: %s: calls are left out, since nobody could tell whose they "
		"are",
		cupti_api_text(api, result));
	collector->callbacks->say(line);
	return false;
}

/* Kinds beside the kernels, which decide. A kind that this device or driver lacks is done without.
 */
static void enable_others(const struct collector *collector, bool has_thread_ids)
{
	const struct cupti_api *api = collector->api;
	const struct collector_options *options = collector->options;
	const bool has_runtime = options->records_runtime && has_thread_ids;
	const bool has_driver = options->records_driver && has_thread_ids;
	/* Devices and contexts first, so that what follows can be told of them. */
	const struct wanted_kind kinds[] = {
		{CUPTI_ACTIVITY_KIND_DEVICE, true},
		{CUPTI_ACTIVITY_KIND_CONTEXT, true},
		{CUPTI_ACTIVITY_KIND_MEMCPY, true},
		{CUPTI_ACTIVITY_KIND_MEMCPY2, true},
		{CUPTI_ACTIVITY_KIND_MEMSET, true},
		{CUPTI_ACTIVITY_KIND_OVERHEAD, has_thread_ids},
		{CUPTI_ACTIVITY_KIND_CUDA_EVENT, true},
		{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, true},
		{CUPTI_ACTIVITY_KIND_GRAPH_TRACE, options->records_whole_graphs},
		{CUPTI_ACTIVITY_KIND_RUNTIME, has_runtime},
		{CUPTI_ACTIVITY_KIND_DRIVER, has_driver},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].is_wanted) {
			(void)api->enable(kinds[i].kind);
		}
	}
	/* After the kinds, which would put the calls back in. */
	if (has_runtime) {
		api_calls_leave_out_polling(api, CUPTI_CB_DOMAIN_RUNTIME_API);
	}
	if (has_driver) {
		api_calls_leave_out_polling(api, CUPTI_CB_DOMAIN_DRIVER_API);
	}
	/* Queries that found their event or stream not ready are polling, too. */
	if (api->enable_all_syncs) {
		(void)api->enable_all_syncs(0);
	}
}

enum status subscription_open(struct collector *collector, bool wants_callback, struct diag *diag,
	enum clock_path *out_path)
{
	const struct cupti_api *api = collector->api;
	enum status status = subscribe(collector, diag);
	enum clock_path path = CLOCK_PATH_DEFAULT;
	uint8_t is_zeroed = 1;
	size_t bytes = sizeof(is_zeroed);
	bool has_thread_ids;
	CUptiResult result;

	if (status != STATUS_OK) {
		return status;
	}
	has_thread_ids = use_system_thread_ids(collector);
	(void)api->set_attribute(
		CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &is_zeroed);
	/* Once, and before any kind: a clock that changes later mixes both in the records. */
	if (wants_callback &&
		api->register_timestamp(collector->callbacks->timestamp) == CUPTI_SUCCESS) {
		path = CLOCK_PATH_CALLBACK;
	}
	result = api->register_callbacks(
		collector->callbacks->buffer_requested, collector->callbacks->buffer_completed);
	if (result == CUPTI_SUCCESS) {
		result = api->enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	}
	if (result != CUPTI_SUCCESS) {
		status = refuse(api, result, "kernels cannot be recorded", diag);
		subscription_close(collector);
		return status;
	}
	enable_others(collector, has_thread_ids);
	*out_path = path;
	return STATUS_OK;
}

void subscription_close(struct collector *collector)
{
	if (collector->subscriber) {
		(void)collector->api->unsubscribe(collector->subscriber);
		collector->subscriber = NULL;
	}
}
