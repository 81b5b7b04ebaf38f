#!/usr/bin/env bash
# Proves: a recording does not start without room; it ends, readable, before it fills the disk; and
# when somebody else fills it, what is said of the trace is what babeltrace2 says.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"
if [ "$(id -u)" -ne 0 ] || [ -z "${LTTNG_ISOLATED:-}" ]; then
  skip "mounting a small disk needs root"
fi

small_disk() {
  mkdir "$1"
  mount -t tmpfs -o "size=$2" none "$1"
  at_exit umount "$1"
}

claim "no room: refused before anything is started"
small_disk tiny 8M
expect_status 74 "$GAPTRACE" record -o tiny/run -- touch ran
expect_line stderr 'a recording needs 64 MiB'
[ ! -e ran ] || fail "the command ran"
[ ! -e tiny/run ] || fail "a folder was left"
expect_equal "$(lttng_daemon_pid)" "" "session daemon"

claim "the recording itself fills the disk: it ends in time, and is readable"
small_disk small 66M
cat >small.conf <<'END'
[recording]
expected_rate = 1M
[channel hot]
event = gaptrace:span_*
subbuffer_size = 64K
subbuffer_count = 4
flush_interval = 1s
END
# A span takes some 100 bytes, so 8 MiB stay free however late the recorder comes to look; below
# 16 MiB it ends the recording, and what was lost on the way is emitted once more.
cat >fill <<'END'
#!/usr/bin/env bash
until grep -q 'the recording ends here' stderr; do
  free=$(($(stat -f -c '%a * %S' small)))
  if [ "$free" -ge $((16 << 20)) ]; then
    "$APP" $(((free - (8 << 20)) / 128)) 0 0
  else
    sleep 0.1
  fi
done
exit 6
END
chmod +x fill
expect_status 74 "$GAPTRACE" record --profile ./small.conf -o small/run -- ./fill
expect_line stderr 'the recording ends here, the command goes on'
expect_line stderr 'warning: a busy service fills the disk'
expect_line stderr "the command's exit code was 6"
expect_line stderr 'recorded .*/small/run'
[ "$(event_count small/run span_end)" -gt 0 ] || fail "no spans"

claim "somebody else fills it at a stroke: what is said is true"
small_disk stolen 80M
"$GAPTRACE" record -o stolen/run -- "$APP" 0 1000 6 last 2>stolen.err &
recorder=$!
wait_until 300 recording_has_data stolen/run
cat /dev/zero >stolen/filler 2>/dev/null || true
wait_until 300 grep -q 'the recording ends here' stolen.err
pkill -TERM -P "$recorder" -x record_app
got=0
wait "$recorder" || got=$?
expect_equal "$got" 74 "exit code"
if babeltrace2 stolen/run >/dev/null 2>&1; then
  expect_line stolen.err 'recorded .*/stolen/run'
else
  expect_line stolen.err 'cannot be read as it is: '
fi
