#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings that are given together, and streams that were put together.

usage: together.py BUILD_FOLDER

The time that no recording covers is said and charged to nobody; a stream with another one behind it,
or with numbers that cannot be, is said to be such. `gaptrace report` and the stock babeltrace2 with the
plugin agree on both.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from plain import START, fill, run_checks  # noqa: E402
from ust_trace import Trace  # noqa: E402

SECOND = 10**9


def recording(folder, number, session, start, **options):
    """A recording of one process, some milliseconds long; its first and last packet's time."""
    trace = fill(Trace(number, session=session), number, start=start, pid=100 * number)
    trace.write(folder, **options)
    times = [event[0] for events in trace.streams.values() for event in events]
    return min(times), max(times)


def unknown_ns(made, reason):
    return [sum(row["ns"] for row in device["causes"] if row["cause"] == "unknown" and row["phase"] == reason)
            for device in made["devices"]]


def pauses(made):
    return [note for note in made["trust"]["notes"] if note.startswith("no recording covers")]


def told(made):
    return pauses(made), unknown_ns(made, "between recordings")


def apart_in_time(readers, work_folder):
    """The pause is in a note, and no cause's; what was recorded on both sides of it keeps its own."""
    for name, options in (("plain", {}), ("lossy", {"discarded": 7})):
        folder = work_folder / name
        _, begin = recording(folder / "one", 1, "one", START, **options)
        end, _ = recording(folder / "two", 2, "two", START + 5 * SECOND)
        made = readers.agree(folder)
        notes, unknown = told(made)
        assert len(notes) == 1 and "covers 4.99" in notes[0] and "report each recording by itself" in notes[0], notes
        assert not made["trust"]["ok"], made["trust"]
        assert all(end - begin <= ns < end - begin + 10**7 for ns in unknown), (end - begin, unknown)


def several_pauses(readers, work_folder):
    for number in (1, 2, 3):
        recording(work_folder / "all" / str(number), number, f"run{number}", START + number * number * SECOND)
    notes, _ = told(readers.agree(work_folder / "all"))
    assert len(notes) == 1 and "in 2 pauses, the longest 4.99" in notes[0], notes


def covered_by_another(readers, work_folder):
    """A recording that goes on meanwhile covers the pause, and so does a session that just had no events."""
    folder = work_folder / "longer"
    recording(folder / "one", 1, "one", START)
    recording(folder / "two", 2, "two", START + 5 * SECOND)
    long = fill(Trace(3, session="three"), 3, start=START, pid=300)
    fill(long, 4, start=START + 6 * SECOND, pid=300).write(folder / "three")
    assert told(readers.agree(folder)) == ([], [0]), told(readers.agree(folder))

    folder = work_folder / "same"
    recording(folder / "one", 1, "one", START)
    recording(folder / "two", 2, "one", START + 5 * SECOND)
    assert told(readers.agree(folder)) == ([], [0])


def nobody_knows(readers, work_folder):
    """Traces that do not say which session they are of."""
    folder = work_folder / "all"
    recording(folder / "one", 1, None, START)
    recording(folder / "two", 2, None, START + 5 * SECOND)
    assert told(readers.agree(folder)) == ([], [0])


def outside_the_window(readers, work_folder):
    """A pause before the first job is no part of what is asked."""
    folder = work_folder / "all"
    idle = Trace(1, session="one")
    for second in range(3):
        idle.event(0, "gaptrace_gpu:watermark", START + second * 1000, 100, 100, device=("i32", 0),
                   complete_until_ns=("u64", START))
    idle.write(folder / "one")
    recording(folder / "two", 2, "two", START + 5 * SECOND)
    made = readers.agree(folder)
    assert pauses(made) == [] and made["trust"]["ok"], made["trust"]


def put_together(readers, work_folder):
    """cat one stream >> another: neither a number of lost packets nor silence."""
    odd = "typealias integer { size = 32; align = 32; signed = false; } := odd_t;\n"  # then babeltrace2 reads it
    for name, size, more in (("many", 20, ""), ("one", 10_000, ""), ("odd", 20, odd)):
        folder = work_folder / name / "trace"
        fill(Trace(more=more), 1, start=START).write(folder, packet_events=size)
        with open(folder / "all_1", "ab") as stream:
            stream.write((folder / "all_0").read_bytes())
        trust = json.loads(readers.ours(folder))["trust"]
        told_of = [note for note in trust["notes"] if "numbers in its packets go backwards" in note]
        assert len(told_of) == 1 and str(folder / "all_1") in told_of[0], trust["notes"]
        assert not trust["ok"] and trust["discarded_packets"] == 0 and trust["unreadable"] == 1, trust


def patch(path, at, value):
    content = path.read_bytes()
    path.write_bytes(content[:at] + value + content[at + len(value):])


def counted_backwards(readers, work_folder):
    """A count of lost events that falls from one packet to the next: 7 is one, 2**63 - 7 is none."""
    folder = work_folder / "trace"
    fill(Trace(), 1).write(folder, packet_events=20)
    patch(folder / "all_1", 4096 + 72, (7).to_bytes(8, "little"))
    trust = readers.agree(folder)["trust"]
    assert trust["discarded_events"] == 7 and trust["unreadable"] == 1 and not trust["ok"], trust
    assert any("all_1: the numbers in its packets go backwards" in note for note in trust["notes"]), trust


def without_an_end(readers, work_folder):
    """Sizes by which babeltrace2 2.0 reads for ever: of a packet, and of a packet of the metadata."""
    folder = work_folder / "stream" / "trace"
    fill(Trace(), 1).write(folder, packet_events=20)
    for packet in (1, 0):
        patch(folder / "all_1", packet * 4096 + 56, bytes(8))
        trust = json.loads(readers.ours(folder))["trust"]
        assert trust["unreadable"] == 1 and not trust["ok"] and trust["events"] > 0, trust
        assert any("all_1: cut short" in note for note in trust["notes"]), trust

    folder = work_folder / "metadata" / "trace"
    fill(Trace(), 1).write(folder)
    patch(folder / "metadata", 24, (2**20).to_bytes(4, "little"))
    done = subprocess.run([readers.gaptrace, "report", folder], capture_output=True, timeout=300)
    assert done.returncode == 2 and b"metadata: the packet at byte 0 is not whole" in done.stderr, done.stderr


def no_room_to_mend(readers, work_folder):
    """A stream that is cut is read from a copy; without a place for one the report says so, and what to do."""
    folder = work_folder / "trace"
    fill(Trace(), 1).write(folder)
    (folder / "all_1").write_bytes((folder / "all_1").read_bytes()[:-100])
    done = subprocess.run([readers.gaptrace, "report", folder], capture_output=True, timeout=300,
                          env={**os.environ, "TMPDIR": str(work_folder / "nosuch")})
    assert done.returncode == 2 and b"set TMPDIR" in done.stderr and b"nosuch" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(run_checks(apart_in_time, several_pauses, covered_by_another, nobody_knows, outside_the_window,
                        put_together, counted_backwards, without_an_end, no_room_to_mend))
