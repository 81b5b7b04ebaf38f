#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes one made-up job in the formats that gaptrace imports: as big as wanted, the same each time.

usage: import_files.py nsys|kineto|cuzk-log FILE [STEPS [RANK]]

Each step is one turn of a loop on one thread and one GPU: host work inside a range, a copy from pageable
memory, and eight kernels that are launched faster than they run. nsys and kineto tell the same job. The log
is one of partitions proved one after another on one GPU by two workers, each synthesized meanwhile.
"""
import gzip
import json
import os
import sqlite3
import sys

US, MS = 1000, 1000000
KERNELS = 8
STEP_NS = 5 * MS
# Not round, so that no digit is lost unseen.
EPOCH_NS = 1700000000123456789
BEGIN_NS = 10 * MS + 7


def job(steps, rank=0):
    """Gives (kind, name, start, end, correlation) in order of start; kinds: range, call, copy, kernel."""
    correlation = 0
    for step in range(steps):
        base = BEGIN_NS + step * STEP_NS + rank * 11 * US
        rows = [("range", "step", base, base + 4 * MS, 0)]
        correlation += 1
        rows.append(("call", "cudaMemcpyAsync", base + 3 * MS, base + 3 * MS + 200 * US, correlation))
        rows.append(("copy", "", base + 3 * MS + 50 * US, base + 3 * MS + 150 * US, correlation))
        for number in range(KERNELS):
            correlation += 1
            call = base + 3 * MS + 210 * US + number * 10 * US
            start = base + 3 * MS + 300 * US + number * 180 * US
            rows.append(("call", "cudaLaunchKernel", call, call + 6 * US + 3, correlation))
            rows.append(("kernel", f"kernel_{number}", start, start + 170 * US + 1, correlation))
        yield from sorted(rows, key=lambda row: row[2])


def pid_of(rank):
    return 4000 + rank


NSYS_TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT, uuid TEXT, cuDevice INTEGER);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL,
  uuid TEXT NOT NULL, numMultiprocessors INTEGER NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  text TEXT, textId INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER);
"""


def write_nsys(path, steps, rank=0, uuid=None, rename=str):
    """`uuid` is that of the one GPU; `rename` makes of every name what is written for it."""
    if os.path.exists(path):
        os.unlink(path)
    database = sqlite3.connect(path)
    database.executescript(NSYS_TABLES)
    names = {}

    def name_id(text):
        return names.setdefault(rename(text), len(names) + 1)

    process = pid_of(rank) << 24
    thread = process | pid_of(rank)
    rows = {"KERNEL": [], "MEMCPY": [], "RUNTIME": [], "NVTX": []}
    for kind, name, start, end, correlation in job(steps, rank):
        if kind == "kernel":
            name = name_id(name)
            rows["KERNEL"].append((start, end, 0, 1, 7, correlation, process, name, name, None))
        elif kind == "copy":
            rows["MEMCPY"].append((start, end, 0, 1, 7, correlation, process, 1 << 20, 1, 0, 2))
        elif kind == "call":
            rows["RUNTIME"].append((start, end, 1, thread, correlation, name_id(name + "_v7000"), 0))
        else:
            rows["NVTX"].append((start, end, 59, None, None, name_id(name), thread, None, 0))
    for table, kept in rows.items():
        table = "NVTX_EVENTS" if table == "NVTX" else f"CUPTI_ACTIVITY_KIND_{table}"
        if kept:
            database.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(kept[0]))})", kept)
    database.execute("INSERT INTO ThreadNames VALUES (?, 0, ?)", (name_id("loop"), thread))
    uuid = uuid or rename(f"GPU-{rank}")
    database.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, ?, ?, 0)", (rename("made up"), uuid))
    database.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, ?, ?, 100)", (pid_of(rank), uuid))
    database.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?, '', '')", (EPOCH_NS,))
    database.executemany("INSERT INTO META_DATA_EXPORT VALUES (?, ?)",
                         [("EXPORT_SCHEMA_VERSION", "3.24.14"), ("EXPORT_PRODUCT_VERSION", rename("2026.1.1.204"))])
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, text) for text, number in names.items()])
    database.commit()
    database.close()


def microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


