#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What an operator sees of bad files: one line with file, place and mend, and an exit code.
set -euo pipefail
tool=$1/tests/integration/groth16_tool
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# refused CODE TEXT COMMAND...: exits with CODE and prints one line that holds TEXT.
refused() {
  local code=$1 text=$2 got=0
  shift 2
  "$tool" "$@" >stdout 2>stderr || got=$?
  grep -v ': [0-9.]* s$' stderr >line || true
  [ "$got" = "$code" ] || fail "$*: exit code $got, not $code: $(cat line)"
  [ "$(wc -l <line)" = 1 ] || fail "$*: not one line: $(cat line)"
  grep -qF "$text" line || fail "$*: $(cat line)"
}

"$tool" r1cs squaring-chain:6 good.r1cs
"$tool" setup squaring-chain:6 good.zkey 2>/dev/null
"$tool" witness squaring-chain:6 1 good.wtns
"$tool" vkey good.zkey vkey.json
"$tool" prove good.zkey good.wtns proof.json public.json 2>/dev/null
"$tool" verify vkey.json public.json proof.json

refused 66 'none.zkey: cannot be opened: No such file' info none.zkey
refused 65 "$work: not a regular file" info "$work"
: >empty.zkey
refused 65 'empty.zkey: only 0 bytes' info empty.zkey
refused 65 'good.wtns: not a proving key (.zkey)' info good.wtns
head -c 2000 good.zkey >cut.zkey
refused 65 'is it cut short?' info cut.zkey
"$tool" witness squaring-chain:7 1 other.wtns
refused 65 "the key's circuit 8" prove good.zkey other.wtns p.json q.json
# The last wire is the value after row 4.
cp good.wtns bent.wtns
printf zz | dd of=bent.wtns bs=1 seek=$(($(stat -c %s good.wtns) - 32)) conv=notrunc status=none
refused 65 'constraint 4 of 6 does not hold' check good.r1cs bent.wtns
# The protocol is the first payload: 2 is PLONK.
cp good.zkey plonk.zkey
printf '\2' | dd of=plonk.zkey bs=1 seek=24 conv=notrunc status=none
refused 65 'plonk.zkey: a key for PLONK' info plonk.zkey
sed 's/bls12381/bn128/' vkey.json >bn.json
refused 65 'curve "bn128"' verify bn.json public.json proof.json
sed 's/"\([0-9]*\)[0-8]"/"\19"/' public.json >bent.json
refused 65 'does not prove these public values' verify vkey.json bent.json proof.json
refused 66 'no/such.zkey: cannot be written: No such file' setup squaring-chain:6 no/such.zkey

# A disk that fills up, played by a limit on file sizes (in KiB): what was there stays.
cp good.zkey kept.zkey
got=0
(
  trap '' XFSZ
  ulimit -f 2
  "$tool" setup squaring-chain:60 kept.zkey 2>stderr
) || got=$?
[ "$got" != 0 ] || fail "a key that does not fit is no error"
grep -q 'kept.zkey: cannot be written: .*; nothing was changed' stderr || fail "$(cat stderr)"
cmp good.zkey kept.zkey
[ -z "$(find . -name '*.part')" ] || fail "a temporary file was left"
