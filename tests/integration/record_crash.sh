#!/usr/bin/env bash
# Proves: whoever is killed, the recording stays readable. Of a killed command nothing is lost; of a
# killed session daemon at most what came after the last flush.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

claim "a killed command loses none of its events"
"$GAPTRACE" record -o app -- "$APP" 0 50 0 last.app 2>app.err &
recorder=$!
wait_until 300 has_begun last.app 3000
wait_until 300 recording_has_data app
pkill -KILL -P "$recorder" -x record_app
got=0
wait "$recorder" || got=$?
expect_equal "$got" 137 "exit code"
expect_line app.err 'no events lost'
# The number is stored after its span ended, so the trace may be one ahead.
[ "$(last_span app)" -ge "$(last_number last.app)" ] ||
  fail "last span $(last_span app), last emitted $(last_number last.app)"

# kill_daemon SUBJECT PATTERN...: records into SUBJECT while killing what the patterns name.
kill_daemon() {
  local subject=$1 recorder got=0 before
  shift
  "$GAPTRACE" record -o "$subject" -- "$APP" 0 1000 3 "last.$subject" 2>"$subject.err" &
  recorder=$!
  wait_until 300 recording_has_data "$subject"
  before=$(lttng_daemon_pid)
  for victim in "$@"; do
    daemon_"$victim" "$before" | xargs kill -KILL # there may be several consumers
  done
  if [ "$subject" != consumer ]; then
    wait_until 300 grep -q 'the session daemon ended' "$subject.err"
  fi
  number=$(last_number "last.$subject")
  wait_until 300 has_begun "last.$subject" $((number + 100))
  pkill -TERM -P "$recorder" -x record_app
  wait "$recorder" || got=$?
  expect_equal "$got" 69 "exit code"
  expect_line "$subject.err" "the command's exit code was 3"
  expect_line "$subject.err" "recorded .* up to then, and nothing after it: .*/$subject\$"
  [ "$(event_count "$subject" span_end)" -gt 0 ] || fail "no spans"
}

daemon_session() {
  echo "$1"
}

daemon_consumer() {
  local child
  for child in $(pgrep -f lttng-consumerd); do
    if [ "$(parent_of "$child")" = "$1" ]; then
      echo "$child"
    fi
  done
}

parent_of() {
  sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null || true
}

claim "a killed session daemon leaves a readable recording, and the command goes on"
kill_daemon session session

claim "so does a session daemon killed together with its consumer"
kill_daemon both consumer session

claim "a consumer that is killed alone is found out at the end"
kill_daemon consumer consumer
expect_line consumer.err 'the recording did not end well: '

claim "a killed session daemon is not in the way of the next recording"
expect_status 0 "$GAPTRACE" record -o next -- "$APP" 10 0 0
expect_equal "$(event_count next span_end)" 10 "spans recorded"

claim "a killed recorder leaves a session that --stop ends"
"$GAPTRACE" record -o recorder -- "$APP" 0 1000 0 last.recorder 2>recorder.err &
recorder=$!
wait_until 300 recording_has_data recorder
app=$(pgrep -P "$recorder" -x record_app)
at_exit kill "$app"
kill -KILL "$recorder"
wait "$recorder" || true
name=$(sed -n 's/.*(session \(.*\))$/\1/p' recorder.err)
expect_status 0 "$GAPTRACE" record --stop "$name"
expect_line stderr 'no events lost: .*/recorder$'
[ "$(event_count recorder span_end)" -gt 0 ] || fail "no spans"
kill "$app"

claim "a recording of --start survives the daemon's death, too"
name=$(lttng_session_name crash)
"$APP" 0 1000 0 last.start >/dev/null &
app=$!
at_exit kill "$app"
expect_status 0 "$GAPTRACE" record --start "$name" -o start
wait_until 300 recording_has_data start
daemon=$(lttng_daemon_pid)
kill -KILL "$daemon"
wait_until 300 process_gone "$daemon" # its socket still answers, and then breaks off, while it dies
expect_status 66 "$GAPTRACE" record --stop "$name"
[ "$(event_count start span_end)" -gt 0 ] || fail "no spans"
