#!/usr/bin/env bash
# Proves: the plain lttng commands of docs/recording.md, taken from that page, record all that the
# program emits.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
page=$(realpath "$(dirname "$0")/../../docs/recording.md")
lttng_isolate "$@"
lttng_patient
cd "$WORK"

claim "the page's commands run as they stand"
# shellcheck disable=SC2016
sed -n '/^## With plain lttng/,$p' "$page" | sed -n '/^```sh/,/^```/p' | grep -v '^```' >commands
[ "$(wc -l <commands)" -gt 10 ] || fail "no commands found in $page"
expect_line commands '^LTTNG_UST_REGISTER_TIMEOUT=3000 service$'
mkdir bin
printf '#!/bin/sh\nLTTNG_UST_REGISTER_TIMEOUT=120000 exec %q 300 100 0\n' "$APP" >bin/service
chmod +x bin/service
PATH=$WORK/bin:$PATH bash -euo pipefail commands >output 2>&1 || {
  cat output >&2
  fail "a command of the page failed"
}

claim "all of the program is in the recording"
expect_equal "$(event_count run1 span_end)" 300 "spans recorded"
expect_equal "$(event_count run1 state)" 3 "keyframes recorded"
expect_line "$WORK/text" 'vpid = [0-9]+, vtid = [0-9]+'

claim "gaptrace record --stop ends such a session"
sed -e '1d' -e '/^lttng stop/,$d' -e 's/\brun1\b/run2/g' commands >again
PATH=$WORK/bin:$PATH bash -euo pipefail again >output 2>&1
expect_status 0 "$GAPTRACE" record --stop run2
expect_line stderr 'no events lost: .*/run2$'
