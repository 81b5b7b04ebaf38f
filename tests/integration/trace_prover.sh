#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A real proving run: the daemon's own counters, its recording and its NVTX ranges agree, lock by lock.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
[ -x "$BUILD/bin/proverd" ] || skip "proverd is not built"
injection=$BUILD/tests/integration/libnvtx-injection.so
lttng_start

session=$(lttng_session_name prover)
lttng create "$session" --output="$WORK/trace" >/dev/null
lttng enable-channel -u -s "$session" --subbuf-size=4M --num-subbuf=8 all >/dev/null
lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
lttng start "$session" >/dev/null

# The recording must have the daemon's first lock too, so it waits for the session daemon.
export LTTNG_UST_REGISTER_TIMEOUT=120000
if [ -f "$injection" ]; then
  export NVTX_INJECTION64_PATH=$injection NVTX_SUMMARY=$WORK/summary
fi
"$BUILD/bin/proverd" --socket "$WORK/socket" --state-dir "$WORK/state" --counters "$WORK/counters" 2>"$WORK/log" &
daemon=$!
at_exit kill "$daemon"
unset NVTX_INJECTION64_PATH NVTX_SUMMARY

claim "two jobs of three partitions are proved"
# The socket is there before the daemon listens on it.
wait_until 300 grep -q 'info: serving' "$WORK/log"
"$BUILD/bin/prove" --socket "$WORK/socket" --kind squaring --jobs 2 --partitions 3 --verify -o "$WORK/proofs" |
  tail -n 1
kill -TERM "$daemon"
wait "$daemon" || fail "the daemon ended with $?: $(cat "$WORK/log")"
lttng stop "$session" >/dev/null
lttng destroy "$session" >/dev/null

claim "every lock acquisition, pop, prove_start, prove_finish and malloc_trim is recorded"
/usr/bin/python3 "$here/prover_counters.py" "$WORK/trace" "$WORK/counters"
if [ -f "$injection" ]; then
  claim "and so is every NVTX range"
  /usr/bin/python3 "$here/nvtx_ranges.py" "$WORK/trace" "$WORK/summary"
fi

claim "keyframes count the jobs that are under way, none included"
babeltrace2 "$WORK/trace" >"$WORK/events.text"
expect_line "$WORK/events.text" 'gaptrace:state.*name = "open jobs".* value = 0,'
