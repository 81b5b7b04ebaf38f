# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What every script that records shares; sourced, never run. Start a script with
#
#   set -euo pipefail
#   source "$(dirname "$0")/lttng.sh"
#   lttng_setup "$@"
#
# and it has: $BUILD (the build folder, its first argument), $WORK (a folder that goes away at the
# end), a session daemon of its own that stops at the end, and the functions below. A script that
# cannot run here ends with 77.
#
# As root LTTng knows one place only, /run/lttng. So a root script runs in a mount namespace with
# its own /run/lttng and /dev/shm. Where that is not allowed, as in a chroot and most containers,
# scripts take turns at the place: a recording has the events of every program on it. There nobody
# else's daemon is used or stopped. Any other user gets an LTTNG_HOME.

skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Says what the lines that follow prove.
claim() {
  echo "--- $*"
}

# expect_status CODE COMMAND...: runs it, with its output in $WORK/stdout and $WORK/stderr.
expect_status() {
  local want=$1 got=0
  shift
  "$@" >"$WORK/stdout" 2>"$WORK/stderr" || got=$?
  if [ "$got" -ne "$want" ]; then
    cat "$WORK/stdout" "$WORK/stderr" >&2
    fail "exit code $got, not $want: $*"
  fi
}

# expect_line FILE PATTERN: the file has a line that matches the extended regular expression.
expect_line() {
  grep -Eq -- "$2" "$1" || {
    cat "$1" >&2
    fail "no line matches '$2' in $1"
  }
}

expect_no_line() {
  if grep -Eq -- "$2" "$1"; then
    cat "$1" >&2
    fail "a line matches '$2' in $1"
  fi
}

expect_equal() {
  [ "$1" = "$2" ] || fail "${3:-values differ}: '$1', not '$2'"
}

# wait_until SECONDS COMMAND...: until it succeeds; generous limits cost nothing.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      fail "waited in vain for: $*"
    fi
    sleep 0.1
  done
}

# The pid of the session daemon that this script talks to; nothing when none runs.
lttng_daemon_pid() {
  local file=/run/lttng/lttng-sessiond.pid pid
  if [ "$(id -u)" -ne 0 ]; then
    file=$LTTNG_HOME/.lttng/lttng-sessiond.pid
  fi
  # The daemon does not empty the file that a killed one left: behind a shorter number its tail stays.
  if read -r pid 2>/dev/null <"$file" && process_runs "$pid"; then
    echo "$pid"
  fi
}

# A zombie has ended: in a container nobody may come to reap it.
process_runs() {
  local state
  state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) || return 1
  [ -n "$state" ] && [ "$state" != Z ]
}

# The build has a sanitizer. (grep -q would end ldd by a signal, and pipefail would see that.)
is_sanitized() {
  [ "$(ldd "$BUILD/bin/proverd" | grep -cE 'lib[at]san|libclang_rt')" -gt 0 ]
}

process_gone() {
  ! process_runs "$1"
}

# A session name nobody else has.
lttng_session_name() {
  echo "test-$1-$$-$RANDOM"
}

# Beside the place that it guards: both are the machine's, or the container's.
LTTNG_TURN_FILE=/run/gaptrace-test.lock

can_mount() {
  mkdir -p /run/lttng
  unshare --mount --propagation private \
    sh -c 'mount -t tmpfs none /run/lttng && mount -t tmpfs none /dev/shm' 2>/dev/null
}

# Goes on as the same script, with /run/lttng to itself: a namespace, or a turn, which ends with the
# script whatever it leaves running.
lttng_alone() {
  local self=$1
  shift
  if can_mount; then
    # shellcheck disable=SC2016
    exec unshare --mount --propagation private bash -c '
      mount -t tmpfs none /run/lttng && mount -t tmpfs none /dev/shm || exit 77
      LTTNG_ALONE=$1 LTTNG_ISOLATED=yes exec "$@"' isolate "$self" "$@"
  fi
  exec flock --close "$LTTNG_TURN_FILE" env -u LTTNG_ISOLATED LTTNG_ALONE="$self" "$self" "$@"
}

# A folder per script; as root also /run/lttng to itself. Does not start a daemon.
lttng_isolate() {
  local self
  self=$(realpath "$0")
  BUILD=${1:?usage: $0 BUILD_FOLDER}
  for tool in lttng lttng-sessiond babeltrace2; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  if [ "$(id -u)" -eq 0 ] && [ "${LTTNG_ALONE:-}" != "$self" ]; then
    lttng_alone "$self" "$@"
  fi
  if [ "$(id -u)" -eq 0 ] && [ -n "$(lttng_daemon_pid)" ]; then
    skip "process $(lttng_daemon_pid) is somebody else's session daemon, and no namespace of our own is allowed"
  fi
  BUILD=$(realpath "$BUILD")
  WORK=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-test.XXXXXX")
  trap lttng_cleanup EXIT
  unset LTTNG_UST_REGISTER_TIMEOUT GAPTRACE_PROVIDER
  # A session daemon goes on without a program that does not answer it, by default after 5 s: on a
  # busy machine one may not run for so long.
  export LTTNG_APP_SOCKET_TIMEOUT=120
  if [ "$(id -u)" -ne 0 ]; then
    export LTTNG_HOME=$WORK/lttng-home
    mkdir -p "$LTTNG_HOME"
  fi
}

lttng_start() {
  if [ -z "$(lttng_daemon_pid)" ]; then
    lttng-sessiond --daemonize --no-kernel >"$WORK/sessiond.log" 2>&1 || {
      cat "$WORK/sessiond.log" >&2
      skip "the session daemon does not start"
    }
  fi
}

lttng_stop() {
  local pid
  pid=$(lttng_daemon_pid)
  if [ -n "$pid" ]; then
    kill "$pid"
    wait_until 120 process_gone "$pid"
  fi
}

# Scripts add what they must undo: at_exit COMMAND..., last added first.
AT_EXIT=()
at_exit() {
  AT_EXIT=("$(printf '%q ' "$@")" "${AT_EXIT[@]}")
}

lttng_cleanup() {
  local status=$? command
  set +e
  trap - EXIT
  for command in "${AT_EXIT[@]}"; do
    eval "$command" >/dev/null 2>&1
  done
  # A script that failed early left programs that run for ever, and ctest waits for their output.
  jobs -p | xargs -r kill 2>/dev/null
  lttng_stop
  rm -rf "$WORK"
  exit "$status"
}

# Every event is wanted, from the first line of main on, however late a busy machine lets a program
# register; gaptrace record by itself waits for 3 s.
lttng_patient() {
  export LTTNG_UST_REGISTER_TIMEOUT=120000
}

lttng_setup() {
  lttng_isolate "$@"
  lttng_start
}
