#!/usr/bin/env bash
# Runs every profile of planted causes five times (or ROUNDS) and prints what each report named
# first against what was planted, and how far its share was off the prover's own clocks.
#
#   bench/causes.sh BUILD_DIR [ROUNDS] [PROFILE...]
#
# Exits 1 unless every report is right. A run takes some two minutes a round.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 1 ]; then
  echo "usage: bench/causes.sh BUILD_DIR [ROUNDS] [PROFILE...]" >&2
  exit 2
fi
build=$1
rounds=${2:-5}
shift $(($# > 1 ? 2 : 1))
exec "$here/tests/integration/causes.sh" "$build" --rounds "$rounds" --matrix "$@"
