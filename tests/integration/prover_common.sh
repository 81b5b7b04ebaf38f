# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What every script that drives proverd shares; sourced, never run. A script that sources it has
# $BUILD (its first argument), $WORK (a folder that goes away at the end), and the functions below.
# Every daemon that a script starts is ended with it.

BUILD=$1
PROVERD=$BUILD/bin/proverd
PROVE=$BUILD/bin/prove
# shellcheck disable=SC2034 # used by those who source this
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d)
DAEMONS=()
# One port, socket and state directory of its own, whatever the user's environment says.
export XDG_STATE_HOME=$WORK/xdg-state XDG_RUNTIME_DIR=$WORK/xdg-run HOME=$WORK/home
unset STATE_DIRECTORY || true

cleanup() {
  for pid in "${DAEMONS[@]}"; do
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$WORK"
}
trap cleanup EXIT

skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "FAILED: $*" >&2
  if [ -f "$WORK/log" ]; then
    tail -n 20 "$WORK/log" >&2
  fi
  exit 1
}

claim() {
  echo "--- $*"
}

for command in curl /usr/bin/python3; do
  command -v "$command" >/dev/null || skip "$command is not installed"
done
for program in "$PROVERD" "$PROVE"; do
  [ -x "$program" ] || skip "$program is not built"
done

# launch LOG OPTION...: a daemon in the background, its process is $DAEMON. The log is emptied here:
# its shell does so when it comes to run, and until then the last daemon's words stand there.
launch() {
  local log=$1
  shift
  : >"$log"
  "$PROVERD" "$@" 2>"$log" &
  DAEMON=$!
  DAEMONS+=("$DAEMON")
}

# start_daemon NAME CONFIG_TEXT [OPTION...]: serves $WORK/NAME.sock, logs to $WORK/log, waits until
# it serves. Its process is $DAEMON.
start_daemon() {
  local name=$1
  printf '%s\n' "$2" >"$WORK/$name.conf"
  shift 2
  SOCKET=$WORK/$name.sock
  launch "$WORK/log" --config "$WORK/$name.conf" --socket "$SOCKET" --state-dir "$WORK/state" "$@"
  wait_log 'info: serving' "$WORK/log"
}

# wait_log TEXT LOG: until the daemon has said it. Limits are for hangs, not for slow machines.
wait_log() {
  local end=$((SECONDS + 300))
  until grep -q "$1" "$2"; do
    kill -0 "$DAEMON" 2>/dev/null || grep -q "$1" "$2" || fail "proverd ended before it said '$1'"
    [ "$SECONDS" -lt "$end" ] || fail "proverd never said '$1'"
    sleep 0.1
  done
}

# stop_daemon: SIGTERM, and exit code 0 is expected.
stop_daemon() {
  kill -TERM "$DAEMON"
  wait "$DAEMON" || fail "proverd ended with $?"
}

# api METHOD PATH [BODY]: sends a request; the code goes to $CODE, the answer to $WORK/answer.
api() {
  local method=$1 path=$2
  shift 2
  CODE=$(curl -s -o "$WORK/answer" -w '%{http_code}' --unix-socket "$SOCKET" -X "$method" \
    ${1+--data-binary "$1"} "http://proverd$path") || fail "curl $method $path: $?"
}

# expect_api CODE PATTERN METHOD PATH [BODY]
expect_api() {
  local code=$1 pattern=$2
  shift 2
  api "$@"
  [ "$CODE" = "$code" ] || fail "$1 $2: code $CODE, not $code: $(cat "$WORK/answer")"
  grep -Eq -- "$pattern" "$WORK/answer" || fail "$1 $2: no '$pattern' in: $(cat "$WORK/answer")"
}

# json PATH EXPRESSION: what the expression gives for the page, as `page`.
json() {
  api GET "$1"
  /usr/bin/python3 -c "import json, sys; page = json.load(open(sys.argv[1])); print(($2))" "$WORK/answer"
}

# wait_json PATH EXPRESSION: until it is true.
wait_json() {
  local end=$((SECONDS + 300))
  while [ "$SECONDS" -lt "$end" ]; do
    if [ "$(json "$1" "$2")" = True ]; then
      return
    fi
    sleep 0.1
  done
  fail "$1 never had: $2: $(cat "$WORK/answer")"
}

# expect_exit CODE PATTERN COMMAND...: its messages must match, unless the pattern is empty. What the
# programs end with is in their manuals.
expect_exit() {
  local want=$1 pattern=$2 got=0 page
  shift 2
  for page in prove.1 proverd.8; do
    [ "$1" != "$BUILD/bin/${page%.*}" ] || [ "$(grep -cx "\.It $want" "$ROOT/docs/man/$page")" = 1 ] ||
      fail "$page has no exit code $want"
  done
  "$@" >"$WORK/stdout" 2>"$WORK/stderr" || got=$?
  if [ "$got" -ne "$want" ] ||
    { [ -n "$pattern" ] && ! grep -Eq -- "$pattern" "$WORK/stdout" "$WORK/stderr"; }; then
    cat "$WORK/stdout" "$WORK/stderr" >&2
    fail "exit code $got, wanted $want and '$pattern': $*"
  fi
}
