#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs profiles of the prover under `gaptrace record` and holds the report against the prover's
own idle meter.

    causes.py BUILD WORK [--rounds N] [--matrix] [PROFILE...]

What a profile is to show stands in its head, one word before a colon:

    ; jobs: 4 x 6            so many jobs of so many partitions, all at once
    ; jobs: 3 x 4 every 500  the same, a job every 500 ms
    ; hogs: 4                so many processes that spin beside it
    ; first: cause=lock object=tracker phase=malloc_trim
    ; also: cause=driver phase=*Free   rows that are the same mistake, as seen by another thread
    ; truth: tracker_trim    reasons of the idle meter that make up the first cause
    ; never: copy_pageable   causes that must stay below 1 %
    ; calm: 0.15             no more of the window without a kernel than that, edges aside

A host that stands still, or that has no CPU for the prover, adds idle time with causes of its own,
which the report and the meter see each in their way. How much of it there was is asked of sleepers
of this test and of the kernel: a run with much of it is done again, and the limits are wider by what
there was. Nothing else is repeated. Where limits are never wider: that nothing is unknown, and that
the parts add up.
"""
import argparse, fnmatch, json, os, re, signal, subprocess, sys, threading, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "prover" / "profiles"
SHARE_ERROR_MAX = 0.05
NEVER_MAX = 0.01
UNKNOWN_MAX = 0.01
# The report's window begins and ends with events, the meter's with readings of the clock beside them.
IDLE_ERROR_MAX = 0.02
# Of the idle time, the host's: beyond it the run is done again.
DOUBT_MAX = 0.05
RECORDINGS_MAX = 3
# For want of calm, of all profiles together: a host that is never calm must not take for ever.
AGAIN_MAX = 6
# Each is a thread of Python's: more would wait for one another.
WATCHED_CPUS_MAX = 4
WAIT_S_MAX = 300
# glibc has 8 heaps a CPU, and a trim keeps everybody out of the one that it works on. Which thread
# shares a heap with the planted pieces is chance: so each has its own.
ARENAS = 256
# Of a gap that is printed; the longest have some twenty.
EXPLAINED_PARTS_MAX = 40
EDGE_CAUSES = {"no_work"}


class Profile:
    def __init__(self, path):
        self.name = path.stem
        self.path = path
        head = {}
        for line in path.read_text().splitlines():
            found = re.match(r"; (jobs|hogs|first|also|truth|never|calm): (.*)", line)
            if found:
                head[found[1]] = found[2].strip()
        self.is_planted = "jobs" in head and "first" in head
        if "jobs" not in head:
            return
        found = re.fullmatch(r"(\d+) x (\d+)(?: every (\d+))?", head["jobs"])
        if not found:
            raise SystemExit(f"{path}: 'jobs: {head['jobs']}' is not 'N x N' or 'N x N every MS'")
        self.jobs, self.partitions = int(found[1]), int(found[2])
        self.every_ms = int(found[3] or 0)
        self.hogs = int(head.get("hogs", 0))
        self.first = self._pattern(head.get("first", ""))
        self.also = self._pattern(head.get("also", ""))
        self.truth = head.get("truth", "").split()
        self.never = head.get("never", "").split()
        self.calm = float(head.get("calm", 0))

    @staticmethod
    def _pattern(text):
        return dict(word.split("=", 1) for word in text.split())


def wait_for(test, process, what):
    end = time.monotonic() + WAIT_S_MAX
    while time.monotonic() < end:
        if test():
            return
        if process.poll() is not None:
            raise SystemExit(f"{what}: the daemon ended with {process.returncode}")
        time.sleep(0.05)
    raise SystemExit(f"{what}: waited {WAIT_S_MAX} s in vain")


def submit(build, socket, profile, log):
    """The profile's jobs; returns when all have ended."""
    command = [build / "bin" / "prove", "--socket", socket, "--kind", "squaring",
               "--partitions", str(profile.partitions), "--jobs"]
    if not profile.every_ms:
        subprocess.run(command + [str(profile.jobs)], check=True, stdout=log, stderr=log)
        return
    clients = []
    for _ in range(profile.jobs):
        clients.append(subprocess.Popen(command + ["1"], stdout=log, stderr=log))
        time.sleep(profile.every_ms / 1000)
    for client in clients:
        if client.wait() != 0:
            raise SystemExit(f"{profile.name}: prove ended with {client.returncode}")


def hog_count(profile):
    return profile.hogs * (os.cpu_count() or 1)


