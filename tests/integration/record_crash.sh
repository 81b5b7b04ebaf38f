#!/usr/bin/env bash
# Proves: whoever is killed, the recording stays readable. Of a killed command nothing is lost; of a
# killed session daemon at most what came after the last flush.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

claim "a command that is killed between two events loses none of them"
expect_status 137 "$GAPTRACE" record -o app -- "$APP" 3000 50 KILL
expect_line stderr 'no events lost'
expect_equal "$(event_count app span_end)" 3000 "spans recorded"

# has_all DIR SPANS: every event of that many spans has been written, whichever processor's buffer it
# was in, and their keyframes.
has_all() {
  [ "$(babeltrace2 "$(realpath "$1")" 2>/dev/null | grep -cE ' gaptrace:(span_begin|span_end|state): ')" -eq $((2 * $2 + $2 / 100)) ]
}

all_gone() {
  local pid
  for pid in "$@"; do
    process_gone "$pid" || return 1
  done
}

# kill_daemon SUBJECT PATTERN...: records into SUBJECT while killing what the patterns name. It dies
# when all is written, since a packet that a consumer is killed over is cut.
kill_daemon() {
  local subject=$1 recorder got=0 before consumers
  shift
  "$GAPTRACE" record -o "$subject" -- "$APP" 0 1000 3 "last.$subject" 500 2>"$subject.err" &
  recorder=$!
  wait_until 300 has_all "$subject" 500
  before=$(lttng_daemon_pid)
  consumers=$(daemon_consumer "$before")
  for victim in "$@"; do
    daemon_"$victim" "$before" | xargs kill -KILL # there may be several consumers
  done
  # shellcheck disable=SC2086
  wait_until 300 all_gone $consumers
  if [ "$subject" != consumer ]; then
    wait_until 300 grep -q 'the session daemon ended' "$subject.err"
  fi
  pkill -USR1 -P "$recorder" -x record_app
  number=$(last_number "last.$subject")
  wait_until 300 has_begun "last.$subject" $((number + 100))
  pkill -TERM -P "$recorder" -x record_app
  wait "$recorder" || got=$?
  expect_equal "$got" 69 "exit code"
  expect_line "$subject.err" "the command's exit code was 3"
  expect_line "$subject.err" "recorded .* up to then, and nothing after it: .*/$subject\$"
  [ "$(event_count "$subject" span_end)" -gt 0 ] || fail "no spans"
  # Its streams ended each for itself, and none of them is cut.
  expect_absent "$subject/gaptrace-ended"
  "$GAPTRACE" report --format json -o "$subject.json" "$subject" 2>"$subject.report" || expect_equal "$?" 4 "exit code"
  expect_no_line "$subject.json" 'before the recording does|streams are not there'
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
consumers=$(daemon_consumer "$daemon")
kill -KILL "$daemon"
# Its socket still answers, and then breaks off, while it dies; the consumer writes to its end.
# shellcheck disable=SC2086
wait_until 300 all_gone "$daemon" $consumers
expect_status 66 "$GAPTRACE" record --stop "$name"
[ "$(event_count start span_end)" -gt 0 ] || fail "no spans"