KINETO_ROWS = {
    "range": '"cat": "user_annotation", "name": %s, "pid": {pid}, "tid": {pid}, "args": {{}}',
    "call": '"cat": "cuda_runtime", "name": %s, "pid": {pid}, "tid": {pid}, "args": {{"correlation": %d}}',
    "copy": '"cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": {rank}, "tid": 7, "args": '
            '{{"device": {rank}, "context": 1, "stream": 7, "correlation": %d, "bytes": 1048576}}',
    "kernel": '"cat": "kernel", "name": %s, "pid": {rank}, "tid": 7, "args": '
              '{{"device": {rank}, "context": 1, "stream": 7, "correlation": %d}}',
}


def write_kineto(path, steps, rank=0, rename=str):
    """Compressed when the name ends in .gz."""
    ids = {"pid": pid_of(rank), "rank": rank}
    opened = gzip.open(path, "wt", compresslevel=6) if path.endswith(".gz") else open(path, "w", encoding="utf-8")
    with opened as output:
        output.write('{\n"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": %d, "world_size": 8},\n'
                     '"baseTimeNanoseconds": %d, "displayTimeUnit": "ms",\n"traceEvents": [\n' % (rank, EPOCH_NS))
        output.write('{"name": "process_name", "ph": "M", "ts": 0, "pid": %d, "tid": 0, "args": {"name": %s}}'
                     % (pid_of(rank), json.dumps(rename("python"))))
        for kind, name, start, end, correlation in job(steps, rank):
            name = json.dumps(rename(name))
            values = {"range": (name,), "copy": (correlation,)}.get(kind, (name, correlation))
            output.write(',\n{"ph": "X", %s, "ts": %s, "dur": %s}' % (
                KINETO_ROWS[kind].format(**ids) % values, microseconds(start), microseconds(end - start)))
        output.write("\n]}\n")


PARTITIONS = 10
SYNTH_MS, PROVE_MS, EVERY_MS = 36519, 3461, 3700
NATIVE = """CUZK_TIMING: split_vectors_ms=11 setup_to_split_ms=11
CUZK_TIMING: pre_lock_cpu_ms=12 mutex_wait_ms=843
CUZK_NTT_H: d_b_alloc=0ms ntt_kernels=1ms coset_intt_sync=392ms msm_init=3ms msm_invoke=287ms msm_dtor=2ms total=685ms
CUZK_TIMING: gpu_tid=0 ntt_msm_h_ms=686
CUZK_TIMING: prep_msm_ms=1909
CUZK_TIMING: gpu_tid=0 barrier_wait_ms=391
CUZK_TIMING: gpu_tid=0 batch_add_ms=651
CUZK_TIMING: gpu_tid=0 tail_msm_ms=83 gpu_total_ms=1811
CUZK_TIMING: mutex_held_ms=1813 total_start_fn_ms=2668
CUZK_TIMING: b_g2_msm_ms=1702 num_circuits=1
CUZK_TIMING: async_dealloc_ms=38"""


def write_cuzk_log(path, steps, rank=0):
    """The daemon's standard error."""
    lines = []
    for step in range(steps):
        job, partition, worker = f"porep-{1000 + rank}-{step // PARTITIONS}", step % PARTITIONS, step % 2
        start = 40000 + step * EVERY_MS
        lines += [
            (start - SYNTH_MS - 40, f"SYNTH_START,{job},partition={partition}"),
            (start - 40, f"SYNTH_END,{job},partition={partition},synth_ms={SYNTH_MS}"),
            (start - 40, f"GPU_QUEUE,{job},partition={partition}"),
            (start - 12, f"GPU_PICKUP,{job},worker={worker},partition={partition}"),
            (start, f"GPU_START,{job},worker={worker},partition={partition}"),
            (start + 2668, None),
            (start + PROVE_MS, f"GPU_END,{job},worker={worker},partition={partition},gpu_ms={PROVE_MS}"),
        ]
    with open(path, "w", encoding="utf-8") as output:
        for time, text in sorted(lines, key=lambda line: line[0]):
            output.write((f"TIMELINE,{time},{text}" if text else NATIVE) + "\n")


WRITERS = {"nsys": write_nsys, "kineto": write_kineto, "cuzk-log": write_cuzk_log}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in WRITERS:
        sys.exit(__doc__)
    numbers = [int(text) for text in sys.argv[3:5]]
    WRITERS[sys.argv[1]](sys.argv[2], *(numbers or [100]))


if __name__ == "__main__":
    main()
