#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a trace point costs, in CPU nanoseconds: compiled out, nothing recording, recording. Runs are interleaved and the
# least of all is printed. Usage: bench/trace_overhead.sh [BUILD_FOLDER] [ROUNDS]
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
rounds=${2:-5}
# shellcheck source=tests/integration/lttng.sh
source "$root/tests/integration/lttng.sh"
lttng_setup "${1:-$root/build/release}" "${@:2}"
program=$BUILD/bench/trace_overhead
[ -x "$program" ] || fail "$program is missing: build the release preset first"
grep -q '^GAPTRACE_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt" && fail "a sanitized build tells nothing about cost"

record() {
  local session
  session=$(lttng_session_name overhead)
  lttng create "$session" --output="$WORK/trace" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=4M --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$program" recording >>"$WORK/recording"
  lttng stop "$session" >/dev/null 2>"$WORK/stop"
  if grep -qi 'discarded\|lost' "$WORK/stop"; then
    fail "events were discarded, which is cheaper than recording them: $(cat "$WORK/stop")"
  fi
  lttng destroy "$session" >/dev/null
  rm -rf "$WORK/trace"
}

for ((round = 0; round < rounds; round++)); do
  "${program}_off" >>"$WORK/off"
  "$program" >>"$WORK/idle"
  record
done

awk -v off="$WORK/off" -v idle="$WORK/idle" -v recording="$WORK/recording" '
  function read(file, least,   line, field) {
    while ((getline line < file) > 0) {
      split(line, field, " ")
      if (!(field[1] in points)) { order[++count] = field[1] }
      points[field[1]] = field[2]
      if (!(field[1] in least) || field[3] < least[field[1]]) { least[field[1]] = field[3] }
    }
  }
  BEGIN {
    read(off, a); read(idle, b); read(recording, c)
    printf "%-10s %6s | %21s | %21s | %21s\n", "", "trace", "ns per operation", "ns per trace point", "ratio to compiled out"
    printf "%-10s %6s | %6s %6s %7s | %10s %10s | %10s %10s\n", "operation", "points", "out", "idle", "record", "idle", "record", "idle", "record"
    for (i = 1; i <= count; i++) {
      n = order[i]; p = points[n]
      if (p == 0) { printf "%-10s %6d | %6.1f %6.1f %7.1f |\n", n, p, a[n], b[n], c[n]; continue }
      printf "%-10s %6d | %6.1f %6.1f %7.1f | %10.2f %10.1f | %10.2f %10.2f\n", n, p, a[n], b[n], c[n], (b[n] - a[n]) / p, (c[n] - a[n]) / p, b[n] / a[n], c[n] / a[n]
    }
  }'
