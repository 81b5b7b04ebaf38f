#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces that nobody on this project recorded give the figures that an independent reference computed.

usage: import_cases.py BUILD_FOLDER

Every file of ../shared/cases/expected.json, every device, both layers, three thresholds, to the nanosecond.
"""
import json
import sys

sys.dont_write_bytecode = True
from import_support import CASES, Checks, report, sanitizer, skip_without_cases  # noqa: E402

THRESHOLDS = {"10us": "gaps_ge_10us", "100us": "gaps_ge_100us", "1ms": "gaps_ge_1000us"}
LAYERS = {"all": "gaps", "kernel": "kernel_gaps"}
SPLIT = ("host_late_ns", "in_call_ns", "after_call_ns", "unjoined_ns", "joined", "unjoined")

# The reference drops what starts at 0, which is a valid time: the first of 400 equal kernels, each 1 ms long
# and 10 us before the next one. All other gaps of that file are split alike: 7 us, 2.5 us, 0.5 us.
KERNEL_NS, GAP_NS = 1_000_000, 10_000
LATE_NS, IN_CALL_NS, AFTER_NS = 7_000, 2_500, 500


def mend_healthy(device):
    device["counts"]["kernel"] += 1
    for layer in LAYERS:
        figures = device[layer]
        figures["n_events"] += 1
        figures["gaps_all"] += 1
        figures["busy_ns"] += KERNEL_NS
        figures["idle_ns"] += GAP_NS
        figures["span_ns"] += KERNEL_NS + GAP_NS
        figures["gaps_ge_10us"]["count"] += 1
        figures["gaps_ge_10us"]["total_ns"] += GAP_NS
    split = device["all"]["decomposition"]
    split["gaps"] += 1
    split["joined"] += 1
    split["host_late_ns"] += LATE_NS
    split["in_call_ns"] += IN_CALL_NS
    split["after_call_ns"] += AFTER_NS


MENDS = {"nsys/healthy_1pct.sqlite": mend_healthy}


def check_usage(checks, name, device, expected):
    """What does not depend on a threshold."""
    every, kernel = expected["all"], expected["kernel"]
    checks.equal(f"{name}: operations", device["operations"], every["n_events"])
    checks.equal(f"{name}: kernels", device["kernels"], expected["counts"]["kernel"])
    checks.equal(f"{name}: span", device["span_ns"], every["span_ns"])
    checks.equal(f"{name}: kernels and copies", device["busy_ns"] + device["copying_ns"], every["busy_ns"])
    checks.equal(f"{name}: idle", device["idle_ns"], every["idle_ns"])
    checks.equal(f"{name}: kernels alone", device["busy_ns"], kernel["busy_ns"])


def check_gaps(checks, name, device, expected, threshold):
    for layer, key in LAYERS.items():
        wanted = expected[layer][THRESHOLDS[threshold]]
        inner = device[key]["inner"]
        for figure in ("count", "total_ns", "max_ns"):
            checks.equal(f"{name}: {layer} gaps of {threshold}, {figure}", inner[figure], wanted[figure])
    if threshold == "10us":
        for figure in SPLIT:
            checks.equal(f"{name}: split, {figure}", device["gaps"]["split"][figure],
                         expected["all"]["decomposition"][figure])


def check_file(checks, build, name, expected, thresholds):
    for threshold in thresholds:
        # A file whose data are damaged in part is still reported, with exit code 4.
        got = report(build, [CASES / name], "--threshold", threshold, want=(0, 4))
        devices = {str(device["index"]): device for device in got["devices"] if not device["silent"]}
        checks.equal(f"{name}: devices", sorted(devices), sorted(expected["devices"]))
        for index, figures in expected["devices"].items():
            if index not in devices:
                continue
            place = f"{name} GPU {index}"
            if threshold == "10us":
                check_usage(checks, place, devices[index], figures)
            check_gaps(checks, place, devices[index], figures, threshold)


def main():
    build, checks = sys.argv[1], Checks()
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    skip_without_cases()
    # The other thresholds run the same code, and a sanitizer is slow.
    thresholds = ["10us"] if sanitizer(build) else list(THRESHOLDS)
    files = json.loads((CASES / "expected.json").read_text())
    for name, expected in files.items():
        if only and only not in name:
            continue
        if name in MENDS:
            for device in expected["devices"].values():
                MENDS[name](device)
        check_file(checks, build, name, expected, thresholds)
    print(f"{len(files)} files")
    checks.end()


if __name__ == "__main__":
    main()
