#!/usr/bin/env bash
# Prints prove time against snarkjs with the same key and witness, and two-thread efficiency.
#
#   bench/prove.sh BUILD_DIR [ROUNDS]
#
# The key is snarkjs's own for SHA-256 of 32 bytes if ../shared/cases has it, else our test set-up's
# for the built-in circuit. Both provers are pinned to one core and run in turn; what is compared is
# the CPU time of the whole process, reading the key included. The best round of each counts, since
# others can only slow a run down. Exits 1 if a target is missed, 77 if the machine is too busy to
# tell: CPU time is fair on a busy machine, what two threads gain is not.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: bench/prove.sh BUILD_DIR [ROUNDS]}
rounds=${2:-5}
ratio_target=5
efficiency_target=90
bench=$build/bench/bench_prove
snarkjs=.deps/snarkjs/node_modules/.bin/snarkjs
cases=../shared/cases/prover/bls12381/sha256b1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -x "$snarkjs" ]; then
  echo "prove.sh: no snarkjs; run scripts/install-dependencies --tests" >&2
  exit 77
fi
if [ -f "$cases/sha256b1.zkey.gz" ]; then
  gzip -dc "$cases/sha256b1.zkey.gz" >"$work/key.zkey"
  gzip -dc "$cases/sha256b1.wtns.gz" >"$work/witness.wtns"
  echo "key: circom's SHA-256 of 32 bytes, set up by snarkjs"
else
  "$bench" --write sha256 "$work/key.zkey" "$work/witness.wtns"
  echo "key: built-in SHA-256 of 32 bytes, test set-up"
fi

# Runs a command pinned to one core and prints the CPU milliseconds it took.
cpu_ms() {
  local TIMEFORMAT='%U %S'
  { time taskset -c 0 "$@" >"$work/out" 2>"$work/err"; } 2>&1 |
    awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}

smaller() {
  if [ -z "$1" ] || [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

peer_ms='' our_ms=''
for _ in $(seq "$rounds"); do
  ms=$(cpu_ms "$snarkjs" groth16 prove "$work/key.zkey" "$work/witness.wtns" "$work/proof.json" "$work/public.json")
  test -s "$work/proof.json" # else the time is that of a failure
  peer_ms=$(smaller "$peer_ms" "$ms")
  ms=$(cpu_ms "$bench" "$work/key.zkey" "$work/witness.wtns" 1 1)
  grep -q '^threads=1 ' "$work/out"
  our_ms=$(smaller "$our_ms" "$ms")
done
"$bench" "$work/key.zkey" "$work/witness.wtns" 2 "$((rounds * 2))" >"$work/threads"

prove_ms=$(sed -n 's/^threads=1 .*cpu_ms=//p' "$work/threads")
available=$(sed -n 's/^available_percent=//p' "$work/threads")
efficiency=$(sed -n 's/^efficiency_percent=//p' "$work/threads")
awk -v peer="$peer_ms" -v ours="$our_ms" -v prove="$prove_ms" -v efficiency="$efficiency" -v available="$available" \
  -v ratio_target="$ratio_target" -v efficiency_target="$efficiency_target" 'BEGIN {
  printf "one core, CPU time of the process: snarkjs %d ms, ours %d ms (%.0f ms of it proving)\n", peer, ours, prove
  printf "faster than snarkjs: %.1f x (target %d x)\n", peer / ours, ratio_target
  printf "two-thread efficiency: %.1f %% (target %d %%)\n", efficiency, efficiency_target
  if (peer / ours < ratio_target) exit 1
  if (efficiency >= efficiency_target) exit 0
  if (available >= 95) exit 1
  printf "others took %.0f %% of two processors: cannot tell the efficiency, run it alone\n", 100 - available
  exit 77
}'
