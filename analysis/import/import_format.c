/* SPDX-License-Identifier: MIT */
#include "analysis/import/import_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* One row for each reader. */
static const struct import_format *const formats[] = {
	&import_nsys,
	&import_kineto,
	&import_cuzk_log,
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

/* Files that are taken for one of ours again and again, with what to do about them. */
struct other_file {
	const char *suffix; /* of the name; NULL: any */
	const char *head;   /* what it begins with; NULL: anything */
	size_t head_size;
	const char *seems; /* "it seems to be ..." */
};

#define KINETO_ONLY                                                                                \
	"JSON, but no trace of Kineto (an object with \"traceEvents\", or an array of events)"

/* clang-format off */
#define HEAD(text) text, sizeof(text) - 1
static const struct other_file others[] = {
	{".nsys-rep", NULL, 0, "a report of Nsight Systems: export it with nsys export --type sqlite"},
	{".qdrep", NULL, 0, "an old report of Nsight Systems: export it with nsys export --type sqlite"},
	{".qdstrm", NULL, 0, "a raw capture of Nsight Systems: import it with QdstrmImporter, then nsys export --type sqlite"},
	{".ncu-rep", NULL, 0, "a report of Nsight Compute, which has no time line: profile with nsys"},
	{NULL, HEAD("SQLite format 3\0"), "an SQLite database, but no export of Nsight Systems: make one with nsys export --type sqlite"},
	{NULL, HEAD("\xc1\x1f\xfc\xc1"), "a stream of a CTF recording: name the directory that it lies in"},
	{NULL, HEAD("\x57\x1d\xd1\x75"), "the metadata of a CTF recording: name the directory that it lies in"},
	{NULL, HEAD("\x75\xd1\x1d\x57"), "the metadata of a CTF recording: name the directory that it lies in"},
	{NULL, HEAD("/* CTF 1."), "the metadata of a CTF recording: name the directory that it lies in"},
	{NULL, HEAD("\x1f\x8b"), "compressed by gzip, but no trace of Kineto: unpack it first"},
	{NULL, HEAD("\x28\xb5\x2f\xfd"), "compressed by zstd: unpack it first"},
	{NULL, HEAD("\xfd" "7zXZ"), "compressed by xz: unpack it first"},
	{NULL, HEAD("BZh"), "compressed by bzip2: unpack it first"},
	{NULL, HEAD("PK\x03\x04"), "a zip archive: unpack it first"},
	{NULL, HEAD("ARROW1"), "an Arrow file: export with nsys export --type sqlite"},
	{NULL, HEAD("PAR1"), "a Parquet file: export with nsys export --type sqlite"},
	{NULL, HEAD("\x89HDF"), "an HDF5 file: export with nsys export --type sqlite"},
	{NULL, HEAD("{\n \"schema\": \"gaptrace.report/"), "a report that gaptrace wrote: name what it was made from, or compare it with another by gaptrace diff"},
	{NULL, HEAD("\x7f" "ELF"), "a program"},
	{NULL, HEAD("\0\0\0\0\0\0\0\0"), "a log whose beginning was cut while it was written (copytruncate): take the zeros away with tr -d '\\0'"},
	{NULL, HEAD("\n"), "a Perfetto trace, or text: none of them is read"},
	{NULL, HEAD("{\"log\":"), "a log as docker keeps it: give what docker logs prints"},
	{NULL, HEAD("{\"_"), "a journal as JSON: give what journalctl -o cat prints"},
	{NULL, HEAD("{\"timestamp\":"), "a log of lines of JSON: of logs only cuzk's own text form is read"},
	{NULL, HEAD("{"), KINETO_ONLY},
	{NULL, HEAD("[{"), KINETO_ONLY},
	{NULL, HEAD("[]"), KINETO_ONLY},
	{NULL, HEAD("<"), "HTML or XML, perhaps a page in the place of the file: fetch the file itself"},
	{NULL, HEAD("\xff\xfe"), "text in UTF-16: write it as UTF-8"},
	{".json", NULL, 0, KINETO_ONLY},
};
#undef HEAD
/* clang-format on */

const struct import_format *import_format_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i] && strcmp(formats[i]->name, name) == 0) {
			return formats[i];
		}
	}
	return NULL;
}

static bool has_suffix(const char *path, const char *suffix)
{
	const size_t length = strlen(path);

	return length >= strlen(suffix) && strcasecmp(path + length - strlen(suffix), suffix) == 0;
}

static enum status refuse(
	const char *path, const unsigned char *head, size_t size, struct diag *diag)
{
	if (size == 0) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: an empty file", path);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct other_file *other = &others[i];

		if ((!other->suffix || has_suffix(path, other->suffix)) &&
			other->head_size <= size &&
			(!other->head || memcmp(head, other->head, other->head_size) == 0)) {
			return diag_set(diag, STATUS_BAD_INPUT, "%s: it seems to be %s", path,
				other->seems);
		}
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: of no kind that is known; gaptrace report reads the directory of a "
		"recording, exports of Nsight Systems (sqlite), traces of Kineto (json, json.gz) "
		"and logs of cuzk",
		path);
}

/* As much of the file's beginning as a format may look at. */
static enum status read_head(
	const char *path, unsigned char *head, size_t *out_size, struct diag *diag)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat facts;
	ssize_t length = 0;
	size_t size = 0;
	int error = 0;

	if (file < 0 || fstat(file, &facts) != 0) {
		error = errno;
	} else if (!S_ISREG(facts.st_mode)) {
		(void)close(file);
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: neither a file nor a directory, and what is read has to be one", path);
	}
	do {
		length = error ? 0 : read(file, head + size, IMPORT_HEAD_BYTES_MAX - size);
		if (length < 0 && errno != EINTR) {
			error = errno;
		}
		size += length > 0 ? (size_t)length : 0;
	} while (error == 0 && length != 0 && size < IMPORT_HEAD_BYTES_MAX);
	if (file >= 0) {
		(void)close(file);
	}
	if (error) {
		return diag_set(diag, status_from_errno(error), "%s: %s", path, strerror(error));
	}
	*out_size = size;
	return STATUS_OK;
}

enum status import_format_recognise(
	const char *path, struct diag *diag, const struct import_format **out_format)
{
	unsigned char *head = malloc(IMPORT_HEAD_BYTES_MAX);
	const struct import_format *format = NULL;
	enum status status = STATUS_NO_MEMORY;
	size_t size = 0;

	if (head) {
		status = read_head(path, head, &size, diag);
	}
	for (size_t i = 0; i < FORMAT_COUNT && status == STATUS_OK && !format; i++) {
		if (formats[i] && formats[i]->recognise(head, size)) {
			format = formats[i];
		}
	}
	if (status == STATUS_OK && !format) {
		status = refuse(path, head, size, diag);
	}
	free(head);
	if (status == STATUS_OK) {
		*out_format = format;
	}
	return status;
}
