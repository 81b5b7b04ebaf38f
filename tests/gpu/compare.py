#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a recording and its report against what the program itself says it did.

usage: compare.py sample EVENTS REPORT.json TRUTH.json CLOCK [graphs]
       compare.py prover REPORT.json COUNTERS.json

EVENTS is what babeltrace2 prints, so that nothing but Python's own library is needed. With `graphs`
a record for each launch of a graph is expected, and none for its kernels. Prints a JSON
object of figures and of checks, each true or false; ends with 1 when one is false.
"""
import json
import re
import sys

EVENT = re.compile(r" (gaptrace(?:_gpu)?:\w+): ")
NUMBER = re.compile(r"(\w+) = (?:\( \"[^\"]*\" : container = )?(-?\d+)")
UUID = re.compile(r"(GPU|MIG)-[0-9a-f-]{36}")
NAME = re.compile(r"name = \"((?:[^\"\\]|\\.)*)\"")

# A pause is longer than this; nothing else in the sample's life between two kernels is.
PAUSE_NS = 10_000_000

# What CUPTI's own conversion from the device's clock to the host's may be off by, which no bound of
# ours knows: trace/cupti/clock_sync.c takes device and host stamps this close for unordered.
CUPTI_ERROR_NS = 10_000


def read_events(path):
    """{event name: [fields]}; each with its numbers and its name."""
    events = {}
    with open(path, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            match = EVENT.search(line)
            if match:
                fields = {key: int(value) for key, value in NUMBER.findall(line)}
                name = NAME.search(line)
                fields["name"] = name.group(1) if name else ""
                events.setdefault(match.group(1), []).append(fields)
    return events


def read_json(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def overlap(interval, pause):
    return max(0, min(interval[1], pause[1]) - max(interval[0], pause[0]))


def compare_sample(events_path, report_path, truth_path, clock, level="kernels"):
    events, report, truth = read_events(events_path), read_json(report_path), read_json(truth_path)
    kernels = events.get("gaptrace_gpu:kernel", [])
    calls = {call["correlation"]: call for call in events.get("gaptrace_gpu:api", [])}
    good = [k for k in kernels if k["start_ns"] and k["end_ns"] >= k["start_ns"]]
    launched = [k for k in good if k["correlation"] in calls]
    before = [calls[k["correlation"]]["start_ns"] - k["start_ns"] for k in launched]
    trust = report["trust"]
    bound = trust["clock"]["bound_ns"]
    worst = max((overlap((k["start_ns"], k["end_ns"]), pause) for k in good for pause in truth["pauses"]), default=0)
    devices = report["devices"]
    graph = [k for k in kernels if k["graph"]]
    graph_count, kernel_count = truth["graph_kernels"], truth["kernels"]
    if level == "graphs":
        kernel_count += truth["graph_launches"] - graph_count
        graph_count = truth["graph_launches"]
    by_correlation = {}
    for kernel in graph:
        by_correlation[kernel["correlation"]] = by_correlation.get(kernel["correlation"], 0) + 1
    figures = {
        "clock": trust["clock"], "kernels": len(kernels), "bad_stamps": len(kernels) - len(good),
        "copies": len(events.get("gaptrace_gpu:memcpy", [])), "memsets": len(events.get("gaptrace_gpu:memset", [])),
        "calls": len(calls), "joined": len(launched), "before_launch": sum(1 for ns in before if ns > 0),
        "worst_before_launch_ns": max(before, default=0), "worst_in_pause_ns": worst,
        "dropped_records": trust["dropped_records"], "late_records": trust["late_records"],
        "graph_kernels": len(graph), "kernels_of_one_graph_launch": max(by_correlation.values(), default=0),
        "busy_ns": sum(device["busy_ns"] for device in devices), "device_events": len(events.get("gaptrace_gpu:device", []))}
    long_gaps = sum(bucket["count"] for device in devices for bucket in device["kernel_gaps"]["histogram"]
                    if bucket["from_ns"] >= PAUSE_NS)
    checks = {
        "every kernel is recorded": len(kernels) == kernel_count,
        "every copy is recorded": figures["copies"] == truth["copies"],
        "every memset is recorded": figures["memsets"] == truth["memsets"],
        "kernels of graphs are told apart": len(graph) == graph_count,
        "what is of a graph is named as it was asked for": all((k["name"] == "graph") == (level == "graphs") for k in graph),
        "every kernel is joined to its call": len(launched) == len(good),
        "the report counts the same kernels": sum(device["kernels"] for device in devices) == len(good),
        "no stamp is bad": len(good) == len(kernels),
        "devices are known by their UUID": devices != [] and all(UUID.fullmatch(d["uuid"]) for d in devices),
        "no record was dropped": trust["dropped_records"] == 0,
        "no kernel ran in a pause, but for the clocks' errors": bound is not None and worst <= bound + CUPTI_ERROR_NS,
        "every pause is a gap": long_gaps >= len(truth["pauses"]),
        "the clock is the one asked for": trust["clock"]["path"] == clock}
    return figures, checks


def compare_prover(report_path, counters_path):
    report, counters = read_json(report_path), read_json(counters_path)
    device = report["devices"][0]
    counted = counters["devices"][0]
    busy = counted["device_lane_busy_ns"]
    figures = {
        "clock": report["trust"]["clock"], "kernels": device["kernels"], "busy_ns": device["busy_ns"],
        "counted_busy_ns": busy, "copying_ns": device["copying_ns"], "idle_ns": device["idle_ns"],
        "coverage": report["trust"]["coverage"], "notes": report["trust"]["notes"],
        "causes": [{key: cause[key] for key in ("cause", "object", "phase", "ns", "share")}
                   for cause in device["causes"][:8]]}
    total = sum(cause["ns"] for cause in device["causes"])
    checks = {
        "one device": len(report["devices"]) == 1 and not device["silent"],
        "causes sum to the gaps": total == device["kernel_gaps"]["total_ns"],
        # It times a sum of many kernels as one, with the launches between them.
        "the prover counted as busy what was recorded, within a quarter":
            abs(busy - device["busy_ns"]) <= max(busy, device["busy_ns"]) / 4,
        "no record was dropped": report["trust"]["dropped_records"] == 0}
    return figures, checks


def main():
    if len(sys.argv) in (6, 7) and sys.argv[1] == "sample" and sys.argv[6:] in ([], ["graphs"]):
        figures, checks = compare_sample(*sys.argv[2:])
    elif len(sys.argv) == 4 and sys.argv[1] == "prover":
        figures, checks = compare_prover(*sys.argv[2:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps({"figures": figures, "checks": checks}))
    for check, holds in checks.items():
        if not holds:
            print(f"not so: {check}", file=sys.stderr)
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