def go_first(priority=1):
    """As on a host of its own, where that is allowed: others' work must not starve what is timed."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))
        return True
    except OSError:
        return False


class StallWatch:
    """Sleeps a little on every CPU, again and again, as what is timed does, and sums by how much too
    long: what the host alone did to the run, whatever the prover or the report say. Beside hogs, who
    delay it as they are meant to, only where it goes before them."""
    STEP_S = 0.002
    NOISE_S = 0.002

    def __init__(self, has_hogs):
        cpus = sorted(os.sched_getaffinity(0))[:WATCHED_CPUS_MAX]
        self.has_hogs, self.is_over, self.stalled = has_hogs, False, {}
        self.threads = [threading.Thread(target=self._watch, args=(cpu,), daemon=True)
                        for cpu in cpus]
        for thread in self.threads:
            thread.start()

    def _watch(self, cpu):
        os.sched_setaffinity(0, {cpu})
        # Before what is timed: that must not be taken for a stall.
        if not go_first(2) and self.has_hogs:
            return
        self.stalled[cpu] = 0.0
        while not self.is_over:
            before = time.monotonic()
            time.sleep(self.STEP_S)
            late = time.monotonic() - before - self.STEP_S
            self.stalled[cpu] += late if late > self.NOISE_S else 0

    def end(self):
        """Seconds that the host stood still, of all CPUs together."""
        self.is_over = True
        for thread in self.threads:
            thread.join()
        return sum(self.stalled.values())


def starved_s(recorder):
    """How long threads of the recorder's child were to run and had no CPU, as the kernel has it."""
    delay_ns = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == recorder.pid:
                delay_ns += sum(int(path.read_text().split()[1])
                                for path in stat.parent.glob("task/*/schedstat"))
        except (OSError, IndexError, ValueError):
            continue  # ended meanwhile
    return delay_ns / 1e9


def record(build, folder, profile):
    """One recorded run: the truth by the prover's own clocks, and the host's seconds in it."""
    folder.mkdir(parents=True)
    socket, log = folder / "socket", open(folder / "log", "wb")
    recorder = subprocess.Popen(
        [build / "bin" / "gaptrace", "record", "-o", folder / "recording", "--",
         build / "bin" / "proverd", "--config", profile.path, "--socket", socket,
         "--state-dir", folder / "state", "--counters", folder / "counters"],
        stdout=log, stderr=log, preexec_fn=None if profile.hogs else go_first,
        env={**os.environ, "MALLOC_ARENA_MAX": str(ARENAS)})
    hogs = []
    try:
        # The socket is there before the daemon serves, and the log says when it does.
        wait_for(lambda: b"serving" in (folder / "log").read_bytes(), recorder, profile.name)
        watch = StallWatch(bool(profile.hogs))
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                for _ in range(hog_count(profile))]
        submit(build, socket, profile, log)
        host_s = watch.end() + (0 if profile.hogs else starved_s(recorder))
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
        recorder.send_signal(signal.SIGTERM)
        if recorder.wait() != 0:
            sys.stderr.write((folder / "log").read_text(errors="replace"))
            raise SystemExit(f"{profile.name}: gaptrace record ended with {recorder.returncode}")
    return json.loads((folder / "counters").read_text()), host_s


def report(build, folder):
    command = [build / "bin" / "gaptrace", "report", folder / "recording"]
    with open(folder / "report.txt", "wb") as text:
        subprocess.run(command, stdout=text)
    done = subprocess.run(command + ["--format", "json", "-o", folder / "report.json"])
    if done.returncode not in (0, 4):
        raise SystemExit(f"{folder}: gaptrace report ended with {done.returncode}")
    return json.loads((folder / "report.json").read_text())


def matches(pattern, key):
    """A row's key (cause, object, phase) against a head's pattern; no pattern matches nothing."""
    row = dict(zip(("cause", "object", "phase"), key))
    return bool(pattern) and all(fnmatch.fnmatchcase(row[field], want)
                                 for field, want in pattern.items())


