/* SPDX-License-Identifier: MIT */
#include "tests/integration/lookalike_records.h"

size_t lookalike_record_bytes(CUpti_ActivityKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel10);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return sizeof(CUpti_ActivityMemcpyPtoP4);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return sizeof(CUpti_ActivityAPI);
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
		return sizeof(CUpti_ActivitySynchronization2);
	case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
		return sizeof(CUpti_ActivityCudaEvent2);
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return sizeof(CUpti_ActivityOverhead3);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return sizeof(CUpti_ActivityGraphTrace2);
	case CUPTI_ACTIVITY_KIND_DEVICE:
		return sizeof(CUpti_ActivityDevice5);
	case CUPTI_ACTIVITY_KIND_CONTEXT:
		return sizeof(CUpti_ActivityContext3);
	case CUPTI_ACTIVITY_KIND_STREAM:
		return sizeof(CUpti_ActivityStream);
	case CUPTI_ACTIVITY_KIND_MARKER:
		return sizeof(CUpti_ActivityMarker2);
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
		return sizeof(CUpti_ActivityExternalCorrelation);
	default:
		return 0;
	}
}

/* As the real one: the record after `*record`, or the first when it is NULL. */
CUptiResult CUPTIAPI cuptiActivityGetNextRecord(
	uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record)
{
	size_t offset = 0;

	if (*record) {
		offset = (size_t)((uint8_t *)*record - buffer) +
			 lookalike_record_bytes((*record)->kind);
	}
	if (offset >= valid_bytes) {
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	}
	if (valid_bytes - offset < sizeof(CUpti_Activity) ||
		lookalike_record_bytes(((CUpti_Activity *)(buffer + offset))->kind) == 0) {
		return CUPTI_ERROR_INVALID_KIND;
	}
	*record = (CUpti_Activity *)(buffer + offset);
	return CUPTI_SUCCESS;
}
