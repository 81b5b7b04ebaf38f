#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes reports of runs that never were, each another one: history_reports.py FOLDER FIRST COUNT [GAP_MS]."""
import json
import pathlib
import random
import sys

folder, first, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
gap_ns = int(sys.argv[4] if len(sys.argv) > 4 else 40) * 1000000
SECOND = 1000000000
WORK = 16


def table(gaps):
    length = {name: sorted(gaps)[-1 - rank] for name, rank in (("p50_ns", WORK // 2), ("p95_ns", 0), ("p99_ns", 0))}
    sums = {"count": len(gaps), "total_ns": sum(gaps), "max_ns": max(gaps)}
    return {"threshold_ns": 1000000, **sums, **length, "inner": sums, "all_count": len(gaps), "all_total_ns": sum(gaps),
            "histogram": []}


def causes(total, count, has_holder):
    row = {"cause": "lock", "object": "tracker", "phase": "malloc_trim", "ns": total, "gaps": count}
    return [row | {"holder": "thread 1", "share": 1.0, "ceiling_ns": total}] if has_holder else [row]


def block(begin, gap):
    part = {"index": 0, "uuid": "GPU-0", "busy_ns": SECOND - gap, "copying_ns": 0, "idle_ns": gap, "gap_ns": gap, "gaps": 1,
            "causes": causes(gap, 1, False)}
    return {"begin_ns": begin, "end_ns": begin + SECOND, "work": 1, "devices": [part]}


def report(number):
    """Sixteen partitions of a second each, with one gap in each."""
    draw = random.Random(number)
    begin = number * 60 * SECOND
    gaps = [int(gap_ns * draw.uniform(0.98, 1.02)) for _ in range(WORK)]
    total = sum(gaps)
    end = begin + WORK * SECOND
    busy = WORK * SECOND - total
    device = {"index": 0, "uuid": "GPU-0", "name": "made up", "backend": "sim", "link": "", "silent": False,
              "operations": 17, "kernels": 17, "span_ns": WORK * SECOND, "busy_ns": busy, "copying_ns": 0, "idle_ns": total,
              "gaps": table(gaps), "kernel_gaps": table(gaps), "causes": causes(total, WORK, True), "worst": []}
    return {"schema": "gaptrace.report/1", "simulated": True,
            "window": {"begin_ns": begin, "end_ns": end, "begin_cut": False, "end_cut": False},
            "work": {"unit": "partition", "name": "", "count": WORK, "jobs_done": WORK, "jobs_failed": 0},
            "devices": [device], "blocks": [block(begin + i * SECOND, gap) for i, gap in enumerate(gaps)],
            "verdicts": [],
            "trust": {"ok": True, "events": 100, "discarded_events": 0, "discarded_packets": 0, "dropped_records": 0,
                      "bad_stamps": 0, "late_records": 0, "before_launch": 0, "unjoined": 0, "launched_before": 0,
                      "unreadable": 0, "untrusted_ns": 0, "clock_bound_ns": None,
                      "clock": {"path": "host", "bound_ns": None}, "coverage": 1.0, "sources": [], "notes": []}}


folder.mkdir(parents=True, exist_ok=True)
for number in range(first, first + count):
    (folder / f"{number:04}.json").write_text(json.dumps(report(number), indent=1))
