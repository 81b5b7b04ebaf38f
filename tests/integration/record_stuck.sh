#!/usr/bin/env bash
# Proves: a session daemon that does not answer does not hang `gaptrace record`, and nothing runs.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_setup "$@"
cd "$WORK"

claim "a stuck session daemon is given up on, for a command and for --start"
pid=$(lttng_daemon_pid)
kill -STOP "$pid"
at_exit kill -CONT "$pid"
"$GAPTRACE" record --start "$(lttng_session_name stuck)" -o start 2>start.err &
start=$!
expect_status 69 "$GAPTRACE" record -o command -- touch ran
expect_line stderr 'the session daemon does not answer: let traced programs that are stopped .* restart it'
got=0
wait "$start" || got=$?
expect_equal "$got" 69 "exit code of --start"
expect_line start.err 'the session daemon does not answer'
expect_absent ran
