#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks recordings of `emitter`: trace_events.py calls|locks TRACE [OUTPUT]."""
import collections
import sys

try:
    import bt2
except ImportError:
    print("skipped: python3-bt2 is not installed")
    sys.exit(77)

UNKNOWN = 2**64 - 1
# What a value may be when it is not known beforehand.
ANY = lambda value: True
DURATION = lambda value: 0 <= value < 3600 * 10**9
LONG = lambda value: 1_000_000 <= value < 3600 * 10**9
ADDRESS = lambda value: 0 < value < 2**48
NOTHING_KNOWN = lambda value: value == UNKNOWN
BYTES = lambda value: 4096 <= value < 2**40
TID = lambda value: 0 < value < 2**31
AT_MOST = lambda limit: lambda value: 0 <= value <= limit
OPERATION = {"device": 1, "context": 2, "stream": 3}

# Every event of tests/unit/emit_calls.c that is there once: all of its fields, no more.
ONCE = {
    "gaptrace:lock_wait": {"lock": ADDRESS, "name": "mutex", "mode": "exclusive", "holder_tid": TID},
    "gaptrace:queue_push": {"queue": ADDRESS, "name": "gpu_queue", "item": 71, "job": 7, "partition": 1, "device": 2,
                            "depth": 3},
    "gaptrace:task_submit": {"pool": ADDRESS, "name": "blocking", "task": 81, "kind": "prove", "job": 8, "partition": 1,
                             "device": 2, "backlog": 5},
    "gaptrace:task_begin": {"pool": ADDRESS, "name": "blocking", "task": 81, "kind": "prove", "job": 8, "partition": 1,
                            "device": 2, "queued_ns": DURATION},
    "gaptrace:task_end": {"pool": ADDRESS, "name": "blocking", "task": 81, "kind": "prove", "job": 8, "partition": 1,
                          "device": 2, "queued_ns": DURATION, "run_ns": LONG, "cpu_ns": DURATION,
                          "run_delay_ns": DURATION},
    "gaptrace:prove_start_begin": {"job": 9, "partition": 4, "device": 1, "worker": 6},
    "gaptrace:prove_start_end": {"job": 9, "partition": 4, "device": 1, "worker": 6, "begin_tid": TID,
                                 "duration_ns": DURATION, "cpu_ns": ANY, "run_delay_ns": ANY},
    "gaptrace:prove_finish_begin": {"job": 9, "partition": 4, "device": 1, "worker": 6},
    "gaptrace:prove_finish_end": {"job": 9, "partition": 4, "device": 1, "worker": 6, "begin_tid": TID,
                                  "duration_ns": DURATION, "cpu_ns": ANY, "run_delay_ns": ANY},
    "gaptrace:malloc_trim_begin": {},
    "gaptrace:malloc_trim_end": {"duration_ns": DURATION, "rss_before": BYTES, "rss_after": BYTES, "returned": AT_MOST(1)},
    "gaptrace:budget_reserve": {"budget": ADDRESS, "job": 10, "partition": 2, "device": -1, "bytes": 1000, "used": 5000,
                                "limit": 9000, "wait_ns": 123},
    "gaptrace:budget_release": {"budget": ADDRESS, "job": 10, "partition": 2, "device": -1, "bytes": 1000, "used": 4000,
                                "limit": 9000},
    "gaptrace:buffer_alloc": {"kind": "pinned", "bytes": 4096, "live_count": 2, "live_bytes": 8192, "duration_ns": 456},
    "gaptrace:buffer_free": {"kind": "pinned", "bytes": 4096, "live_count": 1, "live_bytes": 8192, "duration_ns": 456},
    "gaptrace:job_submit": {"job": 11, "kind": "merkle", "partitions": 4},
    "gaptrace:job_begin": {"job": 11},
    "gaptrace:job_end": {"job": 11, "status": "failed", "duration_ns": DURATION},
    "gaptrace_gpu:kernel": {**OPERATION, "correlation": 4, "start_ns": 1000, "end_ns": 2000, "name": "ntt", "graph": 5},
    "gaptrace_gpu:memcpy": {**OPERATION, "correlation": 6, "start_ns": 3000, "end_ns": 4000, "bytes": 65536,
                            "kind": "ptop", "source_memory": "pageable", "target_memory": "device", "is_async": 1},
    "gaptrace_gpu:memset": {**OPERATION, "correlation": 7, "start_ns": 5000, "end_ns": 6000, "bytes": 128,
                            "target_memory": "managed_static", "is_async": 0},
    "gaptrace_gpu:api": {"name": "cudaLaunchKernel", "tid": 12, "correlation": 4, "start_ns": 900, "end_ns": 950,
                         "result": -3},
    "gaptrace_gpu:sync": {**OPERATION, "correlation": 8, "kind": "stream_wait_event", "event": 9, "event_stream": 10,
                          "start_ns": 7000, "end_ns": 8000},
    "gaptrace_gpu:overhead": {"kind": "command_buffer_full", "tid": 12, "correlation": 4, "start_ns": 8100,
                              "end_ns": 8200},
    "gaptrace_gpu:clock_pair": {"device": 1, "host_before_ns": 100, "device_ns": 150, "host_after_ns": 200},
    "gaptrace_gpu:watermark": {"device": 1, "complete_until_ns": 9000},
    "gaptrace_gpu:dropped": {"device": 1, "count": 13},
}
# Those that are there more than once, in the order of their time.
DEVICE = {"device": 1, "backend": "sim", "uuid": "SIM-1", "name": "sim", "link": "pcie"}
SPAN = {"job": 9, "partition": 4}
MUTEX = {"lock": ADDRESS, "name": "mutex", "mode": "exclusive"}
RWLOCK = {"lock": ADDRESS, "name": "rwlock"}
CONDITION = {"object": ADDRESS, "name": "turn", "kind": "condition"}
POP = {"queue": ADDRESS, "name": "gpu_queue"}
SEVERAL = {
    "gaptrace_gpu:device": [DEVICE, DEVICE],
    "gaptrace:queue_pop_wait": [POP, POP],
    "gaptrace:queue_pop": [
        {**POP, "item": 71, "job": 7, "partition": 1, "device": 2, "depth": 2, "wait_ns": DURATION,
         "resident_ns": DURATION},
        {**POP, "item": 0, "job": 0, "partition": -1, "device": -1, "depth": 0, "wait_ns": DURATION,
         "resident_ns": NOTHING_KNOWN}],
    "gaptrace:span_begin": [{**SPAN, "name": "outer", "device": 1}, {**SPAN, "name": "inner", "device": -1}],
    # The second one ended on another thread, so that its CPU time cannot be told.
    "gaptrace:span_end": [
        {**SPAN, "name": "inner", "device": -1, "begin_tid": TID, "duration_ns": LONG, "cpu_ns": DURATION,
         "run_delay_ns": DURATION},
        {**SPAN, "name": "outer", "device": 1, "begin_tid": TID, "duration_ns": LONG, "cpu_ns": NOTHING_KNOWN,
         "run_delay_ns": NOTHING_KNOWN}],
}


