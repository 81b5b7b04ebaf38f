/* SPDX-License-Identifier: MIT */
#include "prover/client_proofs.h"

#include "prover/groth16/proof_json.h"
#include "prover/groth16/verification_key.h"
#include "prover/groth16/verify.h"
#include "prover/paths.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of files that are not whole yet. */
#define NEW_SUFFIX ".new"

struct client_proofs {
	uint64_t job_id;
	char *text; /* the answer, to be written as it came */
	size_t size;
	char *key_text;
	size_t key_size;
	json_t *list;
};

static enum status fetch(struct client_http *client, const char *path, struct diag *diag,
	char **out_text, size_t *out_size)
{
	struct client_http_answer answer = {.text = NULL};
	enum status status = client_http_request(client, path, NULL, diag, &answer);

	if (status == STATUS_OK) {
		status = client_http_status(&answer, diag);
	}
	if (status != STATUS_OK) {
		free(answer.text);
		return status;
	}
	*out_text = answer.text;
	*out_size = answer.size;
	return STATUS_OK;
}

enum status client_proofs_fetch(struct client_http *client, uint64_t job_id, struct diag *diag,
	struct client_proofs **out_proofs)
{
	AUTO(client_proofs_destroy) struct client_proofs *proofs = calloc(1, sizeof(*proofs));
	char path[96];
	enum status status = STATUS_OK;

	if (!proofs) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	proofs->job_id = job_id;
	/* The key first: with its proofs fetched, a daemon that stops has done its duty. */
	(void)snprintf(path, sizeof(path), "/jobs/%" PRIu64 "/verification_key.json", job_id);
	status = fetch(client, path, diag, &proofs->key_text, &proofs->key_size);
	if (status == STATUS_OK) {
		(void)snprintf(path, sizeof(path), "/jobs/%" PRIu64 "/proof", job_id);
		status = fetch(client, path, diag, &proofs->text, &proofs->size);
	}
	if (status != STATUS_OK) {
		return status;
	}
	/* Parsed for its parts; what is written is the daemon's text, byte for byte. */
	proofs->list = json_loadb(proofs->text, proofs->size, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_array(proofs->list)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"job %" PRIu64 ": the daemon's answer is no list of proofs", job_id);
	}
	*out_proofs = MOVE(proofs);
	return STATUS_OK;
}

void client_proofs_destroy(struct client_proofs *proofs)
{
	if (!proofs) {
		return;
	}
	json_decref(proofs->list);
	free(proofs->text);
	free(proofs->key_text);
	free(proofs);
}

uint32_t client_proofs_count(const struct client_proofs *proofs)
{
	return (uint32_t)json_array_size(proofs->list);
}

/* One member of a partition's object as text, which the caller frees. */
static char *member_text(const struct client_proofs *proofs, uint32_t index, const char *name)
{
	/* As snarkjs reads it: its verify takes one proof and one list of publics. */
	return json_dumps(json_object_get(json_array_get(proofs->list, index), name),
		JSON_INDENT(1) | JSON_ENCODE_ANY);
}

/* A partition's answer, read. */
struct read_proof {
	uint32_t index;
	uint32_t public_count;
	blst_scalar *publics;
	struct proof proof;
};

static void partition_name(const struct client_proofs *proofs, uint32_t index, char name[64])
{
	(void)snprintf(name, 64, "job %" PRIu64 ", partition %u", proofs->job_id, index);
}

static enum status read_texts(const char *name, const char *proof_text, const char *public_text,
	struct diag *diag, struct read_proof *read)
{
	enum status status =
		proof_json_parse(name, proof_text, strlen(proof_text), diag, &read->proof);

	if (status == STATUS_OK) {
		status = public_json_parse(name, public_text, strlen(public_text), diag,
			&read->publics, &read->public_count);
	}
	return status;
}

static enum status read_and_verify(const struct client_proofs *proofs,
	const struct verification_key *key, struct diag *diag, struct read_proof *read)
{
	char *proof_text = member_text(proofs, read->index, "proof");
	char *public_text = member_text(proofs, read->index, "public");
	char name[64];
	enum status status = STATUS_BAD_INPUT;

	partition_name(proofs, read->index, name);
	if (proof_text && public_text) {
		status = read_texts(name, proof_text, public_text, diag, read);
	} else {
		status = diag_set(diag, status, "%s: no proof", name);
	}
	if (status == STATUS_OK) {
		status = groth16_verify(key, read->publics, read->public_count, &read->proof, diag);
		/* With the job's and partition's name, which the verifier does not know. */
		if (status == STATUS_INVALID_PROOF) {
			status = diag_set(diag, status, "%s: the proof does not verify", name);
		}
	}
	free(proof_text);
	free(public_text);
	return status;
}

