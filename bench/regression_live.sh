#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Comparisons of real recordings of one configuration, the healthy one, on the sim device: how many
# are called a regression? Each run is in one comparison of one run a side; groups of five are then
# held against each other, too. What else the machine does is in the rates, so its load is printed.
#
#   bench/regression_live.sh BUILD_FOLDER [COMPARISONS]
set -euo pipefail
tests=$(cd "$(dirname "$0")/../tests/integration" && pwd)
# shellcheck source=tests/integration/lttng.sh
source "$tests/lttng.sh"
lttng_isolate "$@"
lttng_start
comparisons=${2:-20}
root=$(realpath "$tests/../..")
export GAPTRACE=$BUILD/bin/gaptrace PROVERD=$BUILD/bin/proverd PROVE=$BUILD/bin/prove
export LD_LIBRARY_PATH=$BUILD/lib
cd "$WORK"

# As on a host of its own, where that is allowed: what others do here is no property of the prover.
first=()
if chrt --rr 1 true 2>/dev/null; then
  first=(chrt --rr 1)
fi

for i in $(seq $((2 * comparisons))); do
  "${first[@]}" "$GAPTRACE" record -o recording -- "$root/docs/ci/prove-jobs.sh" "$root/prover/profiles/healthy.conf" 4 16 squaring \
    >/dev/null 2>log || {
    cat log >&2
    fail "the run was not recorded"
  }
  "$GAPTRACE" report --format json -o "run-$i.json" recording || [ $? -eq 4 ]
  rm -rf recording
done

# count WHAT BASE... -- NEW...
declare -A worse compared refused
count() {
  local what=$1 code=0
  shift
  "$GAPTRACE" diff "$@" >result || code=$?
  compared[$what]=$((${compared[$what]:-0} + 1))
  case $code in
    0) ;;
    1)
      worse[$what]=$((${worse[$what]:-0} + 1))
      sed -n '/^worse$/,/^$/p' result
      ;;
    *)
      refused[$what]=$((${refused[$what]:-0} + 1))
      cat result
      ;;
  esac
}

for i in $(seq "$comparisons"); do
  count "1 v 1" "run-$((2 * i - 1)).json" -- "run-$((2 * i)).json"
done
for i in $(seq 0 10 $((2 * comparisons - 10))); do
  mapfile -t group < <(seq -f 'run-%.0f.json' $((i + 1)) $((i + 10)))
  count "5 v 5" "${group[@]:0:5}" -- "${group[@]:5}"
done
echo "real recordings of one configuration called a regression; load of the machine $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) CPUs${first[0]:+, real-time}"
for what in "1 v 1" "5 v 5"; do
  echo "  $what runs of 64 units: ${worse[$what]:-0} of ${compared[$what]:-0}, not compared ${refused[$what]:-0}"
done
[ $((${worse["1 v 1"]:-0} * 100)) -le "$comparisons" ]
