/* SPDX-License-Identifier: MIT */
#include "prover/groth16/binary_file.h"

#include "prover/groth16/field.h"

#include <string.h>

/* The container of circom and snarkjs: docs/file-formats.md, "The container". */
#define HEADER_BYTES         12
#define SECTION_HEADER_BYTES 12

/* Byte by byte: fields lie unaligned in the file. */
uint32_t binary_file_u32(const uint8_t bytes[4])
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static uint64_t u64_at(const uint8_t bytes[8])
{
	return binary_file_u32(bytes) | (uint64_t)binary_file_u32(bytes + 4) << 32;
}

/* What kind of file it is comes first, so that a wrong file is not called a damaged one. */
static enum status parse_header(const struct binary_format *format, const char *name,
	const uint8_t *bytes, uint64_t byte_count, struct diag *diag)
{
	if (byte_count < HEADER_BYTES) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: only %llu bytes, not %s; is the file cut short?", name,
			(unsigned long long)byte_count, format->what);
	}
	if (memcmp(bytes, format->magic, 4) != 0) {
		return diag_set(diag, STATUS_BAD_INPUT, "%s: not %s: it does not begin with \"%s\"",
			name, format->what, format->magic);
	}
	if (binary_file_u32(bytes + 4) != format->version) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: version %u of %s; only version %u can be read", name,
			binary_file_u32(bytes + 4), format->what, format->version);
	}
	if (binary_file_u32(bytes + 8) > BINARY_FILE_SECTIONS_MAX) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: says it has %u sections, at most %d are possible; is the file "
			"damaged?",
			name, binary_file_u32(bytes + 8), BINARY_FILE_SECTIONS_MAX);
	}
	return STATUS_OK;
}

/* Adds the section that begins at *offset and moves on to the next. */
static enum status parse_section(struct binary_file *file, const uint8_t *bytes,
	uint64_t byte_count, uint64_t *offset, struct diag *diag)
{
	struct binary_section section;
	uint64_t left = byte_count - *offset;

	if (left < SECTION_HEADER_BYTES) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: ends at byte %llu, before its section number %u; is the file cut "
			"short?",
			file->name, (unsigned long long)byte_count, file->section_count + 1);
	}
	section.id = binary_file_u32(bytes + *offset);
	section.byte_count = u64_at(bytes + *offset + 4);
	section.bytes = bytes + *offset + SECTION_HEADER_BYTES;
	left -= SECTION_HEADER_BYTES;
	/* Held against what is left, and not added to the offset, which a hostile length would
	 * wrap. */
	if (section.byte_count > left) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section %u: says %llu bytes, the file has %llu more; is it cut short?",
			file->name, section.id, (unsigned long long)section.byte_count,
			(unsigned long long)left);
	}
	/* Two of one id would mean whichever a reader finds first. */
	if (binary_file_find(file, section.id)) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section %u: comes twice; is the file damaged?", file->name,
			section.id);
	}
	file->sections[file->section_count++] = section;
	*offset += SECTION_HEADER_BYTES + section.byte_count;
	return STATUS_OK;
}

enum status binary_file_parse(const struct binary_format *format, const char *name,
	const uint8_t *bytes, uint64_t byte_count, struct diag *diag, struct binary_file *out_file)
{
	struct binary_file file = {.name = name};
	uint64_t offset = HEADER_BYTES;
	enum status status = parse_header(format, name, bytes, byte_count, diag);

	if (status != STATUS_OK) {
		return status;
	}
	for (uint32_t i = 0, count = binary_file_u32(bytes + 8); i < count; i++) {
		status = parse_section(&file, bytes, byte_count, &offset, diag);
		if (status != STATUS_OK) {
			return status;
		}
	}
	/* A file has one meaning: nothing may ride along unread. */
	if (offset != byte_count) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: %llu bytes follow the last section; is the file damaged?", name,
			(unsigned long long)(byte_count - offset));
	}
	*out_file = file;
	return STATUS_OK;
}

const struct binary_section *binary_file_find(const struct binary_file *file, uint32_t id)
{
	for (uint32_t i = 0; i < file->section_count; i++) {
		if (file->sections[i].id == id) {
			return &file->sections[i];
		}
	}
	return NULL;
}

