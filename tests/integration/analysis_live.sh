#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A live session gives the same report as its recording does afterwards, and gaps while it runs.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
command -v lttng-relayd >/dev/null || skip "lttng-relayd is not installed"
emitter=$BUILD/tests/integration/device_emitter
gaptrace=$BUILD/bin/gaptrace
plugins=$BUILD/lib/babeltrace2/plugins
runtime=$(ldd "$plugins/babeltrace-plugin-gaptrace.so" | grep -o '/[^ ]*lib[at]san[^ ]*' || true)
stock() {
  LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 babeltrace2 --plugin-path="$plugins" "$@"
}

# Below those that the system gives to whoever asks for any.
port=$((20000 + RANDOM % 12000))
lttng-relayd -vv -o "$WORK/relay" -C "tcp://127.0.0.1:$port" -D "tcp://127.0.0.1:$((port + 1))" \
  -L "tcp://127.0.0.1:$((port + 2))" >"$WORK/relayd.log" 2>&1 &
relayd=$!
at_exit kill "$relayd"
listens() {
  (: <>"/dev/tcp/127.0.0.1/$((port + 2))") 2>/dev/null
}
wait_until 120 listens
lttng_start

# live_begin: a session that streams to the relay daemon, and in $live the source that reads it. A
# relay daemon takes one reader of a session at a time, who has to come when there is a stream.
live_begin() {
  session=$(lttng_session_name live)
  lttng create "$session" --live=200000 --set-url="net://127.0.0.1:$port:$((port + 1))" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=256k --num-subbuf=8 all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  live=(-c source.ctf.lttng-live
    -p "inputs=[\"net://127.0.0.1:$((port + 2))/host/$(hostname)/$session\"],session-not-found-action=\"end\"")
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" 1 1
  question_count=$(questions)
}

# How often readers have asked for something new of a stream, as the relay daemon says. Who does so has
# been given the streams; the daemon forgets a session that ends before that.
questions() {
  grep -c 'Viewer get next index' "$WORK/relayd.log" || true
}

reader_came() {
  [ "$(questions)" -gt "$question_count" ]
}

# live_end READER: emits more, stops the session, and waits for the reader to come to the end. A
# reader is shown only what comes after it.
live_end() {
  wait_until 120 reader_came
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" 1 0
  "${@:2}"
  lttng stop "$session" >/dev/null
  lttng destroy "$session" >/dev/null
  wait "$1" || { cat "$WORK/reader.log" >&2; fail "the live reader failed"; }
}

claim "gaps are told while the session runs"
live_begin
stock "${live[@]}" -c filter.gaptrace.gaps -c sink.ctf.fs -p "path=\"$WORK/gaps\",quiet=yes" 2>"$WORK/reader.log" &
reader=$!
at_exit kill "$reader"
told() {
  [ -n "$(find "$WORK/gaps" -type f ! -name metadata -size +0 2>/dev/null)" ]
}
live_end "$reader" wait_until 120 told
babeltrace2 "$WORK/gaps" >"$WORK/gaps.text"
expect_line "$WORK/gaps.text" gaptrace:gap_part

claim "what was read live is a report like any other"
live_begin
stock "${live[@]}" -c sink.gaptrace.report -p "format=\"json\",path=\"$WORK/live.json\"" 2>"$WORK/reader.log" &
reader=$!
at_exit kill "$reader"
live_end "$reader" true
/usr/bin/env python3 - "$WORK/live.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["trust"]["events"] > 100, report["trust"]
assert report["work"]["jobs_done"] == 1, report["work"]
for device in report["devices"]:
    assert device["busy_ns"] + device["copying_ns"] + device["idle_ns"] == device["span_ns"]
PYTHON

claim "what the relay daemon kept of a session is a recording"
kept=("$WORK"/relay/*/*)
expect_equal "${#kept[@]}" 2 "recordings"
for recording in "${kept[@]}"; do
  "$gaptrace" report "$recording" >/dev/null
done
