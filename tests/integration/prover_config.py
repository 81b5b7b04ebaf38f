#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/configuration.md has every key of the daemon with its default, its values and its meaning."""
import re
import subprocess
import sys


def from_code(proverd):
    """[(section, key, default, values, meaning)] as --print-config tells."""
    text = subprocess.run([proverd, "--print-config"], check=True, capture_output=True, text=True).stdout
    keys, section, note = [], None, None
    for line in text.splitlines():
        if line.startswith("["):
            section = line[1:-1]
        elif line.startswith("; "):
            note = re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", line[2:])
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            keys.append((section, key, value, note.group(2) or "text", note.group(1)))
    return keys


def from_page(path):
    keys, section = [], None
    for line in open(path):
        heading = re.match(r"## \[(\w+)\]", line)
        if heading:
            section = heading.group(1)
        row = re.match(r"\| `(\w+)` \| (.*) \|$", line.rstrip())
        if row:
            cells = re.split(r" (?<!\\)\| ?", row.group(2))
            default = "" if cells[0] == "empty" else cells[0].strip("`")
            keys.append((section, row.group(1), default, cells[1].replace(" \\| ", "|"), cells[2]))
    return keys


def main():
    code, page = from_code(sys.argv[1]), from_page(sys.argv[2])
    problems = [f"in the code, not on the page: {key}" for key in code if key not in page]
    problems += [f"on the page, not in the code: {key}" for key in page if key not in code]
    if problems or len(code) < 40:
        raise SystemExit("FAILED: docs/configuration.md differs from proverd --print-config\n" + "\n".join(problems))
    print(f"{len(code)} keys agree")


if __name__ == "__main__":
    main()
