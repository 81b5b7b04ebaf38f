/* SPDX-License-Identifier: MIT */
/*
 * Feeds files, or every file of folders, to a fuzz target's entry point: the corpus as a test.
 * Each input is given whole, and again cut short at every eighth of its length.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	struct stat status;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		return 1;
	}
	bytes = malloc((size_t)status.st_size + 1);
	if (!bytes || fread(bytes, 1, (size_t)status.st_size, file) != (size_t)status.st_size) {
		perror(path);
		return 1;
	}
	fclose(file);
	for (size_t eighths = 0; eighths <= 8; eighths++) {
		size_t size = (size_t)status.st_size * eighths / 8;
		uint8_t *copy = malloc(size ? size : 1);

		if (!copy) {
			return 1;
		}
		memcpy(copy, bytes, size);
		(void)LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	free(bytes);
	return 0;
}

static int replay_folder(const char *path, int *replayed)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (!folder) {
		perror(path);
		return 1;
	}
	while ((entry = readdir(folder))) {
		char name[4096];

		if (entry->d_name[0] == '.') {
			continue;
		}
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (replay_file(name) != 0) {
			closedir(folder);
			return 1;
		}
		(*replayed)++;
	}
	closedir(folder);
	return 0;
}

int main(int argc, char **argv)
{
	int replayed = 0;

	for (int i = 1; i < argc; i++) {
		if (replay_folder(argv[i], &replayed) != 0) {
			return 1;
		}
	}
	printf("%d inputs replayed\n", replayed);
	return replayed > 0 ? 0 : 1;
}
