#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves: the README's commands "By hand", run as they stand there, do what it says. Only the build
# folder differs, and the files they leave lie in a folder of the test's own.
set -euo pipefail
source "$(dirname "$0")/lttng.sh"
lttng_isolate "$@"
lttng_patient
if is_sanitized; then
  skip "the stock babeltrace2 does not load a sanitized plugin by itself"
fi
root=$(cd "$(dirname "$0")/../.." && pwd)

claim "the block's commands end with success"
mkdir -p "$WORK/clone/build"
ln -s "$BUILD" "$WORK/clone/build/release"
ln -s "$root/prover" "$WORK/clone/prover"
cd "$WORK/clone"
{
  echo 'set -eum'
  awk '/^## / { in_part = ($0 == "## By hand") } in_part && /^```/ { in_block = !in_block; next } in_block' "$root/README.md"
} | sed "s#/tmp/p.sock#$WORK/p.sock#g" >block.sh
[ "$(wc -l <block.sh)" -gt 8 ] || fail "the README has lost its commands"
export XDG_CACHE_HOME=$WORK/cache
expect_status 0 timeout 400 bash block.sh
expect_no_line "$WORK/stderr" 'stopping at once'

claim "they leave two recordings, a report, and gaps as events"
for recording in day night; do
  [ -d "$recording" ] || fail "$recording is missing"
done
/usr/bin/python3 -c '
import json, sys
report = json.load(open("day.json"))
assert report["schema"] == "gaptrace.report/1", report["schema"]
assert report["work"]["count"] >= 12, report["work"]
assert len(report["devices"]) == 2, len(report["devices"])
for device in report["devices"]:
    assert device["busy_ns"] > 0
' || fail "day.json"
expect_line "$WORK/stdout" 'why no kernel ran'
expect_line "$WORK/stdout" '(gaptrace:)?gap_part: '
