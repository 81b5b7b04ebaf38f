#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the NVTX ranges of a run against its recording: nvtx_ranges.py TRACE SUMMARY.

Which range stands for which event is the table "NVTX ranges" of docs/events.md.
"""
import collections
import sys

try:
    import bt2
except ImportError:
    print("skipped: python3-bt2 is not installed")
    sys.exit(77)

# Event: (category, kind, which field names the range, or its name).
RANGES = {
    "gaptrace:lock_acquire": ("lock", "start", "name"),
    "gaptrace:lock_wait": ("wait", "push", "name"),
    "gaptrace:wait_end": ("wait", "push", "name"),
    "gaptrace:queue_pop": ("queue", "push", "name"),
    "gaptrace:task_end": ("pool", "push", "kind"),
    "gaptrace:prove_start_end": ("prove", "start", "=prove_start"),
    "gaptrace:prove_finish_end": ("prove", "start", "=prove_finish"),
    "gaptrace:malloc_trim_end": ("memory", "push", "=malloc_trim"),
    "gaptrace:span_end": ("span", "start", "name"),
}


def count_events(path):
    counts = collections.Counter()
    threads = set()
    for message in bt2.TraceCollectionMessageIterator(path):
        if isinstance(message, (bt2._DiscardedEventsMessageConst, bt2._DiscardedPacketsMessageConst)):
            raise SystemExit("FAILED: the recording lost events, so that nothing can be compared")
        if not isinstance(message, bt2._EventMessageConst):
            continue
        event = message.event
        if event.name in RANGES:
            category, kind, field = RANGES[event.name]
            name = field[1:] if field.startswith("=") else str(event[field])
            counts[category, kind, name] += 1
        elif event.name == "gaptrace:state" and event["subject"].labels[0] == "thread":
            threads.add((int(event["tid"]), str(event["name"])))
    return counts, threads


def read_summary(path):
    counts = collections.Counter()
    threads = set()
    for line in open(path):
        fields = line.rstrip("\n").split("\t")
        if fields[0] == "error":
            raise SystemExit(f"FAILED: ranges do not balance: {fields[1]}: {fields[2]}")
        if fields[0] == "thread":
            threads.add((int(fields[1]), fields[2]))
        else:
            _, category, kind, name, begun, ended = fields
            if begun != ended:
                raise SystemExit(f"FAILED: {category} {name}: {begun} begun, {ended} ended")
            counts[category, kind, name] += int(ended)
    return counts, threads


def main():
    events, event_threads = count_events(sys.argv[1])
    ranges, range_threads = read_summary(sys.argv[2])
    problems = [f"{' '.join(key)}: {ranges[key]} ranges, {events[key]} events"
                for key in sorted(set(events) | set(ranges)) if ranges[key] != events[key]]
    # A thread that was named before the recording and ended in it is in the ranges only.
    problems += [f"thread {tid} {name}: not named in NVTX" for tid, name in sorted(event_threads - range_threads)]
    if not events:
        problems.append("the recording has none of the events that are ranges")
    if problems:
        raise SystemExit("FAILED: " + "\n".join(problems))
    print(f"{sum(ranges.values())} ranges of {len(ranges)} names equal the recording")


if __name__ == "__main__":
    main()
