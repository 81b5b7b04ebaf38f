# SPDX-License-Identifier: MIT
"""What the tests of imported files share: where the cases lie, and how the programs are run."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared" / "cases"


def short(value):
    """A value for one line; of a long one both ends."""
    text = ascii(value)
    return text if len(text) < 400 else f"{text[:200]} ... {text[-200:]}"


class Checks:
    """Counts what was compared, and ends the test with the first lines that differ."""

    def __init__(self):
        self.count, self.wrong = 0, []

    def equal(self, what, got, wanted):
        self.count += 1
        if got != wanted:
            self.wrong.append(f"{what!r}: {short(got)}, not {short(wanted)}")

    def true(self, what, holds, seen=""):
        self.count += 1
        if not holds:
            self.wrong.append(f"{what!r} {short(seen)}".rstrip())

    def end(self):
        for line in self.wrong[:40]:
            print("FAILED:", line, file=sys.stderr)
        print(f"{self.count} compared, {len(self.wrong)} wrong")
        sys.exit(1 if self.wrong or self.count == 0 else 0)


def skip_without_cases():
    if not CASES.is_dir():
        print(f"skipped: no {CASES}")
        sys.exit(77)


def report(build, inputs, *options, want=(0,)):
    """The report as JSON; what the program ended with must be in `want`."""
    done = run([build + "/bin/gaptrace", "report", "--format", "json", *options, *map(str, inputs)])
    if done.returncode not in want:
        raise SystemExit(f"FAILED: report {inputs}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def run(command, environment=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)


def sanitizer(build):
    """The runtime of the sanitizer that the build has, None without one."""
    linked = run(["ldd", build + "/lib/babeltrace2/plugins/babeltrace-plugin-gaptrace.so"]).stdout
    runtime = re.search(r"/\S*lib[at]san\S*", linked)
    return runtime.group() if runtime else None


def plugin_environment(build):
    """For the babeltrace2 command, which is not built with a sanitizer: its runtime has to come first."""
    environment = dict(os.environ, BABELTRACE_PLUGIN_PATH=build + "/lib/babeltrace2/plugins")
    runtime = sanitizer(build)
    if runtime:
        environment.update(LD_PRELOAD=runtime, ASAN_OPTIONS="detect_leaks=0")
    return environment