class Event:
    def __init__(self, message):
        self.time_ns = message.default_clock_snapshot.ns_from_origin
        event = message.event
        self.name = event.name
        self.tid = int(event["vtid"])
        self.fields = {}
        if event.payload_field is None:
            return
        for name, field in event.payload_field.items():
            if isinstance(field, (bt2._UnsignedEnumerationFieldConst, bt2._SignedEnumerationFieldConst)):
                self.fields[name] = field.labels[0] if field.labels else f"?{int(field)}"
            elif isinstance(field, bt2._StringFieldConst):
                self.fields[name] = str(field)
            else:
                self.fields[name] = int(field)


def read(path):
    events = []
    for message in bt2.TraceCollectionMessageIterator(path):
        if isinstance(message, bt2._EventMessageConst):
            events.append(Event(message))
        elif isinstance(message, (bt2._DiscardedEventsMessageConst, bt2._DiscardedPacketsMessageConst)):
            raise SystemExit("the recording lost events")
    return events


def fail(text):
    raise SystemExit("FAILED: " + text)


def check_fields(event, expected):
    if sorted(event.fields) != sorted(expected):
        fail(f"{event.name} has the fields {sorted(event.fields)}, not {sorted(expected)}")
    for name, want in expected.items():
        got = event.fields[name]
        if not (want(got) if callable(want) else want == got):
            fail(f"{event.name}: {name} is {got}")


