/* SPDX-License-Identifier: MIT */
#include "analysis/import/kineto_names.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct word {
	const char *name;
	int value;
};

/* clang-format off */
static const struct word categories[] = {
	{"cpu_op",              KINETO_CATEGORY_RANGE},
	{"python_function",     KINETO_CATEGORY_PYTHON},
	{"kernel",              KINETO_CATEGORY_KERNEL},
	{"cuda_runtime",        KINETO_CATEGORY_CALL},
	{"cuda_driver",         KINETO_CATEGORY_CALL},
	{"gpu_memcpy",          KINETO_CATEGORY_COPY},
	{"gpu_memset",          KINETO_CATEGORY_MEMSET},
	{"memcpy",              KINETO_CATEGORY_COPY},
	{"memset",              KINETO_CATEGORY_MEMSET},
	{"concurrent_kernel",   KINETO_CATEGORY_KERNEL},
	{"runtime",             KINETO_CATEGORY_CALL},
	{"driver",              KINETO_CATEGORY_CALL},
	{"overhead",            KINETO_CATEGORY_OVERHEAD},
	{"ac2g",                KINETO_CATEGORY_FLOW},
	{"async",               KINETO_CATEGORY_FLOW},
	{"async_gpu",           KINETO_CATEGORY_FLOW},
	{"async_cpu_to_gpu",    KINETO_CATEGORY_FLOW},
	{"gpu_user_annotation", KINETO_CATEGORY_NOTHING},
	{"trace",               KINETO_CATEGORY_NOTHING},
};

/* Those of other makers' devices: hip_runtime, xpu_driver, cuda_sync. */
static const struct word category_ends[] = {
	{"_runtime", KINETO_CATEGORY_CALL},
	{"_driver",  KINETO_CATEGORY_CALL},
	{"_sync",    KINETO_CATEGORY_SYNC},
};

/* With arrays counted as memory of the device. */
static const struct word copies[] = {
	{"HtoD", GAPTRACE_COPY_HTOD}, {"HtoA", GAPTRACE_COPY_HTOD}, {"DtoH", GAPTRACE_COPY_DTOH},
	{"AtoH", GAPTRACE_COPY_DTOH}, {"DtoD", GAPTRACE_COPY_DTOD}, {"DtoA", GAPTRACE_COPY_DTOD},
	{"AtoD", GAPTRACE_COPY_DTOD}, {"AtoA", GAPTRACE_COPY_DTOD}, {"HtoH", GAPTRACE_COPY_HTOH},
	{"PtoP", GAPTRACE_COPY_PTOP}, {"HostToDevice", GAPTRACE_COPY_HTOD},
	{"DeviceToHost", GAPTRACE_COPY_DTOH}, {"DeviceToDevice", GAPTRACE_COPY_DTOD},
	{"HostToHost", GAPTRACE_COPY_HTOH},
};

/* "Host", of AMD, may be either kind. */
static const struct word memories[] = {
	{"Device Static",  GAPTRACE_MEMORY_DEVICE_STATIC},
	{"Managed Static", GAPTRACE_MEMORY_MANAGED_STATIC},
	{"Pageable",       GAPTRACE_MEMORY_PAGEABLE},
	{"Pinned",         GAPTRACE_MEMORY_PINNED},
	{"Device",         GAPTRACE_MEMORY_DEVICE},
	{"Array",          GAPTRACE_MEMORY_ARRAY},
	{"Managed",        GAPTRACE_MEMORY_MANAGED},
};

static const struct word syncs[] = {
	{"Event Sync",                GAPTRACE_SYNC_EVENT},
	{"Event Synchronize",         GAPTRACE_SYNC_EVENT},
	{"Stream Wait Event",         GAPTRACE_SYNC_STREAM_WAIT_EVENT},
	{"Stream Sync",               GAPTRACE_SYNC_STREAM},
	{"Stream Synchronize",        GAPTRACE_SYNC_STREAM},
	{"Context Sync",              GAPTRACE_SYNC_DEVICE},
	{"Context Synchronize",       GAPTRACE_SYNC_DEVICE},
	{"Device Sync",               GAPTRACE_SYNC_DEVICE},
};

static const struct word overheads[] = {
	{"Driver Compiler",                  GAPTRACE_OVERHEAD_DRIVER_COMPILER},
	{"Buffer Flush",                     GAPTRACE_OVERHEAD_BUFFER_FLUSH},
	{"Instrumentation",                  GAPTRACE_OVERHEAD_INSTRUMENTATION},
	{"Resource",                         GAPTRACE_OVERHEAD_RESOURCE},
	{"Runtime Triggered Module Loading", GAPTRACE_OVERHEAD_MODULE_LOADING},
	{"Lazy Function Loading",            GAPTRACE_OVERHEAD_LAZY_LOADING},
	{"Command Buffer Full",              GAPTRACE_OVERHEAD_COMMAND_BUFFER_FULL},
	{"Activity Buffer Request",          GAPTRACE_OVERHEAD_BUFFER_REQUEST},
	{"UVM Activity Init",                GAPTRACE_OVERHEAD_UVM_INIT},
};
/* clang-format on */

static int find_word(const struct word *words, size_t count, const char *name, int otherwise)
{
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(words[i].name, name) == 0) {
			return words[i].value;
		}
	}
	return otherwise;
}

/* The first word that occurs in `text`. */
static int find_part(const struct word *words, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		if (strcasestr(text, words[i].name)) {
			return words[i].value;
		}
	}
	return 0;
}

enum kineto_category kineto_names_category(const char *category)
{
	const int found = find_word(categories, COUNT(categories), category, -1);
	const size_t length = strlen(category);

	if (found >= 0) {
		return (enum kineto_category)found;
	}
	for (size_t i = 0; i < COUNT(category_ends); i++) {
		const size_t end = strlen(category_ends[i].name);

		if (length > end &&
			strcasecmp(category + length - end, category_ends[i].name) == 0) {
			return (enum kineto_category)category_ends[i].value;
		}
	}
	return KINETO_CATEGORY_RANGE;
}

struct kineto_copy kineto_names_copy(const char *name)
{
	const char *arrow = strstr(name, " -> ");
	const char *source = strchr(name, '(');
	struct kineto_copy copy = {
		.kind = (enum gaptrace_copy_kind)find_part(copies, COUNT(copies), name)};
	char text[32];

	if (source && arrow && source < arrow && (size_t)(arrow - source) < sizeof(text)) {
		memcpy(text, source, (size_t)(arrow - source));
		text[arrow - source] = '\0';
		copy.source_memory =
			(enum gaptrace_memory_kind)find_part(memories, COUNT(memories), text);
		copy.target_memory =
			(enum gaptrace_memory_kind)find_part(memories, COUNT(memories), arrow);
	}
	return copy;
}

enum gaptrace_memory_kind kineto_names_memset(const char *name)
{
	const char *memory = strchr(name, '(');

	return memory ? (enum gaptrace_memory_kind)find_part(memories, COUNT(memories), memory)
		      : GAPTRACE_MEMORY_UNKNOWN;
}

enum gaptrace_sync_kind kineto_names_sync(const char *kind)
{
	return (enum gaptrace_sync_kind)find_word(syncs, COUNT(syncs), kind, GAPTRACE_SYNC_UNKNOWN);
}

enum gaptrace_overhead_kind kineto_names_overhead(const char *name)
{
	return (enum gaptrace_overhead_kind)find_word(
		overheads, COUNT(overheads), name, GAPTRACE_OVERHEAD_UNKNOWN);
}
