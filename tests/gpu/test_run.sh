#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh goes on past whatever a step does, and what was found by then is kept. With steps of its own.
set -euo pipefail
work=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-run.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$(realpath "$0")")/run.sh" "$work"
export OUT=$work/out GPU_BUILD=$work/build GPU_PATIENCE=5

fail() {
  echo "$*" >&2
  cat "$work/log" "$OUT/results.json" >&2 || true
  exit 1
}

# A device that answers once, a step that leaves half a value, one that hangs, one after that.
cat >"$work/steps.sh" <<'STEPS'
ROOT=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
steps=("early 60 gpu" "build 60 host" "good 60 gpu" "half 60 host" "record_some 60 host" "copy 60 host"
  "hang 1 gpu" "late 60 gpu" "last 60 host")

step_build() {
  mkdir -p "$BUILD/tests/gpu"
  printf '#!/bin/sh\n[ ! -e %s/asked ] || exit 1\n: >%s/asked\n' "$BUILD" "$BUILD" >"$BUILD/tests/gpu/gpu_rates"
  chmod +x "$BUILD/tests/gpu/gpu_rates"
}

step_good() {
  echo '{"figure": 1}' >"$STATE/values/good.json"
  printf '{"figure": 2}\n3\n{"figure": ' >"$STATE/values/lines.lines"
}

step_half() {
  printf '{"figure": ' >"$STATE/values/half.json"
  echo 'this "is" why'
  exit 3
}

step_record_some() {
  echo recorded >"$STATE/recordings/some"
}

step_keep() {
  tar -C "$STATE/recordings" -czf "$OUT/recordings.tar.gz" .
}

# What is there by now, were the run to be cut off.
step_copy() {
  cp "$OUT/results.json" "$OUT/recordings.tar.gz" "$STATE"
}

step_hang() {
  sleep 300
}

step_last() {
  python3 - "$STATE/results.json" <<'CHECK'
import json, sys
with open(sys.argv[1], encoding="utf-8") as stream:
    early = json.load(stream)
assert [step["step"] for step in early["steps"]] == ["early", "build", "good", "half", "record_some"], early
assert early["values"] == {"good": {"figure": 1}, "lines": [{"figure": 2}, 3]}, early
CHECK
  tar -xzf "$STATE/recordings.tar.gz" -O ./some
}
STEPS

code=0
bash "$work/run.sh" >"$work/log" 2>&1 || code=$?
[ "$code" = 1 ] || fail "exit code $code"
[ "$(tail -n 1 "$work/log")" = '5 passed, 2 failed, 2 skipped' ] || fail "not what was expected"
python3 - "$OUT/results.json" <<'CHECK' || fail "not the results that were expected"
import json, sys
with open(sys.argv[1], encoding="utf-8") as stream:
    results = json.load(stream)
outcomes = {step["step"]: (step["outcome"], step["reason"]) for step in results["steps"]}
assert outcomes == {
    "early": ("skipped", "no CUDA device"), "build": ("passed", ""), "good": ("passed", ""),
    "half": ("failed", "this is why"), "record_some": ("passed", ""), "copy": ("passed", ""),
    "hang": ("failed", "took more than 5 s"), "late": ("skipped", "the device does not answer any more"),
    "last": ("passed", "")}, outcomes
CHECK
echo "run.sh keeps what it finds"