def check_calls(events):
    """Every event of emit_calls.c, with its values."""
    by_name = collections.defaultdict(list)
    for event in events:
        by_name[event.name].append(event)
    for name, expected in ONCE.items():
        if len(by_name[name]) != 1:
            fail(f"{name} is there {len(by_name[name])} times")
        check_fields(by_name[name][0], expected)
    for name, rows in SEVERAL.items():
        if len(by_name[name]) != len(rows):
            fail(f"{name} is there {len(by_name[name])} times")
        for event, expected in zip(by_name[name], rows):
            check_fields(event, expected)

    first = by_name["gaptrace:job_submit"][0].tid
    wait = by_name["gaptrace:lock_wait"][0]
    if wait.tid == first or wait.fields["holder_tid"] != first:
        fail("lock_wait does not name the holder")
    for event in by_name["gaptrace:span_end"]:
        if event.fields["begin_tid"] != first or (event.tid == first) != (event.fields["name"] == "inner"):
            fail("a span's threads are wrong")

    modes = [event.fields["mode"] for event in by_name["gaptrace:lock_acquire"] if event.fields["name"] == "rwlock"]
    if modes != ["shared", "exclusive"]:
        fail(f"the read-write lock was taken as {modes}")
    check_waits(by_name)
    check_states(by_name["gaptrace:state"], first, wait.tid)
    check_lock_order(events)
    expected_names = set(ONCE) | set(SEVERAL) | {
        "gaptrace:lock_acquire", "gaptrace:lock_release", "gaptrace:wait_begin", "gaptrace:wait_end", "gaptrace:wake",
        "gaptrace:state"}
    if set(by_name) != expected_names:
        fail(f"other events: {set(by_name) ^ expected_names}")
    print(f"{len(events)} events of {len(by_name)} kinds are right")


def check_waits(by_name):
    barrier = [event for event in by_name["gaptrace:wait_end"] if event.fields["name"] == "prep"]
    if len(barrier) != 1:
        fail("the barrier's wait did not end once")
    check_fields(barrier[0], {"object": ADDRESS, "name": "prep", "kind": "barrier", "wait_ns": DURATION})
    begins = [event for event in by_name["gaptrace:wait_begin"] if event.fields["name"] == "condition"]
    wakes = [event for event in by_name["gaptrace:wake"] if event.fields["name"] == "condition"]
    ends = [event for event in by_name["gaptrace:wait_end"] if event.fields["name"] == "condition"]
    if len(begins) != len(ends) or len(begins) < 2 or len(wakes) != 1:
        fail("the condition's waits and wakes are not all there")
    check_fields(begins[0], {"object": ADDRESS, "name": "condition", "kind": "condition"})
    check_fields(wakes[0], {"object": begins[0].fields["object"], "name": "condition"})
    if not begins[0].time_ns < wakes[0].time_ns < ends[0].time_ns:
        fail("the wake is not inside the wait")


