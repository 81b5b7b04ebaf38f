#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Jobs that fail, clients by the dozen: nothing is left behind, and nothing of one job hurts another.
set -euo pipefail
# shellcheck source=tests/integration/prover_common.sh
source "$(dirname "$(realpath "$0")")/prover_common.sh" "$@"

files=$WORK/files
mkdir -p "$files/deep" "$WORK/outside"
daemon="[jobs]
kinds = squaring
squaring_rows = 60
file_root = $files
[gpu]
count = 2"
start_daemon files "$daemon"
cp "$WORK/state/squaring-chain-60.zkey" "$files/key.zkey"
/usr/bin/python3 - "$files" <<'PYTHON'
# Witnesses of t' = t^2 + i over 60 rows: wire 1 is the last t, wire 2 the first, then the others.
import struct, sys
R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001

def wtns(values):
    word = lambda value: value.to_bytes(32, "little")
    header = struct.pack("<I", 32) + word(R) + struct.pack("<I", len(values))
    body = b"".join(word(value) for value in values)
    return (b"wtns" + struct.pack("<II", 2, 2) + struct.pack("<IQ", 1, len(header)) + header
            + struct.pack("<IQ", 2, len(body)) + body)

values = [1] + [5] * 61
open(sys.argv[1] + "/wrong.wtns", "wb").write(wtns(values))
open(sys.argv[1] + "/short.wtns", "wb").write(wtns(values[:-1]))
open(sys.argv[1] + "/cut.wtns", "wb").write(wtns(values)[:100])
values[7] = R
open(sys.argv[1] + "/deep/range.wtns", "wb").write(wtns(values))
PYTHON
printf 'no key' >"$files/bad.zkey"
printf 'secret' >"$WORK/outside/secret"
ln -s "$WORK/outside/secret" "$files/link"

claim "a wrong witness, a short, a cut and an unreadable one fail their jobs with the reason"
number=0
for witness in wrong.wtns short.wtns cut.wtns deep/range.wtns bad.zkey; do
  number=$((number + 1))
  expect_api 202 id POST /jobs "{\"kind\": \"files\", \"key\": \"key.zkey\", \"witnesses\": [\"$witness\", \"$witness\"]}"
  wait_json "/jobs/$number" 'page["state"] == "failed"'
done
[ "$(json /jobs/1 'all(words in page["error"] for words in ("/wrong.wtns: partition ", "does not satisfy the circuit of ", "/key.zkey"))')" = \
  True ] || fail "wrong reason: $(cat "$WORK/answer")"
[ "$(json /jobs/2 '"short.wtns: the witness has" in page["error"]')" = True ] ||
  fail "wrong reason: $(cat "$WORK/answer")"
[ "$(json /jobs/3 '"cut.wtns" in page["error"]')" = True ] || fail "wrong reason: $(cat "$WORK/answer")"
expect_api 404 'job 1 failed' GET /jobs/1/proof

claim "so does a bad key"
expect_api 202 id POST /jobs '{"kind": "files", "key": "bad.zkey", "witnesses": ["wrong.wtns"]}'
wait_json /jobs/6 'page["state"] == "failed"'
[ "$(json /jobs/6 '"bad.zkey" in page["error"]')" = True ] || fail "wrong reason: $(cat "$WORK/answer")"

claim "files outside the root are not reached by any name"
for name in ../outside/secret link deep/../../outside/secret; do
  expect_api 404 'no file' POST /jobs "{\"kind\": \"files\", \"key\": \"$name\", \"witnesses\": [\"wrong.wtns\"]}"
done
expect_api 400 "'witnesses' must name a file" POST /jobs '{"kind": "files", "key": "key.zkey"}'
expect_api 403 'must be relative' POST /jobs '{"kind": "files", "key": "/etc/passwd", "witnesses": ["wrong.wtns"]}'
expect_api 404 'no file' POST /jobs '{"kind": "files", "key": "key.zkey", "witnesses": ["../outside/secret"]}'

