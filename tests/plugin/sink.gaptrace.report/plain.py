#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams that gaptrace reads without babeltrace2 make the report that they make through it.

usage: plain.py BUILD_FOLDER

Writes traces with lttng-ust's layout, whole and damaged, one and several, and compares the report
of `gaptrace report` with that of the stock babeltrace2 and the plugin, byte by byte.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from ust_trace import Trace  # noqa: E402

START = 5 * 2**32 - 400_000  # the lower half of the clock wraps soon


def work(job):
    return {"job": ("u64", job), "partition": ("i32", 0), "device": ("i32", 0)}


def fill(trace, seed, streams=5, rounds=60, start=START, pid=100):
    """A service of a few threads, one stream for each; several events share a time."""
    chance, now, correlation = random.Random(seed), start, seed * 100_000
    for stream in range(streams):
        trace.event(stream, "gaptrace:job_submit", now, pid, pid + stream, job=("u64", stream + 1),
                    kind=("string", "test"), partitions=("u32", 1))
        trace.event(stream, "gaptrace_gpu:device", now, pid, pid + stream, device=("i32", 0), backend=("u8", 1),
                    uuid=("string", "plain"), name=("string", "gpu"), link=("string", "(null)"))
    for _ in range(rounds):
        stream = chance.randrange(streams)
        tid, now, correlation = pid + stream, now + chance.randrange(0, 60_000), correlation + 1
        name = chance.choice(["prep_msm", "b_g2", "synthesize"])
        trace.event(stream, "gaptrace:span_begin", now, pid, tid, name=("string", name), **work(stream + 1))
        trace.event(chance.randrange(streams), "other:noise", now, pid, tid, text=("string", "x" * chance.randrange(9)),
                    small=("i8", -3), word=("u16", 7), long=("i64", -(2**40)))
        if chance.random() < 0.5:
            trace.event(stream, "gaptrace:lock_wait", now, pid, tid, lock=("u64", 9), name=("string", "tracker"),
                        mode=("u8", 0), holder_tid=("i32", 0))
            now += chance.randrange(0, 30_000)
            trace.event(stream, "gaptrace:lock_acquire", now, pid, tid, lock=("u64", 9), name=("string", "tracker"),
                        mode=("u8", 0), wait_ns=("u64", 30_000))
            trace.event(stream, "gaptrace:lock_release", now, pid, tid, lock=("u64", 9), name=("string", "tracker"),
                        mode=("u8", 0), hold_ns=("u64", 0))
        begin, end = now, now + chance.randrange(1, 20_000)
        trace.event(stream, "gaptrace_gpu:api", end, pid, tid, name=("string", "cudaLaunchKernel"), tid=("i32", tid),
                    correlation=("u64", correlation), start_ns=("u64", begin), end_ns=("u64", begin + 1),
                    result=("i32", 0))
        trace.event(stream, "gaptrace_gpu:kernel", end, pid, tid, device=("i32", 0), context=("u32", 1),
                    stream=("u32", 7), correlation=("u64", correlation), start_ns=("u64", begin + 1),
                    end_ns=("u64", end), name=("string", "ntt"), graph=("u32", 0))
        trace.event(stream, "gaptrace:span_end", end, pid, tid, name=("string", name), **work(stream + 1),
                    begin_tid=("i32", tid), duration_ns=("u64", end - now), cpu_ns=("u64", 2**64 - 1),
                    run_delay_ns=("u64", 2**64 - 1))
        now = end
    for stream in range(streams):
        trace.event(stream, "gaptrace:job_end", now, pid, pid + stream, job=("u64", stream + 1), status=("u8", 0),
                    duration_ns=("u64", 1))
    for events in trace.streams.values():
        events.sort(key=lambda event: event[0])
    return trace


