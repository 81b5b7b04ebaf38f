#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of other versions: fields that are missing, new or of another width, events nobody knows.

usage: versions.py BUILD_FOLDER

Writes small CTF 1.8 traces byte by byte and reads the reports made of them.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from foreign import environment

HEAD = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 32; align = 8; signed = true; } := i32;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
clock { name = monotonic; freq = %d; offset = %d; };
typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := stamp;
stream {
  event.header := struct { u16 id; stamp timestamp; };
  %s
};
"""
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i"}


class Trace:
    """A trace of one stream; events are (name, time, {field: (type, value)})."""

    def __init__(self, context=True, frequency=1_000_000_000, offset=0):
        self.context, self.frequency, self.offset = context, frequency, offset
        self.classes, self.body = [], b"".join([struct.pack("<I", 0xC1FC1FC1)])

    def event(self, name, time, /, **fields):
        shape = (name, tuple((field, kind) for field, (kind, _) in fields.items()))
        if shape not in self.classes:
            self.classes.append(shape)
        self.body += struct.pack("<HQ", self.classes.index(shape), time)
        if self.context:
            self.body += struct.pack("<ii", 100, 101)
        for kind, value in fields.values():
            self.body += value.encode() + b"\0" if kind == "string" else struct.pack("<" + CODES[kind], value)

    def write(self, folder):
        folder.mkdir()
        context = "event.context := struct { i32 vpid; i32 vtid; };" if self.context else ""
        text = HEAD % (self.frequency, self.offset, context)
        for number, (name, fields) in enumerate(self.classes):
            members = " ".join(f"{'string' if kind == 'string' else kind} _{field};" for field, kind in fields)
            text += f'event {{ name = "{name}"; id = {number}; fields := struct {{ {members} }}; }};\n'
        (folder / "metadata").write_text(text)
        (folder / "stream").write_bytes(self.body)


def kernel(trace, time, start, end, /, **more):
    trace.event("gaptrace_gpu:kernel", time, device=("i32", 0), start_ns=("u64", start), end_ns=("u64", end), **more)


def report(gaptrace, *folders):
    done = subprocess.run([gaptrace, "report", "--threshold", "1ns", "--format", "json", *folders],
                          capture_output=True, timeout=300)
    assert done.returncode in (0, 4), done.stderr.decode()
    return json.loads(done.stdout)


def older_and_newer_fields(gaptrace, folder):
    trace = Trace()
    trace.event("gaptrace_gpu:device", 1, device=("u8", 0), uuid=("string", "A"), colour=("string", "red"))
    kernel(trace, 30, 10, 20)
    kernel(trace, 60, 40, 50, name=("u32", 7), weight=("u64", 1), correlation=("u16", 3))
    trace.event("gaptrace:job_end", 70, job=("u64", 1))
    trace.event("gaptrace:invented", 71, anything=("u32", 5))
    trace.event("gaptrace_gpu:kernel", 72, device=("i32", 0), name=("string", "no stamps"))
    trace.event("gaptrace:gap", 73, device=("i32", 0))
    trace.event("other:event", 74, x=("u8", 1))
    trace.write(folder)
    made = report(gaptrace, folder)
    device, = made["devices"]
    assert device["uuid"] == "A" and device["name"] == "" and device["backend"] == "cuda", device
    assert (device["busy_ns"], device["idle_ns"], device["operations"]) == (20, 20, 2), device
    assert any("unknown kinds of events: 2" in note for note in made["trust"]["notes"]), made["trust"]


def no_contexts(gaptrace, folder):
    trace = Trace(context=False)
    kernel(trace, 30, 10, 20)
    trace.write(folder)
    made = report(gaptrace, folder)
    assert made["devices"][0]["busy_ns"] == 10
    assert any("vpid and vtid" in note for note in made["trust"]["notes"]), made["trust"]


def another_host(gaptrace, folder):
    """The second host's clock reads 1000 where the first one's reads 0 ... 5 ms and more apart."""
    folder.mkdir()
    first, second = Trace(offset=5_000_000), Trace(offset=15_000_000)
    kernel(first, 30_000_000, 20_000_000, 30_000_000)
    kernel(second, 30_000_000, 20_000_000, 30_000_000)
    first.event("gaptrace_gpu:device", 30_000_001, device=("i32", 0), uuid=("string", "A"))
    second.event("gaptrace_gpu:device", 30_000_001, device=("i32", 0), uuid=("string", "A"))
    first.write(folder / "first")
    second.write(folder / "second")
    device, = report(gaptrace, folder)["devices"]
    # 20 to 30 ms and 30 to 40 ms of the first host's clock.
    assert (device["span_ns"], device["busy_ns"]) == (20_000_000, 20_000_000), device


def another_frequency(gaptrace, folder):
    """Event times are in cycles of 1 MHz; device stamps are nanoseconds as always."""
    trace = Trace(frequency=1_000_000)
    trace.event("gaptrace:job_submit", 1, job=("u64", 1))
    kernel(trace, 30, 10_000, 20_000)
    trace.event("gaptrace:job_end", 40, job=("u64", 1), status=("u8", 0))
    trace.write(folder)
    made = report(gaptrace, folder)
    assert (made["window"]["begin_ns"], made["window"]["end_ns"]) == (1_000, 40_000), made["window"]
    assert made["devices"][0]["kernel_gaps"]["total_ns"] == 29_000, made["devices"]


def many_event_classes(gaptrace, folder):
    trace = Trace()
    for i in range(500):
        trace.event(f"other:event{i}", 10 + i, x=("u8", 1))
    kernel(trace, 1000, 10, 20)
    trace.write(folder)
    assert report(gaptrace, folder)["trust"]["events"] == 1


def gaps_are_no_recording(gaptrace, folder):
    """What filter.gaptrace.gaps makes is not what a report is made of, and the sink says so."""
    trace = Trace()
    trace.event("gaptrace_gpu:device", 1, device=("i32", 0), uuid=("string", "A"))
    kernel(trace, 30, 10, 20)
    kernel(trace, 60, 40, 50)
    trace.write(folder)
    done = subprocess.run(
        ["babeltrace2", folder, "-c", "filter.gaptrace.gaps", "-p", 'threshold="1ns"', "-c", "sink.gaptrace.report"],
        capture_output=True, timeout=300, text=True, env=environment(sys.argv[1]))
    assert done.returncode == 1 and done.stdout == "", (done.returncode, done.stdout)
    said = " ".join(done.stderr.split())
    assert "no gaptrace events of a recording" in said and "connect the recording itself" in said, said


def main():
    gaptrace = pathlib.Path(sys.argv[1]) / "bin" / "gaptrace"
    with tempfile.TemporaryDirectory() as work:
        for check in (older_and_newer_fields, no_contexts, another_host, another_frequency, many_event_classes,
                      gaps_are_no_recording):
            check(gaptrace, pathlib.Path(work) / check.__name__)
            print("ok", check.__name__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
