/* SPDX-License-Identifier: MIT */
#include "trace/cupti/cupti_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(token)   #token
#define STRING_OF(token) TEXT_OF(token)

/* A release's soname is that of its CUDA's major number. */
#define CUPTI_MAJOR (CUPTI_API_VERSION / 10000)

/* Beside the loader's own places; CUDA's packages and archives differ. */
static const char *const folders[] = {
	"",
#ifdef GAPTRACE_CUPTI_FOLDER
	GAPTRACE_CUPTI_FOLDER "/",
#endif
	"/usr/local/cuda/lib64/",
	"/usr/local/cuda/extras/CUPTI/lib64/",
};

static void *library_open(const char *path)
{
	char name[4096];

	if (path) {
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		void *library;

		(void)snprintf(
			name, sizeof(name), "%slibcupti.so.%d", folders[i], (int)CUPTI_MAJOR);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (library) {
			return library;
		}
	}
	return NULL;
}

/* The name of a needed call that the library lacks, or NULL. */
static const char *calls_find(void *library, struct cupti_api *api)
{
	const char *missing = NULL;
	void *address;

	/* A function's address may not be cast from an object's, but its bytes may be copied. */
#define CUPTI_FIND(member, symbol)                                                                 \
	address = dlsym(library, STRING_OF(symbol));                                               \
	memcpy(&api->member, &address, sizeof(address));
#define CUPTI_FIND_NEEDED(member, symbol)                                                          \
	CUPTI_FIND(member, symbol)                                                                 \
	missing = address ? missing : STRING_OF(symbol);
	CUPTI_NEEDED(CUPTI_FIND_NEEDED)
	CUPTI_OPTIONAL(CUPTI_FIND)
#undef CUPTI_FIND_NEEDED
#undef CUPTI_FIND
	api->library = library;
	return missing;
}

enum status cupti_api_open(const char *path, struct diag *diag, struct cupti_api *out_api)
{
	struct cupti_api api = {.library = NULL};
	void *library = library_open(path);
	const char *missing;
	uint32_t version = 0;

	if (!library) {
		const char *reason = dlerror();

		return diag_set(diag, STATUS_NOT_FOUND, "%s: install CUDA's CUPTI package",
			reason ? reason : "no libcupti");
	}
	missing = calls_find(library, &api);
	if (missing) {
		(void)dlclose(library);
		return diag_set(diag, STATUS_UNSUPPORTED,
			"libcupti has no %s: it must be that of CUDA %d", missing,
			(int)CUPTI_MAJOR);
	}
	if (api.get_version(&version) != CUPTI_SUCCESS ||
		CUPTI_RELEASE(version) != CUPTI_RELEASE(CUPTI_API_VERSION)) {
		(void)dlclose(library);
		return diag_set(diag, STATUS_UNSUPPORTED,
			"libcupti has version %u, this was built for %d: build it for the CUDA "
			"that runs here",
			version, (int)CUPTI_API_VERSION);
	}
	*out_api = api;
	return STATUS_OK;
}

const char *cupti_api_text(const struct cupti_api *api, CUptiResult result)
{
	const char *text = NULL;

	if (api->get_result_string(result, &text) != CUPTI_SUCCESS || !text) {
		return "unknown error";
	}
	return text;
}
