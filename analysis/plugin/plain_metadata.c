/* SPDX-License-Identifier: MIT */
#include "analysis/plugin/plain_metadata.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_MAGIC        0x75d11d57u
#define PACKET_HEADER_BYTES 37

/* Without these, word for word but for white space and comments, it is some other layout. */
static const char *const required[] = {
	"typealiasinteger{size=8;align=8;signed=false;}:=uint8_t;",
	"typealiasinteger{size=16;align=8;signed=false;}:=uint16_t;",
	"typealiasinteger{size=32;align=8;signed=false;}:=uint32_t;",
	"typealiasinteger{size=64;align=8;signed=false;}:=uint64_t;",
	"typealiasinteger{size=64;align=8;signed=false;}:=unsignedlong;",
	"typealiasinteger{size=32;align=8;signed=false;map=clock.monotonic.value;}"
	":=uint32_clock_monotonic_t;",
	"typealiasinteger{size=64;align=8;signed=false;map=clock.monotonic.value;}"
	":=uint64_clock_monotonic_t;",
	"packet.header:=struct{uint32_tmagic;uint8_tuuid[16];uint32_tstream_id;"
	"uint64_tstream_instance_id;};",
	"structpacket_context{uint64_clock_monotonic_ttimestamp_begin;"
	"uint64_clock_monotonic_ttimestamp_end;uint64_tcontent_size;uint64_tpacket_size;"
	"uint64_tpacket_seq_num;unsignedlongevents_discarded;uint32_tcpu_id;};",
	"structevent_header_large{enum:uint16_t{compact=0...65534,extended=65535}id;"
	"variant<id>{struct{uint32_clock_monotonic_ttimestamp;}compact;"
	"struct{uint32_tid;uint64_clock_monotonic_ttimestamp;}extended;}v;}align(8);",
};

/* Wherever the left text is, the right one must follow. */
static const struct {
	const char *text;
	const char *then;
} followed[] = {
	{"event.header:=", "structevent_header_large;"},
	{"packet.context:=", "structpacket_context;"},
	{"packet.header:=", "struct{uint32_tmagic;"},
	{"byte_order=", "le;"},
	{"size=5;align=", "1;"},
	{"size=27;align=", "1;"},
	{"size=8;align=", "8;"},
	{"size=16;align=", "8;"},
	{"size=32;align=", "8;"},
	{"size=64;align=", "8;"},
	{"align(", "8);"},
};

static uint32_t word_at(const unsigned char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return le32toh(word);
}

/* The text without its packets; false when the packets make no sense. */
static bool unpack(const unsigned char *bytes, size_t size, char *text, size_t *out_length)
{
	size_t length = 0;

	while (size >= PACKET_HEADER_BYTES) {
		const size_t content_bytes = word_at(bytes + 24) / 8;
		const size_t packet_bytes = word_at(bytes + 28) / 8;

		if (word_at(bytes) != PACKET_MAGIC || content_bytes < PACKET_HEADER_BYTES ||
			content_bytes > packet_bytes || packet_bytes > size) {
			return false;
		}
		memcpy(text + length, bytes + PACKET_HEADER_BYTES,
			content_bytes - PACKET_HEADER_BYTES);
		length += content_bytes - PACKET_HEADER_BYTES;
		bytes += packet_bytes;
		size -= packet_bytes;
	}
	*out_length = length;
	return size == 0;
}

/* Behind a string literal, of which nothing is kept. */
static size_t skip_string(const char *text, size_t i, size_t length)
{
	for (i++; i < length && text[i] != '"'; i++) {
		i += text[i] == '\\';
	}
	return i + 1;
}

static size_t skip_comment(const char *text, size_t i, size_t length)
{
	for (i += 2; i + 1 < length && (text[i] != '*' || text[i + 1] != '/'); i++) {
	}
	return i + 2;
}

/* White space, comments and literals go; the text ends with a NUL, of which there is no other. */
static void normalize(char *text, size_t length)
{
	size_t kept = 0;
	size_t i = 0;

	while (i < length) {
		if (text[i] == '"') {
			i = skip_string(text, i, length);
		} else if (text[i] == '/' && i + 1 < length && text[i + 1] == '*') {
			i = skip_comment(text, i, length);
		} else if (strchr(" \t\r\n", text[i])) { /* finds NUL too */
			i++;
		} else {
			text[kept++] = text[i++];
		}
	}
	text[kept] = '\0';
}

static bool follows_everywhere(const char *text, const char *what, const char *then)
{
	for (const char *at = strstr(text, what); at; at = strstr(at, what)) {
		at += strlen(what);
		if (strncmp(at, then, strlen(then)) != 0) {
			return false;
		}
	}
	return true;
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
		count++;
	}
	return count;
}

static bool is_plain(const char *text)
{
	size_t aligned = 0;

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
		if (count_of(text, required[i]) != 1) {
			return false;
		}
	}
	for (size_t i = 0; i < sizeof(followed) / sizeof(followed[0]); i++) {
		if (!follows_everywhere(text, followed[i].text, followed[i].then)) {
			return false;
		}
		if (strncmp(followed[i].text, "size=", strlen("size=")) == 0) {
			aligned += count_of(text, followed[i].text);
		}
	}
	/* Each integer tells its alignment; and no array but the UUID, no text of fixed length. */
	return aligned == count_of(text, "align=") && aligned == count_of(text, "size=") &&
	       count_of(text, "[") == 1;
}

enum status plain_metadata_check(
	const void *bytes, size_t size, bool *out_is_plain, uint64_t *out_class_count)
{
	char *text = malloc(size + 1);
	size_t length;

	if (!text) {
		return STATUS_NO_MEMORY;
	}
	*out_is_plain = false;
	*out_class_count = 0;
	if (BYTE_ORDER == LITTLE_ENDIAN && unpack(bytes, size, text, &length)) {
		normalize(text, length);
		*out_is_plain = is_plain(text);
		*out_class_count = count_of(text, "stream{id=");
	}
	free(text);
	return STATUS_OK;
}