class Outcome:
    """A report and a truth, as figures that can be compared; and how far that goes."""

    def __init__(self, profile, page, truth, host_s):
        self.profile, self.page, self.host_s = profile, page, host_s
        self.rows, self.causes = {}, {}
        for device in page["devices"]:
            for row in device["causes"]:
                key = (row["cause"], row["object"], row["phase"])
                self.rows[key] = self.rows.get(key, 0) + row["ns"]
        for key, ns in self.rows.items():
            cause = profile.first["cause"] if matches(profile.also, key) else key[0]
            self.causes[cause] = self.causes.get(cause, 0) + ns
        self.idle_ns = sum(device["kernel_gaps"]["total_ns"] for device in page["devices"])
        self.reasons = {}
        for device in truth["devices"]:
            for reason, ns in device["idle"]["reasons_ns"].items():
                self.reasons[reason] = self.reasons.get(reason, 0) + ns
        self.truth_ns = sum(self.reasons.values())

    def doubt(self):
        """The share of the idle time that may be the host's."""
        return self.host_s * 1e9 / self.idle_ns if self.idle_ns else 0

    def share(self, cause):
        return self.causes.get(cause, 0) / self.idle_ns if self.idle_ns else 0

    def truth_share(self):
        planted = sum(self.reasons.get(reason, 0) for reason in self.profile.truth)
        return planted / self.truth_ns if self.truth_ns else 0

    def _by_right(self, cause):
        return cause in EDGE_CAUSES and self.profile.first.get("cause") != cause

    def _largest(self, items, is_planted):
        """The largest; one of those that were planted, if only what the host did is larger."""
        planted = [item for item in items if is_planted(item)]
        largest = max(items, key=items.get, default=None)
        best = max(planted, key=items.get, default=largest)
        near = planted and items[largest] - items[best] <= self.host_s * 1e9
        return best if near else largest

    def first(self):
        """The cause with the largest share, what is idle by right aside."""
        causes = {cause: ns for cause, ns in self.causes.items() if not self._by_right(cause)}
        return self._largest(causes, lambda cause: cause == self.profile.first["cause"]) or "none"

    def first_row(self):
        """The largest row of that cause, what is `also` seen aside."""
        rows = {key: ns for key, ns in self.rows.items()
                if key[0] == self.first() and not matches(self.profile.also, key)}
        return (self._largest(rows, lambda key: matches(self.profile.first, key)) or
                ("none", "", ""))

    def label(self):
        return " ".join(word for word in self.first_row() if word)

    def points_at(self, profile):
        """The report's first row is what that profile is to show first."""
        return matches(profile.first, self.first_row())

    def share_error(self):
        return self.share(self.profile.first["cause"]) - self.truth_share()

    def unknown(self):
        return self.share("unknown")

    def window_ns(self):
        window = self.page["window"]
        return (window["end_ns"] - window["begin_ns"]) * len(self.page["devices"])


def check(outcome):
    """What is wrong with it, a line each."""
    profile, wrong, doubt = outcome.profile, [], outcome.doubt()
    row = dict(zip(("cause", "object", "phase"), outcome.first_row()))
    for field, want in profile.first.items():
        if not fnmatch.fnmatchcase(row[field], want):
            wrong.append(f"the first cause's {field} is '{row[field]}', not '{want}'")
    if abs(outcome.share_error()) > SHARE_ERROR_MAX + doubt:
        wrong.append(f"{profile.first['cause']} has {outcome.share(profile.first['cause']):.1%} "
                     f"of the idle time, by the prover's clocks {outcome.truth_share():.1%}")
    for cause in profile.never:
        if outcome.share(cause) > NEVER_MAX + doubt:
            wrong.append(f"{cause}, which is on no path, has {outcome.share(cause):.1%}")
    if profile.calm and outcome.idle_ns * (1 - doubt) > profile.calm * outcome.window_ns():
        wrong.append(f"without a kernel for {outcome.idle_ns / outcome.window_ns():.0%} of the window")
    if abs(outcome.idle_ns - outcome.truth_ns) > (IDLE_ERROR_MAX + doubt) * outcome.truth_ns:
        wrong.append(f"{outcome.idle_ns} ns without a kernel, "
                     f"by the prover's clocks {outcome.truth_ns} ns")
    if outcome.unknown() > UNKNOWN_MAX:
        wrong.append(f"{outcome.unknown():.1%} of the idle time is unknown")
    for device in outcome.page["devices"]:
        parts = sum(row["ns"] for row in device["causes"])
        if parts != device["kernel_gaps"]["total_ns"]:
            wrong.append(f"device {device['index']}: causes sum to {parts}, "
                         f"its gaps to {device['kernel_gaps']['total_ns']}")
    return wrong


def explain(outcome):
    """Both sides in full, and the longest gaps part by part: all that is left of a failed run."""
    print(f"  the host: {outcome.host_s * 1000:.1f} ms, {outcome.doubt():.1%} of the idle time")
    print(f"  the report, of {outcome.idle_ns / 1e6:.3f} ms:")
    for key, ns in sorted(outcome.rows.items(), key=lambda item: -item[1]):
        print(f"    {ns / 1e6:10.3f} ms  {' | '.join(key)}")
    print(f"  the idle meter, of {outcome.truth_ns / 1e6:.3f} ms:")
    for reason, ns in sorted(outcome.reasons.items(), key=lambda item: -item[1]):
        if ns:
            print(f"    {ns / 1e6:10.3f} ms  {reason}")
    for device in outcome.page["devices"]:
        for gap in device["worst"]:
            begin = gap["begin_ns"]
            print(f"  device {device['index']}: a gap of {(gap['end_ns'] - begin) / 1e6:.3f} ms")
            for part in gap["parts"][:EXPLAINED_PARTS_MAX]:
                words = [part["cause"], part["object"], part["phase"], f"thread {part['thread']}",
                         f"holder {part['holder']}", "via " + " ".join(map(str, part["via"]))]
                print(f"    {(part['from_ns'] - begin) / 1e6:10.3f} .. "
                      f"{(part['to_ns'] - begin) / 1e6:.3f} ms  {' | '.join(words)}")
    sys.stdout.flush()


