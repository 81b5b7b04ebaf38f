/* SPDX-License-Identifier: MIT */
#include "trace/emit/nvtx_range.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stddef.h>

/* Names registered with the tool; a power of two. Further names are sent as text each time. */
#define STRING_COUNT_MAX 1024

void *nvtx_range_tool;

/* Open addressing by the name's address. Rows are only added; readers take no lock. */
static struct {
	pthread_mutex_t mutex; /* taken to add a row */
	struct {
		const char *name; /* written last */
		nvtxStringHandle_t handle;
	} rows[STRING_COUNT_MAX];
} strings = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void fork_prepare(void)
{
	pthread_mutex_lock(&strings.mutex);
}

static void fork_done(void)
{
	pthread_mutex_unlock(&strings.mutex);
}

__attribute__((constructor)) static void nvtx_range_attach(void)
{
	/* NULL when no tool is attached. */
	nvtxDomainHandle_t domain = nvtxDomainCreateA(NVTX_RANGE_DOMAIN);

	if (!domain) {
		return;
	}
#define NAME_CATEGORY(constant, value, label) nvtxDomainNameCategoryA(domain, value, label);
	NVTX_RANGE_CATEGORIES(NAME_CATEGORY)
#undef NAME_CATEGORY
	nvtx_range_tool = domain;
	(void)pthread_atfork(fork_prepare, fork_done, fork_done);
}

static size_t slot_of(const char *name)
{
	return (size_t)(((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ULL) >> 32) %
	       STRING_COUNT_MAX;
}

/* The row of `name`, or the free one where it belongs, or STRING_COUNT_MAX when all are taken. */
static size_t find_row(const char *name)
{
	size_t slot = slot_of(name);

	for (size_t i = 0; i < STRING_COUNT_MAX; i++) {
		size_t row = (slot + i) % STRING_COUNT_MAX;
		const char *found = __atomic_load_n(&strings.rows[row].name, __ATOMIC_ACQUIRE);

		/* Names live as long as the process, so equal texts at two addresses are only
		 * two rows. */
		if (!found || found == name) {
			return row;
		}
	}
	return STRING_COUNT_MAX;
}

/* The tool's handle of `name`, NULL when it has to be sent as text. */
static nvtxStringHandle_t string_handle(const char *name)
{
	size_t row = find_row(name);

	if (row == STRING_COUNT_MAX) {
		return NULL;
	}
	if (__atomic_load_n(&strings.rows[row].name, __ATOMIC_ACQUIRE) == name) {
		return strings.rows[row].handle;
	}
	/* Looked for again: another thread may have added it since. */
	pthread_mutex_lock(&strings.mutex);
	row = find_row(name);
	if (row < STRING_COUNT_MAX && !strings.rows[row].name) {
		strings.rows[row].handle = nvtxDomainRegisterStringA(nvtx_range_tool, name);
		__atomic_store_n(&strings.rows[row].name, name, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&strings.mutex);
	return row < STRING_COUNT_MAX ? strings.rows[row].handle : NULL;
}

static nvtxEventAttributes_t attributes(enum nvtx_range_category category, const char *name)
{
	const char *text = name ? name : "(unnamed)";
	nvtxEventAttributes_t event = {
		.version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.category = category,
		.messageType = NVTX_MESSAGE_TYPE_REGISTERED,
	};

	event.message.registered = string_handle(text);
	if (!event.message.registered) {
		event.messageType = NVTX_MESSAGE_TYPE_ASCII;
		event.message.ascii = text;
	}
	return event;
}

void nvtx_range_push_always(enum nvtx_range_category category, const char *name)
{
	nvtxEventAttributes_t event = attributes(category, name);

	(void)nvtxDomainRangePushEx(nvtx_range_tool, &event);
}

void nvtx_range_pop_always(void)
{
	(void)nvtxDomainRangePop(nvtx_range_tool);
}

uint64_t nvtx_range_start_always(enum nvtx_range_category category, const char *name)
{
	nvtxEventAttributes_t event = attributes(category, name);

	return nvtxDomainRangeStartEx(nvtx_range_tool, &event);
}

void nvtx_range_end_always(uint64_t range)
{
	nvtxDomainRangeEnd(nvtx_range_tool, range);
}

void nvtx_range_name_thread_always(int32_t tid, const char *name)
{
	nvtxNameOsThreadA((uint32_t)tid, name);
}
