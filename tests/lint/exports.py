#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function that only its own file uses is static: no declaration in a header without a second user."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Inline functions are for whoever includes them: static, or GPU_FUNCTION, which is static for both sides.
# What a header's macro calls, everybody calls who uses the macro.
MACRO = re.compile(r"^#define (?:[^\n]*\\\n)*[^\n]*", re.M)
DECLARATION = re.compile(r"^(?!static|typedef|GPU_FUNCTION)[A-Za-z_][\w \*]*?\b([a-z_][a-z0-9_]*)\(", re.M)


def main():
    declared = {}
    in_macros = set()
    words = collections.defaultdict(set)
    for source in ROOT.glob("*/**/*"):
        path = source.relative_to(ROOT).as_posix()
        top = path.split("/")[0]
        if source.suffix not in (".c", ".h", ".cu") or top not in ("trace", "prover", "analysis", "bench", "tests"):
            continue
        text = source.read_text()
        code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
        for word in set(re.findall(r"\b[a-z_][a-z0-9_]*\b", code)):
            words[word].add(path)
        if source.suffix == ".h" and top != "tests" and "include/gaptrace/" not in path:
            for name in DECLARATION.findall(code):
                declared.setdefault(name, path)
            in_macros.update(re.findall(r"\b[a-z_][a-z0-9_]*\b", " ".join(MACRO.findall(code))))
    problems = []
    for name, header in sorted(declared.items()):
        users = {path for path in words[name] if not path.endswith(".h")}
        # The defining file and one other, a header's inline function, or a table of functions.
        if len(users) < 2 and len(words[name]) < 3 and name not in in_macros:
            problems.append(f"{header}: {name} has no user outside the file that defines it: make it static")
    print("\n".join(problems) if problems else f"{len(declared)} functions have users")
    return 1 if problems or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