def run_once(build, folder, profile, again):
    """The calmest of up to RECORDINGS_MAX recordings; `again` counts those for want of calm."""
    best = None
    for attempt in range(RECORDINGS_MAX):
        place = folder / f"{profile.name}-{attempt}"
        truth, host_s = record(build, place, profile)
        page = report(build, place)
        trust = page["trust"]
        if trust["discarded_events"] or trust["discarded_packets"]:
            print(f"{profile.name}: events were lost, recording again")
            continue
        outcome = Outcome(profile, page, truth, host_s)
        if not best or outcome.doubt() < best[0].doubt():
            best = outcome, place
        if outcome.doubt() <= DOUBT_MAX or again["count"] == AGAIN_MAX:
            break
        again["count"] += attempt + 1 < RECORDINGS_MAX
    if not best:
        raise SystemExit(f"{profile.name}: {RECORDINGS_MAX} recordings lost events")
    return best


def show(outcome):
    profile = outcome.profile
    print(f"{profile.name:22} {outcome.label():58} {outcome.share(profile.first['cause']):6.1%} "
          f"truth {outcome.truth_share():6.1%} unknown {outcome.unknown():5.1%} "
          f"idle {outcome.idle_ns / outcome.window_ns():4.0%} host {outcome.doubt():5.1%}",
          flush=True)


def signature(profile):
    return " ".join(profile.first.values())


def print_matrix(outcomes):
    """Planted causes against what the reports say first; true when it is diagonal."""
    profiles = list({outcome.profile.name: outcome.profile for outcome in outcomes}.values())
    columns = list(dict.fromkeys(signature(profile) for profile in profiles))
    is_diagonal = True
    print("\nplanted (rows) x what the report names first (columns), runs")
    for number, column in enumerate(columns):
        print(f"  {chr(97 + number)}  {column}")
    print(f"{'':22}" + "".join(f" {chr(97 + number):>2}" for number in range(len(columns))) + "  other")
    for profile in profiles:
        counts = dict.fromkeys(columns + ["other"], 0)
        for outcome in outcomes:
            if outcome.profile.name != profile.name:
                continue
            hits = [other for other in [profile] + profiles if outcome.points_at(other)]
            counts[signature(hits[0]) if hits else "other"] += 1
        is_diagonal &= counts[signature(profile)] == sum(counts.values())
        print(f"{profile.name:22}" + "".join(f" {counts[column] or '.':>2}" for column in columns) +
              f" {counts['other'] or '.':>6}")
    worst = max(outcomes, key=lambda outcome: abs(outcome.share_error()))
    print(f"\nthe matrix is {'diagonal' if is_diagonal else 'NOT DIAGONAL'}; worst share error "
          f"{100 * worst.share_error():+.1f} points ({worst.profile.name}); "
          f"most unknown {max(outcome.unknown() for outcome in outcomes):.2%}")
    return is_diagonal


def main():
    # What was started ends with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("build", type=Path)
    options.add_argument("work", type=Path)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--matrix", action="store_true")
    options.add_argument("profiles", nargs="*")
    chosen = options.parse_intermixed_args()
    profiles = [Profile(path) for path in sorted(PROFILES.glob("*.conf"))]
    profiles = [profile for profile in profiles if profile.is_planted and
                (not chosen.profiles or profile.name in chosen.profiles)]
    if not profiles:
        raise SystemExit("no such profile")
    failures, outcomes, again = [], [], {"count": 0}
    for number in range(chosen.rounds):
        for profile in profiles:
            folder = chosen.work / f"round-{number}"
            outcome, place = run_once(chosen.build, folder, profile, again)
            outcomes.append(outcome)
            show(outcome)
            wrong = check(outcome)
            failures += [f"WRONG {profile.name}: {line} ({place})" for line in wrong]
            if wrong:
                explain(outcome)
    if chosen.matrix and not print_matrix(outcomes):
        failures.append("WRONG the matrix is not diagonal")
    # Last, where a log that is cut keeps them.
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
