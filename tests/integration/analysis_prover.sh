#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recorded run of the daemon, cpu devices and real proofs, is reported right to the nanosecond.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
lttng_patient
python=/usr/bin/python3
"$python" -c 'import bt2, jsonschema' 2>/dev/null || skip "python3-bt2 or python3-jsonschema is not installed"
socket=$WORK/proverd.sock
cat >"$WORK/proverd.conf" <<'CONF'
[gpu]
kind = cpu
count = 2
workers_per_device = 2
[jobs]
kinds = squaring
CONF

"$BUILD/bin/gaptrace" record -o "$WORK/recording" -- \
  "$BUILD/bin/proverd" --config "$WORK/proverd.conf" --socket "$socket" --state-dir "$WORK/state" \
  >"$WORK/log" 2>&1 &
recorder=$!
at_exit kill "$recorder"
# The socket is there before the daemon listens on it.
wait_until 300 grep -q 'info: serving' "$WORK/log"
"$BUILD/bin/prove" --socket "$socket" --kind squaring --jobs 4 --partitions 3 --verify -o "$WORK/proofs" \
  >"$WORK/proved" 2>&1 || { cat "$WORK/proved" "$WORK/log" >&2; fail "proving failed"; }
kill -TERM "$recorder"
wait "$recorder" || { cat "$WORK/log" >&2; fail "recording failed"; }

claim "streams are numbered within a context, so each device has one of its own"
"$python" - "$WORK/recording" <<'PYTHON'
import sys
import bt2
devices = {}
for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if isinstance(message, bt2._EventMessageConst) and message.event.name in ("gaptrace_gpu:kernel", "gaptrace_gpu:sync"):
        devices.setdefault(int(message.event["context"]), set()).add(int(message.event["device"]))
assert sorted(map(sorted, devices.values())) == [[0], [1]], devices
PYTHON

for threshold in 1ms 10us 0ns; do
  claim "with a threshold of $threshold"
  "$BUILD/bin/gaptrace" report --threshold "$threshold" --format json -o "$WORK/report.json" "$WORK/recording"
  "$python" "$here/independent_reader.py" "$WORK/recording" "$WORK/report.json"
  "$python" - "$here/../../docs/report.schema.json" "$WORK/report.json" <<'PYTHON'
import json, sys
import jsonschema
schema, report = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.validate(report, schema)
trust = report["trust"]
assert report["work"]["count"] == 12 and report["work"]["jobs_done"] == 4, report["work"]
assert trust["ok"] and not trust["discarded_events"] and not trust["late_records"], trust
assert trust["coverage"] == 1 and not trust["bad_stamps"] and not trust["before_launch"], trust
assert [device["backend"] for device in report["devices"]] == ["cpu", "cpu"]
PYTHON
done
