#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces that others recorded, some lossy, some damaged, hold what the stock babeltrace2 finds in them.

usage: import_ctf.py BUILD_FOLDER

None is of gaptrace, and the report says how many events it read before it refuses; what was discarded
is counted by the sink. Damaged ones end as the manual says, and never by a signal.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
from import_support import CASES, Checks, plugin_environment, run, skip_without_cases  # noqa: E402


def check_command(checks, build, name, expected):
    # babeltrace2's CTF source leaks 16 bytes of a metadata text that it cannot parse, and is unloaded
    # before the leak is found, so that it cannot be left out by name.
    environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
    done = run([build + "/bin/gaptrace", "report", "--format", "json", str(CASES / "ctf" / name)], environment)
    counted = re.search(r": (\d+) events, but none of gaptrace", done.stderr)
    if done.returncode == 4:
        # Something is there, and not one whole packet of it.
        notes = json.loads(done.stdout)["trust"]["notes"]
        checks.true(f"{name}: notes of what is lost", notes)
        checks.equal(f"{name}: events", 0, expected["events_printed"])
        return
    checks.equal(f"{name}: exit", done.returncode, 2)
    checks.equal(f"{name}: lines of its error", done.stderr.count("\n"), 1)
    if expected["events_printed"] > 0:
        checks.equal(f"{name}: events", counted and int(counted.group(1)), expected["events_printed"])
    else:
        checks.true(f"{name}: no events", counted is None, done.stderr)
        checks.true(f"{name}: names the place", name in done.stderr, done.stderr)


def check_sink(checks, environment, name, expected):
    """Counts of what was lost, from the plugin under the babeltrace2 command."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "report.json"
        done = run(["babeltrace2", str(CASES / "ctf" / name), "-c", "sink.gaptrace.report", "-p",
                    f'format="json",path="{output}"'], environment)
        checks.equal(f"{name}: exit of babeltrace2", done.returncode, expected["exit"])
        trust = json.loads(output.read_text())["trust"]
    # A loss of unknown size counts as one.
    checks.equal(f"{name}: discarded events", trust["discarded_events"], expected["discarded_events"])
    checks.equal(f"{name}: discarded packets", trust["discarded_packets"], expected["discarded_packets"])
    lost = expected["discarded_events"] + expected["discarded_packets"] > 0
    checks.equal(f"{name}: says that something is lost", any("lost" in note for note in trust["notes"]), lost)


def main():
    build, checks = sys.argv[1], Checks()
    skip_without_cases()
    environment = plugin_environment(build)
    traces = json.loads((CASES / "ctf" / "expected_babeltrace2_2.0.4.json").read_text())
    present = {name: expected for name, expected in traces.items() if (CASES / "ctf" / name).is_dir()}
    for name, expected in present.items():
        check_command(checks, build, name, expected)
        if expected["exit"] == 0:
            check_sink(checks, environment, name, expected)
    print(f"{len(present)} traces, {len(traces) - len(present)} of the list are not here")
    checks.end()


if __name__ == "__main__":
    main()
