#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real traces whose cause of idling is known are charged to that cause.

usage: import_causes.py BUILD_FOLDER

What is known, and how: README.md and truth.json beside the traces, by overlap of intervals.
"""
import json
import sys

sys.dont_write_bytecode = True
from import_support import CASES, Checks, report, run, skip_without_cases  # noqa: E402

POWER = "nsys/power_iteration__baseline.sqlite"
RESNET = "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"
DLRM = "kineto/param-dlrm-8gpu/dlrm_kineto"
LOADER = "enumerate(DataLoader)"


def charged(device, **wanted):
    """Time of the causes that agree with all that is wanted; a trailing * stands for any text."""
    def agrees(row):
        return all(row[key].startswith(text[:-1]) if text.endswith("*") else row[key] == text
                   for key, text in wanted.items())
    return sum(row["ns"] for row in device["causes"] if agrees(row))


def check_power_iteration(checks, build, truth):
    """The feeder runs in the range `IO n`; it waits for nothing, and no copy is to blame."""
    known = truth[POWER]
    got = report(build, [CASES / POWER])
    device = got["devices"][0]
    gaps = device["gaps"]["inner"]
    checks.equal("power: gaps", (gaps["count"], gaps["total_ns"]), (known["gaps_ge_1ms"], known["total_ns"]))
    checks.equal("power: time in IO", charged(device, object="IO*"), known["nvtx_cover_ns"]["IO N"])
    for call in ("open64", "fstat64", "close", "stat64", "write"):
        checks.equal(f"power: {call}", charged(device, object="IO*", phase=call), known["osrt_ns"][f"9946 {call}"])
    checks.true("power: it runs there", charged(device, object="IO*", cause="cpu_phase") > 0.995 *
                known["nvtx_cover_ns"]["IO N"])
    checks.true("power: the first cause", device["causes"][0]["phase"].startswith("IO"), device["causes"][0])
    checks.true("power: copies explain next to nothing", charged(device, cause="copy_pageable") < 0.005 *
                known["total_ns"], charged(device, cause="copy_pageable"))
    thread = {part["thread"] for gap in device["worst"] for part in gap["parts"] if part["phase"].startswith("IO")}
    checks.true("power: the thread", all("9946" in name for name in thread) and thread, thread)
    for row in device["causes"]:
        checks.true("power: not the helper's poll", "poll" not in row["phase"] and "poll" not in row["object"], row)


def check_resnet(checks, build, truth):
    """Without loader workers the queue is empty: the producer is late."""
    known = truth[RESNET]["gaps_ge_1000us"]
    got = report(build, [CASES / RESNET])
    device, window = got["devices"][0], got["window"]
    inner = [gap for gap in device["worst"]
             if gap["begin_ns"] > window["begin_ns"] and gap["end_ns"] < window["end_ns"]]
    late = sum(part["to_ns"] - part["from_ns"] for gap in inner for part in gap["parts"]
               if part["object"].startswith(LOADER))
    checks.equal("resnet: gaps", (device["gaps"]["inner"]["count"], device["gaps"]["inner"]["total_ns"]),
                 (known["count"], known["total_ns"]))
    wanted = next(ns for name, ns in known["cover_ns"].items() if name.startswith(LOADER))
    # Calls inside the loader are charged as calls: they are what is missing.
    checks.true("resnet: the loader", 0.999 * wanted < late <= wanted, late)
    checks.true("resnet: the first cause", device["causes"][0]["object"].startswith(LOADER), device["causes"][0])
    checks.true("resnet: host late", device["gaps"]["split"]["host_late_ns"] > 0.99 * known["total_ns"])


def check_dlrm(checks, build):
    """Host late is the main part on every rank; kernels launched before the capture are busy time, and said."""
    ranks = sorted((CASES / DLRM).glob("worker*.json.gz"))
    checks.equal("dlrm: ranks", len(ranks), 4)
    alone = []
    for number, path in enumerate(ranks):
        got = report(build, [path], "--threshold", "10us")
        split = got["devices"][0]["gaps"]["split"]
        others = split["in_call_ns"] + split["after_call_ns"] + split["unjoined_ns"]
        checks.true(f"dlrm {number}: host late", split["host_late_ns"] > 2 * others, split)
        checks.equal(f"dlrm {number}: launched before", got["trust"]["launched_before"], 64 if number % 2 else 0)
        alone.append(got["devices"][0])
    together = report(build, ranks, "--threshold", "10us")
    checks.equal("dlrm together: devices", [device["index"] for device in together["devices"]], [0, 1, 2, 3])
    for device, single in zip(together["devices"], alone):
        for key in ("operations", "span_ns", "busy_ns", "copying_ns", "idle_ns"):
            checks.equal(f"dlrm together: GPU {device['index']}: {key}", device[key], single[key])
        for layer in ("gaps", "kernel_gaps"):
            checks.equal(f"dlrm together: GPU {device['index']}: {layer}", device[layer]["inner"],
                         single[layer]["inner"])
            checks.equal(f"dlrm together: GPU {device['index']}: split of {layer}", device[layer]["split"],
                         single[layer]["split"])


def check_mfu(checks, build):
    """Slower launching: idle more than doubled on one GPU, and time inside calls grew nearly fivefold."""
    before = report(build, [CASES / "nsys/mfu_2gpu_before.sqlite"], "--threshold", "10us")
    after = report(build, [CASES / "nsys/mfu_2gpu_after.sqlite"], "--threshold", "10us")
    growth = [round(100 * new["idle_ns"] / old["idle_ns"] - 100)
              for old, new in zip(before["devices"], after["devices"])]
    checks.equal("mfu: idle grew by, percent", growth, [127, 44])
    old, new = before["devices"][0]["gaps"], after["devices"][0]["gaps"]
    checks.equal("mfu: gaps", (old["inner"]["count"], new["inner"]["count"]), (217, 854))
    checks.equal("mfu: time in calls", round(10 * new["split"]["in_call_ns"] / old["split"]["in_call_ns"]), 49)


def check_small(checks, build):
    """Without GPU rows, with one kernel, with four: a report that says so."""
    for name, kernels, text in (
            ("kineto/hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", None, "no GPU rows"),
            ("kineto/hta/triton_example/triton_example.json.gz", 1, "no such gap lies between two operations"),
            ("kineto/hta/trace_file_list/inference_rank_1.json.gz", 4, "4 operations, 4 of them kernels"),
            ("nsys/healthy_1pct.sqlite", 400, "no such gap lies between two operations")):
        done = run([build + "/bin/gaptrace", "report", str(CASES / name)])
        checks.equal(f"{name}: exit", done.returncode, 0)
        checks.true(f"{name}: says '{text}'", text in done.stdout, done.stdout)
        got = report(build, [CASES / name])
        checks.equal(f"{name}: kernels", [device["kernels"] for device in got["devices"]],
                     [] if kernels is None else [kernels])


def check_recorder(checks, build):
    """Most of this file's idle time is nsys's own: nobody is told to change the program for that."""
    lines = run([build + "/bin/gaptrace", "report", str(CASES / "nsys/mock.sqlite")]).stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("first: "))
    checks.true("mock: instrumentation comes first", lines[first].startswith("first: driver instrumentation"))
    checks.true("mock: which is the recorder's own", "recorder's own" in lines[first + 1], lines[first + 1])


def main():
    build, checks = sys.argv[1], Checks()
    skip_without_cases()
    truth = json.loads((CASES / "truth.json").read_text())
    check_power_iteration(checks, build, truth)
    check_resnet(checks, build, truth)
    check_dlrm(checks, build)
    check_mfu(checks, build)
    check_small(checks, build)
    check_recorder(checks, build)
    checks.end()


if __name__ == "__main__":
    main()
