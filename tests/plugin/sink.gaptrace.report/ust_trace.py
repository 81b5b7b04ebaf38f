# SPDX-License-Identifier: MIT
"""Writes CTF traces with the layout of lttng-ust 2.13, byte by byte: what tests need no tracer for."""
import struct

PREAMBLE = """/* CTF 1.8 */

typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; } := unsigned long;
typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
typealias integer { size = 27; align = 1; signed = false; } := uint27_t;

trace {
	major = 1;
	minor = 8;
	uuid = "%(uuid)s";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t  uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	};
};

env {
	domain = "%(domain)s";
	tracer_name = "lttng-%(domain)s";
	tracer_major = 2;
	tracer_minor = 13;
	hostname = "a \\"quoted\\" host [align=1;]";
%(session)s};

clock {
	name = "monotonic";
	uuid = "%(clock)s";
	description = "Monotonic Clock";
	freq = 1000000000; /* Frequency, in Hz */
	offset = %(offset)d;
};

typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock_monotonic_t;
typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } := uint32_clock_monotonic_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock_monotonic_t;

struct packet_context {
	uint64_clock_monotonic_t timestamp_begin;
	uint64_clock_monotonic_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	unsigned long events_discarded;
	uint32_t cpu_id;
};

struct event_header_large {
	enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;
	variant <id> {
		struct {
			uint32_clock_monotonic_t timestamp;
		} compact;
		struct {
			uint32_t id;
			uint64_clock_monotonic_t timestamp;
		} extended;
	} v;
} align(8);

stream {
	id = 0;
	event.header := struct event_header_large;
	packet.context := struct packet_context;
	%(context)s
};
"""
CONTEXT = """event.context := struct {
		integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vpid;
		integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vtid;
	};"""
SESSION = """	trace_name = "%s";
	trace_creation_datetime = "20260801T120000+0000";
"""
TYPES = {"u8": ("B", 8, 0), "u16": ("H", 16, 0), "u32": ("I", 32, 0), "u64": ("Q", 64, 0),
         "i8": ("b", 8, 1), "i16": ("h", 16, 1), "i32": ("i", 32, 1), "i64": ("q", 64, 1)}
METADATA_MAGIC, PACKET_MAGIC = 0x75D11D57, 0xC1FC1FC1


class Trace:
    """Events are (class number, bytes); streams are lists of (time, pid, tid, class number, bytes)."""

    def __init__(self, number=1, offset=10**18, domain="ust", has_threads=True, session=None, more=""):
        self.uuid = bytes([number]) * 16
        self.offset, self.domain, self.has_threads, self.session, self.more = offset, domain, has_threads, session, more
        self.classes, self.streams = [], {}

    def event(self, stream, name, time, pid, tid, /, **fields):
        shape = (name, tuple((field, kind) for field, (kind, _) in fields.items()))
        if shape not in self.classes:
            self.classes.append(shape)
        body = b""
        for kind, value in fields.values():
            if kind == "string":
                body += value.encode() + b"\0"
            elif kind == "bytes":
                body += value[:4].ljust(4, b"\0")
            else:
                body += struct.pack("<" + TYPES[kind][0], value)
        self.streams.setdefault(stream, []).append((time, pid, tid, self.classes.index(shape), body))

    def metadata(self):
        text = PREAMBLE % {"uuid": hyphened(self.uuid), "domain": self.domain, "clock": hyphened(b"\x77" * 16),
                           "offset": self.offset, "context": CONTEXT if self.has_threads else "",
                           "session": SESSION % self.session if self.session else ""} + self.more
        for number, (name, fields) in enumerate(self.classes):
            text += f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{\n'
            for field, kind in fields:
                if kind == "string":
                    text += f"\t\tstring _{field};\n"
                elif kind == "bytes":
                    text += f"\t\tinteger {{ size = 8; align = 8; signed = 0; }} _{field}[4];\n"
                else:
                    _, size, signed = TYPES[kind]
                    text += f"\t\tinteger {{ size = {size}; align = 8; signed = {signed}; base = 10; }} _{field};\n"
            text += "}; };\n"
        out = b""
        for at in range(0, len(text), 1000):  # in packets, each with some room to spare
            piece = text[at:at + 1000].encode()
            out += struct.pack("<I16sIIIBBBBB", METADATA_MAGIC, self.uuid, 0, (37 + len(piece)) * 8, (37 + 1024) * 8,
                               0, 0, 0, 1, 8) + piece + bytes(1024 - len(piece))
        return out

    def packet(self, stream, events, sequence, discarded=0, extended=False, begin=None):
        """The bytes of one packet; with `extended`, every third event has the long header."""
        body, begin = b"", events[0][0] if begin is None else begin
        for place, (time, pid, tid, number, payload) in enumerate(events):
            if extended and place % 3 == 0:
                body += struct.pack("<HIQ", 65535, number, time)
            else:
                body += struct.pack("<HI", number, time & 0xFFFFFFFF)
            body += (struct.pack("<ii", pid, tid) if self.has_threads else b"") + payload
        content = 84 + len(body)
        size = (content + 4095) // 4096 * 4096
        header = struct.pack("<I16sIQQQQQQQI", PACKET_MAGIC, self.uuid, 0, stream, begin, events[-1][0], content * 8,
                             size * 8, sequence, discarded, stream)
        return header + body + bytes(size - content)

    def write(self, folder, packet_events=50, **options):
        folder.mkdir(parents=True)
        (folder / "metadata").write_bytes(self.metadata())
        for stream, events in self.streams.items():
            packets = [self.packet(stream, events[at:at + packet_events], at // packet_events, **options)
                       for at in range(0, len(events), packet_events)]
            (folder / f"all_{stream}").write_bytes(b"".join(packets))


def hyphened(uuid):
    text = uuid.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
