# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the record_*.sh scripts share; sourced.
# shellcheck source=lttng.sh
source "$(dirname "${BASH_SOURCE[0]}")/lttng.sh"

GAPTRACE=$(realpath "${1:?}")/bin/gaptrace
APP=$(realpath "$1")/bin/record_app
export GAPTRACE APP

# event_count DIR EVENT: how many gaptrace:EVENT babeltrace2 reads.
event_count() {
  read_text "$1"
  grep -c " gaptrace:$2: " "$WORK/text" || true
}

# `babeltrace2 run` would be its command of that name.
read_text() {
  babeltrace2 "$(realpath "$1")" >"$WORK/text" 2>"$WORK/text.err" || {
    cat "$WORK/text.err" >&2
    fail "babeltrace2 does not read $1"
  }
}

# The number of the last span in a recording.
last_span() {
  read_text "$1"
  sed -n 's/.* gaptrace:span_end: .* job = \([0-9]*\),.*/\1/p' "$WORK/text" | tail -n 1
}

# Metadata and events have come to the disk, so whatever dies now leaves something. A packet of
# 4 KiB may be empty.
recording_has_data() {
  find "$1" -name metadata -size +0 | grep -c . && find "$1" -name 'hot_*' -size +8k | grep -c .
}

expect_absent() {
  local path
  for path in "$@"; do
    [ ! -e "$path" ] || fail "$path is there"
  done
}

# A program that wrote its last number there has begun.
has_begun() {
  [ -s "$1" ] && [ "$(od -An -tu8 "$1" | tr -d ' ')" -gt "${2:-0}" ]
}

last_number() {
  od -An -tu8 "$1" | tr -d ' '
}
