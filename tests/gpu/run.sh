#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The one command for a machine with a GPU: usage tests/gpu/run.sh [--rehearse] [CARRY_FOLDER]
# Builds, compares every stage with the CPU, proves and verifies, asks CUPTI what only a GPU can
# tell, records, reports, and measures; each step by itself, within limits, in eight minutes.
# What the machine lacks comes from CARRY_FOLDER/carry.tar.gz (default .carry, made by
# tests/gpu/carry.sh), by path; without it from the system. With --rehearse first it goes through
# every step without a device, with stand-ins and small sizes. Results go to $OUT (default
# ./gpu-results): results.json, log.txt and recordings.tar.gz. The last line is 'N passed, N failed'
# and ', N skipped'. Without a CUDA device it goes as far as it can. GPU_BUILD is the build folder.
set -uo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=tests/gpu/steps.sh
source "$here/steps.sh"

# Name, limit in seconds, and whether it needs a CUDA device. The order is that of importance, since
# the time may run out.
steps=(
  "machine 20 host" "unpack 60 host" "blst 60 host" "configure 60 host" "build 280 host"
  "emulation 60 host" "lookalike 60 host"
  "stages 60 gpu" "facts_callback 30 gpu" "facts_default 30 gpu" "record_callback 40 gpu" "record_default 40 gpu"
  "prove_pinned 60 gpu" "prove_pageable 40 gpu" "prove_evaluated 40 gpu" "prove_streamed 40 gpu"
  "record_prover 60 gpu"
  "rates_transform 45 gpu" "rates_msm 45 gpu" "rates_ones 40 gpu" "rates_copies 20 gpu" "overhead 40 gpu"
  "keep 30 host"
)
# Of all; what is left after it is not begun. GPU_PATIENCE, for a rehearsal on a busy machine, is a
# factor on every limit.
patience=${GPU_PATIENCE:-1}
total_s=$((465 * patience))

if [ "${1:-}" = --step ]; then
  "step_${2:?}"
  exit
fi
export REHEARSAL=
if [ "${1:-}" = --rehearse ]; then
  REHEARSAL=yes
  shift
fi
if [ $# -gt 1 ] || [[ ${1:-} = -* ]]; then
  sed -n '3,12s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
fi

export CARRY=${1:-$ROOT/.carry}
OUT=$(realpath -m "${OUT:-gpu-results}")
export OUT BUILD=${GPU_BUILD:-$ROOT/build/gpu-run}
export STATE=$BUILD.state
mkdir -p "$OUT" || exit 1
rm -rf "$STATE" "${OUT:?}"/{results.json,log.txt,recordings.tar.gz}
mkdir -p "$STATE/values" "$STATE/recordings"

passed=0
failed=0
skipped=0
no_device=0
table=()
rows=()

# run_step NAME LIMIT NEEDS: in a process of its own, which is ended with all its children.
run_step() {
  local name=$1 limit=$(($2 * patience)) needs=$3 began=$SECONDS left=$((total_s - SECONDS)) code=0 outcome reason=
  [ "$left" -lt "$limit" ] && limit=$left
  if [ "$needs" = gpu ] && [ -z "$has_device" ]; then
    no_device=$((no_device + 1))
    outcome=skipped reason='no CUDA device'
  elif [ "$limit" -lt 5 ]; then
    outcome=failed reason='no time was left'
  else
    echo "== $name" >>"$OUT/log.txt"
    timeout -k 5 "$limit" bash "${BASH_SOURCE[0]}" --step "$name" >"$STATE/step.log" 2>&1 || code=$?
    cat "$STATE/step.log" >>"$OUT/log.txt"
    reason=$(grep -v '^$' "$STATE/step.log" | tail -n 1 | tr -d '\\"\000-\037' | cut -c 1-160)
    case $code in
      0) outcome=passed reason= ;;
      77) outcome=skipped ;;
      124 | 137) outcome=failed reason="took more than $limit s" ;;
      *) outcome=failed ;;
    esac
  fi
  case $outcome in
    passed) passed=$((passed + 1)) ;;
    failed) failed=$((failed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
  esac
  table+=("$(printf '%-16s %-8s %4d s  %s' "$name" "$outcome" $((SECONDS - began)) "$reason")")
  rows+=("{\"step\": \"$name\", \"outcome\": \"$outcome\", \"seconds\": $((SECONDS - began)), \"reason\": \"$reason\"}")
  echo "${table[-1]}"
}

# What the steps left, as one object: NAME.json is a value, NAME.lines one for each line.
write_results() {
  local file name comma=
  {
    printf '{"rehearsed": %s, "seconds": %d, "passed": %d, "failed": %d, "skipped": %d,\n "steps": [\n' \
      "$([ -n "$REHEARSAL" ] && echo true || echo false)" "$SECONDS" "$passed" "$failed" "$skipped"
    printf '  %s' "${rows[0]}"
    printf ',\n  %s' "${rows[@]:1}"
    printf '\n ],\n "values": {'
    for file in "$STATE"/values/*; do
      [ -s "$file" ] || continue
      name=$(basename "$file")
      printf '%s\n  "%s": ' "$comma" "${name%.*}"
      case $name in
        *.lines) sed '1s/^/[/; $!s/$/,/; $s/$/]/' "$file" ;;
        *) cat "$file" ;;
      esac
      comma=,
    done
    printf '\n }\n}\n'
  } >"$OUT/results.json"
}

has_device=
for step in "${steps[@]}"; do
  # shellcheck disable=SC2086 # three words
  run_step $step
  if [ -n "$REHEARSAL" ]; then
    has_device=yes
  elif [ "${step%% *}" = build ] && "$BUILD/tests/gpu/gpu_rates" probe >>"$OUT/log.txt" 2>&1; then
    has_device=yes
  fi
done
write_results

echo
printf '%s\n' "${table[@]}"
if [ "$no_device" -gt 0 ]; then
  echo "no CUDA device: $no_device steps skipped"
fi
echo "results: $OUT/results.json, $OUT/log.txt"
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