def check_states(states, first, second):
    want = {"subject": "queue", "object": ADDRESS, "name": "gpu_queue", "job": 11, "partition": 3, "device": 0,
            "tid": 99, "value": 5, "limit": 10, "since_ns": 777}
    queues = [event for event in states if event.fields["subject"] == "queue"]
    if len(queues) != 1:
        fail("the queue's state is not there once")
    check_fields(queues[0], want)
    threads = [(event.fields["tid"], event.fields["name"]) for event in states if event.fields["subject"] == "thread"]
    # Each when it was named; the first again in the keyframe, when the second had ended.
    if threads != [(first, "first thread of many"), (second, "second"), (first, "first thread of many")]:
        fail(f"thread names: {threads}")
    processes = [event.fields["name"] for event in states if event.fields["subject"] == "process"]
    if processes != ["emitter"]:
        fail(f"process names: {processes}")


def check_lock_order(events):
    """No acquisition comes before the release that let it in, and durations agree with the times."""
    holders = collections.defaultdict(dict)
    # A duration begins and ends before its event, if the thread is held up between by any time: but not before
    # the thread's event before, nor before the lock was given up.
    latest_ns = collections.defaultdict(int)
    given_up_ns = collections.defaultdict(int)
    for event in events:
        before_ns = latest_ns[event.tid]
        latest_ns[event.tid] = event.time_ns
        if event.name not in ("gaptrace:lock_acquire", "gaptrace:lock_release"):
            continue
        lock = event.fields["lock"]
        held = holders[lock]
        if event.name == "gaptrace:lock_release":
            if event.tid not in held:
                fail(f"{event.fields['name']} is released by who did not hold it")
            earliest_ns, acquired_ns, mode = held.pop(event.tid)
            if mode != event.fields["mode"]:
                fail(f"{event.fields['name']} is released as {event.fields['mode']}")
            if not before_ns - acquired_ns <= event.fields["hold_ns"] <= event.time_ns - earliest_ns:
                fail(f"{event.fields['name']}: hold_ns is {event.fields['hold_ns']}")
            if mode == "exclusive":
                given_up_ns[lock] = event.time_ns
            continue
        if held and not (event.fields["mode"] == "shared" and all(mode == "shared" for _, _, mode in held.values())):
            fail(f"{event.fields['name']} is acquired while it is held")
        held[event.tid] = (max(before_ns, given_up_ns[lock]), event.time_ns, event.fields["mode"])
    if any(holders.values()):
        fail("a lock is held at the end")


def check_locks(events, output):
    """Every acquisition and every condition wait that the program counted is in the recording."""
    counted = dict(line.split() for line in open(output))
    seen = collections.Counter()
    waits = collections.defaultdict(list)
    for event in events:
        name = event.fields.get("name")
        seen[event.name, name] += 1
        if event.name == "gaptrace:lock_wait":
            waits[event.tid].append(event)
        elif event.name == "gaptrace:lock_acquire":
            waited = waits[event.tid] and waits[event.tid][-1].fields["lock"] == event.fields["lock"]
            if bool(waited) != (event.fields["wait_ns"] > 0):
                fail(f"{name}: wait_ns {event.fields['wait_ns']} and lock_wait do not agree")
            if waited:
                waits[event.tid].pop()
        elif event.name in ("gaptrace:wait_begin", "gaptrace:wait_end"):
            check_fields(event, CONDITION if event.name == "gaptrace:wait_begin" else {**CONDITION, "wait_ns": DURATION})
    for name in ("mutex", "rwlock"):
        for kind in ("lock_acquire", "lock_release"):
            if seen[f"gaptrace:{kind}", name] != int(counted[name]):
                fail(f"{name}: {seen[f'gaptrace:{kind}', name]} of {counted[name]} {kind}")
    for kind in ("wait_begin", "wait_end"):
        if seen[f"gaptrace:{kind}", "turn"] != int(counted["turn"]):
            fail(f"{seen[f'gaptrace:{kind}', 'turn']} of {counted['turn']} {kind}")
    check_lock_order(events)
    print(f"{counted} are all recorded, in order; {seen['gaptrace:lock_wait', 'mutex']} waits for the mutex")


def main():
    events = read(sys.argv[2])
    if sys.argv[1] == "calls":
        check_calls(events)
    else:
        check_locks(events, sys.argv[3])


if __name__ == "__main__":
    main()
