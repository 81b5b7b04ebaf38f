#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A kernel trace beside the recording tells exactly when a thread was kept from running.

usage: kernel.py BUILD_FOLDER

Two traces of one boot: gaptrace's events, and sched_switch and sched_waking as lttng-modules has them.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from ust_trace import Trace  # noqa: E402

PID, WORKER, OTHER = 100, 101, 900
START, MS = 10**9, 10**6


def switch(trace, time, prev, state, following):
    trace.event(0, "sched_switch", time, 0, 0, prev_comm=("bytes", b"a"), prev_tid=("i32", prev), prev_prio=("i32", 20),
                prev_state=("i64", state), next_comm=("bytes", b"b"), next_tid=("i32", following), next_prio=("i32", 20))


def waking(trace, name, time, tid):
    trace.event(0, name, time, 0, 0, comm=("bytes", b"a"), tid=("i32", tid), prio=("i32", 20), target_cpu=("i32", 0))


def recording():
    """prep_msm runs from 10 ms to 30 ms between two kernels."""
    trace = Trace(1)
    trace.event(0, "gaptrace:job_submit", START, PID, WORKER, job=("u64", 1), kind=("string", "t"), partitions=("u32", 1))
    trace.event(0, "gaptrace_gpu:device", START, PID, WORKER, device=("i32", 0), uuid=("string", "A"))
    for number, (begin, end) in enumerate(((2, 10), (31, 40))):
        begin, end = START + begin * MS, START + end * MS
        if number == 1:
            trace.event(0, "gaptrace:span_begin", START + 10 * MS, PID, WORKER, name=("string", "prep_msm"))
            trace.event(0, "gaptrace:span_end", START + 30 * MS, PID, WORKER, name=("string", "prep_msm"),
                        begin_tid=("i32", WORKER), duration_ns=("u64", 20 * MS))
        for name, fields in (("gaptrace_gpu:api", {"name": ("string", "cudaLaunchKernel"), "tid": ("i32", WORKER),
                                                   "start_ns": ("u64", begin - MS), "end_ns": ("u64", begin)}),
                             ("gaptrace_gpu:kernel", {"device": ("i32", 0), "start_ns": ("u64", begin),
                                                      "end_ns": ("u64", end)})):
            trace.event(0, name, end, PID, WORKER, correlation=("u64", number + 1), **fields)
    trace.event(0, "gaptrace:job_end", START + 40 * MS, PID, WORKER, job=("u64", 1), status=("u8", 0))
    return trace


def kernel_trace(wakes, preempted):
    """The worker sleeps until 13 ms and gets a CPU at 15; it is preempted from 20 to 26 ms."""
    trace = Trace(2, domain="kernel", has_threads=False)
    switch(trace, START + 1, OTHER, 1, WORKER)
    switch(trace, START + 12 * MS, WORKER, 1, OTHER)
    waking(trace, wakes, START + 13 * MS, WORKER)
    switch(trace, START + 15 * MS, OTHER, 0, WORKER)
    switch(trace, START + 20 * MS, WORKER, preempted, OTHER)
    switch(trace, START + 26 * MS, OTHER, 2, WORKER)
    return trace


def report(gaptrace, *folders):
    done = subprocess.run([gaptrace, "report", "--format", "json", *folders], capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode()


def starved_ms(made):
    device, = made["devices"]
    return [((part["from_ns"] - START) // MS, (part["to_ns"] - START) // MS) for worst in device["worst"]
            for part in worst["parts"] if part["cause"] == "cpu_starved"]


def main():
    gaptrace = pathlib.Path(sys.argv[1]) / "bin" / "gaptrace"
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        recording().write(work / "ust")
        code, out, err = report(gaptrace, work / "ust")
        assert code == 0, err
        assert starved_ms(json.loads(out)) == [], "nobody said that it was starved"

        # 0 is an old kernel's word for preempted, the bits above 0xff those of newer ones.
        for number, (wakes, preempted) in enumerate((("sched_waking", 0), ("sched_wakeup", 0x100),
                                                     ("sched_wakeup_new", 0x800))):
            folder = work / f"kernel{number}"
            kernel_trace(wakes, preempted).write(folder)
            code, out, err = report(gaptrace, work / "ust", folder)
            assert code == 0, err
            made = json.loads(out)
            assert starved_ms(made) == [(13, 15), (20, 26)], made["devices"][0]["worst"]
            assert not any("vpid" in note for note in made["trust"]["notes"]), made["trust"]

        code, _, err = report(gaptrace, work / "kernel0")
        assert code == 2 and "none of gaptrace" in err, err
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
