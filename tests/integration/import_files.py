#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of other tools: one report whichever way they are read, several of one job, and clear refusals.

usage: import_files.py BUILD_FOLDER
"""
import json
import os
import pathlib
import sqlite3
import sys
import tempfile
import unicodedata

sys.dont_write_bytecode = True
from import_support import ROOT, Checks, plugin_environment, report, run  # noqa: E402

sys.path.insert(0, str(ROOT / "bench"))
import import_files as made  # noqa: E402

STEPS = 60
HOSTILE = 'a"b\\c\x1b[31mred\x1b[0m\r\nline\t<&>\u202e%s\x7f\x9b2J'
HOSTILE_FILE = 'ho"st\x1b[31m\nile'
# A step's kernels, without overlap, and its copy.
KERNEL_NS, COPY_NS = made.KERNELS * (170 * made.US + 1), 100 * made.US


def files(folder):
    """One of each kind and some special ones, with the component class that reads it."""
    folder.mkdir()
    made.write_nsys(str(folder / "run.sqlite"), STEPS)
    hostile = folder / HOSTILE_FILE
    made.write_nsys(f"{hostile}.sqlite", 3, rename=lambda text: text + HOSTILE)
    made.write_kineto(f"{hostile}.json", 3, rename=lambda text: text + HOSTILE)
    made.write_kineto(str(folder / "run.json"), STEPS)
    made.write_kineto(str(folder / "run.json.gz"), STEPS)
    made.write_cuzk_log(str(folder / "daemon.log"), STEPS)
    return [(folder / "run.sqlite", "nsys"), (folder / f"{HOSTILE_FILE}.sqlite", "nsys"),
            (folder / f"{HOSTILE_FILE}.json", "kineto"),
            (folder / "run.json", "kineto"), (folder / "run.json.gz", "kineto"),
            (folder / "daemon.log", "cuzk-log")]


def components(kind, paths):
    quoted = [str(path).replace("\\", "\\\\").replace('"', '\\"') for path in paths]
    inputs = ",".join(f'"{path}"' for path in quoted)
    return ["-c", f"source.gaptrace.{kind}", "--params", f"inputs=[{inputs}]"]


def check_graph(checks, build, environment, name, kind, paths, folder):
    """The command, the graph, and a CTF trace that the graph wrote make one report, byte for byte."""
    babeltrace = ["babeltrace2", *components(kind, paths)]
    trace = folder / f"{sum(map(ord, name))}.ctf"
    written = run([*babeltrace, "-c", "sink.ctf.fs", "-p", f'path="{trace}"'], environment)
    checks.equal(f"{name}: exit of sink.ctf.fs", written.returncode, 0)
    for form in ("text", "json"):
        options = ["--format", form, "--threshold", "100us"]
        command = run([build + "/bin/gaptrace", "report", *options, *map(str, paths)])
        graph = run([*babeltrace, "-c", "sink.gaptrace.report", "-p", f'format="{form}",threshold="100us"'],
                    environment)
        from_trace = run([build + "/bin/gaptrace", "report", *options, str(trace)])
        checks.equal(f"{name}: exit", command.returncode, 0)
        checks.equal(f"{name}: graph, {form}", graph.stdout, command.stdout)
        checks.equal(f"{name}: CTF, {form}", from_trace.stdout, command.stdout)
        checks.true(f"{name}: no raw control characters, {form}",
                    not any(character != "\n" and unicodedata.category(character) in ("Cc", "Cf")
                            for character in command.stdout))


def check_sinks(checks, environment, path, kind):
    """Events are printed with names and labels, gaps derived, and files recognised without a component's name."""
    babeltrace = ["babeltrace2", *components(kind, [path])]
    pretty = run(babeltrace, environment).stdout
    checks.equal(f"{path.name}: kernels printed", pretty.count("gaptrace_gpu:kernel:"), STEPS * made.KERNELS)
    checks.equal(f"{path.name}: devices printed", pretty.count("gaptrace_gpu:device:"), 1)
    checks.equal(f"{path.name}: labels", pretty.count('kind = ( "htod" : container = 1 )'), STEPS)
    checks.true(f"{path.name}: its source", pretty.startswith("[") and '"source"' in pretty.splitlines()[0])
    derived = run([*babeltrace, "-c", "filter.gaptrace.gaps"], environment).stdout
    # Between the copy and the kernels of a step nothing is idle for 1 ms; from step to step it is.
    gaps = [line for line in derived.splitlines() if "gaptrace:gap:" in line and 'layer = "kernel"' in line]
    checks.equal(f"{path.name}: gaps derived", len([line for line in gaps if 'edge = "inner"' in line]), STEPS - 1)
    found = run(["babeltrace2", str(path)], environment)
    checks.equal(f"{path.name}: recognised by babeltrace2", found.stdout, pretty)


