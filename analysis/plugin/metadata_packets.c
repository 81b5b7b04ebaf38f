/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/metadata_packets.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKET_MAGIC 0x75d11d57u

struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum;
	uint32_t content_bits;
	uint32_t packet_bits;
	uint8_t scheme_and_version[5];
} __attribute__((packed));

static bool is_packet(uint32_t magic)
{
	return magic == PACKET_MAGIC || magic == bswap_32(PACKET_MAGIC);
}

static uint64_t length_of(const struct packet_header *header, uint32_t bits)
{
	return (header->magic == PACKET_MAGIC ? bits : bswap_32(bits)) / 8;
}

static enum status refuse(const char *path, uint64_t at, uint64_t size, struct diag *diag)
{
	return diag_set(diag, STATUS_BAD_INPUT,
		"%s: the packet at byte %" PRIu64 " is not whole, the file ends at byte %" PRIu64
		": copy the metadata file of another recording of the same programs over it",
		path, at, size);
}

static enum status check(int file, const char *path, struct diag *diag)
{
	struct packet_header header = {0};
	struct stat facts;
	uint64_t at = 0;
	uint64_t size = 0;

	if (fstat(file, &facts) != 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	size = (uint64_t)facts.st_size;
	while (at < size) {
		const ssize_t got = pread(file, &header, sizeof(header), (off_t)at);
		uint64_t bytes = 0;

		if (got < 0) {
			return diag_set(
				diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
		}
		/* Text without packets begins in another way; what it says is not looked at here.
		 */
		if (at == 0 && ((size_t)got < sizeof(header.magic) || !is_packet(header.magic))) {
			return STATUS_OK;
		}
		bytes = length_of(&header, header.packet_bits);
		/* Of content that is not there babeltrace2 waits for the rest for ever. */
		if (got != (ssize_t)sizeof(header) || !is_packet(header.magic) ||
			bytes < sizeof(header) || bytes > size - at ||
			length_of(&header, header.content_bits) < sizeof(header) ||
			length_of(&header, header.content_bits) > bytes) {
			return refuse(path, at, size, diag);
		}
		at += bytes;
	}
	return STATUS_OK;
}

enum status metadata_packets_check(const char *path, struct diag *diag)
{
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	enum status status = STATUS_OK;

	if (file < 0) {
		return diag_set(diag, status_from_errno(errno), "%s: %s", path, strerror(errno));
	}
	status = check(file, path, diag);
	(void)close(file);
	return status;
}
