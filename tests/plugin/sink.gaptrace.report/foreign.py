#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other people's traces, good, lossy and broken: no crash, the stock reader's exit code, its counts of what was lost.

usage: foreign.py BUILD_FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parents[3].parent / "shared" / "cases" / "ctf"


def environment(build):
    plugins = pathlib.Path(build) / "lib" / "babeltrace2" / "plugins"
    variables = dict(os.environ, BABELTRACE_PLUGIN_PATH=str(plugins))
    linked = subprocess.run(["ldd", plugins / "babeltrace-plugin-gaptrace.so"], capture_output=True, text=True, check=True)
    runtimes = [word for word in linked.stdout.split() if word.startswith("/") and ("libasan" in word or "libtsan" in word)]
    if runtimes:
        variables.update(LD_PRELOAD=runtimes[0], ASAN_OPTIONS="detect_leaks=0")
    return variables


def main():
    expected_path = CASES / "expected_babeltrace2_2.0.4.json"
    if not expected_path.exists() or not shutil.which("babeltrace2"):
        print("skipped: no babeltrace2, or no ../shared/cases/ctf")
        return 77
    variables = environment(sys.argv[1])
    gaptrace = pathlib.Path(sys.argv[1]) / "bin" / "gaptrace"
    problems, reports = [], 0
    for name, expected in json.loads(expected_path.read_text()).items():
        trace = CASES / name
        if not trace.is_dir():
            continue
        ours = subprocess.run([gaptrace, "report", str(trace)], capture_output=True, timeout=300,
                              env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        if ours.returncode not in (2, 4) or ours.stderr.count(b"\n") != 1:
            problems.append(f"{name}: gaptrace report: exit code {ours.returncode}, not one line: {ours.stderr[-300:]}")
        done = subprocess.run(["babeltrace2", str(trace), "-c", "sink.gaptrace.report", "-p", 'format="json"'],
                              capture_output=True, env=variables, timeout=300)
        if done.returncode != expected["exit"]:
            problems.append(f"{name}: exit code {done.returncode}, the stock sinks' {expected['exit']}: {done.stderr[-300:]}")
        if not done.stdout:
            if expected["exit"] == 0:
                problems.append(f"{name}: no report")
            continue
        trust = json.loads(done.stdout)["trust"]
        reports += 1
        if expected["exit"] != 0 and (trust["ok"] or trust["unreadable"] == 0):
            problems.append(f"{name}: reading failed and the report does not say so")
        for field in ("discarded_events", "discarded_packets"):
            if expected["exit"] == 0 and trust[field] != expected[field]:
                problems.append(f"{name}: {field} {trust[field]}, not {expected[field]}")
    print("\n".join(problems) if problems else f"{reports} reports are as they should be")
    return 1 if problems or reports == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
