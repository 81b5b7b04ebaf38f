#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every act that proverd counted of itself is in its recording: prover_counters.py TRACE COUNTERS."""
import collections
import json
import sys

try:
    import bt2
except ImportError:
    print("skipped: python3-bt2 is not installed")
    sys.exit(77)

EVENTS = {"gaptrace:lock_acquire": "lock_acquire", "gaptrace:queue_pop": "queue_pop",
          "gaptrace:prove_start_end": "prove_start", "gaptrace:prove_finish_end": "prove_finish",
          "gaptrace:malloc_trim_end": "malloc_trim"}


def main():
    counts = collections.Counter()
    for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
        if isinstance(message, (bt2._DiscardedEventsMessageConst, bt2._DiscardedPacketsMessageConst)):
            raise SystemExit("FAILED: the recording lost events")
        if isinstance(message, bt2._EventMessageConst) and message.event.name in EVENTS:
            event = message.event
            # Item 0: the wait ended without an item, which is no pop.
            if event.name != "gaptrace:queue_pop" or int(event["item"]) != 0:
                counts[EVENTS[event.name]] += 1
    counted = json.load(open(sys.argv[2]))
    problems = [f"{name}: the daemon counted {counted.get(name)}, the recording has {counts[name]}"
                for name in EVENTS.values() if counted.get(name) != counts[name] or not counts[name]]
    if problems:
        raise SystemExit("FAILED: " + "\n".join(problems))
    print(", ".join(f"{counts[name]} {name}" for name in EVENTS.values()) + ": counted and recorded alike")


if __name__ == "__main__":
    main()