def check_formats_agree(checks, build, listed):
    """The same job told by two tools has the same gaps, cut alike."""
    reports = [report(build, [path]) for path, _ in listed if path.name.startswith("run.")]
    for other in reports[1:]:
        for key in ("operations", "kernels", "span_ns", "busy_ns", "copying_ns", "idle_ns", "gaps", "kernel_gaps"):
            checks.equal(f"both formats: {key}", other["devices"][0][key], reports[0]["devices"][0][key])
    device = reports[0]["devices"][0]
    checks.equal("busy", device["busy_ns"], STEPS * KERNEL_NS)
    checks.equal("copying", device["copying_ns"], STEPS * COPY_NS)
    checks.equal("gaps between steps", device["gaps"]["inner"]["count"], STEPS - 1)


def check_several(checks, build, environment, folder):
    """Ranks of one job make one report: GPUs apart by UUID, one GPU of two processes is one."""
    folder.mkdir()
    for rank in (0, 1):
        made.write_nsys(str(folder / f"own{rank}.sqlite"), STEPS, rank)
        made.write_nsys(str(folder / f"shared{rank}.sqlite"), STEPS, rank, uuid="GPU-S")
        made.write_kineto(str(folder / f"rank{rank}.json.gz"), STEPS, rank)
    own = [folder / f"own{rank}.sqlite" for rank in (0, 1)]
    shared = [folder / f"shared{rank}.sqlite" for rank in (0, 1)]
    ranks = [folder / f"rank{rank}.json.gz" for rank in (0, 1)]

    apart = report(build, own)
    checks.equal("two files: devices", [device["uuid"] for device in apart["devices"]], ["GPU-0", "GPU-1"])
    for device, path in zip(apart["devices"], own):
        alone = report(build, [path])["devices"][0]
        checks.equal(f"{path.name} in company: busy", device["busy_ns"], alone["busy_ns"])
        checks.equal(f"{path.name} in company: gaps", device["kernel_gaps"]["inner"], alone["kernel_gaps"]["inner"])
        checks.equal(f"{path.name} in company: split", device["kernel_gaps"]["split"], alone["kernel_gaps"]["split"])

    # The second process runs 11 us later, and nearly all of it beside the first one's kernels.
    together = report(build, shared)
    checks.equal("one GPU: devices", [device["uuid"] for device in together["devices"]], ["GPU-S"])
    device = together["devices"][0]
    checks.equal("one GPU: operations", device["operations"], 2 * STEPS * (made.KERNELS + 1))
    checks.true("one GPU: its processes' kernels cover it together",
                STEPS * KERNEL_NS < device["busy_ns"] < 2 * STEPS * KERNEL_NS, device["busy_ns"])

    mixed = report(build, [own[0], ranks[1]])
    checks.equal("two tools: devices", sorted(device["index"] for device in mixed["devices"]), [0, 1])
    checks.equal("two tools: sources", len(mixed["trust"]["sources"]), 2)

    # The same process and thread number in two files: two processes, whose calls issue their own kernels alone.
    (folder / "copy").mkdir()
    made.write_nsys(str(folder / "copy" / "own0.sqlite"), STEPS, 0, uuid="GPU-C")
    twins = report(build, [own[0], folder / "copy" / "own0.sqlite"])
    checks.equal("same numbers: devices", len(twins["devices"]), 2)
    checks.equal("same numbers: splits", twins["devices"][1]["gaps"]["split"], twins["devices"][0]["gaps"]["split"])
    checks.equal("same numbers: unjoined", twins["trust"]["unjoined"], 0)
    check_graph(checks, build, environment, "several", "nsys", own, folder)
    check_graph(checks, build, environment, "ranks", "kineto", ranks, folder)


