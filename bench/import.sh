#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints how fast files of other tools are read, and with how much memory, beside others that read
# the same files: those of the peers that are installed (sqlite3 jq yajl-tools python3-ijson nodejs).
#
#   bench/import.sh BUILD_DIR [STEPS] [ROUNDS]
#
# Exits 1 when the report of a file fails.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 1 ]; then
  echo "usage: bench/import.sh BUILD_DIR [STEPS] [ROUNDS]" >&2
  exit 2
fi
exec python3 bench/import_compare.py "$@"
