#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Logs of a make-believe daemon whose truth is known: merged, torn and apart, through the command and
# through babeltrace2.
set -euo pipefail
BUILD=$(realpath "${1:?usage: $0 BUILD_FOLDER}")
HERE=$(cd "$(dirname "$0")" && pwd)
WORK=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-test.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
report=("$BUILD/bin/gaptrace" report)

check() {
  echo "--- $1"
  shift
  "$@" || {
    echo "FAILED" >&2
    exit 1
  }
}

# compare KIND REPORT TRUTH: device times are the union of what the daemon claimed.
compare() {
  python3 - "$@" <<'EOF'
import json
import sys

kind, report, truth = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
pieces = []
for claim in truth["claims"]:
    pieces += claim["kernels"] if kind == "narrowed" else [[claim["started"], claim["ended"]]]
busy, end = 0, 0
for begin, stop in sorted(pieces):
    busy += max(0, stop - max(begin, end))
    end = max(end, stop)
(device,) = report["devices"]
assert device["backend"] == "log", device["backend"]
assert device["busy_ns"] == busy * 1000, (device["busy_ns"], busy * 1000)
assert device["span_ns"] == (end - min(begin for begin, _ in pieces)) * 1000, device["span_ns"]
assert report["work"]["count"] == len(truth["claims"]), report["work"]
assert report["trust"]["ok"], report["trust"]
assert sum(row["ns"] for row in device["causes"]) == device["kernel_gaps"]["total_ns"]
EOF
}

python3 "$HERE/cuzk_daemon.py" "$WORK/plain"
python3 "$HERE/cuzk_daemon.py" "$WORK/torn" --torn
python3 "$HERE/cuzk_daemon.py" "$WORK/trim" --slow-trim 400

for kind in plain torn; do
  "${report[@]}" --format json -o "$WORK/$kind.json" "$WORK/$kind/merged.log"
  check "$kind: claims are narrowed to the kernels inside the GPU mutex" \
    compare narrowed "$WORK/$kind.json" "$WORK/$kind/truth.json"
done
check "torn lines change nothing" cmp <(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["devices"][0]["causes"])' "$WORK/plain.json") \
  <(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["devices"][0]["causes"])' "$WORK/torn.json")

"${report[@]}" --format json -o "$WORK/err.json" "$WORK/plain/stderr.log"
check "standard error alone: whole claims" compare whole "$WORK/err.json" "$WORK/plain/truth.json"
check "nobody said when jobs came: no_work is not claimed" \
  [ "$(grep -c '"no_work"' "$WORK/err.json")" -eq 0 ]
"${report[@]}" --format json -o "$WORK/both.json" "$WORK/plain/stdout.log" "$WORK/plain/stderr.log"
check "two files of one daemon make one report" compare whole "$WORK/both.json" "$WORK/plain/truth.json"
check "with both, the lock's holder is named" \
  [ "$(grep -c '"lock", "object": "tracker", "phase": "malloc_trim"' "$WORK/both.json")" -gt 0 ]

"${report[@]}" "$WORK/trim/merged.log" >"$WORK/trim.txt"
check "a slow trim under the tracker is confirmed" [ "$(grep -cE 'tracker_lock +CONFIRMED' "$WORK/trim.txt")" -eq 1 ]
check "the first lines say that nothing was measured" [ "$(head -n 3 "$WORK/trim.txt" | grep -c 'claimed by the log, not measured')" -eq 1 ]

causes() {
  "${report[@]}" --format json "$1" | python3 -c 'import json,sys; print(json.load(sys.stdin)["devices"][0]["causes"])'
}
python3 "$HERE/cuzk_daemon.py" "$WORK/long" --jobs 12
# A day later it ran anew: the log goes on, and TIMELINE counts from 0 again.
{ sed 's/2026-03-14T/2026-03-13T/' "$WORK/long/merged.log"; cat "$WORK/plain/merged.log"; } >"$WORK/anew.log"
check "of a daemon that began anew, the last run is reported" cmp <(causes "$WORK/plain/merged.log") <(causes "$WORK/anew.log")
sed 's/^/Mar 14 10:08:51 host cuzk-daemon[12]: /' "$WORK/torn/merged.log" >"$WORK/journal.log"
check "what journalctl puts before lines is passed over" cmp <(causes "$WORK/torn/merged.log") <(causes "$WORK/journal.log")
grep -vE ',GPU_(START|END),|prove_start' "$WORK/plain/merged.log" >"$WORK/unsplit.log"
status=0
"${report[@]}" "$WORK/unsplit.log" >"$WORK/unsplit.txt" 2>&1 || status=$?
check "without claims nothing is known, and no cause is named" \
  [ "$status/$(grep -c 'unknown: lost events' "$WORK/unsplit.txt")/$(grep -c 'no_work' "$WORK/unsplit.txt")" = 4/2/0 ]

plugins=$BUILD/lib/babeltrace2/plugins
# babeltrace2 itself is not built with a sanitizer: its runtime has to come first.
runtime=$(ldd "$plugins/babeltrace-plugin-gaptrace.so" | grep -o '/[^ ]*lib[at]san[^ ]*' || true)
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 BABELTRACE_PLUGIN_PATH=$plugins babeltrace2 \
  -c source.gaptrace.cuzk-log --params "inputs=[\"$WORK/torn/merged.log\"]" \
  -c sink.gaptrace.report --params "format=\"json\",path=\"$WORK/graph.json\""
check "the stock babeltrace2 gives the same report" cmp "$WORK/torn.json" "$WORK/graph.json"
