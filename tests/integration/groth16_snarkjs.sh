#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# snarkjs, which shares no code with us, reads our keys, witnesses and proofs and we read its.
set -euo pipefail
build=$1
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
tool=$build/tests/integration/groth16_tool
snarkjs=$root/.deps/snarkjs/node_modules/.bin/snarkjs
cases=$root/../shared/cases/prover/bls12381

if ! command -v node >/dev/null || [ ! -x "$snarkjs" ]; then
  echo "skipped: no snarkjs; scripts/install-dependencies --tests brings it"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

claim() {
  echo "-- $*"
}
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Succeeds if snarkjs finds the proof wrong, and not if it fails for another reason.
snarkjs_refuses() {
  ! "$snarkjs" groth16 verify "$@" >refused.log 2>&1 && grep -q 'Invalid proof' refused.log
}

for circuit in squaring-chain:100 sha256:8 merkle-path:1:2; do
  claim "$circuit: snarkjs finds our witness right for our constraint system"
  "$tool" r1cs "$circuit" our.r1cs
  "$tool" witness "$circuit" 1 our.wtns
  "$tool" check our.r1cs our.wtns
  "$snarkjs" wtns check our.r1cs our.wtns | grep -c 'WITNESS IS CORRECT'

  claim "$circuit: the verification key that snarkjs exports from our key is ours, byte by byte"
  "$tool" setup "$circuit" our.zkey
  "$tool" vkey our.zkey our.vkey.json
  "$snarkjs" zkey export verificationkey our.zkey their.vkey.json >/dev/null
  cmp our.vkey.json their.vkey.json

  claim "$circuit: snarkjs accepts our proof"
  "$tool" prove our.zkey our.wtns our.proof.json our.public.json
  "$snarkjs" groth16 verify our.vkey.json our.public.json our.proof.json | grep -c 'OK!'

  claim "$circuit: we accept the proof that snarkjs makes with our key and witness"
  "$snarkjs" groth16 prove our.zkey our.wtns their.proof.json their.public.json >/dev/null
  cmp our.public.json their.public.json
  "$tool" verify our.vkey.json their.public.json their.proof.json
done

claim "both refuse a public value that was changed, and a proof of another witness"
sed 's/"\([0-9]*\)[0-8]"/"\19"/' our.public.json >bent.public.json
cmp -s our.public.json bent.public.json && fail "the public value was not changed"
snarkjs_refuses our.vkey.json bent.public.json our.proof.json || fail "snarkjs accepts it"
"$tool" verify our.vkey.json bent.public.json our.proof.json 2>/dev/null && fail "we accept it"
"$tool" witness merkle-path:1:2 2 other.wtns
"$tool" prove our.zkey other.wtns other.proof.json other.public.json
snarkjs_refuses our.vkey.json our.public.json other.proof.json || fail "snarkjs accepts it"
"$tool" verify our.vkey.json our.public.json other.proof.json 2>/dev/null && fail "we accept it"

claim "our key still says that it is insecure after somebody contributed to it"
"$snarkjs" zkey contribute our.zkey contributed.zkey -e=entropy >/dev/null
[ "$("$tool" info contributed.zkey | sed -n 's/^insecure //p')" = yes ]
"$tool" vkey contributed.zkey contributed.vkey.json
"$tool" prove contributed.zkey our.wtns contributed.proof.json contributed.public.json
"$snarkjs" groth16 verify contributed.vkey.json contributed.public.json contributed.proof.json |
  grep -q 'OK!'

claim "the public values of sha256 are the digest that sha256sum prints"
"$tool" secret sha256 7 secret
"$tool" witness sha256 7 our.wtns
"$tool" setup sha256 our.zkey
"$tool" prove our.zkey our.wtns our.proof.json our.public.json
digest=$(sha256sum <secret)
node -e '
  const [high, low] = JSON.parse(require("fs").readFileSync("our.public.json"));
  const hex = (text) => BigInt(text).toString(16).padStart(32, "0");
  console.log(hex(high) + hex(low));' >printed
[ "$(cat printed)" = "${digest%% *}" ] || fail "$(cat printed) is not ${digest%% *}"

if [ ! -d "$cases" ]; then
  echo "the part with circom's files is left out: no $cases"
  exit 0
fi
for name in tiny sha256b1; do
  for suffix in r1cs wtns zkey; do
    if [ -f "$cases/$name/$name.$suffix" ]; then
      cp "$cases/$name/$name.$suffix" "their.$suffix"
    else
      gunzip -c "$cases/$name/$name.$suffix.gz" >"their.$suffix"
    fi
  done

  claim "$name: snarkjs accepts our proof with its own key and witness of a circom circuit"
  "$tool" prove their.zkey their.wtns our.proof.json our.public.json
  "$snarkjs" groth16 verify "$cases/$name/$name.vkey.json" our.public.json our.proof.json |
    grep -q 'OK!'
  cmp <(tr -d ' \n' <our.public.json) <(tr -d ' \n' <"$cases/$name/$name.public.json")

  claim "$name: our key for a circom circuit serves snarkjs, and us"
  "$tool" check their.r1cs their.wtns
  "$tool" setup their.r1cs our.zkey
  "$tool" vkey our.zkey our.vkey.json
  "$snarkjs" groth16 prove our.zkey their.wtns their.proof.json their.public.json >/dev/null
  "$tool" verify our.vkey.json their.public.json their.proof.json
  "$tool" prove our.zkey their.wtns our.proof.json our.public.json
  "$snarkjs" groth16 verify our.vkey.json our.public.json our.proof.json | grep -c 'OK!'
done
