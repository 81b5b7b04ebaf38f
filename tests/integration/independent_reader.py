#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recomputes a report's figures from a recording, knowing docs/events.md and nothing else.

usage: independent_reader.py RECORDING REPORT.json

Reads every event with python3-bt2, makes span, busy, copying, idle and both lists of gaps of each
device with the plainest algorithm there is, and compares them with the report: equal to the
nanosecond, or the difference is printed and the exit code is 1.
"""
import json
import sys

import bt2

OPERATIONS = {"gaptrace_gpu:kernel": True, "gaptrace_gpu:memcpy": False, "gaptrace_gpu:memset": False}


def read(path):
    """The recording as a list of (time, name, process, fields), in order of time."""
    events = []
    for message in bt2.TraceCollectionMessageIterator(path):
        if not isinstance(message, bt2._EventMessageConst):
            continue
        event = message.event
        provider = event.name.split(":")[0]
        if provider not in ("gaptrace", "gaptrace_gpu"):
            continue
        fields = {name: value for name, value in event.payload_field.items()} if event.payload_field else {}
        events.append((message.default_clock_snapshot.value, event.name, int(event["vpid"]), fields))
    events.sort(key=lambda event: event[0])
    return events


def label(field):
    """The label of an enumeration's value."""
    return next(iter(field.labels), "")


def merge(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(intervals):
    return sum(end - start for start, end in intervals)


def window(events):
    begin = events[0][0]
    named = [event for event in events if int(event[3].get("job", 0)) != 0]
    if named and named[0][1] == "gaptrace:job_submit":
        begin = named[0][0]
    is_open, ended, last_end = set(), set(), None
    for time, name, process, fields in events:
        job = (process, int(fields.get("job", 0)))
        if job[1] == 0:
            continue
        if name in ("gaptrace:job_submit", "gaptrace:job_begin"):
            is_open.add(job)
        elif name == "gaptrace:state" and label(fields["subject"]) == "job" and job not in ended:
            is_open.add(job)
        elif name == "gaptrace:job_end":
            is_open.discard(job)
            ended.add(job)
            last_end = time
    end = last_end if last_end is not None and not is_open else events[-1][0]
    return begin, end


def gaps(union, begin, end):
    """What the union leaves of the window."""
    edges = [-1] + [edge for interval in union for edge in interval] + [2**64]
    found = []
    for i in range(0, len(edges), 2):
        start, stop = max(edges[i], begin), min(edges[i + 1], end)
        if start < stop:
            found.append((start, stop))
    return found


class Device:
    def __init__(self):
        self.kernels, self.operations = [], []

    def figures(self, begin, end):
        busy = merge(self.kernels)
        anything = merge(self.operations)
        span = 0
        if self.operations:
            span = max(e for _, e in self.operations) - min(s for s, _ in self.operations)
        return {
            "operations": len(self.operations),
            "span_ns": span,
            "busy_ns": length(busy),
            "copying_ns": length(anything) - length(busy),
            "idle_ns": span - length(anything),
            "kernel_gaps": gaps(busy, begin, end),
            "gaps": gaps(anything, begin, end),
        }


def devices(events):
    uuids = {}
    for _, name, process, fields in events:
        if name == "gaptrace_gpu:device" and str(fields["uuid"]) not in ("", "(null)"):
            uuids[(process, int(fields["device"]))] = str(fields["uuid"])
    found = {uuid: Device() for uuid in uuids.values()}
    bad = 0
    for _, name, process, fields in events:
        if name not in OPERATIONS:
            continue
        source = (process, int(fields["device"]))
        device = found.setdefault(uuids.get(source, "%d:%d" % source), Device())
        start, end = int(fields["start_ns"]), int(fields["end_ns"])
        if not (start <= end < 2**63) or (start == 0 and end == 0):
            bad += 1
            continue
        device.operations.append((start, end))
        if OPERATIONS[name]:
            device.kernels.append((start, end))
    return found, bad


def compare(where, expected, reported, problems):
    if expected != reported:
        problems.append(f"{where}: the report says {reported}, the recording {expected}")


def main():
    recording, report_path = sys.argv[1:]
    with open(report_path, encoding="utf-8") as stream:
        report = json.load(stream)
    events = read(recording)
    begin, end = window(events)
    found, bad = devices(events)
    problems = []
    compare("window", (begin, end), (report["window"]["begin_ns"], report["window"]["end_ns"]), problems)
    compare("partitions", sum(name == "gaptrace:prove_finish_end" for _, name, _, _ in events),
            report["work"]["count"], problems)
    compare("events", len(events), report["trust"]["events"], problems)
    compare("bad stamps", bad, report["trust"]["bad_stamps"], problems)
    compare("devices", sorted(found), sorted(device["uuid"] for device in report["devices"]), problems)
    gap_count = 0
    for device in report["devices"]:
        figures = found.get(device["uuid"], Device()).figures(begin, end)
        for figure in ("operations", "span_ns", "busy_ns", "copying_ns", "idle_ns"):
            compare(f"{device['uuid']} {figure}", figures[figure], device[figure], problems)
        for kind in ("gaps", "kernel_gaps"):
            table = device[kind]
            lengths = [stop - start for start, stop in figures[kind]]
            listed = [gap for gap in lengths if gap >= table["threshold_ns"]]
            gap_count += len(listed)
            compare(f"{device['uuid']} {kind}",
                    (len(listed), sum(listed), max(listed, default=0), len(lengths), sum(lengths)),
                    (table["count"], table["total_ns"], table["max_ns"], table["all_count"], table["all_total_ns"]),
                    problems)
        threshold = device["kernel_gaps"]["threshold_ns"]
        longest = sorted((gap for gap in figures["kernel_gaps"] if gap[1] - gap[0] >= threshold),
                         key=lambda gap: (gap[0] - gap[1], gap[0]))
        compare(f"{device['uuid']} worst", longest[:len(device["worst"])],
                [(gap["begin_ns"], gap["end_ns"]) for gap in device["worst"]], problems)
        compare(f"{device['uuid']} sum of causes", device["kernel_gaps"]["total_ns"],
                sum(cause["ns"] for cause in device["causes"]), problems)
        for gap in device["worst"]:
            at = gap["begin_ns"]
            for part in gap["parts"]:
                compare(f"{device['uuid']} parts of the gap at {gap['begin_ns']}", at, part["from_ns"], problems)
                at = part["to_ns"]
            compare(f"{device['uuid']} end of the gap at {gap['begin_ns']}", gap["end_ns"], at, problems)
    if problems:
        print("\n".join(problems))
        return 1
    print(f"{len(events)} events, {len(found)} devices, {gap_count} gaps: the report is right to the nanosecond")
    return 0


if __name__ == "__main__":
    sys.exit(main())
