/* SPDX-License-Identifier: MIT */
#include "prover/device/device_api.h"

#include "prover/device/device_driver.h"
#include "prover/device/device_engine.h"
#include "trace/base/clock.h"

#include <unistd.h>

struct device_call device_call_begin(struct device *device, enum device_api api)
{
	return (struct device_call){
		.device = device,
		.api = api,
		/* Unique in the process, whichever device: it joins operations to this call. */
		.correlation = device_driver_correlation(device->config.driver),
		.start_ns = clock_now_ns(),
	};
}

uint64_t device_call_end_locked(const struct device_call *call, enum status status)
{
	struct device *device = call->device;
	const uint64_t end_ns = clock_now_ns();

	gaptrace_gpu_api(&(struct gaptrace_gpu_api){
		.name = device->backend->api_names[call->api],
		/* A call ends on the thread that made it. */
		.tid = gettid(),
		.correlation = call->correlation,
		.start_ns = call->start_ns,
		.end_ns = end_ns,
		.result = (int32_t)status,
	});
	device->counts.api_count++;
	return end_ns - call->start_ns;
}

uint64_t device_call_end(const struct device_call *call, enum status status)
{
	uint64_t took_ns;

	gaptrace_mutex_lock(&call->device->mutex);
	took_ns = device_call_end_locked(call, status);
	gaptrace_mutex_unlock(&call->device->mutex);
	return took_ns;
}
