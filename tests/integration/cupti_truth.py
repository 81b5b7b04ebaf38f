#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a report against what the look-alike's devices really did.

usage: cupti_truth.py RECORDING REPORT.json TRUTH [bound | KEPT/OF]

TRUTH has a line for each operation: device, CUPTI's kind, stream, start, end. Every one must be in
the recording, and the report's busy, copying, idle and gaps must follow from them, to the nanosecond.
With `bound` the stamps were converted: each must be true within a few times the report's own clock
bound. With KEPT/OF of each OF operations in the order of their launch only the first KEPT have good
stamps, and the others must have been recorded as bad.
"""
import collections
import json
import sys

import independent_reader as reader

UUIDS = ["GPU-10101010-1010-1010-1010-101010101010", "GPU-11111111-1111-1111-1111-111111111111"]
KINDS = {"gaptrace_gpu:kernel": 10, "gaptrace_gpu:memcpy": 1, "gaptrace_gpu:memset": 2}
FIGURES = ("operations", "span_ns", "busy_ns", "copying_ns", "idle_ns")


def recorded(events):
    """(device, kind, stream, start, end) of every operation."""
    return [(int(f["device"]), KINDS[name], int(f["stream"]), int(f["start_ns"]), int(f["end_ns"]))
            for _, name, _, f in events if name in KINDS]


def check_exact(truth, events, report):
    begin, end = reader.window(events)
    found = recorded(events)
    good = [operation for operation in found if operation[3:] != (0, 0)]
    assert sorted(good) == sorted(truth), f"{len(good)} operations recorded, {len(truth)} are true"
    devices = [reader.Device() for _ in UUIDS]
    for device, kind, _, start, stop in truth:
        devices[device].operations.append((start, stop))
        if kind == KINDS["gaptrace_gpu:kernel"]:
            devices[device].kernels.append((start, stop))
    for device in report["devices"]:
        figures = devices[UUIDS.index(device["uuid"])].figures(begin, end)
        for figure in FIGURES:
            assert figures[figure] == device[figure], (device["uuid"], figure, figures[figure], device[figure])
        for kind in ("gaps", "kernel_gaps"):
            lengths = [stop - start for start, stop in figures[kind]]
            assert (len(lengths), sum(lengths)) == (device[kind]["all_count"], device[kind]["all_total_ns"]), kind
    return len(found) - len(good)


def check_bound(truth, events, report):
    bound = report["trust"]["clock_bound_ns"]
    lanes = collections.defaultdict(lambda: ([], []))
    for operation in truth:
        lanes[operation[:3]][0].append(operation[3:])
    for operation in recorded(events):
        lanes[operation[:3]][1].append(operation[3:])
    worst = 0
    for lane, (true, told) in lanes.items():
        assert len(true) == len(told), lane
        for a, b in zip(sorted(true), sorted(told)):
            worst = max(worst, abs(a[0] - b[0]), abs(a[1] - b[1]))
    assert worst <= 4 * bound + 100, f"stamps are {worst} ns off, the bound is {bound} ns"
    print(f"converted stamps are at most {worst} ns off, the report's bound is {bound} ns")


def main():
    recording, report_path, truth_path = sys.argv[1:4]
    with open(report_path, encoding="utf-8") as stream:
        report = json.load(stream)
    with open(truth_path, encoding="utf-8") as stream:
        truth = [tuple(map(int, line.split())) for line in stream]
    clock = report["trust"]["clock"]
    assert clock["bound_ns"] == report["trust"]["clock_bound_ns"] is not None, clock
    events = reader.read(recording)
    mode = sys.argv[4] if len(sys.argv) > 4 else "1/1"
    assert sorted(device["uuid"] for device in report["devices"]) == UUIDS
    assert truth, "nothing was done"
    assert clock["path"] == ("default" if mode == "bound" else "callback"), clock
    if mode == "bound":
        check_bound(truth, events, report)
        return 0
    kept, of = map(int, mode.split("/"))
    good = [operation for number, operation in enumerate(truth) if number % of < kept]
    bad = check_exact(good, events, report)
    assert bad == len(truth) - len(good) == report["trust"]["bad_stamps"], bad
    print(f"{len(good)} operations, {bad} with bad stamps: the report is true to the nanosecond")
    return 0


if __name__ == "__main__":
    sys.exit(main())