static int by_index(const struct read_proof *left, const struct read_proof *right)
{
	return (left->index > right->index) - (left->index < right->index);
}

static int by_proof(const void *left, const void *right)
{
	const struct read_proof *a = left;
	const struct read_proof *b = right;
	const int order = memcmp(&a->proof, &b->proof, sizeof(a->proof));

	return order ? order : by_index(a, b);
}

/* Of proofs that verify, so as many as the key has of each. */
static int by_publics(const void *left, const void *right)
{
	const struct read_proof *a = left;
	const struct read_proof *b = right;
	const int order = memcmp(a->publics, b->publics, a->public_count * sizeof(*a->publics));

	return order ? order : by_index(a, b);
}

/* A proof is blinded afresh each time, so even of one witness no two are the same. */
static enum status check_distinct(const struct client_proofs *proofs, bool have_own_publics,
	struct read_proof *list, struct diag *diag)
{
	const uint32_t count = client_proofs_count(proofs);
	char name[64];

	qsort(list, count, sizeof(*list), by_proof);
	for (uint32_t i = 1; i < count; i++) {
		if (memcmp(&list[i].proof, &list[i - 1].proof, sizeof(list[i].proof)) == 0) {
			partition_name(proofs, list[i].index, name);
			return diag_set(diag, STATUS_INVALID_PROOF,
				"%s: its proof is that of partition %u", name, list[i - 1].index);
		}
	}
	if (!have_own_publics || count == 0 || list[0].public_count == 0) {
		return STATUS_OK;
	}
	qsort(list, count, sizeof(*list), by_publics);
	for (uint32_t i = 1; i < count; i++) {
		if (memcmp(list[i].publics, list[i - 1].publics,
			    list[i].public_count * sizeof(*list[i].publics)) == 0) {
			partition_name(proofs, list[i].index, name);
			return diag_set(diag, STATUS_INVALID_PROOF,
				"%s: its public values are those of partition %u, whose secret is "
				"another",
				name, list[i - 1].index);
		}
	}
	return STATUS_OK;
}

enum status client_proofs_verify(
	const struct client_proofs *proofs, bool have_own_publics, struct diag *diag)
{
	AUTO(verification_key_destroy) struct verification_key *key = NULL;
	const uint32_t count = client_proofs_count(proofs);
	struct read_proof *list = calloc((size_t)count + 1, sizeof(*list));
	enum status status = STATUS_OK;

	if (!list) {
		return diag_set(diag, STATUS_NO_MEMORY, "out of memory");
	}
	status = verification_key_parse(
		"verification_key.json", proofs->key_text, proofs->key_size, diag, &key);
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
		list[i].index = i;
		status = read_and_verify(proofs, key, diag, &list[i]);
	}
	if (status == STATUS_OK) {
		status = check_distinct(proofs, have_own_publics, list, diag);
	}
	for (uint32_t i = 0; i < count; i++) {
		free(list[i].publics);
	}
	free(list);
	return status;
}

/* Whether it is one that client_proofs_write() makes, or began to make when it was killed. */
static bool is_ours(const char *name)
{
	static const char prefix[] = "partition-";
	static const char *const partition_ends[] = {".proof.json", ".public.json"};
	static const char *const others[] = {"proofs.json", "verification_key.json"};
	size_t length = strlen(name);

	if (length > strlen(NEW_SUFFIX) &&
		strcmp(name + length - strlen(NEW_SUFFIX), NEW_SUFFIX) == 0) {
		length -= strlen(NEW_SUFFIX);
	}
	for (int i = 0; i < 2; i++) {
		if (length == strlen(others[i]) && strncmp(name, others[i], length) == 0) {
			return true;
		}
	}
	if (strncmp(name, prefix, strlen(prefix)) != 0) {
		return false;
	}
	name += strlen(prefix);
	length -= strlen(prefix);
	for (int i = 0; i < 2; i++) {
		const size_t digits = strspn(name, "0123456789");

		if (digits > 0 && length == digits + strlen(partition_ends[i]) &&
			strncmp(name + digits, partition_ends[i], length - digits) == 0) {
			return true;
		}
	}
	return false;
}

