#!/usr/bin/env bash
# Proves: recording one's own processes needs no root: an ordinary user, with a session daemon of
# their own, records a command and a running program.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
if [ "$(id -u)" -eq 0 ]; then
  command -v setpriv >/dev/null || skip "setpriv is not installed"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups env)
else
  as_user=(env)
fi
mkdir -m 777 "$WORK/user"
chmod 755 "$WORK"
cd "$WORK/user"
as_user+=(HOME="$WORK/user" LTTNG_HOME="$WORK/user")
"${as_user[@]}" "$APP" 1 0 0 || skip "the build folder is closed to other users"

claim "a command"
expect_status 0 "${as_user[@]}" "$GAPTRACE" record -o run -- "$APP" 100 0 0
expect_line "$WORK/stderr" 'started a session daemon'
expect_equal "$(event_count run span_end)" 100 "spans recorded"
expect_equal "$(stat -c %u run/ust)" "$("${as_user[@]}" id -u)" "owner of the recording"

claim "two at once, where nobody has recorded before"
mkdir -m 777 "$WORK/two"
"${as_user[@]}" LTTNG_HOME="$WORK/two" "$GAPTRACE" record -o one -- "$APP" 10 0 0 2>one.err &
beside=$!
expect_status 0 "${as_user[@]}" LTTNG_HOME="$WORK/two" "$GAPTRACE" record -o other -- "$APP" 10 0 0
wait "$beside" || fail "the other one: $(cat one.err)"

claim "a running program"
"${as_user[@]}" "$APP" 0 1000 0 >/dev/null &
at_exit kill "$!"
name=$(lttng_session_name user)
expect_status 0 "${as_user[@]}" "$GAPTRACE" record --start "$name" -o later
wait_until 300 recording_has_data later
expect_status 0 "${as_user[@]}" "$GAPTRACE" record --stop "$name"
[ "$(event_count later span_end)" -gt 0 ] || fail "no spans"
# One that is too slow to end is killed, and leaves its file.
if read -r pid 2>/dev/null <"$WORK/user/.lttng/lttng-sessiond.pid"; then
  process_gone "$pid" || fail "the session daemon still runs"
fi
