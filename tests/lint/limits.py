#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every limit (a macro that ends in _MAX) says why it is what it is: in a comment above it or at its end."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("trace", "prover", "analysis")
DEFINE = re.compile(r"#define\s+([A-Z0-9_]+_MAX)\s+(.*)")


def is_explained(lines, index):
    """A comment stands above the group of macros that the line belongs to, or after the value."""
    if "/*" in lines[index]:
        return True
    while index > 0 and lines[index].startswith("#define"):
        index -= 1
    return lines[index].rstrip().endswith("*/")


def main():
    count = 0
    bare = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            lines = path.read_text(encoding="utf-8").splitlines()
            for index, line in enumerate(lines):
                match = DEFINE.match(line)
                if not match:
                    continue
                count += 1
                if not is_explained(lines, index):
                    bare.append(f"{path.relative_to(ROOT)}:{index + 1}: {match[1]} has no reason beside it")
    print("\n".join(bare) if bare else f"{count} limits have a reason")
    return 1 if bare or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