static enum status job_folder_name(
	const char *folder, uint64_t job_id, struct diag *diag, char name[PATH_MAX])
{
	if (snprintf(name, PATH_MAX, "%s/job-%" PRIu64, folder, job_id) >= PATH_MAX) {
		return diag_set(diag, STATUS_BAD_USE, "%s: the name is too long", folder);
	}
	return STATUS_OK;
}

enum status client_proofs_make_folder(const char *folder, struct diag *diag)
{
	enum status status = paths_make_dir(folder, diag);

	if (status == STATUS_OK && access(folder, W_OK | X_OK) != 0) {
		status = diag_set(diag, status_from_errno(errno),
			"%s: no proofs can be written there: %s", folder, strerror(errno));
	}
	return status;
}

/* An earlier job of this number may have had more partitions, and its proofs are of another key. */
enum status client_proofs_remove_earlier(const char *folder, uint64_t job_id, struct diag *diag)
{
	char job_folder[PATH_MAX];
	DIR *directory = NULL;
	const struct dirent *entry = NULL;
	enum status status = job_folder_name(folder, job_id, diag, job_folder);

	if (status != STATUS_OK) {
		return status;
	}
	directory = opendir(job_folder);
	if (!directory) {
		return errno == ENOENT ? STATUS_OK
				       : diag_set(diag, status_from_errno(errno), "%s: %s",
						 job_folder, strerror(errno));
	}
	while (status == STATUS_OK && (entry = readdir(directory))) {
		if (is_ours(entry->d_name) && unlinkat(dirfd(directory), entry->d_name, 0) != 0) {
			status = diag_set(diag, status_from_errno(errno),
				"%s/%s: an earlier job's proof cannot be removed: %s", job_folder,
				entry->d_name, strerror(errno));
		}
	}
	(void)closedir(directory);
	return status;
}

/* Through a temporary file, so that a file that is there is whole. */
static enum status write_file(
	const char *folder, const char *name, const char *text, struct diag *diag)
{
	char path[PATH_MAX + 64];
	char temporary[PATH_MAX + 72];
	FILE *file = NULL;
	bool is_written = false;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)snprintf(temporary, sizeof(temporary), "%s" NEW_SUFFIX, path);
	file = fopen(temporary, "we");
	if (!file) {
		return diag_set(
			diag, status_from_errno(errno), "%s: %s", temporary, strerror(errno));
	}
	is_written = fputs(text, file) >= 0;
	is_written = fclose(file) == 0 && is_written;
	if (!is_written || rename(temporary, path) != 0) {
		enum status status =
			diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));

		(void)remove(temporary);
		return status;
	}
	return STATUS_OK;
}

static enum status write_member(const struct client_proofs *proofs, uint32_t index,
	const char *member, const char *folder, struct diag *diag)
{
	char name[64];
	char *text = member_text(proofs, index, member);
	enum status status = STATUS_NO_MEMORY;

	(void)snprintf(name, sizeof(name), "partition-%u.%s.json", index, member);
	if (text) {
		status = write_file(folder, name, text, diag);
	}
	free(text);
	return status;
}

enum status client_proofs_write(
	const struct client_proofs *proofs, const char *folder, struct diag *diag)
{
	char job_folder[PATH_MAX];
	enum status status = job_folder_name(folder, proofs->job_id, diag, job_folder);

	if (status == STATUS_OK) {
		status = paths_make_dir(job_folder, diag);
	}
	/* First of all, so that at no time files of two jobs lie side by side. */
	if (status == STATUS_OK) {
		status = client_proofs_remove_earlier(folder, proofs->job_id, diag);
	}
	if (status == STATUS_OK) {
		status = write_file(job_folder, "verification_key.json", proofs->key_text, diag);
	}
	for (uint32_t i = 0; i < client_proofs_count(proofs) && status == STATUS_OK; i++) {
		status = write_member(proofs, i, "proof", job_folder, diag);
		if (status == STATUS_OK) {
			status = write_member(proofs, i, "public", job_folder, diag);
		}
	}
	if (status == STATUS_OK) {
		status = write_file(job_folder, "proofs.json", proofs->text, diag);
	}
	return status;
}