class Readers:
    def __init__(self, build):
        self.gaptrace, self.plugins = build / "bin" / "gaptrace", build / "lib" / "babeltrace2" / "plugins"
        linked = subprocess.run(["ldd", self.plugins / "babeltrace-plugin-gaptrace.so"], capture_output=True, text=True)
        runtimes = [word for word in linked.stdout.split() if "/lib" in word and ("asan" in word or "tsan" in word)]
        self.environment = dict(os.environ)
        if runtimes:
            self.environment.update(LD_PRELOAD=runtimes[0], ASAN_OPTIONS="detect_leaks=0")

    def ours(self, folder):
        done = subprocess.run([self.gaptrace, "report", "--threshold", "1us", "--format", "json", folder],
                              capture_output=True, timeout=300)
        assert done.returncode in (0, 4), done.stderr.decode()
        return done.stdout

    def stock(self, folder):
        path = folder.parent / "stock.json"
        done = subprocess.run(
            ["babeltrace2", f"--plugin-path={self.plugins}", folder, "-c", "sink.gaptrace.report", "-p",
             f'format="json",threshold="1us",path="{path}"'], env=self.environment, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode()
        return path.read_bytes()

    def agree(self, folder, events=None):
        ours, stock = self.ours(folder), self.stock(folder)
        made = json.loads(ours)
        assert ours == stock, f"{folder}: {ours.decode()}\n--- is not what the muxer makes:\n{stock.decode()}"
        assert made["trust"]["events"] > 0 and made["devices"][0]["kernel_gaps"]["count"] > 0, made
        if events is not None:
            assert made["trust"]["events"] == events, (made["trust"], events)
        return made


def own_events(trace):
    names = [name for name, _ in trace.classes]
    return sum(not names[event[3]].startswith("other:") for events in trace.streams.values() for event in events)


def random_traces(readers, work_folder):
    for seed in range(12):
        trace = fill(Trace(), seed, streams=1 + seed % 7)
        folder = work_folder / f"seed{seed}" / "trace"
        trace.write(folder, packet_events=1 + seed * 5, extended=seed % 2 == 1)
        readers.agree(folder, own_events(trace))


def rotated_files(readers, work_folder):
    """The packets of a stream in several files, of one folder and of two."""
    trace = fill(Trace(), 3)
    trace.write(work_folder / "trace" / "one", packet_events=20)
    (work_folder / "trace" / "two").mkdir()
    shutil.copy(work_folder / "trace" / "one" / "metadata", work_folder / "trace" / "two" / "metadata")
    for stream, events in trace.streams.items():
        third = len(events) // 3
        files = [("one", 0, events[:third]), ("one", 1, events[third:2 * third]), ("two", 2, events[2 * third:])]
        (work_folder / "trace" / "one" / f"all_{stream}").unlink()
        for folder, number, part in files:
            (work_folder / "trace" / folder / f"all_{stream}_{number}").write_bytes(trace.packet(stream, part, number))
    readers.agree(work_folder / "trace", own_events(trace))


def two_processes(readers, work_folder):
    """A trace for each process, of one boot: events of one time in the order of the traces."""
    for number, pid in ((2, 100), (1, 200)):
        trace = fill(Trace(number), number, pid=pid)
        trace.write(work_folder / "trace" / str(pid))
    readers.agree(work_folder / "trace")


def left_to_babeltrace2(readers, work_folder):
    """A class that has an array is nothing for us, and neither are lost events and packets."""
    trace = fill(Trace(), 5)
    trace.event(0, "other:array", START, 1, 1, letters=("bytes", b"abcd"))
    trace.streams[0].sort(key=lambda event: event[0])
    trace.write(work_folder / "array" / "trace")
    readers.agree(work_folder / "array" / "trace", own_events(trace))

    trace = fill(Trace(has_threads=False), 6)
    trace.write(work_folder / "threadless" / "trace")
    assert any("vpid and vtid" in note for note in
               readers.agree(work_folder / "threadless" / "trace", own_events(trace))["trust"]["notes"])

    for name, sequences, discarded in (("events", (0, 1, 2), (0, 0, 7)), ("packets", (0, 1, 5), (0, 0, 0))):
        trace = fill(Trace(), 7)
        folder = work_folder / name / "trace"
        trace.write(folder)
        events = trace.streams[1]
        third = len(events) // 3
        parts = [events[:third], events[third:2 * third], events[2 * third:]]
        (folder / "all_1").write_bytes(b"".join(
            trace.packet(1, part, sequences[i], discarded[i]) for i, part in enumerate(parts)))
        trust = readers.agree(folder)["trust"]
        lost = (trust["discarded_events"], trust["discarded_packets"])
        assert lost == ((7, 0) if name == "events" else (0, 3)), trust


def broken_events(readers, work_folder):
    """Packets that look whole with an event inside that is not one: said, with the file, and what came before stays."""
    trace = fill(Trace(), 8)
    folder = work_folder / "trace"
    trace.write(folder, packet_events=10)
    path = folder / "all_2"
    whole = path.read_bytes()
    at = 4 * 4096  # beyond what babeltrace2 looks at before it is known that the stream is plain
    assert len(whole) > at + 4096 and whole[at:at + 4] == whole[:4]
    path.write_bytes(whole[:at + 84] + b"\x40\x40" + whole[at + 86:])
    made = json.loads(readers.ours(folder))
    assert made["trust"]["unreadable"] > 0 and not made["trust"]["ok"], made["trust"]
    assert any("all_2: an event of no known class; copy" in note for note in made["trust"]["notes"]), made["trust"]

    # Read by babeltrace2, since events were lost: the same line, whose own words name no file.
    odd = bytearray(path.read_bytes())
    for header in range(4096, len(odd), 4096):
        odd[header + 72] = 1
    path.write_bytes(odd)
    other = json.loads(readers.ours(folder))
    assert other["trust"]["discarded_events"] > 0, other["trust"]
    assert any(f"{path}: an event of no known class; copy" in note for note in other["trust"]["notes"]), other["trust"]

    string = whole.index(b"ntt\0", at, at + 4096)
    content = (string + 2 - at) * 8
    assert content < int.from_bytes(whole[at + 48:at + 56], "little")
    path.write_bytes(whole[:at + 48] + content.to_bytes(8, "little") + whole[at + 56:])
    made = json.loads(readers.ours(folder))
    assert any("all_2: an event that is cut short" in note for note in made["trust"]["notes"]), made["trust"]


def nameless_devices(readers, work_folder):
    """An empty string is one in either reader, also where an earlier event of its kind had text: babeltrace2 2.0
    leaves that text in the field."""
    trace, now = Trace(), START
    trace.event(0, "gaptrace:job_submit", now, 100, 100, job=("u64", 1), kind=("string", "test"), partitions=("u32", 1))
    for device in [0] * 100 + [1, 2] * 100:  # as in keyframes: enough for babeltrace2 to use events again
        now += 1
        trace.event(0, "gaptrace_gpu:device", now, 100, 100, device=("i32", device), backend=("u8", 1),
                    uuid=("string", "" if device else "first"), name=("string", f"gpu{device}"), link=("string", ""))
    for round_number in range(20):
        device, now = round_number % 3, now + 50_000
        trace.event(0, "gaptrace_gpu:kernel", now, 100, 100, device=("i32", device), context=("u32", 1),
                    stream=("u32", 7), correlation=("u64", 0), start_ns=("u64", now - 20_000), end_ns=("u64", now),
                    name=("string", "ntt"), graph=("u32", 0))
    trace.event(0, "gaptrace:job_end", now, 100, 100, job=("u64", 1), status=("u8", 0), duration_ns=("u64", 1))
    folder = work_folder / "trace"
    trace.write(folder, packet_events=10_000)
    made = readers.agree(folder)
    names = [(device["uuid"], device["name"]) for device in made["devices"]]
    assert [name for _, name in names] == ["gpu0", "gpu1", "gpu2"] and names[0][0] == "first", names
    assert all("first" not in uuid for uuid, _ in names[1:]), names


def nothing_left(readers, work_folder):
    """Each stream is cut inside its only packet: a report that says so, not a program that is not instrumented."""
    trace = fill(Trace(), 9)
    folder = work_folder / "trace"
    trace.write(folder, packet_events=10_000)
    for stream in trace.streams:
        path = folder / f"all_{stream}"
        path.write_bytes(path.read_bytes()[:-100])
    trust = json.loads(readers.ours(folder))["trust"]
    assert trust["events"] == 0 and trust["unreadable"] == len(trace.streams) and not trust["ok"], trust


def run_checks(*checks):
    """Each check gets the two readers and an empty folder. 77: there is nothing to compare with."""
    readers = Readers(pathlib.Path(sys.argv[1]))
    if not shutil.which("babeltrace2"):
        return 77
    with tempfile.TemporaryDirectory() as work_folder:
        for check in checks:
            folder = pathlib.Path(work_folder) / check.__name__
            folder.mkdir()
            check(readers, folder)
            print("ok", check.__name__)
    return 0


if __name__ == "__main__":
    sys.exit(run_checks(random_traces, rotated_files, two_processes, left_to_babeltrace2, broken_events,
                        nameless_devices, nothing_left))
