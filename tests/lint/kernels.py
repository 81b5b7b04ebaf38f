#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every CUDA kernel compiles for the architectures we ship, spills nothing and keeps to its registers.

Takes the build folder, and remembers there what has been compiled before. Without nvcc it is skipped.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "prover/device/cuda"
PRODUCT = ROOT / "tests/lint/kernel_product.cu"
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
INSTRUCTION_BYTES = 16

# Registers a thread may take: with 128 threads a block, 168 let three blocks into a multiprocessor,
# 255 two. The kernels that take most of a proof's time have the tighter bounds.
REGISTERS_MAX = {
    "kernel_buckets_count": 40,
    "kernel_buckets_fill": 40,
    "kernel_buckets_list": 32,
    "kernel_buckets_scan_across": 40,
    "kernel_buckets_scan_down": 40,
    "kernel_buckets_scan_up": 40,
    "kernel_sum_runs": 168,
    "kernel_sum_gather_runs": 255,
    "kernel_sum_gather_chunks": 255,
    "kernel_sum_collect": 64,
    "kernel_sum_keep": 255,
    "kernel_sum_lift": 255,
    "kernel_sum_store": 96,
    "kernel_sum_weigh": 255,
    "kernel_sparse_join": 40,
    "kernel_sparse_part": 64,
    "kernel_sparse_row": 64,
    "kernel_transform_fill_roots": 64,
    "kernel_transform_forward_1": 64,
    "kernel_transform_forward_2": 96,
    "kernel_transform_forward_3": 168,
    "kernel_transform_inverse_1": 64,
    "kernel_transform_inverse_2": 96,
    "kernel_transform_inverse_3": 168,
    "kernel_transform_product": 64,
    "kernel_transform_quotient": 64,
    "kernel_transform_scale": 64,
    "kernel_product": 64,
}

# One product of the base field with its loads and stores: twice as many when a carry chain breaks.
INSTRUCTIONS_MAX = {"kernel_product": 560}


def find_nvcc():
    for folder in (os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if folder and (pathlib.Path(folder) / "bin/nvcc").is_file():
            return str(pathlib.Path(folder) / "bin/nvcc")
    return shutil.which("nvcc")


def section_sizes(cubin):
    """Sizes of the sections of a 64-bit little-endian ELF file, by name."""
    table, = struct.unpack_from("<Q", cubin, 0x28)
    entry_size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * entry_size) for i in range(count)]
    strings = headers[names][4]
    sizes = {}
    for header in headers:
        begin = strings + header[0]
        sizes[cubin[begin:cubin.index(b"\0", begin)].decode()] = header[5]
    return sizes


def digest(nvcc, source):
    """Of all that the result depends on."""
    state = hashlib.sha256(subprocess.run([nvcc, "--version"], check=True, capture_output=True).stdout)
    for path in [*sorted(SOURCES.glob("*.h")), source]:
        state.update(path.name.encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


def compile_source(nvcc, folder, source, architecture):
    """What ptxas reports, and the sizes of the kernels' code in its last lines."""
    report = folder / f"{source.stem}.{architecture}.{digest(nvcc, source)}.txt"
    if report.is_file():
        return report.read_text()
    cubin = folder / f"{source.stem}.{architecture}.cubin"
    run = subprocess.run([nvcc, "-cubin", "-O3", "-std=c++17", f"-arch={architecture}", "-Xptxas", "-v", "-I",
                          str(ROOT), "-o", str(cubin), str(source)], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"{source.name} for {architecture}: {run.stderr.strip()}")
    text = run.stderr
    for name, size in section_sizes(cubin.read_bytes()).items():
        if name.startswith(".text."):
            text += f"code {name[len('.text.'):]} {size}\n"
    report.write_text(text)
    return text


def parse(text):
    """{kernel: (registers, stack bytes, spilled bytes, instructions)}"""
    sizes = {name: int(size) for name, size in re.findall(r"^code (\S+) (\d+)$", text, re.M)}
    found = re.findall(
        r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill"
        r" loads.*?Used (\d+) registers", text, re.S)
    return {name: (int(registers), int(stack), int(stores) + int(loads), sizes[name] // INSTRUCTION_BYTES)
            for name, stack, stores, loads, registers in found}


def check(architecture, kernels):
    for name, (registers, stack, spilled, instructions) in sorted(kernels.items()):
        place = f"{name} for {architecture}"
        if name not in REGISTERS_MAX:
            yield f"{place}: no bound for its registers; add one to tests/lint/kernels.py"
        elif registers > REGISTERS_MAX[name]:
            yield f"{place}: {registers} registers, over {REGISTERS_MAX[name]}"
        if stack or spilled:
            yield f"{place}: {stack} bytes of stack, {spilled} bytes spilled"
        if instructions > INSTRUCTIONS_MAX.get(name, instructions):
            yield f"{place}: {instructions} instructions, over {INSTRUCTIONS_MAX[name]}"
    for name in sorted(set(REGISTERS_MAX) - set(kernels)):
        yield f"{name} for {architecture}: no such kernel"


def main():
    build = pathlib.Path(sys.argv[1])
    nvcc = find_nvcc()
    if not nvcc:
        print("skipped: no nvcc")
        return 77
    if "-fsanitize=" in (build / "compile_commands.json").read_text():
        print("skipped: once is enough, in a build without sanitizers")
        return 77
    folder = build / "kernels"
    folder.mkdir(exist_ok=True)
    sources = [*sorted(SOURCES.glob("kernels_*.cu")), PRODUCT]
    jobs = [(source, architecture) for architecture in ARCHITECTURES for source in sources]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda job: compile_source(nvcc, folder, *job), jobs))
    problems = []
    for architecture in ARCHITECTURES:
        kernels = {}
        for job, text in zip(jobs, reports):
            if job[1] == architecture:
                kernels.update(parse(text))
        problems += check(architecture, kernels)
        for name, (registers, _, _, instructions) in sorted(kernels.items()):
            print(f"{architecture:7} {name:32} {registers:4} registers {instructions:6} instructions")
    print("\n".join(problems) if problems else f"{len(REGISTERS_MAX)} kernels within bounds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
