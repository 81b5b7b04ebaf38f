#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes follow the arrows of docs/architecture.md, and turn back nowhere."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What each folder may include of the project, besides itself; the longest prefix of a file decides.
ALLOWED = {
    "trace/base": [],
    "trace/include/gaptrace": [],
    "trace/emit": ["trace/base", "trace/include/gaptrace", "trace/lttng"],
    "trace/lttng": ["trace/base", "trace/include/gaptrace"],
    "trace/cupti": ["trace/base", "trace/include/gaptrace"],
    "trace/record": ["trace/base", "trace/include/gaptrace"],
    "prover": ["trace/base", "trace/include/gaptrace", "prover"],
    "prover/groth16": ["trace/base", "trace/include/gaptrace"],
    # Whoever initialises a lock in the prover says so to the registry, which stands on the trace alone.
    "prover/device": ["trace/base", "trace/include/gaptrace", "prover/groth16", "prover/lock_registry.h",
                      "prover/idle_meter.h"],
    "analysis/core": ["trace/base", "trace/include/gaptrace/schema.h"],
    "analysis/import": ["trace/base", "trace/include/gaptrace/schema.h", "analysis/core"],
    "analysis/report": ["trace/base", "trace/include/gaptrace/schema.h", "analysis/core", "analysis/import"],
    "analysis/diff": ["trace/base", "analysis/core", "analysis/report"],
    "analysis/history": ["trace/base", "analysis/core", "analysis/diff"],
    "analysis/plugin": ["trace/base", "trace/include/gaptrace/schema.h", "analysis/core", "analysis/import",
                        "analysis/report"],
    # The command line is the one place where recording and analysis meet.
    "analysis/cli": ["trace/base", "trace/record", "trace/include/gaptrace/schema.h", "analysis/core",
                     "analysis/import", "analysis/report", "analysis/diff", "analysis/history", "analysis/plugin"],
    "bench": ["trace/base", "trace/include/gaptrace", "prover", "analysis"],
}


def folder_of(path):
    best = None
    for folder in ALLOWED:
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def resolve(include, source):
    """The project file an include names, or None for a system header."""
    for base in (ROOT, ROOT / "trace/include", source.parent):
        candidate = (base / include).resolve()
        if candidate.is_file() and ROOT in candidate.parents:
            return candidate.relative_to(ROOT).as_posix()
    return None


def main():
    problems = []
    checked = 0
    graph = {}
    for source in sorted(ROOT.glob("*/**/*")):
        path = source.relative_to(ROOT).as_posix()
        if source.suffix not in (".c", ".h", ".cu", ".cuh") or path.split("/")[0] not in (
                "trace", "prover", "analysis", "bench"):
            continue
        folder = folder_of(path)
        if folder is None:
            problems.append(f"{path}: no rule for this folder; add one to tests/lint/layers.py")
            continue
        checked += 1
        graph[path] = []
        for number, line in enumerate(source.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            target = resolve(match.group(1), source) if match else None
            if not target:
                continue
            graph[path].append(target)
            if target.endswith(".c"):
                problems.append(f"{path}:{number}: includes a .c file")
            if folder_of(target) == folder:
                continue
            if not any(target == rule or target.startswith(rule + "/") for rule in ALLOWED[folder]):
                problems.append(f"{path}:{number}: {folder} may not include {target}")
    problems += cycles(graph)
    print("\n".join(problems) if problems else f"{checked} files follow the arrows")
    return 1 if problems or checked == 0 else 0


def cycles(graph):
    """Names one cycle through every header that is on one."""
    found, state = [], {}

    def visit(path, trail):
        state[path] = 1
        for target in graph.get(path, []):
            if target == path:
                continue  # the provider header reads itself several times
            if state.get(target) == 1:
                found.append("include cycle: " + " -> ".join(trail[trail.index(target):] + [target]))
            elif target not in state:
                visit(target, trail + [target])
        state[path] = 2

    for path in graph:
        if path not in state:
            visit(path, [path])
    return found


if __name__ == "__main__":
    sys.exit(main())
