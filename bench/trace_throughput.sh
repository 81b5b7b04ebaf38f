#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What recording costs a proving run: the same jobs with the trace points compiled out, with nothing recording, and with
# everything recorded, in turn. Usage: bench/trace_throughput.sh [BUILD_FOLDER] [ROUNDS] [JOBS] [CONFIG]
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
rounds=${2:-7}
jobs=${3:-4}
config=${4:-}
# shellcheck source=tests/integration/lttng.sh
source "$root/tests/integration/lttng.sh"
lttng_setup "${1:-$root/build/release}" "${@:2}"
[ -x "$BUILD/bin/proverd" ] || fail "$BUILD/bin/proverd is missing: build the release preset first"

# The same program on the other library: the loader finds it under the first one's name.
mkdir "$WORK/off"
ln -s "$(realpath "$BUILD/lib/libgaptrace-off.so")" "$WORK/off/libgaptrace.so.0"

start_daemon() {
  "$BUILD/bin/proverd" ${config:+--config "$config"} --socket "$WORK/$1.socket" --state-dir "$WORK/state" \
    2>"$WORK/$1.log" &
  eval "$1=$!"
  at_exit kill "$!"
  wait_until 600 test -S "$WORK/$1.socket"
}
LD_LIBRARY_PATH=$WORK/off start_daemon out
start_daemon on

# CPU time of a process so far, in ns: its ended threads are in its stat, in ticks.
cpu_ns() {
  awk -v ticks="$(getconf CLK_TCK)" '{sub(/.*\) /, ""); printf "%.0f\n", ($12 + $13) * 1e9 / ticks}' "/proc/$1/stat"
}

# measure MODE DAEMON: appends wall and CPU seconds of one round.
measure() {
  local wall cpu
  cpu=$(cpu_ns "${!2}")
  wall=$(date +%s%N)
  "$BUILD/bin/prove" --socket "$WORK/$2.socket" --kind squaring --jobs "$jobs" --partitions 4 -o "$WORK/proofs" \
    >/dev/null 2>&1 || fail "the jobs failed: $(cat "$WORK/$2.log")"
  wall=$(($(date +%s%N) - wall))
  cpu=$(($(cpu_ns "${!2}") - cpu))
  echo "$wall $cpu" >>"$WORK/$1"
  rm -rf "$WORK/proofs"
}

measure_recording() {
  local session
  session=$(lttng_session_name throughput)
  lttng create "$session" --output="$WORK/trace" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=4M --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  measure recording on
  lttng stop "$session" >/dev/null 2>"$WORK/stop"
  if grep -qi 'discarded\|lost' "$WORK/stop"; then
    fail "events were discarded: $(cat "$WORK/stop")"
  fi
  lttng destroy "$session" >/dev/null
  events=$(babeltrace2 "$WORK/trace" -c sink.utils.counter 2>/dev/null | awk '/ Event messages/ {n = $1} END {print n}')
  rm -rf "$WORK/trace"
}

# Keys are made and caches filled before anything counts.
measure warm_up out
measure warm_up on
for ((round = 0; round < rounds; round++)); do
  measure out out
  measure idle on
  measure_recording
done

echo "$rounds rounds of $jobs jobs of 4 partitions, ${events:-?} events in a recorded one; median (least .. most) seconds"
printf '%-12s %28s %28s %10s\n' "" wall "CPU of the daemon" "CPU ratio"
for mode in out idle recording; do
  summary=""
  for column in 1 2; do
    summary+=$(awk -v c=$column '{print $c / 1e9}' "$WORK/$mode" | sort -n | awk '
      {v[NR] = $1} END {printf "%9.3f (%.3f .. %.3f) ", v[int((NR + 1) / 2)], v[1], v[NR]}')
    summary+=" "
  done
  # Each round against its own round without trace points: what else the machine does falls out.
  ratio=$(paste "$WORK/$mode" "$WORK/out" | awk '{print $2 / $4}' | sort -n | awk '{v[NR] = $1} END {printf "%.4f", v[int((NR + 1) / 2)]}')
  printf '%-12s %s %10s\n' "$mode" "$summary" "$ratio"
done
