#!/usr/bin/env bash
# Proves: a program that ran before any session, or even a session daemon, is recorded by --start and
# --stop, again and again; what lies between is known to the session alone; wrong names are refused.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"
name=$(lttng_session_name daemon)

claim "a running program is recorded without a restart"
"$APP" 0 1000 0 last >/dev/null &
app=$!
at_exit kill "$app"
wait_until 300 has_begun last
expect_status 0 "$GAPTRACE" record --start "$name" -o first
expect_line stderr "stop with gaptrace record --stop $name"
expect_no_line stderr 'another recording'
wait_until 300 recording_has_data first

claim "the name is taken, and the running recording is not harmed"
expect_status 73 "$GAPTRACE" record --start "$name" -o other
expect_line stderr "session '$name' exists already"
[ ! -e other ] || fail "the refused recording left a folder"

claim "a second recording runs beside it, counts the processes, and says that the first has them, too"
expect_status 0 "$GAPTRACE" record --start "$name-2" -o second
expect_line stderr "another recording runs now, $name, in .*/first: each holds the traced processes of both"
expect_line stderr ' 1 traced process runs now'
wait_until 300 recording_has_data second

claim "an unknown name is refused, with the names there are"
expect_status 66 "$GAPTRACE" record --stop "$name-3"
expect_line stderr "no session '$name-3'; there are: "
expect_line stderr "$name-2"

claim "both end whole; the first learns of the second; the daemon ends with the last"
expect_status 0 "$GAPTRACE" record --stop "$name"
expect_line stderr "another recording runs now, $name-2, in .*/second"
expect_line stderr 'no events lost: .*/first$'
[ -n "$(lttng_daemon_pid)" ] || fail "the session daemon ended with a session left"
expect_status 0 "$GAPTRACE" record --stop "$name-2"
expect_no_line stderr 'another recording'
expect_equal "$(lttng_daemon_pid)" "" "session daemon"
for folder in first second; do
  [ "$(event_count "$folder" span_end)" -gt 0 ] || fail "no spans in $folder"
done

claim "the same program is recorded once more"
expect_status 0 "$GAPTRACE" record --start "$name" -o third
wait_until 300 recording_has_data third
expect_status 0 "$GAPTRACE" record --stop "$name"
[ "$(last_span third)" -gt "$(last_span second)" ] || fail "the third recording is not later"

claim "with no daemon there is nothing to stop"
expect_status 66 "$GAPTRACE" record --stop "$name"
expect_line stderr 'no session daemon runs'

claim "somebody else's session is not ended"
lttng_start
lttng --quiet create "$name-foreign" --output="$WORK/foreign"
lttng --quiet enable-event -u -s "$name-foreign" 'somebody:*'
expect_status 2 "$GAPTRACE" record --stop "$name-foreign"
expect_line stderr 'lttng destroy'
lttng --no-sessiond list >sessions
expect_line sessions "$name-foreign"
lttng --quiet destroy "$name-foreign"

kill "$app"
wait "$app"
