#!/usr/bin/env bash
# Prints what `gaptrace report` costs over reading the same recording for nothing
# (babeltrace2 ... -c sink.utils.dummy), in CPU time, and how its memory grows with the recording.
#
#   bench/analysis.sh BUILD_DIR [EVENTS] [ROUNDS]
#
# Records EVENTS events (2,000,000) of a synthetic proving load with LTTng, once in 2 streams and once
# in 64, as on a host of 64 processors: that needs root, a mount namespace of its own, and a plugin
# that tells the tracer another processor for each event. With EVENTS10=yes also ten times as many
# events in 2 streams, for the memory. The two readers run in turn, and the best round of each
# counts, since others can only slow a run down. Exits 1 when a target is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tests/integration/lttng.sh
source tests/integration/lttng.sh
if [ $# -lt 1 ]; then
  echo "usage: bench/analysis.sh BUILD_DIR [EVENTS] [ROUNDS]" >&2
  exit 2
fi
events=${2:-2000000}
rounds=${3:-5}
lttng_isolate "$@"
gaptrace=$BUILD/bin/gaptrace
missed=no

# record FOLDER EVENTS SUBBUFFER_SIZE SUBBUFFER_COUNT
record() {
  local session
  session=$(lttng_session_name bench)
  lttng create "$session" --output="$1" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size="$3" --num-subbuf="$4" all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$BUILD/bench/analysis_load" "$2"
  lttng stop "$session" >/dev/null
  lttng destroy "$session" >/dev/null
}

# CPU milliseconds and peak memory in KiB of a command.
measure() {
  /usr/bin/env python3 - "$@" <<'PYTHON'
import os, sys
child = os.fork()
if child == 0:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1), os.dup2(null, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
if os.waitstatus_to_exitcode(status) not in (0, 4):
    sys.exit(f"{sys.argv[1]} failed with {os.waitstatus_to_exitcode(status)}")
print(int((used.ru_utime + used.ru_stime) * 1000), used.ru_maxrss)
PYTHON
}

smaller() {
  if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

# above FIGURE LIMIT NAME: says that a target is missed.
above() {
  if awk -v f="$1" -v l="$2" 'BEGIN { exit !(f > l) }'; then
    echo "above the target: $3 $1, at most $2"
    missed=yes
  fi
}

# compare FOLDER ROUNDS: sets $ratio and $peak.
compare() {
  local recording=$1 dummy='' ours='' cpu memory count streams
  for _ in $(seq "$2"); do
    read -r cpu memory < <(measure babeltrace2 "$recording" -c sink.utils.dummy)
    dummy=$(smaller "$dummy" "$cpu")
    read -r cpu memory < <(measure "$gaptrace" report "$recording")
    ours=$(smaller "$ours" "$cpu")
  done
  "$gaptrace" report --format json -o "$WORK/report.json" "$recording" || [ $? -eq 4 ]
  count=$(python3 -c 'import json, sys
trust = json.load(open(sys.argv[1]))["trust"]
if trust["discarded_events"]:
    sys.exit("the recording lost events: no fair comparison")
print(trust["events"])' "$WORK/report.json")
  streams=$(find "$recording" -name 'all_*' ! -name '*.idx' | wc -l)
  ratio=$(awk -v a="$ours" -v b="$dummy" 'BEGIN { printf "%.3f", a / b }')
  peak=$memory
  echo "events=$count streams=$streams dummy_ms=$dummy report_ms=$ours ratio=$ratio peak_kib=$peak"
}

# From here on LTTng believes in so many processors.
pretend_cpus() {
  if [ -z "${LTTNG_ISOLATED:-}" ]; then
    return 1
  fi
  lttng_stop
  echo "0-$(($1 - 1))" >"$WORK/possible"
  mount --bind "$WORK/possible" /sys/devices/system/cpu/possible || return 1
  export ANALYSIS_CPUS=$1 LTTNG_UST_GETCPU_PLUGIN=$BUILD/bench/analysis_cpu.so
}

echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg), $(nproc) processors"
lttng_start
record "$WORK/few" "$events" 8M 16
compare "$WORK/few" "$rounds"
above "$ratio" 1.10 'ratio at few streams'
small_peak=$peak
if [ "${EVENTS10:-no}" = yes ]; then
  record "$WORK/large" "$((events * 10))" 8M 16
  compare "$WORK/large" 1
  echo "ten times the events: $((peak - small_peak)) KiB more"
  above "$((peak - small_peak))" 65536 'KiB of memory more'
  rm -r "$WORK/large"
fi
if pretend_cpus 64; then
  lttng_start
  record "$WORK/many" "$events" 512k 8
  compare "$WORK/many" "$rounds"
  above "$ratio" 0.5 'ratio at 64 streams'
else
  echo "64 streams: left out, this needs root and a mount namespace"
fi
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"
[ "$missed" = no ]
