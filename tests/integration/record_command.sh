#!/usr/bin/env bash
# Proves: `gaptrace record -- COMMAND` records all of it from its first event, with vpid and vtid,
# keyframes in a channel of their own; hands on its exit code and its signals; and leaves neither a
# session nor a daemon behind.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

claim "a command is recorded whole, and its exit code handed on"
expect_status 7 "$GAPTRACE" record -o run -- "$APP" 1000 100 7
expect_equal "$(event_count run span_end)" 1000 "spans recorded"
expect_equal "$(event_count run span_begin)" 1000 "spans begun"
expect_equal "$(event_count run state)" 10 "keyframes recorded"
expect_line stderr 'started a session daemon'
expect_line stderr 'recorded .* no events lost: .*/run$'

claim "events carry vpid and vtid"
read_text run
expect_no_line "$WORK/text" 'gaptrace:span_end: (.*\{ )?\{ cpu_id = [0-9]+ \}, \{ \}'
expect_line "$WORK/text" 'vpid = [0-9]+, vtid = [0-9]+'

claim "keyframes have a channel of their own"
find run -name 'state_*' -size +0 >states
[ -s states ] || fail "no stream of channel 'state'"

claim "a stream that is missing is told by the others, whatever the index says"
expect_status 0 "$GAPTRACE" report run
cp -r run part
find part -name 'hot_0' -delete -o -name 'hot_0.idx' -delete
expect_status 4 "$GAPTRACE" report --format json part
expect_line stdout ' streams are not there \(a channel has one for each CPU\); copy the recording again'

claim "a recording that ended well has its mark"
[ -s run/gaptrace-ended ] || fail "no mark"

claim "the daemon that was started has ended, and so has the session"
expect_equal "$(lttng_daemon_pid)" "" "session daemon"

claim "by default the command waits for its registration for 3 s at most, else as its user says"
# shellcheck disable=SC2016
for limit in '' 77777; do
  export LTTNG_UST_REGISTER_TIMEOUT=$limit
  [ -n "$limit" ] || unset LTTNG_UST_REGISTER_TIMEOUT
  "$GAPTRACE" record -o "limit-$limit" -- sh -c 'echo "${LTTNG_UST_REGISTER_TIMEOUT:-}"' >waited 2>/dev/null || true
  expect_equal "$(cat waited)" "${limit:-3000}" "limit"
done
lttng_patient

claim "the minimal profile records the same spans"
expect_status 0 "$GAPTRACE" record --profile minimal -o minimal -- "$APP" 500 0 0
expect_equal "$(event_count minimal span_end)" 500 "spans recorded"

claim "without -o a recording has a folder named for its time"
expect_status 0 "$GAPTRACE" record -- "$APP" 10 0 0
expect_equal "$(find . -maxdepth 1 -name 'gaptrace-20*Z' | wc -l)" 1 "folders"

claim "SIGTERM and SIGINT go to the command, and the recording ends after it"
for signal in TERM INT; do
  # An interactive shell would let it be interrupted; a script's background job ignores SIGINT.
  (trap - INT; exec env --default-signal=INT "$GAPTRACE" record -o "signal-$signal" -- "$APP" 0 1000 5) \
    >"signal-$signal.out" 2>"signal-$signal.err" &
  recorder=$!
  wait_until 300 recording_has_data "signal-$signal"
  kill -"$signal" "$recorder"
  got=0
  wait "$recorder" || got=$?
  expect_equal "$got" 5 "exit code after SIG$signal"
  expect_line "signal-$signal.out" "stopped by $(kill -l "$signal")"
  expect_line "signal-$signal.err" 'no events lost'
  read_text "signal-$signal"
done

claim "a command that is killed gives 128 and the signal"
# shellcheck disable=SC2016
expect_status 137 "$GAPTRACE" record -o killed -- sh -c "$APP"' 10 0 0; kill -KILL $$'

claim "a command without trace points is told, with its exit code"
expect_status 66 "$GAPTRACE" record -o nothing -- sh -c 'exit 3'
expect_line stderr 'nothing was recorded'
expect_line stderr "exit code was 3"

claim "a daemon that ran before is used and left alone"
lttng_start
pid=$(lttng_daemon_pid)
expect_status 0 "$GAPTRACE" record -o again -- "$APP" 10 0 0
expect_no_line stderr 'started a session daemon'
expect_equal "$(lttng_daemon_pid)" "$pid" "session daemon"
lttng --no-sessiond list >sessions
expect_line sessions 'no available recording session'
