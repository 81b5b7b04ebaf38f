#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The one command for a machine with a GPU: usage tests/gpu/run.sh [--rehearse] [CARRY_FOLDER]
# Builds, compares every stage with the CPU, proves and verifies, asks CUPTI what only a GPU can
# tell, records, reports, and measures; each step by itself, within limits, in eight minutes.
# What the machine lacks comes from CARRY_FOLDER/carry.tar.gz (default .carry, made by
# tests/gpu/carry.sh), by path; without it from the system. With --rehearse first it goes through
# every step without a device, with stand-ins and small sizes. Results go to $OUT (default
# ./gpu-results) as they come, so that a run which is cut off leaves what it has found: results.json,
# log.txt and recordings.tar.gz. The last line is 'N passed, N failed' and ', N skipped'. Without a
# CUDA device it goes as far as it can. GPU_BUILD is the build folder.
set -uo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=tests/gpu/steps.sh
source "$here/steps.sh"

# Of all; what is left after it is not begun. GPU_PATIENCE, for a rehearsal on a busy machine, is a
# factor on every limit.
patience=${GPU_PATIENCE:-1}
total_s=$((450 * patience))
# Packing the recordings, and asking whether the device still answers, are beside the steps.
keep_s=$((15 * patience))

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
  sed -n '3,13s/^# //p' "${BASH_SOURCE[0]}"
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
    outcome=skipped reason=$why_no_device
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
      124 | 137)
        outcome=failed reason="took more than $limit s"
        [ "$needs" = host ] || find_device
        ;;
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
  if [[ $name = record_* ]]; then
    timeout -k 5 "$keep_s" bash "${BASH_SOURCE[0]}" --step keep >>"$OUT/log.txt" 2>&1 ||
      echo "the recordings are not kept: $(tail -n 1 "$OUT/log.txt")"
  fi
  write_results
}

# A device that does not answer any more would take every later step's time.
find_device() {
  has_device=
  why_no_device='no CUDA device'
  if [ -n "$REHEARSAL" ]; then
    has_device=yes
  elif timeout -k 5 "$keep_s" "$BUILD/tests/gpu/gpu_rates" probe >>"$OUT/log.txt" 2>&1; then
    has_device=yes
  elif [ "${1:-}" != first ]; then
    why_no_device='the device does not answer any more'
  fi
}

# What the steps left, as one object: NAME.json is a value, NAME.lines one for each line. What a
# step was writing when it was ended is left out.
write_results() {
  local file name value comma=
  {
    printf '{"rehearsed": %s, "seconds": %d, "passed": %d, "failed": %d, "skipped": %d,\n "steps": [\n' \
      "$([ -n "$REHEARSAL" ] && echo true || echo false)" "$SECONDS" "$passed" "$failed" "$skipped"
    printf '  %s' "${rows[0]}"
    [ ${#rows[@]} -eq 1 ] || printf ',\n  %s' "${rows[@]:1}"
    printf '\n ],\n "values": {'
    for file in "$STATE"/values/*; do
      name=$(basename "$file")
      case $name in
        *.lines) value=$(grep -E '^(\{.*\}|[0-9]+)$' "$file" | sed '1s/^/[/; $!s/$/,/; $s/$/]/') ;;
        *) value=$(cat "$file") ;;
      esac
      [[ $value =~ []}]$ ]] || continue
      printf '%s\n  "%s": %s' "$comma" "${name%.*}" "$value"
      comma=,
    done
    printf '\n }\n}\n'
  } >"$OUT/results.part" && mv "$OUT/results.part" "$OUT/results.json"
}

has_device=
why_no_device='no CUDA device'
for step in "${steps[@]}"; do
  # shellcheck disable=SC2086 # three words
  run_step $step
  if [ "${step%% *}" = build ]; then
    find_device first
  fi
done

echo
printf '%s\n' "${table[@]}"
if [ "$no_device" -gt 0 ]; then
  echo "$why_no_device: $no_device steps skipped"
fi
echo "results: $OUT/results.json, $OUT/log.txt"
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
