#!/usr/bin/env bash
# Proves: a program that is killed in the middle of an event, and so leaves a buffer that nobody can
# finish, is told as the reason why the recording does not end; the session daemon still ends.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

claim "the end is given up, and why is said"
expect_status 69 "$GAPTRACE" record -o torn -- "$BUILD/bin/torn_app"
expect_line stderr 'a traced program was killed, or stands still, in the middle of an event'
expect_line stderr "the command's exit code was 137"
expect_equal "$(lttng_daemon_pid)" "" "session daemon"

claim "it is in nobody's way"
expect_status 0 "$GAPTRACE" record -o next -- "$APP" 10 0 0
expect_equal "$(event_count next span_end)" 10 "spans recorded"
