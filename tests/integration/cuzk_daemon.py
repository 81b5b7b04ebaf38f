#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A make-believe proving daemon in virtual time: writes its log, and what really happened as JSON.

usage: cuzk_daemon.py FOLDER [--torn] [--seed N] [--slow-trim MS]

FOLDER gets stderr.log (TIMELINE and CUZK_TIMING lines), stdout.log (tracing lines), merged.log (both, as
a shell's redirection mixes them) and truth.json: claims per GPU, and idle time by cause, of a daemon
with one GPU and two workers whose GPU queue runs empty because synthesis is slow.
"""
import argparse
import json
import pathlib
import random

UTC = 1773482900_000_000  # microseconds, 2026-03-14T10:08:20Z


def stamp(us):
    seconds, micros = divmod(us, 1_000_000)
    days, rest = divmod(seconds, 86400)
    assert days == 20526, "the day is written out below"
    return f"2026-03-14T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.{micros:06}Z"


class Log:
    def __init__(self, start_us):
        self.start_us = start_us
        self.lines = []  # (microseconds since the engine began, number, stream, text)

    def add(self, us, stream, text):
        self.lines.append((us, len(self.lines), stream, text))

    def timeline(self, us, event, job, detail):
        self.add(us, "stderr", f"TIMELINE,{us // 1000},{event},{job},{detail}")

    def native(self, us, text):
        self.add(us, "stderr", f"CUZK_TIMING: {text}")

    def tracing(self, us, span, text):
        span = f"{span}: " if span else ""
        self.add(us, "stdout", f"{stamp(self.start_us + us)}  INFO {span}cuzk_core::engine: {text}")


class Daemon:
    """One GPU, two workers; every duration is whole milliseconds, so that nothing is rounded."""

    def __init__(self, arguments):
        self.random = random.Random(arguments.seed)
        self.log = Log(UTC)
        self.trim_ms = arguments.slow_trim
        self.claims = []
        self.mutex_free = 0
        self.tracker_free = 0

    def tracker(self, us):
        """When the tracker is had by who asks for it at `us`."""
        return max(us, self.tracker_free)

    def prove(self, worker, job, partition, queued, free):
        """One partition on a worker that is free since `free`; gives when it is free again and when all is done."""
        log, ms = self.log, 1000
        picked = max(queued, free) + ms
        log.timeline(picked, "GPU_PICKUP", job, f"worker={worker},partition={partition}")
        busy = self.tracker(picked)
        started = busy + ms
        span = f"gpu_worker{{worker_id={worker} gpu=0 job_id={job} proof_kind=porep-c2 batch_size=1 partition=Some({partition})}}"
        log.timeline(started, "GPU_START", job, f"worker={worker},partition={partition}")
        log.tracing(started, span, "GPU_TIMING hot_path pre-prove overhead "
                    f"worker_id={worker} partition=Some({partition}) status_ms=0 fail_check_ms=0 "
                    f"mark_busy_ms={(busy - picked) // ms} total_overhead_ms={(started - picked) // ms}")
        entered = started + ms
        locked = max(entered + 2 * ms, self.mutex_free)
        ntt, barrier, batch, tail = (self.random.randrange(20, 60) for _ in range(4))
        released = locked + (ntt + barrier + batch + tail + 1) * ms
        self.mutex_free = released
        log.native(locked, f"pre_lock_cpu_ms=2 mutex_wait_ms={(locked - entered) // ms - 2}")
        log.native(locked + ntt * ms, f"gpu_tid=0 ntt_msm_h_ms={ntt}")
        log.native(locked + (ntt + barrier) * ms, f"gpu_tid=0 barrier_wait_ms={barrier}")
        log.native(locked + (ntt + barrier + batch) * ms, f"gpu_tid=0 batch_add_ms={batch}")
        log.native(released - ms, f"gpu_tid=0 tail_msm_ms={tail} gpu_total_ms={ntt + barrier + batch + tail}")
        log.native(released, f"mutex_held_ms={(released - locked) // ms} total_start_fn_ms={(released - entered) // ms}")
        returned = released + 2 * ms
        log.tracing(returned, "", "GPU_TIMING spawn_blocking prove_start "
                    f"worker_id={worker} partition=Some({partition}) spawn_to_enter_ms=1 prove_start_ms={(returned - entered) // ms}")
        log.tracing(returned + 1, span, "GPU_TIMING prove_start returned "
                    f"worker_id={worker} partition=Some({partition}) total_pre_prove_ms=0 spawn_blocking_wall_ms=0")
        ended = returned + 5 * ms
        gpu_ms = (ended - entered) // ms
        log.timeline(ended, "GPU_END", job, f"worker={worker},partition={partition},gpu_ms={gpu_ms}")
        had = self.tracker(ended)
        trimmed = had + self.trim_ms * ms
        log.tracing(had, "", f"partition GPU prove complete job_id={job} partition={partition} gpu_ms={gpu_ms} filled={partition + 1}")
        log.tracing(trimmed, "", f"FIN_TIMING malloc_trim (success path) job_id={job} partition={partition} malloc_trim_ms={self.trim_ms}")
        self.tracker_free = trimmed
        self.claims.append({"started": started, "ended": ended, "kernels": [
            [locked, locked + ntt * ms], [released - (batch + tail + 1) * ms, released - ms]]})
        return returned, ended, had, trimmed

    def run(self, jobs, partitions):
        log, ms = self.log, 1000
        now = 1000 * ms
        free = [now, now]
        for j in range(jobs):
            job = f"porep-1000-{j + 1}"
            log.tracing(now, "", f"job enqueued job_id={job}")
            queue = []
            begun = now + 10 * ms
            for p in range(partitions):
                synth_ms = self.random.randrange(300, 900)
                log.timeline(begun, "SYNTH_START", job, f"partition={p}")
                done = begun + synth_ms * ms
                log.timeline(done, "SYNTH_END", job, f"partition={p},synth_ms={synth_ms}")
                log.timeline(done, "GPU_QUEUE", job, f"partition={p}")
                log.tracing(done, "", f"partition synthesis complete, pushing to GPU queue job_id={job} partition={p} synth_ms={synth_ms}")
                queue.append((done, p))
                begun += 150 * ms
            for queued, p in sorted(queue):
                worker = min((0, 1), key=lambda w: free[w])
                free[worker], ended, had, trimmed = self.prove(worker, job, p, queued, free[worker])
                if p == sorted(queue)[-1][1]:
                    log.tracing(trimmed + ms, "", f"Phase 7: all partitions complete, proof assembled job_id={job} proof_len=1920 total_ms=1 synth_ms=1 gpu_ms=1")
                    log.tracing(trimmed + 40 * ms, 'verify_porep_proof{job_id="' + job + '"}',
                                f'PoRep proof self-check PASSED job_id="{job}"')
                    trimmed += 41 * ms
                    self.tracker_free = trimmed
                log.tracing(trimmed, "", f"FIN_TIMING finalizer partition worker_id={worker} partition=Some({p}) finish_ms=5 "
                            f"drop_res_ms=0 lock_wait_ms={(had - ended) // ms} process_ms={(trimmed - had) // ms} total_ms=0")
                now = trimmed
            now += 700 * ms


def tear(text, intruder, random_):
    """The line in two pieces with another thread's line between them."""
    at = random_.randrange(len("TIMELINE,1"), len(text))
    return [text[:at] + intruder, text[at:]]


def write(folder, daemon, torn):
    lines = [(us, stream, text) for us, _, stream, text in sorted(daemon.log.lines)]
    for stream in ("stdout", "stderr"):
        (folder / f"{stream}.log").write_text("".join(f"{text}\n" for _, s, text in lines if s == stream))
    merged = []
    for i, (_, stream, text) in enumerate(lines):
        following = lines[i + 1][2] if i + 1 < len(lines) else ""
        if torn and text.startswith("TIMELINE,") and following.startswith("CUZK_TIMING"):
            merged += tear(text, following, daemon.random)
        elif not (torn and merged and i > 0 and lines[i - 1][2].startswith("TIMELINE,") and text.startswith("CUZK_TIMING")):
            merged.append(text)
    (folder / "merged.log").write_text("".join(f"{text}\n" for text in merged))
    (folder / "truth.json").write_text(json.dumps({"claims": daemon.claims}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--torn", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow-trim", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=6)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    daemon = Daemon(arguments)
    daemon.run(arguments.jobs, arguments.partitions)
    write(arguments.folder, daemon, arguments.torn)


if __name__ == "__main__":
    main()
