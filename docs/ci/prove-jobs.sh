#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A command for gate.sh to record: starts proverd with a configuration, proves jobs, stops it.
#
#   docs/ci/prove-jobs.sh CONFIG JOBS PARTITIONS [KIND]
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: docs/ci/prove-jobs.sh CONFIG JOBS PARTITIONS [KIND]" >&2
  exit 2
fi
# Paths of sockets are short; the folder of a CI job may not be.
folder=$(mktemp -d "${TMPDIR:-/tmp}/prove-jobs.XXXXXX")
daemon=
finish() {
  if [ -n "$daemon" ]; then
    kill -TERM "$daemon" 2>/dev/null || true
    wait "$daemon" || true
  fi
  rm -rf "$folder"
}
trap finish EXIT

true >"$folder/log"
"${PROVERD:-proverd}" --config "$1" --socket "$folder/socket" --state-dir "$folder/state" 2>"$folder/log" &
daemon=$!
# The socket is there before the daemon serves; the log says when it does.
for _ in $(seq 1200); do
  [ "$(grep -c 'info: serving' "$folder/log")" -gt 0 ] && break
  if ! kill -0 "$daemon" 2>/dev/null; then
    cat "$folder/log" >&2
    exit 1
  fi
  sleep 0.1
done
"${PROVE:-prove}" --socket "$folder/socket" --jobs "$2" --partitions "$3" --kind "${4:-merkle}" >/dev/null
kill -TERM "$daemon"
wait "$daemon"
daemon=