def check_log_parts(checks, build, environment, whole, folder):
    """A daemon's log in two files, one after the other, is one log."""
    folder.mkdir()
    lines = whole.read_bytes().splitlines(keepends=True)
    parts = [folder / "monday.log", folder / "tuesday.log"]
    parts[0].write_bytes(b"".join(lines[:len(lines) // 2]))
    parts[1].write_bytes(b"".join(lines[len(lines) // 2:]))
    one, two = report(build, [whole]), report(build, parts)
    checks.equal("log in parts: devices", len(two["devices"]), 1)
    for key in ("operations", "span_ns", "busy_ns", "idle_ns", "kernel_gaps", "causes"):
        checks.equal(f"log in parts: {key}", two["devices"][0][key], one["devices"][0][key])
    check_graph(checks, build, environment, "log in parts", "cuzk-log", parts, folder)


def check_cut(checks, build, listed, folder):
    """A file that ends too early is reported up to there, says so, and is not to be trusted."""
    folder.mkdir()
    for path, kind in listed:
        if kind == "cuzk-log" or not path.name.startswith("run."):
            continue
        whole = path.read_bytes()
        events = report(build, [path])["trust"]["events"]
        for percent in (10, 50, 90):
            cut = folder / f"{percent}.{path.name}"
            cut.write_bytes(whole[:len(whole) * percent // 100])
            done = run([build + "/bin/gaptrace", "report", "--format", "json", str(cut)])
            what = f"{path.name} cut at {percent} %"
            checks.equal(f"{what}: exit", done.returncode, 4)
            checks.equal(f"{what}: lines of its error", done.stderr.count("\n"), 1)
            trust = json.loads(done.stdout)["trust"]
            checks.true(f"{what}: parts that could not be read", trust["unreadable"] > 0, trust)
            checks.true(f"{what}: fewer events", trust["events"] < events, trust["events"])
            checks.true(f"{what}: some events", percent == 10 or trust["events"] > 50, trust["events"])


def refused(checks, build, what, paths, text):
    done = run([build + "/bin/gaptrace", "report", *map(str, paths)])
    checks.equal(f"{what}: exit", done.returncode, 2)
    checks.equal(f"{what}: lines", done.stderr.count("\n"), 1)
    checks.true(f"{what}: says '{text}'", text in done.stderr, done.stderr)
    checks.equal(f"{what}: no report", done.stdout, "")


def check_refusals(checks, build, folder):
    folder.mkdir()
    contents = {"report.nsys-rep": b"\x01\x02nsys", "old.qdrep": b"x", "other.json": b'{"hello": [1, 2]}',
                "data.parquet": b"PAR1....", "trace.zst": b"\x28\xb5\x2f\xfd....", "stream_0": b"\xc1\x1f\xfc\xc1....",
                "metadata": b"/* CTF 1.8 */\n", "empty": b"", "notes.txt": b"hello\n", "program": b"\x7fELF....",
                "page.json": b"<html>", "wide.json": "{}".encode("utf-16"), "docker.log": b'{"log":"TIMELINE,1"}',
                "journal": b'{"__CURSOR":"s=1"}', "service.log": b'{"timestamp":"2026","target":"web"}',
                "tracing.log": b'{"timestamp":"2026","fields":{},"target":"cuzk_core::engine"}\n'}
    texts = {"report.nsys-rep": "nsys export --type sqlite", "old.qdrep": "nsys export --type sqlite",
             "other.json": "no trace of Kineto", "data.parquet": "nsys export --type sqlite",
             "trace.zst": "unpack it first", "stream_0": "name the directory", "metadata": "name the directory",
             "empty": "an empty file", "notes.txt": "of no kind that is known", "program": "a program",
             "page.json": "HTML or XML", "wide.json": "UTF-16", "docker.log": "docker logs", "journal": "journalctl",
             "service.log": "lines of JSON", "tracing.log": "text form"}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
        refused(checks, build, name, [folder / name], texts[name])
        refused(checks, build, name, [folder / name], name)
    sqlite3.connect(folder / "other.sqlite").executescript("CREATE TABLE songs (title TEXT);")
    refused(checks, build, "another database", [folder / "other.sqlite"], "other.sqlite")
    run(["mkfifo", str(folder / "pipe")])
    refused(checks, build, "a pipe", [folder / "pipe"], "neither a file nor a directory")
    refused(checks, build, "nothing there", [folder / "gone.sqlite"], "No such file")

    made.write_nsys(str(folder / "run.sqlite"), 3)
    of_ours = run([build + "/bin/gaptrace", "report", "--format", "json", "-o", str(folder / "ours.json"),
                   str(folder / "run.sqlite")])
    checks.equal("a report of ours is written", of_ours.returncode, 0)
    refused(checks, build, "a report of ours", [folder / "ours.json"], "by gaptrace diff")
    os.symlink(folder / "run.sqlite", folder / "again.sqlite")
    (folder / "copy.sqlite").write_bytes((folder / "run.sqlite").read_bytes())
    refused(checks, build, "a copy", [folder / "run.sqlite", folder / "copy.sqlite"], "copies of one file")
    refused(checks, build, "the same twice", [folder / "run.sqlite", folder / "again.sqlite"], "the same file")
    twice = [folder.parent / "files" / name for name in ("run.json", "run.json.gz")]
    refused(checks, build, "one recording twice", twice, "of one recording")
    refused(checks, build, "a mix", [folder / "run.sqlite", folder], "their clocks cannot be compared")
    refused(checks, build, "a mix", [folder, folder / "run.sqlite"], "their clocks cannot be compared")
    refused(checks, build, "one of two", [folder / "run.sqlite", folder / "notes.txt"], "notes.txt")


def check_parameters(checks, environment, path, pipe):
    """What a component refuses it says in one line, before anything is read."""
    for parameters, text in (("", "`inputs` must be an array"), ('inputs="x"', "`inputs` must be an array"),
                             ("inputs=[]", "`inputs` must be an array"), ("inputs=[1]", "a path must be a string"),
                             (f'inputs=["{path}"],input=1', "there is no parameter `input`"),
                             ('inputs=["/nonexistent"]', "/nonexistent: No such file"),
                             # Whoever opens a pipe that nobody writes to waits for ever.
                             (f'inputs=["{pipe}"]', "neither a file nor a directory")):
        command = ["babeltrace2", "-c", "source.gaptrace.nsys"] + (["-p", parameters] if parameters else [])
        done = run(command, environment)
        checks.equal(f"{parameters}: exit", done.returncode, 1)
        # babeltrace2 folds long lines.
        said = " ".join(done.stderr.split())
        checks.true(f"{parameters}: says '{text}'", text in said, said)


def main():
    build, checks = sys.argv[1], Checks()
    environment = plugin_environment(build)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        listed = files(folder / "files")
        for path, kind in listed:
            check_graph(checks, build, environment, path.name, kind, [path], folder)
        check_sinks(checks, environment, listed[0][0], "nsys")
        check_sinks(checks, environment, folder / "files" / "run.json", "kineto")
        check_formats_agree(checks, build, listed)
        check_several(checks, build, environment, folder / "several")
        check_log_parts(checks, build, environment, folder / "files" / "daemon.log", folder / "log")
        check_cut(checks, build, listed, folder / "cut")
        check_refusals(checks, build, folder / "refused")
        check_parameters(checks, environment, listed[0][0], folder / "refused" / "pipe")
    checks.end()


if __name__ == "__main__":
    main()
