#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where there is no GPU the daemon says so in one line, and runs without a driver all the same.
set -euo pipefail
# shellcheck source=tests/integration/prover_common.sh
source "$(dirname "$(realpath "$0")")/prover_common.sh" "$@"

if [ -e /dev/nvidia0 ] || [ -e /dev/nvidiactl ]; then
  echo "skipped: this machine has a GPU"
  exit 77
fi

claim "proverd needs neither the driver nor a C++ library to start"
unwanted='libcuda|libcudart|libstdc'
if [ "$(ldd "$PROVERD" | grep -cE 'lib[at]san')" -gt 0 ]; then
  unwanted='libcuda|libcudart' # the sanitizer's own library needs the C++ one
fi
if ldd "$PROVERD" | grep -E "$unwanted"; then
  fail "it is linked against these"
fi
"$PROVERD" --version >/dev/null

claim "kind = cuda without a GPU ends in one line that says what to do"
printf '[gpu]\nkind = cuda\n' >"$WORK/cuda.conf"
code=0
"$PROVERD" --config "$WORK/cuda.conf" --socket "$WORK/cuda.sock" --state-dir "$WORK/cuda" 2>"$WORK/stderr" || code=$?
[ "$code" = 69 ] || fail "exit code $code"
[ "$(wc -l <"$WORK/stderr")" = 1 ] || fail "more than a line: $(cat "$WORK/stderr")"
grep -q 'kind = cpu' "$WORK/stderr" || fail "no mend: $(cat "$WORK/stderr")"