claim "nothing of the failed jobs is left"
wait_json /status 'page["memory"]["used_bytes"] == page["memory"]["key_bytes"]'
[ "$(json /status 'page["buffers"]["in_use"], page["queues"], page["pipelines"], page["counters"]["failed"]')" = \
  "(0, {'scheduler': 0, 'synth_queue': 0, 'dispatch': 0, 'gpu_queue': [0]}, [], 6)" ] ||
  fail "something is left: $(cat "$WORK/answer")"

claim "good jobs are proved beside bad ones"
for _ in 1 2 3; do
  api POST /jobs '{"kind": "files", "key": "key.zkey", "witnesses": ["wrong.wtns", "cut.wtns", "wrong.wtns"]}'
done
expect_exit 0 '4 of 4 jobs done' "$PROVE" --socket "$SOCKET" --kind squaring --jobs 4 --partitions 2 --verify
expect_exit 1 'job [0-9]+ failed' "$PROVE" --socket "$SOCKET" --kind files --key key.zkey --witness wrong.wtns

claim "the client ends with what a refusal is"
expect_exit 66 "kind 'merkle' are not served here" "$PROVE" --socket "$SOCKET"
expect_exit 66 'no file' "$PROVE" --socket "$SOCKET" --kind files --key none.zkey --witness wrong.wtns
expect_exit 77 'must be relative' "$PROVE" --socket "$SOCKET" --kind files --key /etc/passwd --witness wrong.wtns
expect_exit 65 "field 'priority'" "$PROVE" --socket "$SOCKET" --kind squaring --priority urgent
expect_exit 65 'partitions are more than' "$PROVE" --socket "$SOCKET" --kind squaring --partitions 999999

claim "twenty clients at once all get their proofs"
clients=()
for index in $(seq 20); do
  "$PROVE" --socket "$SOCKET" --kind squaring --jobs 2 --partitions 2 --seed "$((index * 100))" --verify \
    >"$WORK/client.$index" 2>&1 &
  clients+=($!)
done
for client in "${clients[@]}"; do
  wait "$client" || fail "a client ended with $?: $(cat "$WORK"/client.*)"
done
[ "$(grep -l '4 proofs verified' "$WORK"/client.* | wc -l)" = 20 ] || fail "not all proofs were verified"
# The bad jobs of before may end after the good ones.
wait_json /status 'page["counters"]["submitted"] == page["counters"]["completed"] + page["counters"]["failed"]'
wait_json /status 'page["memory"]["used_bytes"] == page["memory"]["key_bytes"] and page["buffers"]["in_use"] == 0'
stop_daemon

claim "state that is not writable, or a key file that is cut, is told"
printf 'x' >"$WORK/state/squaring-chain-60.zkey"
start_daemon cut "$daemon"
expect_exit 1 'squaring-chain-60.zkey' "$PROVE" --socket "$SOCKET" --kind squaring
stop_daemon
printf 'x' >"$WORK/nodir"
expect_exit 73 'nodir' "$PROVERD" --config "$WORK/cut.conf" --socket "$WORK/x.sock" --state-dir "$WORK/nodir"

claim "a daemon whose devices are all lost fails its jobs, says so, and ends for a supervisor to start another"
PROVERD=$BUILD/tests/integration/proverd_lossy
export LOSSY_DEVICES=3
start_daemon lossy '[jobs]
kinds = squaring
squaring_rows = 20
[gpu]
count = 2
[daemon]
drain_ms = 600000'
expect_exit 1 'job 1 failed: (prove_start on device [01]: internal error|no device is left)' \
  "$PROVE" --socket "$SOCKET" --kind squaring --partitions 8
# Both devices must have been tried: one may have had all of the first job.
while kill -0 "$DAEMON" 2>/dev/null && [ "$(grep -c 'is lost: upload: lost on purpose' "$WORK/log")" -lt 2 ]; do
  "$PROVE" --socket "$SOCKET" --kind squaring >/dev/null 2>&1 || true
done
code=0
wait "$DAEMON" || code=$?
[ "$code" = 69 ] || fail "exit code $code"
grep -q 'error: device [01] is lost: upload: lost on purpose; it was the last one' "$WORK/log" || fail "no device is named"
grep -q 'error: stopping: no device is left' "$WORK/log" || fail "it does not say why it stops"
[ "$(grep -c 'is lost: ' "$WORK/log")" = 2 ] || fail "a device is named more than once"
