#!/usr/bin/env bash
# Proves: lost events are counted to the last one and told, with what to do; the command's exit code
# stays its own.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

cat >tiny.conf <<'END'
[channel hot]
event = gaptrace:span_*
subbuffer_size = 4K
subbuffer_count = 2
flush_interval = 1s
END

claim "full buffers: what is lost is what is not there"
expect_status 4 "$GAPTRACE" record --profile ./tiny.conf -o lost -- "$APP" 200000 0 4
expect_line stderr 'LOST [0-9]+ events and [0-9]+ packets'
expect_line stderr "lost in channel 'hot': [0-9]+ events"
expect_line stderr 'subbuffer_size'
lost=$(sed -n 's/.*LOST \([0-9]*\) events.*/\1/p' stderr)
kept=$(($(event_count lost span_begin) + $(event_count lost span_end)))
expect_equal $((lost + kept)) 400000 "lost and kept together"
[ "$lost" -gt 0 ] || fail "nothing was lost"

claim "the default profile loses none of the same"
expect_status 0 "$GAPTRACE" record -o kept -- "$APP" 20000 10 0
expect_line stderr 'no events lost'
expect_equal "$(event_count kept span_end)" 20000 "spans recorded"
