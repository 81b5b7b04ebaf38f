# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the cupti_*.sh scripts share; sourced.
# shellcheck source=lttng.sh
source "$(dirname "${BASH_SOURCE[0]}")/lttng.sh"

GAPTRACE=$(realpath "${1:?}")/bin/gaptrace
SAMPLE=$(realpath "$1")/tests/integration/cuda_sample
COLLECTOR=$(realpath "$1")/lib/libgaptrace-cupti.so
GAPTRACE_CUPTI_LIBRARY=$(realpath "$1")/tests/integration/liblookalike-cuda.so
export COLLECTOR GAPTRACE_CUPTI_LIBRARY

# Only `gaptrace record --gpu` sets it here.
unset CUDA_INJECTION64_PATH

# run_sample NAME FAULTS END [ROUNDS]: records an ordinary CUDA program into NAME, with its truth
# in NAME.truth, its errors in NAME.err and its exit code in $code.
run_sample() {
  local name=$1 faults=$2 end=$3 rounds=${4:-100}
  export code=0
  LOOKALIKE_TRUTH=$WORK/$name.truth LOOKALIKE_FAULTS=$faults \
    "$GAPTRACE" record --gpu -o "$name" -- "$SAMPLE" "$rounds" "$end" 2>"$name.err" || code=$?
  grep '^gaptrace-cupti: ' "$name.err" >"$name.said" || true
}

# expect_said NAME PATTERN: one line of the collector, and that one.
expect_said() {
  expect_equal "$(wc -l <"$1.said")" 1 "lines of the collector"
  expect_line "$1.said" "$2"
}

expect_silent() {
  [ ! -s "$1.said" ] || fail "the collector said: $(cat "$1.said")"
}

# A report with bad stamps or lost records is not to be trusted: exit code 4.
json_report() {
  local status=0
  "$GAPTRACE" report --format json -o "$1.json" "$1" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "report: exit code $status"
}
