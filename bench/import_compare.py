#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints how fast `gaptrace report` reads files of other tools, beside others that read the same file.

usage: import_compare.py BUILD_FOLDER [STEPS] [ROUNDS]

Files of STEPS steps (20,000: 0.4 million rows) are made by bench/import_files.py; the largest of
../shared/cases, where that is, come after. Programs run in turn and the best round of each counts.
CPU time is that of all processes of a command; memory is the largest of them. MB are 10^6 bytes of
the file as it lies on the disk, except for .gz, where they are those of the JSON inside.
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import import_files as made  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
CASES = ROOT.parent / "shared" / "cases"

SQL = ("select start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName from "
       "CUPTI_ACTIVITY_KIND_KERNEL order by start; "
       "select start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind "
       "from CUPTI_ACTIVITY_KIND_MEMCPY order by start; "
       "select start, end, globalTid, correlationId, nameId, returnValue from CUPTI_ACTIVITY_KIND_RUNTIME order by start; "
       "select start, end, eventType, coalesce(text, textId), globalTid from NVTX_EVENTS order by start;")
NODE = ("const f=require('fs'),z=require('zlib');let b=f.readFileSync(process.argv[1]);"
        "if(b[0]==31)b=z.gunzipSync(b);console.log(JSON.parse(b).traceEvents.length)")
SQLITE_PYTHON = ("import sqlite3,sys\nd=sqlite3.connect(sys.argv[1])\n"
                 "for q in sys.argv[2].split(';'):\n for row in d.execute(q): pass")
PYTHON = ("import gzip,json,sys\np=sys.argv[1]\n"
          "print(len(json.load((gzip.open if p.endswith('gz') else open)(p))['traceEvents']))")
IJSON = ("import gzip,ijson,sys\np=sys.argv[1]\n"
         "print(sum(1 for _ in ijson.items((gzip.open if p.endswith('gz') else open)(p,'rb'),'traceEvents.item')))")


def unpacked(path, command):
    """A command that reads JSON from its standard input."""
    reader = "zcat" if path.endswith(".gz") else "cat"
    return ["sh", "-c", f'{reader} "$1" | {command}', "sh", path]


# What each peer does is said, since none does what the report does.
PEERS = {
    "nsys": [("sqlite3", "sqlite3", "prints the rows in order", lambda path: ["sqlite3", "-csv", path, SQL]),
             ("python3 sqlite3", "python3", "takes the rows in order",
              lambda path: ["/usr/bin/python3", "-c", SQLITE_PYTHON, path, SQL])],
    "kineto": [("json_verify (yajl)", "json_verify", "parses, keeps nothing", lambda path: unpacked(path, "json_verify -q")),
               ("json_reformat (yajl)", "json_reformat", "parses and prints", lambda path: unpacked(path, "json_reformat -m")),
               ("node JSON.parse", "node", "all in memory", lambda path: ["node", "-e", NODE, path]),
               ("jq", "jq", "all in memory", lambda path: unpacked(path, "jq '.traceEvents|length'")),
               ("python3 json", "python3", "all in memory", lambda path: ["/usr/bin/python3", "-c", PYTHON, path]),
               ("python3-ijson", "python3", "row by row", lambda path: ["/usr/bin/python3", "-c", IJSON, path])],
    # Into a pipe: into /dev/null grep would stop at the first line.
    "cuzk-log": [("grep", "grep", "finds its lines",
                  lambda path: ["sh", "-c", 'grep -E "TIMELINE,|CUZK_" "$1" | cat', "sh", path]),
                 ("awk", "awk", "splits its lines",
                  lambda path: ["awk", "-F,", '/TIMELINE,/ { n[$3]++ } END { for (e in n) print e, n[e] }', path])],
}

MEASURE = """
import os, sys, time
begin = time.monotonic()
child = os.fork()
if child == 0:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1), os.dup2(null, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, time.monotonic() - begin, used.ru_maxrss)
"""


def measure(command):
    """CPU seconds, wall seconds and peak KiB; None when the command fails."""
    done = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=True)
    code, cpu, wall, peak = done.stdout.split()
    return (float(cpu), float(wall), int(peak)) if int(code) in (0, 4) else None


def compare(name, kind, path, size, build, rounds):
    commands = [("gaptrace report", "reads and explains", [build + "/bin/gaptrace", "report", path])]
    for peer, program, what, command in PEERS[kind]:
        if shutil.which(program):
            commands.append((peer, what, command(path)))
        else:
            print(f"  {peer}: not installed")
    best = {}
    for _ in range(rounds):
        for peer, what, command in commands:
            got = measure(command)
            if got and (peer not in best or got[0] < best[peer][0]):
                best[peer] = got
    if "gaptrace report" not in best:
        sys.exit(f"gaptrace report {path} failed")
    print(f"{name}, {size / 1e6:.1f} MB")
    for peer, what, command in commands:
        if peer in best:
            cpu, wall, peak = best[peer]
            print(f"  {peer:22} {what:24} {size / 1e6 / cpu:8.1f} MB/s of CPU {wall:8.3f} s {peak / 1024:8.0f} MiB")
        else:
            print(f"  {peer:22} {what:24} failed")


def size_of(path):
    if not path.endswith(".gz"):
        return os.path.getsize(path)
    with gzip.open(path) as packed:
        return sum(len(block) for block in iter(lambda: packed.read(1 << 20), b""))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = sys.argv[1]
    steps, rounds = (int(text) for text in (sys.argv[2:4] + ["20000", "3"][len(sys.argv[2:4]):]))
    with tempfile.TemporaryDirectory() as folder:
        for kind, suffix in (("nsys", ".sqlite"), ("kineto", ".json"), ("kineto", ".json.gz"), ("cuzk-log", ".log")):
            path = f"{folder}/made{suffix}"
            made.WRITERS[kind](path, steps)
            compare(f"{kind}: made, {steps} steps ({suffix})", kind, path, size_of(path), build, rounds)
            if suffix == ".json":
                # Ten times the rows: memory must not follow them.
                made.WRITERS[kind](path, steps * 10)
                _, _, peak = measure([build + "/bin/gaptrace", "report", path])
                print(f"  ten times the rows: {peak / 1024:.0f} MiB")
            os.unlink(path)
        cases = [("nsys", CASES / "nsys/mfu_2gpu_before.sqlite"),
                 ("kineto", CASES / "kineto/tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz")]
        for kind, path in cases:
            if path.exists():
                compare(f"{kind}: {path.name}", kind, str(path), size_of(str(path)), build, rounds)


if __name__ == "__main__":
    main()
