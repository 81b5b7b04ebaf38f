#!/usr/bin/env bash
# Prints what `gaptrace report` costs over reading the same recording for nothing
# (babeltrace2 ... -c sink.utils.dummy), in CPU time, and how its memory grows with the recording.
#
#   bench/analysis.sh BUILD_DIR [EVENTS] [ROUNDS]
#
# Records EVENTS events (2,000,000) of a synthetic proving load with LTTng, and ten times as many
# when EVENTS10 is set to yes. The two readers run in turn; the best round of each counts, since
# others can only slow a run down. Exits 1 when the ratio is above the target.
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
ratio_target=1.10
lttng_setup "$@"
gaptrace=$BUILD/bin/gaptrace

record() {
  local session
  session=$(lttng_session_name bench)
  lttng create "$session" --output="$1" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=8M --num-subbuf=16 all >/dev/null
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
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if done.returncode not in (0, 4):
    sys.exit(f"{sys.argv[1]} failed with {done.returncode}")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(int((used.ru_utime + used.ru_stime) * 1000), used.ru_maxrss)
PYTHON
}

smaller() {
  if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

compare() {
  local recording=$1 dummy='' ours='' cpu memory count streams
  for _ in $(seq "$rounds"); do
    read -r cpu memory < <(measure babeltrace2 "$recording" -c sink.utils.dummy)
    dummy=$(smaller "$dummy" "$cpu")
    read -r cpu memory < <(measure "$gaptrace" report "$recording")
    ours=$(smaller "$ours" "$cpu")
  done
  "$gaptrace" report --format json -o "$WORK/report.json" "$recording" || [ $? -eq 4 ]
  count=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["trust"]["events"])' "$WORK/report.json")
  streams=$(find "$recording" -name 'all_*' ! -name '*.idx' | wc -l)
  ratio=$(awk -v a="$ours" -v b="$dummy" 'BEGIN { printf "%.3f", a / b }')
  peak=$memory
  echo "events=$count streams=$streams dummy_ms=$dummy report_ms=$ours ratio=$ratio peak_kib=$peak"
}

record "$WORK/recording" "$events"
compare "$WORK/recording"
first_ratio=$ratio first_peak=$peak
if [ "${EVENTS10:-no}" = yes ]; then
  record "$WORK/large" "$((events * 10))"
  rounds=1
  compare "$WORK/large"
  echo "ten times the events: $((peak - first_peak)) KiB more"
fi
awk -v r="$first_ratio" -v t="$ratio_target" 'BEGIN { if (r > t) { print "above the target of " t; exit 1 } }'
