/* SPDX-License-Identifier: MIT */
#include "trace/cupti/api_calls.h"

#include <stdio.h>
#include <string.h>

static const CUpti_CallbackId runtime_polling[] = {
	CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_ptsz_v7000,
	CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
	CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000,
	CUPTI_RUNTIME_TRACE_CBID___cudaPushCallConfiguration_v13000,
	CUPTI_RUNTIME_TRACE_CBID___cudaPopCallConfiguration_v13000,
};

static const CUpti_CallbackId driver_polling[] = {
	CUPTI_DRIVER_TRACE_CBID_cuCtxGetDevice,
	CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent,
	CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent,
	CUPTI_DRIVER_TRACE_CBID_cuCtxPushCurrent,
	CUPTI_DRIVER_TRACE_CBID_cuCtxPopCurrent,
	CUPTI_DRIVER_TRACE_CBID_cuCtxPushCurrent_v2,
	CUPTI_DRIVER_TRACE_CBID_cuCtxPopCurrent_v2,
	CUPTI_DRIVER_TRACE_CBID_cuFuncGetAttribute,
	CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
	CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz,
	CUPTI_DRIVER_TRACE_CBID_cuEventQuery,
	CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttribute,
	CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttributes,
	CUPTI_DRIVER_TRACE_CBID_cuGetErrorString,
	CUPTI_DRIVER_TRACE_CBID_cuGetErrorName,
};

static const CUpti_CallbackId *polling_calls(CUpti_CallbackDomain domain, size_t *out_count)
{
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
		*out_count = sizeof(runtime_polling) / sizeof(runtime_polling[0]);
		return runtime_polling;
	}
	*out_count = sizeof(driver_polling) / sizeof(driver_polling[0]);
	return driver_polling;
}

bool api_calls_is_polling(CUpti_CallbackDomain domain, CUpti_CallbackId call)
{
	size_t count;
	const CUpti_CallbackId *calls = polling_calls(domain, &count);

	for (size_t i = 0; i < count; i++) {
		if (calls[i] == call) {
			return true;
		}
	}
	return false;
}

void api_calls_leave_out_polling(const struct cupti_api *api, CUpti_CallbackDomain domain)
{
	size_t count;
	const CUpti_CallbackId *calls = polling_calls(domain, &count);
	CUptiResult (*enable)(CUpti_CallbackId call, uint8_t is_on) =
		domain == CUPTI_CB_DOMAIN_RUNTIME_API ? api->enable_runtime_call
						      : api->enable_driver_call;

	for (size_t i = 0; enable && i < count; i++) {
		(void)enable(calls[i], 0);
	}
}

/* cuMemcpyHtoDAsync_v2_ptsz and cudaStreamQuery_ptsz_v7000 both have two suffixes. */
static size_t without_suffix(const char *name, size_t length)
{
	size_t digits = length;

	while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
		digits--;
	}
	if (digits < length && digits > 2 && memcmp(name + digits - 2, "_v", 2) == 0) {
		return digits - 2;
	}
	if (length > 5 && (memcmp(name + length - 5, "_ptsz", 5) == 0 ||
				  memcmp(name + length - 5, "_ptds", 5) == 0)) {
		return length - 5;
	}
	return length;
}

void api_calls_name(const struct cupti_api *api, CUpti_CallbackDomain domain, CUpti_CallbackId call,
	char *name, size_t bytes)
{
	const char *full = NULL;
	size_t length;

	if (api->get_callback_name(domain, call, &full) != CUPTI_SUCCESS || !full) {
		(void)snprintf(name, bytes, "%s call %u",
			domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "runtime" : "driver",
			(unsigned)call);
		return;
	}
	length = strlen(full);
	length = without_suffix(full, without_suffix(full, length));
	length = length < bytes ? length : bytes - 1;
	memcpy(name, full, length);
	name[length] = '\0';
}
