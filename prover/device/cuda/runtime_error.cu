/* SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>
#include <stdio.h>

extern "C" {
#include "prover/device/cuda/runtime_error.h"
}

extern "C" enum status runtime_error_status(int error)
{
	switch (error) {
	case cudaSuccess:
		return STATUS_OK;
	case cudaErrorMemoryAllocation:
		return STATUS_NO_MEMORY;
	case cudaErrorInvalidValue:
		return STATUS_BAD_USE;
	case cudaErrorNoDevice:
	case cudaErrorInvalidDevice:
	case cudaErrorInsufficientDriver:
	case cudaErrorInitializationError:
	case cudaErrorSystemNotReady:
	case cudaErrorSystemDriverMismatch:
	case cudaErrorDevicesUnavailable:
		return STATUS_UNAVAILABLE;
	case cudaErrorNoKernelImageForDevice:
	case cudaErrorUnsupportedPtxVersion:
	case cudaErrorNotSupported:
		return STATUS_UNSUPPORTED;
	default:
		return STATUS_INTERNAL;
	}
}

extern "C" bool runtime_error_is_sticky(int error)
{
	switch (error) {
	case cudaErrorECCUncorrectable:
	case cudaErrorNvlinkUncorrectable:
	case cudaErrorContained:
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorContextIsDestroyed:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
	case cudaErrorTensorMemoryLeak:
	case cudaErrorExternalDevice:
		return true;
	default:
		return false;
	}
}

/* True when the line was in that state; it is then the caller's until it stores the next one. */
static bool take(struct runtime_line *line, int from)
{
	return __atomic_compare_exchange_n(&line->state, &from,
		RUNTIME_LINE_BUSY, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static void leave(struct runtime_line *line, int state)
{
	__atomic_store_n(&line->state, state, __ATOMIC_SEQ_CST);
}

extern "C" void runtime_line_keep(struct runtime_line *line, int error, const char *call)
{
	const cudaError_t cuda_error = static_cast<cudaError_t>(error);

	if (take(line, RUNTIME_LINE_NONE)) {
		(void)snprintf(line->text, sizeof(line->text), "%s: %s: %s", call,
			cudaGetErrorName(cuda_error), cudaGetErrorString(cuda_error));
		leave(line, RUNTIME_LINE_KEPT);
	}
}

extern "C" bool runtime_line_read(const struct runtime_line *line, struct diag *out_words)
{
	const bool is_kept = __atomic_load_n(&line->state,
				     __ATOMIC_SEQ_CST) == RUNTIME_LINE_KEPT;

	(void)snprintf(out_words->line, sizeof(out_words->line), "%s", is_kept ? line->text : "");
	return is_kept;
}

extern "C" bool runtime_line_take(struct runtime_line *line, struct diag *out_words)
{
	out_words->line[0] = '\0';
	if (!take(line, RUNTIME_LINE_KEPT)) {
		return false;
	}
	(void)snprintf(out_words->line, sizeof(out_words->line), "%s", line->text);
	leave(line, RUNTIME_LINE_NONE);
	return true;
}
