#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A recorded host may fork, cancel threads, exit under them and have very many of them.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_setup "$@"
host=$BUILD/tests/integration/rough_host
if grep -q '^GAPTRACE_SANITIZE:STRING=thread' "$BUILD/CMakeCache.txt"; then
  skip "the thread sanitizer does not know LTTng's locks"
fi
# Every event is wanted from the first line of main on.
export LTTNG_UST_REGISTER_TIMEOUT=60000

session=$(lttng_session_name rough)
lttng create "$session" --output="$WORK/trace" >/dev/null
lttng enable-channel -u -s "$session" --subbuf-size=16K --num-subbuf=4 all >/dev/null
lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
lttng start "$session" >/dev/null
touch "$WORK/started"
# A hang is a failure of its own: the limit is far above what a busy machine needs.
rough() {
  expect_status 0 timeout 100 "$host" "$WORK/started" "$1"
}

claim "a thread's name may go once the thread has it"
rough name

claim "with more threads than descriptors the host can still open its own files"
rough crowd

# The sanitizers survive neither: their stack markers, and their allocator's locks in the child.
if ! grep -q '^GAPTRACE_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
  claim "a thread that is cancelled while it emits ends at its own cancellation point, errno kept"
  rough cancel

  claim "a child of a fork beside busy threads runs, and tells nothing under its parent's name"
  rough fork
fi

claim "exit works while other threads emit"
for _ in $(seq 20); do
  rough exit
done

lttng stop "$session" >/dev/null
lttng destroy "$session" >/dev/null
babeltrace2 "$WORK/trace" >"$WORK/events" 2>/dev/null
expect_line "$WORK/events" 'name = "busy"'
expect_line "$WORK/events" 'name = "crowd"'
expect_no_line "$WORK/events" 'name = "child"'
expect_equal "$(grep -c 'name = "composed"' "$WORK/events")" 2 "the name, and its keyframe"
