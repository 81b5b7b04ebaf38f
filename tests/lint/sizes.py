#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No source file is over 500 lines; the longest files and functions are listed for a human. Tests may
be longer, as lists of cases grow; the simulator is no list but a program, and is held to it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 100  # the aim is 70; clang-tidy says where one grows past that


def is_bounded(path):
    return not path.startswith("tests/") or path.startswith("tests/simulator/")


def functions(lines):
    """Yields (name, first line, length): a function's brace stands alone in column one."""
    begin = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line.startswith("}") and begin is not None:
            head = " ".join(lines[max(0, begin - 6):begin - 1])
            names = re.findall(r"(\w+)\(", head)
            yield (names[-1] if names else "?", begin, number - begin)
            begin = None


def main():
    files, long_functions, problems = [], [], []
    for source in ROOT.glob("*/**/*"):
        path = source.relative_to(ROOT).as_posix()
        if source.suffix not in (".c", ".h", ".cu", ".cuh") or path.startswith("build/") or path.startswith("."):
            continue
        lines = source.read_text().splitlines()
        files.append((len(lines), path))
        if len(lines) > FILE_LINES_MAX and is_bounded(path):
            problems.append(f"{path}: {len(lines)} lines, over {FILE_LINES_MAX}: it wants to be two files")
        for name, begin, length in functions(lines):
            long_functions.append((length, f"{path}:{begin}: {name}"))
            if length > FUNCTION_LINES_MAX and is_bounded(path):
                problems.append(f"{path}:{begin}: {name} has {length} lines, over {FUNCTION_LINES_MAX}")
    for title, rows in (("longest files", files), ("longest functions", long_functions)):
        print(title)
        for size, name in sorted(rows, reverse=True)[:8]:
            print(f"  {size:5} {name}")
    print("\n".join(problems) if problems else f"{len(files)} files within bounds")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
