#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How often gaptrace diff is right: false alarms between equals and planted causes that are found,
# on simulated services by the hundred, then 20 comparisons of real recordings of one configuration.
# Rates have bounds of 95 % confidence.
#
#   bench/regression.sh BUILD_FOLDER [COMPARISONS [LIVE_COMPARISONS]]
#
# COMPARISONS are those of each row (default: 25); LIVE_COMPARISONS 0 leaves them out. Exits 1 when a
# target of docs/regression.md is missed. Takes 40 minutes of one idle CPU, and 3 live.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 1 ]; then
  echo "usage: bench/regression.sh BUILD_FOLDER [COMPARISONS [LIVE_COMPARISONS]]" >&2
  exit 2
fi
build=$(realpath "$1")
comparisons=${2:-25}
live=${3:-20}
rates=$build/tests/simulator/regression_rates
if [ ! -x "$rates" ]; then
  echo "bench/regression.sh: $rates is not built (GAPTRACE_TESTS)" >&2
  exit 2
fi
status=0
"$rates" equal "$comparisons" || status=1
echo
"$rates" planted "$comparisons" || status=1
echo
"$rates" lengths $(((comparisons + 4) / 5))
if [ "$live" -gt 0 ]; then
  echo
  code=0
  "$here/../tests/integration/regression_live.sh" "$build" "$live" || code=$?
  # It is skipped (77) where the host does not let it be told from chance.
  [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || status=1
fi
exit "$status"
