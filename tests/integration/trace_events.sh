#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every event is recorded with its values, in a program started before or after the session.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
emitter=$BUILD/tests/integration/emitter
reader=/usr/bin/python3

start_session() {
  lttng create "$1" --output="$WORK/$1" >/dev/null
  lttng enable-channel -u -s "$1" --subbuf-size=1M --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$1" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$1" -c all -t vpid -t vtid >/dev/null
  lttng start "$1" >/dev/null
}

stop_session() {
  lttng stop "$1" >/dev/null
  lttng destroy "$1" >/dev/null
}

claim "a program that runs before the session daemon does is recorded without a restart"
"$emitter" wait "$WORK/started" &
program=$!
lttng_start
# Who registers after the start gets the session event by event, and would emit too early.
is_registered() {
  [ "$(lttng list --userspace | grep -c "^PID: $program ")" -eq 1 ]
}
wait_until 120 is_registered
session=$(lttng_session_name late)
start_session "$session"
touch "$WORK/started"
wait "$program"
stop_session "$session"
"$reader" "$here/trace_events.py" calls "$WORK/$session"

claim "a program started inside the session is recorded from its first event on"
session=$(lttng_session_name early)
start_session "$session"
LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" all
stop_session "$session"
"$reader" "$here/trace_events.py" calls "$WORK/$session"

claim "under contention every acquisition and every wait is recorded, in an order that can be"
session=$(lttng_session_name locks)
start_session "$session"
LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" locks 8 1000 >"$WORK/counted"
stop_session "$session"
"$reader" "$here/trace_events.py" locks "$WORK/$session" "$WORK/counted"