enum status binary_cursor_open(const struct binary_file *file, uint32_t id,
	const char *section_name, struct diag *diag, struct binary_cursor *out_cursor)
{
	const struct binary_section *section = binary_file_find(file, id);

	if (!section) {
		return diag_set(diag, STATUS_BAD_INPUT,
			"%s: section %u (%s): missing; was the file written to its end?",
			file->name, id, section_name);
	}
	*out_cursor = (struct binary_cursor){
		.file_name = file->name,
		.section_name = section_name,
		.section_id = id,
		.next = section->bytes,
		.left = section->byte_count,
	};
	return STATUS_OK;
}

const uint8_t *binary_cursor_take(struct binary_cursor *cursor, uint64_t count)
{
	const uint8_t *bytes = cursor->next;

	if (count > cursor->left) {
		return NULL;
	}
	cursor->next += count;
	cursor->left -= count;
	return bytes;
}

bool binary_cursor_take_u32(struct binary_cursor *cursor, uint32_t *out_value)
{
	const uint8_t *bytes = binary_cursor_take(cursor, 4);

	if (!bytes) {
		return false;
	}
	*out_value = binary_file_u32(bytes);
	return true;
}

bool binary_cursor_take_u64(struct binary_cursor *cursor, uint64_t *out_value)
{
	const uint8_t *bytes = binary_cursor_take(cursor, 8);

	if (!bytes) {
		return false;
	}
	*out_value = u64_at(bytes);
	return true;
}

/* Always fails: for whoever was refused bytes by the cursor. */
enum status binary_cursor_cut(const struct binary_cursor *cursor, struct diag *diag)
{
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): shorter than what it must hold; is the file damaged?",
		cursor->file_name, cursor->section_id, cursor->section_name);
}

enum status binary_cursor_expect(
	const struct binary_cursor *cursor, uint64_t count, const char *holding, struct diag *diag)
{
	if (cursor->left == count) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): %llu bytes where %s take %llu; is the file damaged?",
		cursor->file_name, cursor->section_id, cursor->section_name,
		(unsigned long long)cursor->left, holding, (unsigned long long)count);
}

enum status binary_cursor_end(const struct binary_cursor *cursor, struct diag *diag)
{
	if (cursor->left == 0) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): %llu bytes too long; is the file damaged?", cursor->file_name,
		cursor->section_id, cursor->section_name, (unsigned long long)cursor->left);
}

enum status binary_cursor_take_modulus(
	struct binary_cursor *cursor, const char *field, struct diag *diag)
{
	bool is_scalar = strcmp(field, "scalar") == 0;
	const uint8_t *expected = is_scalar ? field_scalar_modulus : field_base_modulus;
	uint64_t expected_count = is_scalar ? FIELD_SCALAR_BYTES : FIELD_BASE_BYTES;
	uint32_t byte_count;
	const uint8_t *modulus;

	if (!binary_cursor_take_u32(cursor, &byte_count)) {
		return binary_cursor_cut(cursor, diag);
	}
	/* The length is the file's word; the cursor refuses what passes the section's end. */
	modulus = binary_cursor_take(cursor, byte_count);
	if (!modulus) {
		return binary_cursor_cut(cursor, diag);
	}
	if (byte_count == expected_count && memcmp(modulus, expected, byte_count) == 0) {
		return STATUS_OK;
	}
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: section %u (%s): %s field of %s; only bls12381 is supported: compile the "
		"circuit and make its key with that curve",
		cursor->file_name, cursor->section_id, cursor->section_name, field,
		field_curve_name(modulus, byte_count));
}

void binary_file_put_header(
	struct file_writer *writer, const struct binary_format *format, uint32_t section_count)
{
	file_writer_put(writer, format->magic, 4);
	file_writer_put_u32(writer, format->version);
	file_writer_put_u32(writer, section_count);
}

void binary_file_put_section(struct file_writer *writer, uint32_t id, uint64_t byte_count)
{
	file_writer_put_u32(writer, id);
	file_writer_put_u64(writer, byte_count);
}
