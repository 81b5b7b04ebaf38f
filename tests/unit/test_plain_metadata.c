/* SPDX-License-Identifier: MIT */
/* Proves that only metadata with lttng-ust's own layout is called plain. */
#include "analysis/plugin/plain_metadata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_BYTES_MAX 8192
#define HEADER_BYTES   37

static const char plain[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	"trace { major = 1; byte_order = le; uuid = \"a [b]\"; packet.header := struct {\n"
	"  uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; };\n"
	"};\n"
	"typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; }"
	" := uint32_clock_monotonic_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }"
	" := uint64_clock_monotonic_t;\n"
	"struct packet_context { uint64_clock_monotonic_t timestamp_begin;\n"
	"  uint64_clock_monotonic_t timestamp_end; uint64_t content_size; uint64_t packet_size;\n"
	"  uint64_t packet_seq_num; unsigned long events_discarded; uint32_t cpu_id; };\n"
	"struct event_header_large {\n"
	"  enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
	"  variant <id> { struct { uint32_clock_monotonic_t timestamp; } compact;\n"
	"    struct { uint32_t id; uint64_clock_monotonic_t timestamp; } extended; } v;\n"
	"} align(8);\n"
	"stream { id = 0; event.header := struct event_header_large;\n"
	"  packet.context := struct packet_context; };\n"
	"event { name = \"x\"; id = 0; fields := struct {\n"
	"  integer { size = 32; align = 8; signed = 1; } _a; string _b; }; };\n";

/* The text as one packet. */
static size_t pack(const char *text, uint8_t *packet)
{
	const size_t length = strlen(text);
	const uint32_t bits = (uint32_t)(length + HEADER_BYTES) * 8;

	memset(packet, 0, HEADER_BYTES);
	memcpy(packet, (const uint8_t[]){0x57, 0x1d, 0xd1, 0x75}, 4);
	memcpy(packet + 24, &bits, sizeof(bits));
	memcpy(packet + 28, &bits, sizeof(bits));
	memcpy(packet + HEADER_BYTES, text, length);
	return length + HEADER_BYTES;
}

static bool check(const void *bytes, size_t size)
{
	bool is_plain = true;
	uint64_t class_count = 7;

	assert_int_equal(plain_metadata_check(bytes, size, &is_plain, &class_count), STATUS_OK);
	assert_int_equal(class_count, is_plain ? 1 : class_count);
	return is_plain;
}

/* The plain text with one piece of it replaced, and perhaps something at its end. */
static bool check_changed(const char *from, const char *to, const char *more)
{
	static char text[TEXT_BYTES_MAX];
	static uint8_t packet[TEXT_BYTES_MAX + HEADER_BYTES];
	const char *at = strstr(plain, from);
	const size_t before = at ? (size_t)(at - plain) : 0;

	assert_non_null(at);
	memcpy(text, plain, before);
	strcpy(text + before, to);
	strcat(text, at + strlen(from));
	strcat(text, more);
	return check(packet, pack(text, packet));
}

static void what_the_tracer_writes_is_plain(void **state)
{
	(void)state;
	assert_true(check_changed("/* CTF 1.8 */", "/* CTF 1.8 */ /* align = 1; [ */", ""));
	assert_true(check_changed("\"a [b]\"", "\"size = 3; \\\" align = 1; [\"", ""));
	assert_true(check_changed("{ size = 8;", "{size=8;", "\n\n"));
}

static void another_layout_is_not_plain(void **state)
{
	(void)state;
	assert_false(check_changed("byte_order = le", "byte_order = be", ""));
	assert_false(check_changed(
		"size = 32; align = 8; signed = 1", "size = 32; align = 32; signed = 1", ""));
	assert_false(
		check_changed("size = 32; align = 8; signed = 1", "size = 32; signed = 1", ""));
	assert_false(check_changed(
		"size = 32; align = 8; signed = 1", "size = 32; byte_order = be; align = 8", ""));
	assert_false(check_changed("_b;", "_b[4];", ""));
	assert_false(check_changed("uint32_t cpu_id; ", "", ""));
	assert_false(check_changed("event_header_large;", "event_header_compact;", ""));
	assert_false(check_changed("} align(8);", "} align(32);", ""));
	assert_false(check_changed(
		"string _b;", "floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _f;", ""));
	assert_false(check_changed(
		"/* CTF", "/* CTF", "stream { id = 1; event.header := struct other; };"));
	assert_false(check_changed("uint8_t uuid[16]; ", "", ""));
}

static void bytes_that_are_no_packets_are_not_plain(void **state)
{
	static uint8_t packet[TEXT_BYTES_MAX];
	const size_t size = pack(plain, packet);

	(void)state;
	assert_true(check(packet, size));
	assert_false(check(plain, strlen(plain)));
	assert_false(check(packet, 0));
	for (size_t cut = 1; cut < size; cut += 7) {
		assert_false(check(packet, cut));
	}
	packet[24] = 0;
	packet[25] = 0; /* content shorter than the header */
	assert_false(check(packet, size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_tracer_writes_is_plain),
		cmocka_unit_test(another_layout_is_not_plain),
		cmocka_unit_test(bytes_that_are_no_packets_are_not_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
