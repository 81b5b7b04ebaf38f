#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A CUDA program that is not ours is recorded unchanged, and the report tells what its devices did.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/cupti_common.sh
source "$here/cupti_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"
python=/usr/bin/python3
"$python" -c 'import bt2' 2>/dev/null || skip "python3-bt2 is not installed"

truth() {
  local name=$1
  shift
  json_report "$name"
  "$python" "$here/cupti_truth.py" "$name" "$name.json" "$name.truth" "$@"
}

claim "with the callback the report equals the truth to the nanosecond, and so does an independent reader"
export GAPTRACE_CUPTI_CLOCK=callback
run_sample plain '' return
expect_equal "$code" 0 "exit code"
expect_silent plain
truth plain
"$python" "$here/independent_reader.py" plain plain.json
babeltrace2 "$PWD/plain" >plain.text
expect_line plain.text 'state: .*name = "cupti clock callback"'
expect_line plain.text 'gaptrace_gpu:api: .*name = "cuLaunchKernel"'
expect_line plain.text 'gaptrace_gpu:sync: .*device = 1, .*kind = \( "stream"'
# One at the start and one at the end, however short the program is.
[ "$(grep -c 'gaptrace_gpu:clock_pair: ' plain.text)" -ge 2 ] || fail "fewer than two clock pairs"
expect_no_line plain.text 'cuStreamQuery'

claim "small buffers that come back late and out of order change nothing"
run_sample late late,small return
expect_silent late
truth late

claim "few buffers, all of them out, change nothing either"
GAPTRACE_CUPTI_BUFFERS=4 run_sample few late,small return
truth few

claim "watermarks keep their promise: nothing that started before one comes after it"
for name in plain late few; do
  "$python" - "$PWD/$name" "$here" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[2])
import independent_reader as reader
promised, count = {}, 0
for _, name, _, fields in reader.read(sys.argv[1]):
    if name == "gaptrace_gpu:watermark":
        until = int(fields["complete_until_ns"])
        assert until >= promised.get(int(fields["device"]), 0), "a watermark went back"
        promised[int(fields["device"])] = until
        count += 1
    elif name in reader.OPERATIONS:
        assert int(fields["start_ns"]) >= promised.get(int(fields["device"]), 0), "late record"
assert count >= 2, count
print(count, "watermarks")
PYTHON
done

claim "without the callback, or when it is refused, stamps are converted, true within the bound"
GAPTRACE_CUPTI_CLOCK=default run_sample default '' return 300
expect_silent default
truth default bound
run_sample refused refuse_callback return
truth refused bound
babeltrace2 "$PWD/refused" >refused.text
expect_line refused.text 'state: .*name = "cupti clock default"'

claim "stamps of zero, inverted or from nowhere are counted and used for nothing; it is said once"
for fault in zero inverted garbage; do
  run_sample "$fault" "$fault" return
  expect_equal "$code" 0 "exit code"
  expect_equal "$(grep -c 'GAPTRACE_CUPTI_CLOCK=default' "$fault.said")" 1 "lines about the clock"
  expect_line "$fault.said" ' 200 had bad stamps'
  truth "$fault" 4/5
done

claim "operations that began before their launch are noticed"
run_sample early early return
expect_said early 'began before their launch: record with GAPTRACE_CUPTI_CLOCK=default'

claim "stamps of CUPTI's own clock among those of the callback are converted"
run_sample foreign foreign return
expect_silent foreign
json_report foreign
"$python" - foreign.json <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["trust"]["bad_stamps"] == 0, report["trust"]
assert all(device["span_ns"] < 3600 * 10**9 for device in report["devices"])
PYTHON

claim "allowed to take CUPTI down, it goes on without the callback"
# The program goes on until the collector, whose thread may be kept waiting, has judged the clock.
# shellcheck disable=SC2016
LOOKALIKE_FAULTS=zero GAPTRACE_CUPTI_FINALIZE=1 "$GAPTRACE" record --gpu -o restarted -- \
  sh -c 'echo $$ >restarted.pid; exec "$0" 0 return' "$SAMPLE" 2>restarted.said &
recorder=$!
wait_until 300 grep -q 'going on with' restarted.said
kill -USR1 "$(cat restarted.pid)"
wait "$recorder"
expect_line restarted.said "going on with CUPTI's own clock"
babeltrace2 "$PWD/restarted" >restarted.text
expect_line restarted.text 'cupti clock callback'
expect_line restarted.text 'cupti clock default'

claim "dropped records are counted, told, and noted in the report"
run_sample dropped drop return
expect_said dropped '7 device records were lost'
json_report dropped
expect_line dropped.json '"dropped_records": 7,'
expect_line dropped.json 'dropped records: 7'
