/* SPDX-License-Identifier: MIT */
/*
 * An NVTX tool for tests: loaded by NVTX_INJECTION64_PATH, it counts the ranges of the domain
 * `gaptrace` by category, kind and name, checks that they balance, and writes what it saw into the
 * file NVTX_SUMMARY when the process ends. One line each, fields separated by tabs:
 *
 *   range  CATEGORY  push|start  NAME  BEGUN  ENDED
 *   thread TID  NAME
 *   error  TEXT  COUNT
 */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_COUNT_MAX      4096
#define THREAD_COUNT_MAX   4096
#define CATEGORY_COUNT_MAX 64
#define DEPTH_MAX          256
#define TEXT_BYTES         64

/* Start/end ranges open at once. An id is a serial number and a row, so a double end is told. */
#define OPEN_COUNT_MAX 65536

struct row {
	uint32_t category;
	bool is_push;
	char name[TEXT_BYTES];
	uint64_t begun;
	uint64_t ended;
};

static struct {
	pthread_mutex_t mutex; /* guards all of this */
	struct row rows[ROW_COUNT_MAX];
	uint32_t row_count;
	char categories[CATEGORY_COUNT_MAX][TEXT_BYTES];
	struct {
		uint32_t tid;
		char name[TEXT_BYTES];
	} threads[THREAD_COUNT_MAX];
	uint32_t thread_count;
	uint64_t open_ids[OPEN_COUNT_MAX]; /* by serial number; 0: closed */
	uint64_t serial;
	uint64_t pops_of_nothing;
	uint64_t ends_of_nothing;
	uint64_t left_open;
	uint64_t unregistered;
	uint64_t over_limit;
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int our_domain;
static int other_domain;

static __thread uint32_t stack[DEPTH_MAX];
static __thread uint32_t depth;

static bool is_ours(nvtxDomainHandle_t domain)
{
	return (void *)domain == (void *)&our_domain;
}

static void copy(char target[TEXT_BYTES], const char *text)
{
	(void)snprintf(target, TEXT_BYTES, "%s", text ? text : "");
}

/* Under the mutex. The last row takes what there is no room for. */
static uint32_t row_of(const nvtxEventAttributes_t *event, bool is_push)
{
	const char *name = "";

	if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
		/* A string's handle is the string: see register_string. */
		name = (const char *)(const void *)event->message.registered;
	} else {
		seen.unregistered++;
		if (event->messageType == NVTX_MESSAGE_TYPE_ASCII) {
			name = event->message.ascii;
		}
	}
	for (uint32_t i = 0; i < seen.row_count; i++) {
		const struct row *row = &seen.rows[i];

		if (row->category == event->category && row->is_push == is_push &&
			strcmp(row->name, name) == 0) {
			return i;
		}
	}
	if (seen.row_count == ROW_COUNT_MAX) {
		seen.over_limit++;
		return ROW_COUNT_MAX - 1;
	}
	seen.rows[seen.row_count].category = event->category;
	seen.rows[seen.row_count].is_push = is_push;
	copy(seen.rows[seen.row_count].name, name);
	return seen.row_count++;
}

static int NVTX_API range_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	if (!is_ours(domain)) {
		return 0;
	}
	pthread_mutex_lock(&seen.mutex);
	if (depth < DEPTH_MAX) {
		stack[depth] = row_of(event, true);
		seen.rows[stack[depth]].begun++;
	} else {
		seen.over_limit++;
	}
	pthread_mutex_unlock(&seen.mutex);
	return (int)depth++;
}

static int NVTX_API range_pop(nvtxDomainHandle_t domain)
{
	if (!is_ours(domain)) {
		return 0;
	}
	pthread_mutex_lock(&seen.mutex);
	if (depth == 0) {
		seen.pops_of_nothing++;
	} else if (--depth < DEPTH_MAX) {
		seen.rows[stack[depth]].ended++;
	}
	pthread_mutex_unlock(&seen.mutex);
	return (int)depth;
}

static nvtxRangeId_t NVTX_API range_start(
	nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	uint64_t id = 0;

	if (!is_ours(domain)) {
		return 1;
	}
	pthread_mutex_lock(&seen.mutex);
	for (uint32_t i = 0; i < OPEN_COUNT_MAX && id == 0; i++) {
		uint64_t slot = ++seen.serial % OPEN_COUNT_MAX;

		if (seen.open_ids[slot] == 0) {
			uint32_t row = row_of(event, false);

			seen.rows[row].begun++;
			id = seen.serial * ROW_COUNT_MAX + row;
			seen.open_ids[slot] = id;
		}
	}
	seen.over_limit += id == 0;
	pthread_mutex_unlock(&seen.mutex);
	return id;
}

