#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py passes a recording that is true, and each of its checks fails on what it is for."""
import copy
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINE = "[1.5] (+0.1) host gaptrace_gpu:%s: { cpu_id = 0 }, { vpid = 7, vtid = 7 }, { %s }\n"
UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"


def sample():
    """One launch of a kernel, a graph of two, a copy and a memset around a pause of 20 ms."""
    events = [
        ("api", 'name = "cudaLaunchKernel", tid = 7, correlation = 1, start_ns = 90, end_ns = 99, result = 0'),
        ("api", 'name = "cudaGraphLaunch", tid = 7, correlation = 2, start_ns = 30000000, end_ns = 30000009, result = 0'),
        ("kernel", 'device = 0, correlation = 1, start_ns = 100, end_ns = 200, name = "a = 5", graph = 0'),
        ("kernel", 'device = 0, correlation = 2, start_ns = 30000100, end_ns = 30000200, name = "b", graph = 3'),
        ("kernel", 'device = 0, correlation = 2, start_ns = 30000200, end_ns = 30000300, name = "b", graph = 3'),
        ("memcpy", 'device = 0, start_ns = 1, end_ns = 2, kind = ( "htod" : container = 1 )'),
        ("memset", 'device = 0, start_ns = 1, end_ns = 2'),
        ("device", f'device = 0, uuid = "{UUID}", name = "x", link = ""')]
    report = {
        "trust": {"clock": {"path": "callback", "bound_ns": 50}, "dropped_records": 0, "late_records": 0},
        "devices": [{"kernels": 3, "busy_ns": 300, "uuid": UUID,
                     "kernel_gaps": {"histogram": [{"from_ns": 16777216, "count": 1}]}}]}
    truth = {"pauses": [[5000000, 25000000]], "kernels": 3, "graph_kernels": 2, "graph_launches": 1,
             "copies": 1, "memsets": 1}
    return events, report, truth


def sample_of_graphs():
    """The same with a record for the launch of the graph."""
    events, report, truth = sample()
    events[3:5] = [("kernel", 'device = 0, correlation = 2, start_ns = 30000100, end_ns = 30000300, name = "graph", graph = 3')]
    report["devices"][0]["kernels"] = 2
    return events, report, truth


def compare(events, report, truth, *level):
    """The exit code, and the checks that did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("events", "report", "truth")]
        with open(paths[0], "w", encoding="utf-8") as stream:
            stream.writelines(LINE % event for event in events)
        for path, value in zip(paths[1:], (report, truth)):
            with open(path, "w", encoding="utf-8") as stream:
                json.dump(value, stream)
        done = subprocess.run([sys.executable, f"{HERE}/compare.py", "sample", *paths, "callback", *level],
                              capture_output=True, text=True, check=False)
    checks = json.loads(done.stdout)["checks"]
    return done.returncode, [name for name, holds in checks.items() if not holds]


def without(kind):
    def change(events, _report, _truth):
        events.remove(next(event for event in events if event[0] == kind))
    return change


def replace(number, old, new):
    def change(events, _report, _truth):
        assert old in events[number][1], (number, old)
        events[number] = (events[number][0], events[number][1].replace(old, new))
    return change


def put(path, value):
    def change(_events, report, truth):
        place = {"report": report, "truth": truth}
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    return change


DAMAGES = {
    "every kernel is recorded": put(["truth", "kernels"], 4),
    "every copy is recorded": without("memcpy"),
    "every memset is recorded": without("memset"),
    "kernels of graphs are told apart": replace(3, "graph = 3", "graph = 0"),
    "what is of a graph is named as it was asked for": replace(3, 'name = "b"', 'name = "graph"'),
    "every kernel is joined to its call": without("api"),
    "the report counts the same kernels": put(["report", "devices", 0, "kernels"], 2),
    "no stamp is bad": replace(2, "start_ns = 100", "start_ns = 0"),
    "devices are known by their UUID": put(["report", "devices", 0, "uuid"], "pid 7 device 0"),
    "no record was dropped": put(["report", "trust", "dropped_records"], 1),
    "no kernel ran in a pause, but for the clocks' errors": replace(3, "start_ns = 30000100", "start_ns = 24989900"),
    "every pause is a gap": put(["report", "devices", 0, "kernel_gaps", "histogram"], []),
    "the clock is the one asked for": put(["report", "trust", "clock", "path"], "default")}


def main():
    code, failed = compare(*sample())
    assert (code, failed) == (0, []), failed
    assert compare(*sample_of_graphs(), "graphs") == (0, [])
    wrong = ["every kernel is recorded", "kernels of graphs are told apart", "what is of a graph is named as it was asked for"]
    assert compare(*sample(), "graphs") == (1, wrong), "kernels where graphs were asked for"
    assert compare(*sample_of_graphs()) == (1, wrong), "graphs where kernels were asked for"
    for check, damage in DAMAGES.items():
        parts = copy.deepcopy(sample())
        damage(*parts)
        code, failed = compare(*parts)
        assert code == 1 and check in failed, (check, failed)
    with open(f"{HERE}/compare.py", encoding="utf-8") as stream:
        source = stream.read()
    assert all(f'"{check}"' in source for check in DAMAGES)
    print(f"{len(DAMAGES)} checks fail when they should")


if __name__ == "__main__":
    main()
