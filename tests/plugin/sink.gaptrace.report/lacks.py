#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams that are cut, missing or not the recording's own are told, and nobody is blamed for what they hid.

usage: lacks.py BUILD_FOLDER

What an index would tell is not there: only the streams themselves say what is wrong. What cannot be
proven, as while a session runs, is not said.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from plain import START, fill, run_checks  # noqa: E402
from ust_trace import PACKET_MAGIC, Trace  # noqa: E402

CHANNEL = "stream { id = 1; event.header := struct event_header_large; packet.context := struct packet_context; };\n"
ROUNDS, STREAMS, SECOND = 400, 3, 10**9
MARK = "gaptrace-ended"


def flushed(trace, channel, stream, time, sequence):
    """The packet that a stop makes in a stream without events; babeltrace2 calls its number lost events."""
    return struct.pack("<I16sIQQQQQQQI", PACKET_MAGIC, trace.uuid, channel, stream, time, time, 84 * 8, 4096 * 8,
                       sequence, 0, stream) + bytes(4096 - 84)


def spread(trace):
    """A recording of seconds: events have their times drawn out, and so have packets."""
    for stream, events in trace.streams.items():
        trace.streams[stream] = [(START + (time - START) * 2000, *more) for time, *more in events]
    return trace


def record(folder, is_stopped=True, number=1):
    """Two channels of STREAMS streams each, in ust/trace as a session has them; the second says nothing."""
    trace = spread(fill(Trace(number, more=CHANNEL), 3, streams=STREAMS, rounds=ROUNDS))
    inner = folder / "ust" / "trace"
    trace.write(inner, packet_events=20)
    end = max(event[0] for events in trace.streams.values() for event in events) + 100_000
    for stream in range(STREAMS):
        path = inner / f"all_{stream}"
        if is_stopped:
            with open(path, "ab") as file:
                file.write(flushed(trace, 0, stream, end, path.stat().st_size // 4096))
        (inner / f"quiet_{stream}").write_bytes(flushed(trace, 1, stream, end if is_stopped else START, 0))
    return inner


def cut(path, packets):
    path.write_bytes(path.read_bytes()[:packets * 4096])


def report(readers, folder):
    """The exit code, the notes, and what is unknown, and all that is idle, on the one device."""
    done = subprocess.run([readers.gaptrace, "report", "--threshold", "1us", "--format", "json", folder],
                          capture_output=True, timeout=300)
    assert done.returncode in (0, 4), done.stderr.decode()
    made = json.loads(done.stdout)
    rows = made["devices"][0]["causes"] if made["devices"] else []
    lost = sum(row["ns"] for row in rows if (row["cause"], row["phase"]) == ("unknown", "lost packets"))
    return done.returncode, made["trust"]["notes"], lost, sum(row["ns"] for row in rows)


def expect_whole(readers, folder):
    code, notes, lost, idle = report(readers, folder)
    assert code == 0 and lost == 0 and idle > SECOND // 4, (code, notes, lost, idle)
    assert not [note for note in notes if "copy the recording again" in note], notes


def expect_lack(readers, folder, text, share=0.0):
    """`share` of the idle time, at least, has nobody to blame."""
    code, notes, lost, idle = report(readers, folder)
    assert code == 4, (code, notes)
    assert len([note for note in notes if text in note]) == 1, (text, notes)
    assert lost >= share * idle, (lost, idle)


def whole(readers, work_folder):
    """Ended by gaptrace record, stopped by hand, or neither."""
    for name, is_stopped in (("stopped", True), ("running", False)):
        folder = work_folder / name
        record(folder, is_stopped)
        expect_whole(readers, folder)
    # A stream is behind the others by as much as the host kept the recorder waiting at the stop.
    inner = record(work_folder / "late")
    late = bytearray((inner / "quiet_1").read_bytes())
    end, = struct.unpack_from("<Q", late, 40)
    struct.pack_into("<QQ", late, 32, end + 5 * SECOND, end + 5 * SECOND)
    (inner / "quiet_1").write_bytes(late)
    (work_folder / "late" / MARK).touch()
    expect_whole(readers, work_folder / "late")


def cut_streams(readers, work_folder):
    """One of several ends early: its time is lost from there on."""
    for name in ("stop", "mark"):
        folder = work_folder / name
        inner = record(folder, is_stopped=name == "stop")
        if name == "mark":
            shutil.rmtree(inner.parent)
            record(folder)
            for path in inner.glob("*_*"):  # no stop is to be seen: all had events in their last packet
                content = path.read_bytes()
                path.write_bytes(content[:-4096] if path.name.startswith("all") else content)
            for path in inner.glob("quiet_*"):
                path.write_bytes(path.read_bytes()[:32] + struct.pack("<Q", START) + path.read_bytes()[40:])
            (folder / MARK).touch()
            expect_whole(readers, folder)
        cut(inner / "all_1", 3)
        expect_lack(readers, folder, "all_1: ends ", 0.5)
        cut(inner / "all_1", 1)
        expect_lack(readers, folder, "all_1: ends ", 0.7)


def not_ended(readers, work_folder):
    """While a session runs, or when its daemon was killed, streams end where each was written out last; in a
    chunk of a rotated session, and in a snapshot, whose streams are written out one after the other. Nothing is
    said then, whoever ended another recording further up."""
    (work_folder / MARK).touch()
    inner = record(work_folder / "running", is_stopped=False)
    cut(inner / "all_1", 3)
    expect_whole(readers, work_folder / "running")
    chunk = work_folder / "rotated" / "archives" / "chunk"
    inner = record(chunk, is_stopped=False)
    (work_folder / "rotated" / MARK).touch()
    cut(inner / "all_1", 3)
    expect_whole(readers, chunk)
    inner = record(work_folder / "snapshot")
    for path in inner.glob("all_*"):
        path.write_bytes(path.read_bytes()[4096:])
    cut(inner / "all_1", 3)
    expect_whole(readers, work_folder / "snapshot")


def missing_streams(readers, work_folder):
    """Of one CPU, the last one, and of a whole channel, whether or not the session was ended."""
    for is_stopped in (False, True):
        for name, gone, count in (("one", ["all_0"], 1), ("last", ["all_2"], 1), ("channel", ["quiet_*"], 3),
                                  ("cpu", ["all_1", "quiet_1"], 2)):
            folder = work_folder / f"{name}-{is_stopped}"
            inner = record(folder, is_stopped)
            for pattern in gone:
                for path in inner.glob(pattern):
                    path.unlink()
            expect_lack(readers, folder, f"ust/trace: {count} of its 6 streams are not there", 0.999)
    for is_stopped in (False, True):
        folder = work_folder / f"empty-{is_stopped}"
        (record(folder, is_stopped) / "all_1").write_bytes(b"")
        if is_stopped:
            expect_lack(readers, folder, "1 of its 6 streams are not there", 0.999)
        else:
            expect_whole(readers, folder)


def strangers(readers, work_folder):
    """A file in the place of another, or beside it."""
    other = record(work_folder / "other", number=2)
    folder = work_folder / "double"
    inner = record(folder)
    shutil.copy(inner / "all_0", inner / "all_1")
    expect_lack(readers, folder, "all_1: has packets that all_0 has, too", 0.999)
    for name, missing in (("all_1", True), ("all_8", False)):
        folder = work_folder / f"foreign-{missing}"
        inner = record(folder)
        shutil.copy(other / "all_1", inner / name)
        expect_lack(readers, folder, f"{name}: of another recording", 0.999 if missing else 0.0)


if __name__ == "__main__":
    sys.exit(run_checks(whole, cut_streams, not_ended, missing_streams, strangers))
