#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves: of every profile in prover/profiles the report names the planted cause first, with the
# share that the prover's own clocks give it, and leaves nothing unknown.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
lttng_patient
shift
for program in proverd prove gaptrace; do
  [ -x "$BUILD/bin/$program" ] || skip "$program is not built"
done
if is_sanitized; then
  skip "sanitizers stretch the times that are compared"
fi
lttng_start

/usr/bin/python3 "$here/causes.py" "$BUILD" "${CAUSES_WORK:-$WORK}" "$@"
