#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Comparisons of real recordings of one configuration, the healthy one, on the sim device: how many
# are called a regression? Each run is compared with the one before it; groups of five then with
# each other, too. Ends with 1 when more are than chance allows at a true rate of 1 %.
#
#   tests/integration/regression_live.sh BUILD_FOLDER [COMPARISONS]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
lttng_patient
[ -x "$BUILD/bin/proverd" ] || skip "proverd is not built"
# What else the machine does is no property of the prover: where a busy neighbour can wake its
# threads late, runs do differ (docs/regression.md, "Live").
chrt --rr 1 true 2>/dev/null || skip "no real-time priority is allowed, and the machine may be busy"
lttng_start
comparisons=${2:-20}
root=$(realpath "$here/../..")
export GAPTRACE=$BUILD/bin/gaptrace PROVERD=$BUILD/bin/proverd PROVE=$BUILD/bin/prove
export LD_LIBRARY_PATH=$BUILD/lib
cd "$WORK"

for i in $(seq $((comparisons + 1))); do
  chrt --rr 1 "$GAPTRACE" record -o recording -- \
    "$root/docs/ci/prove-jobs.sh" "$root/prover/profiles/healthy.conf" 4 16 squaring >/dev/null 2>log || {
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
  count "1 v 1" "run-$i.json" -- "run-$((i + 1)).json"
done
for i in $(seq 0 10 $((comparisons - 9))); do
  mapfile -t group < <(seq -f 'run-%.0f.json' $((i + 1)) $((i + 10)))
  count "5 v 5" "${group[@]:0:5}" -- "${group[@]:5}"
done
echo "real recordings of one configuration called a regression; load of the machine $(cut -d ' ' -f 1-3 /proc/loadavg) on $(nproc) CPUs"
for what in "1 v 1" "5 v 5"; do
  echo "  $what runs of 64 units: ${worse[$what]:-0} of ${compared[$what]:-0}, not compared ${refused[$what]:-0}"
done
[ $((${refused["1 v 1"]:-0} + ${refused["5 v 5"]:-0})) -eq 0 ] || fail "runs of one configuration were not comparable"
# Of 20 at a rate of 1 %, two or more are as likely as 1.7 %, which is too much for a test, and three or more as 0.1 %.
[ $((${worse["1 v 1"]:-0} * 10)) -le "$comparisons" ] || fail "more than one in ten equals was called worse"
