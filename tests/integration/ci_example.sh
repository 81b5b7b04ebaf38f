#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The CI example of docs/ci with the real prover: good builds make the baseline, a build with a
# planted cause fails and the cause is named, the next good build passes and is kept.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
lttng_patient
for program in proverd prove gaptrace; do
  [ -x "$BUILD/bin/$program" ] || skip "$program is not built"
done
lttng_start
ci=$(realpath "$here/../../docs/ci")
export GAPTRACE=$BUILD/bin/gaptrace PROVERD=$BUILD/bin/proverd PROVE=$BUILD/bin/prove
export LD_LIBRARY_PATH=$BUILD/lib
cd "$WORK"

# Fifty times faster than real hardware. The planted build prepares on the CPU ten times as long.
make_build() {
  cat >"$1.conf" <<CONF
[gpu]
kind = sim
[jobs]
kinds = squaring
[memory]
budget_bytes = 1T
[synthesis]
workers = 4
[pools]
groth16 = 4
[srs]
load = start
[sim]
time_scale = 0.02
synthesis_ms = 1000
prep_ms = $2
b_g2_ms = 300
pinned_mb_per_s = 400000
pinned_alloc_mb_per_s = 200000
device_alloc_mb_per_s = 1000000
key_load_mb_per_s = 1000000
CONF
}
make_build good 400
make_build planted 9000
# What a loaded machine does to a good build is none of this test's business; the other one is held to little.
printf '[thresholds]\nabsolute = 3600s\n' >good.limits
printf '[thresholds]\nabsolute = 20ms\nrelative = 20%%\n' >planted.limits

# gate EXIT_CODE BUILD [OPTION...]
gate() {
  local code=$1 build=$2
  shift 2
  expect_status "$code" "$ci/gate.sh" --history runs.db --build "$build" --budget "$build.limits" \
    -o "out-$build" "$@" -- "$ci/prove-jobs.sh" "$build.conf" 3 8 squaring
}

claim "the first good builds are kept and said to be compared with nothing"
gate 0 good --first --runs 2
expect_line stdout '^gate: kept 2 runs in runs.db$'
expect_line stdout 'nothing was compared'

claim "a build with a planted cause fails, and the cause is named first, in every format"
gate 1 planted --runs 1
expect_line stdout '^REGRESSION$'
first=$(awk '/^worse$/ { getline; print; exit }' stdout)
[[ $first == *"gpu_mutex"*"prep_msm"* ]] || fail "first is: $first"
expect_line out-planted/gaptrace.md '^### gaptrace: REGRESSION$'
expect_line out-planted/gaptrace.md '^\| regressed \|.*prep\\_msm'
[ "$(grep -c '<failure' out-planted/gaptrace.xml)" -gt 0 ] || fail "no failure in the JUnit XML"
expect_status 0 "$GAPTRACE" history runs.db list --format csv --build planted
expect_equal "$(grep -c planted stdout)" 0 "bad runs that were kept"

claim "the next good build passes, and is kept; of the folder only what the gate made is replaced"
true >out-good/notes
true >out-good/recording-2/old
gate 0 good --runs 1
[ -e out-good/notes ] || fail "a file of somebody else's is gone"
[ ! -e out-good/recording-2 ] || fail "an earlier recording is still there"
expect_line stdout '^no regression$'
expect_line stdout '^gate: kept 1 runs in runs.db$'
expect_equal "$(grep -c '<failure' out-good/gaptrace.xml)" 0 "failures"

claim "no baseline, a command that fails and wrong use are not green"
gate 3 good --runs 1 --profile other
expect_line stderr '^gate: no baseline to compare with'
expect_status 3 "$ci/gate.sh" --history none.db --runs 1 -o out-none -- true
expect_line stderr '^gate: none.db does not exist'
expect_status 5 "$ci/gate.sh" --history runs.db --runs 1 -o out-false -- false
expect_line stderr '^gate: .*nothing was compared$'
expect_status 5 "$ci/gate.sh" --history runs.db --runs 1 -o out-true -- true
expect_line stderr '^gate: .true. ended with 66, and nothing was compared$'
cat >lossy <<'SCRIPT'
#!/bin/sh
[ "$1" != report ] || exit 4
SCRIPT
chmod +x lossy
GAPTRACE=$WORK/lossy expect_status 4 "$ci/gate.sh" --first --history none.db --runs 1 -o out-lossy -- true
expect_line stderr '^gate: a recording is not to be trusted, and nothing was kept$'
[ ! -e none.db ] || fail "a recording that is not to be trusted was kept"
expect_status 2 "$ci/gate.sh" --runs 0 -- true
expect_status 2 "$ci/gate.sh" --runs 1