static void NVTX_API range_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
	uint64_t slot = id / ROW_COUNT_MAX % OPEN_COUNT_MAX;

	if (!is_ours(domain)) {
		return;
	}
	pthread_mutex_lock(&seen.mutex);
	if (id == 0 || seen.open_ids[slot] != id) {
		seen.ends_of_nothing++;
	} else {
		seen.open_ids[slot] = 0;
		seen.rows[id % ROW_COUNT_MAX].ended++;
	}
	pthread_mutex_unlock(&seen.mutex);
}

static nvtxDomainHandle_t NVTX_API domain_create(const char *name)
{
	bool is_gaptrace = name && strcmp(name, "gaptrace") == 0;

	return (nvtxDomainHandle_t)(void *)(is_gaptrace ? &our_domain : &other_domain);
}

/* Kept until the process ends, as a tool's strings are. */
static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *text)
{
	(void)domain;
	return (nvtxStringHandle_t)(void *)strdup(text ? text : "");
}

static void NVTX_API name_category(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
	if (is_ours(domain) && category < CATEGORY_COUNT_MAX) {
		copy(seen.categories[category], name);
	}
}

static void NVTX_API name_thread(uint32_t tid, const char *name)
{
	pthread_mutex_lock(&seen.mutex);
	if (seen.thread_count < THREAD_COUNT_MAX) {
		seen.threads[seen.thread_count].tid = tid;
		copy(seen.threads[seen.thread_count].name, name);
		seen.thread_count++;
	}
	pthread_mutex_unlock(&seen.mutex);
}

static void write_error(FILE *file, const char *text, uint64_t count)
{
	if (count) {
		(void)fprintf(file, "error\t%s\t%llu\n", text, (unsigned long long)count);
	}
}

__attribute__((destructor)) static void write_summary(void)
{
	const char *path = getenv("NVTX_SUMMARY");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file) {
		return;
	}
	pthread_mutex_lock(&seen.mutex);
	for (uint32_t i = 0; i < seen.row_count; i++) {
		const struct row *row = &seen.rows[i];
		const char *category =
			row->category < CATEGORY_COUNT_MAX ? seen.categories[row->category] : "";

		(void)fprintf(file, "range\t%s\t%s\t%s\t%llu\t%llu\n", category,
			row->is_push ? "push" : "start", row->name, (unsigned long long)row->begun,
			(unsigned long long)row->ended);
		seen.left_open += row->begun - row->ended;
	}
	for (uint32_t i = 0; i < seen.thread_count; i++) {
		(void)fprintf(file, "thread\t%u\t%s\n", seen.threads[i].tid, seen.threads[i].name);
	}
	write_error(file, "pop of nothing", seen.pops_of_nothing);
	write_error(file, "end of nothing", seen.ends_of_nothing);
	write_error(file, "left open", seen.left_open);
	write_error(file, "not a registered string", seen.unregistered);
	write_error(file, "over a limit of this tool", seen.over_limit);
	pthread_mutex_unlock(&seen.mutex);
	(void)fclose(file);
}

static void set(
	NvtxFunctionTable table, unsigned int size, unsigned int id, NvtxFunctionPointer function)
{
	if (id < size && table[id]) {
		*table[id] = function;
	}
}

/* Called once by each library that uses NVTX. */
__attribute__((visibility("default"))) int NVTX_API InitializeInjectionNvtx2(
	NvtxGetExportTableFunc_t get_export_table);

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table)
{
	const NvtxExportTableCallbacks *callbacks = get_export_table(NVTX_ETID_CALLBACKS);
	NvtxFunctionTable table;
	unsigned int size;

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks)) {
		return 0;
	}
	if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) {
		set(table, size, NVTX_CBID_CORE_NameOsThreadA, (NvtxFunctionPointer)name_thread);
	}
	if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) {
		return 0;
	}
	set(table, size, NVTX_CBID_CORE2_DomainCreateA, (NvtxFunctionPointer)domain_create);
	set(table, size, NVTX_CBID_CORE2_DomainRegisterStringA,
		(NvtxFunctionPointer)register_string);
	set(table, size, NVTX_CBID_CORE2_DomainNameCategoryA, (NvtxFunctionPointer)name_category);
	set(table, size, NVTX_CBID_CORE2_DomainRangePushEx, (NvtxFunctionPointer)range_push);
	set(table, size, NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)range_pop);
	set(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, (NvtxFunctionPointer)range_start);
	set(table, size, NVTX_CBID_CORE2_DomainRangeEnd, (NvtxFunctionPointer)range_end);
	return 1;
}
