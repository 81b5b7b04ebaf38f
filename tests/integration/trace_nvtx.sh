#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# NVTX ranges balance and are those of the recording, name by name.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
injection=$BUILD/tests/integration/libnvtx-injection.so
[ -f "$injection" ] || skip "built without the NVTX headers"
lttng_start

record() {
  local session
  session=$(lttng_session_name nvtx)
  lttng create "$session" --output="$WORK/trace" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=1M --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  NVTX_INJECTION64_PATH=$injection NVTX_SUMMARY=$WORK/summary LTTNG_UST_REGISTER_TIMEOUT=60000 "$@" >/dev/null
  lttng stop "$session" >/dev/null
  lttng destroy "$session" >/dev/null
  /usr/bin/python3 "$here/nvtx_ranges.py" "$WORK/trace" "$WORK/summary"
  rm -rf "$WORK/trace"
}

claim "every kind of range is there once for its event"
record "$BUILD/tests/integration/emitter" all
for category in lock wait queue pool prove memory span; do
  expect_line "$WORK/summary" "^range	$category	"
done
expect_line "$WORK/summary" "^thread	[0-9]+	first thread of many$"

claim "under contention the counts agree"
record "$BUILD/tests/integration/emitter" locks 8 500

claim "a tool that cannot be loaded is no tool"
NVTX_INJECTION64_PATH=/nonexistent.so "$BUILD/tests/integration/emitter" all
